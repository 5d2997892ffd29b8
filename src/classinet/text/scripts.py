"""Scripts that put no space between words: what stands for a word there.

Enter: a token that may hold such writing, as a whole clause. Leave: short tokens. Where words end is known to
dictionaries alone, and pairs of neighbouring characters serve nearly as well: most words of Chinese have two. Japanese
changes its script within a sentence, so runs of katakana (words from abroad) and of hiragana (endings and small words)
are tokens as they are. In Thai, Lao, Khmer and Burmese a letter and the vowels and marks around it are one unit, and
two units a token; but where a text has spaces of no width, as much of Khmer has, these separate its words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
# Thai, Lao, Burmese, Khmer, and further blocks of the last two; digits are no letters of a script.
SOUTHEAST = "\u0e01-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3\uaa60-\uaa7f"
LEADING = "\u0e40-\u0e44\u0ec0-\u0ec4"  # vowels that are written before their consonant
TRAILING = "\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3"  # and some that follow it and are no combining marks
STACKING = "\u1039\u17d2"  # writes the next consonant below the one before

NO_WIDTH = "\u200b"
BETWEEN = "-'_.,:/\u200c\u200d"  # joins the parts of a token, and is left over where it is cut

_UNSPACED = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}{SOUTHEAST}]")
_RUN = re.compile(
    f"(?P<han>[{HAN}]+)|(?P<southeast>[{SOUTHEAST}]+)|(?P<whole>[{HIRAGANA}]+|[{KATAKANA}]+|[^{HAN}{HIRAGANA}{KATAKANA}{SOUTHEAST}]+)"
)


def is_unspaced(text: str) -> bool:
    """Whether a text, or a word, holds writing that puts no space between words.

    >>> [is_unspaced(text) for text in ("weather", "погода", "天气", "อากาศ")]
    [False, False, True, True]
    """
    return not text.isascii() and _UNSPACED.search(text) is not None


def split_unspaced(token: str, *, separated: bool = False) -> list[str]:
    """Cut a token where scripts change, and writing without spaces into pairs.

    `separated` says that the text has spaces of no width between its words.

    >>> split_unspaced("今天天气"), split_unspaced("wi-fi-手机"), split_unspaced("雨")
    (['今天', '天天', '天气'], ['wi-fi', '手机'], ['雨'])
    >>> split_unspaced("東京でコーヒーを飲む")
    ['東京', 'で', 'コーヒー', 'を', '飲', 'む']
    >>> split_unspaced("อากาศดี")
    ['อากา', 'กาศ', 'ศดี']
    """
    found = []
    for run in _RUN.finditer(token):
        whole = run.lastgroup == "whole" or (separated and run.lastgroup == "southeast")
        units = [run[0].strip(BETWEEN)] if whole else units_of(run[0])
        found += [a + b for a, b in pairwise(units)] if len(units) > 1 else units
    return [part for part in found if part[:1].isalnum()]


def units_of(run: str) -> list[str]:
    """Return characters, each with the vowels and marks that belong to it.

    >>> units_of("天气"), units_of("ที่นี่"), units_of("แม่")
    (['天', '气'], ['ที่', 'นี่'], ['แม่'])
    """
    return _unit().findall(run)


@cache
def _unit() -> re.Pattern[str]:
    every = map(chr, range(0x0E00, 0x1800))
    marks = "".join(c for c in every if unicodedata.category(c) in ("Mn", "Mc")) + "\u200c\u200d" + TRAILING
    return re.compile(f"[{LEADING}]?[^{LEADING}](?:[{STACKING}].|[{marks}\uaa7b-\uaa7d])*|[{LEADING}]", re.DOTALL)
