r"""Which characters spell words, and one spelling for what is written in several ways.

Enter: a text. Leaves: the same text, folded; and, for regular expressions, a pattern for the combining marks that `\w`
lacks, without which Indic, Arabic and decomposed Latin words fall apart.

The fold is NFKC. Short texts come from telephones and web forms, where one word arrives as ＷＯＲＤ, 𝔀𝓸𝓻𝓭 or with an ﬁ
ligature; each spelling would be a feature of its own, in texts that have too few features already. Two things NFKC does
are undone: it would spell some emoji as letters, and glue a trade mark sign to its word ("FooTM").
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# The pictures of Unicode's emoji list, and their neighbours in the blocks of symbols; no digit, no letter (ℹ), no ©.
EMOJI = (
    "↔-↙↩↪⌚⌛⌨⏏⏩-⏳⏸-⏺▪▫▶◀◻-◾☀-❧➔-➿⤴⤵⬅-⬇⬛⬜⭐⭕〰〽㊗㊙"
    "\U0001f000-\U0001f0ff🅰🅱🅾🅿🆎🆑-🆚🈁🈂🈚🈯🈲-🈺🉐🉑"
    "\U0001f300-\U0001f64f\U0001f680-\U0001f6ff🟠-🟫🟰\U0001f900-\U0001f9ff\U0001fa70-\U0001faff"
)
FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"
SKIN_TONES = "\U0001f3fb-\U0001f3ff"
FLAG_TAGS = "\U000e0020-\U000e007f"
KEYCAP = "\u20e3"
JOINERS = "\u200c\u200d"

# Ordering a run of n marks costs normalisation n² steps; no word of any language carries this many on one letter.
MOST_MARKS = 30

# What NFKC would spell with a space or leave between a letter and its mark goes before it ...
_BEFORE_NFKC = (
    ("\N{ACUTE ACCENT}", "'"),
    ("\N{SOFT HYPHEN}", ""),
    ("\N{VARIATION SELECTOR-15}", ""),
    ("\N{VARIATION SELECTOR-16}", ""),
)
# ... and what it writes itself comes after.
_AFTER_NFKC = (
    ("\N{RIGHT SINGLE QUOTATION MARK}", "'"),
    ("\N{MODIFIER LETTER APOSTROPHE}", "'"),
    ("\N{HYPHEN}", "-"),
    ("\N{FRACTION SLASH}", "/"),
)
_LAST_MARK = 0x1EFFF
_MAYBE_MANY_MARKS = re.compile(rf"[^\w\s\0-\u02ff]{{{MOST_MARKS + 1}}}")
_NOT_FOLDED = re.compile(f"([{EMOJI}™℠]+)")


def fold(text: str) -> str:
    """Return a text in one spelling: NFKC, straight apostrophes and hyphens, no invisible style marks.

    Case stays as it is.

    >>> fold("ﬁne ＷＯＲＤ, don’t")
    "fine WORD, don't"
    """
    if text.isascii():
        return text
    for written, meant in _BEFORE_NFKC:
        text = text.replace(written, meant)
    if _MAYBE_MANY_MARKS.search(text):
        text = _runs_of_marks().sub(lambda run: run[0][:MOST_MARKS], text)
    if not unicodedata.is_normalized("NFKC", text):
        pieces = _NOT_FOLDED.split(text)
        pieces[::2] = [unicodedata.normalize("NFKC", piece) for piece in pieces[::2]]
        text = "".join(pieces)
    for written, meant in _AFTER_NFKC:
        text = text.replace(written, meant)
    return text


@cache
def marks() -> str:
    r"""Return a pattern for a run of combining marks that belong to a word, never given back once read.

    Built when the first text beyond ASCII comes (some hundredths of a second). The look ahead rules out spaces and
    common punctuation in one step; the class itself ends in a hundred ranges that are tried one by one.

    >>> re.findall(marks(), "हिन्दी") == ["\u093f", "\u094d", "\u0940"]
    True
    """
    every = "".join(map(chr, range(_LAST_MARK + 1)))
    found = [c for c in re.findall(r"\W", every) if unicodedata.category(c)[0] == "M" and c != KEYCAP]
    return rf"(?![\0-\u02ff])[{''.join(found)}]++"


@cache
def _runs_of_marks() -> re.Pattern[str]:
    return re.compile(marks())
