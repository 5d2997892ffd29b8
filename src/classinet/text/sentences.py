"""A document becomes its sentences.

Enter: a text, such as a review, a news story or a docstring. Leaves: its sentences without the space around them; apart
from that space and HTML line breaks, every character of the text is in exactly one of them. Line breaks written as HTML
and blank lines always end a sentence. Elsewhere each run of stops is looked at once, with the word before it and the
word after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_PARAGRAPH = re.compile(r"<br\s*+/?+>|\n[^\S\n]*+\n", re.IGNORECASE)
_CLOSERS = "\"'”’»)]}*」』）】》"
_STOP = re.compile(rf"(?:(?P<east>[。！？｡])|[.!?…।॥؟۔።])[.!?…।॥؟۔።。！？｡{re.escape(_CLOSERS)}]*+")
_NEXT_WORD = re.compile(r"\s++[\"'“‘«(\[{*-]*+([^\s\"'”’,.!?;:)\]]*+)")
_WORD_BEFORE = re.compile(r"[^\s\"'“‘«(\[{/]*+$")
_LONGEST_ABBREVIATION = 12

_NEVER_LAST = _words(
    "mr mrs ms messrs mme dr prof st rev fr hon pres gov sen rep gen col maj capt cmdr lt sgt "
    "e.g eg i.e ie viz cf vs v.s approx al ca resp mt ft"
)
_BEFORE_NUMBERS = _words("no nos nr fig figs eq eqs ref refs vol vols ch chap sec p pp art")
_MAYBE_LAST = _words("etc inc ltd co corp jr sr dept est")
_DOTTED = re.compile(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+")
# After U.S. or etc. a capital letter says little: it may begin a name. These words begin sentences.
_OPENERS = _words(
    "a all also although an and another as at because both but by each even every for from he her here his how however "
    "i i'm i've if in it it's its just many maybe most my no not nothing now of on one only or our perhaps she since "
    "so some still such that that's the their then there there's these they this those though to we well what when "
    "where which while who why with yes yet you your"
)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text.

    Parameters
    ----------
    text : str
        In any script; the stops of Chinese and Japanese need no space after them.

    Returns
    -------
    list of str
        In the order of the text, none of them empty.

    Examples
    --------
    >>> split_sentences('Mr. Ed paid $3.50, e.g. for tea. "Really?" he said... and left.<br />The end')
    ['Mr. Ed paid $3.50, e.g. for tea.', '"Really?" he said... and left.', 'The end']
    >>> split_sentences("今日は。元気？")
    ['今日は。', '元気？']
    """
    return [sentence for paragraph in _PARAGRAPH.split(text) for sentence in _sentences(paragraph)]


def _sentences(paragraph: str) -> Iterator[str]:
    start = 0
    for stop in _STOP.finditer(paragraph):
        if _ends_sentence(paragraph, start, stop):
            yield paragraph[start : stop.end()].strip()
            start = stop.end()
    last = paragraph[start:].strip()
    if last:
        yield last


def _ends_sentence(paragraph: str, start: int, stop: re.Match[str]) -> bool:
    """Decide whether a run of stops, with the quotes and brackets it closes, ends the sentence begun at `start`."""
    if stop["east"]:
        return True
    following = _NEXT_WORD.match(paragraph, stop.end())
    if following is None:
        return False  # no space follows: a decimal, a file name, or the end of the text
    word = following[1]
    if not word:
        return False  # punctuation follows, as in ". . .", or nothing but space
    marks = stop[0]
    pauses = marks.startswith(("..", "…"))
    if word[0].islower() and (pauses or marks[-1] in _CLOSERS):
        return False  # he paused... and left; "Really?" he said
    if pauses or marks[0] != "." or "!" in marks or "?" in marks:
        return True
    before = paragraph[max(start, stop.start() - _LONGEST_ABBREVIATION) : stop.start()]
    return _full_stop_ends(before, word, at_start=stop.start() - start <= _LONGEST_ABBREVIATION)


def _full_stop_ends(before: str, following: str, *, at_start: bool) -> bool:
    """Decide about one full stop from the word before it and the word after it."""
    found = _WORD_BEFORE.search(before)
    word = found[0] if found else ""
    key = word.lower()
    if key in _NEVER_LAST:
        return False
    if key in _BEFORE_NUMBERS and following[0].isdigit():
        return False
    if key in _MAYBE_LAST or _DOTTED.fullmatch(word):
        return following[0].isupper() and following.lower() in _OPENERS
    if len(word) == 1 and word.isupper() and word != "I":
        return not following[0].isupper()  # an initial, as in J. Smith
    return not (at_start and before.strip().isdigit())  # 1. in a list
