"""Pieces of a text beside its words: pairs of neighbouring words, how it begins, and stems.

Enter: tokens. Leave: names of pieces. A piece tells what no word of it does ("not good", "how many"), and words that
differ in their endings share one ("refu…" of "refunds" and "refunded"). No name of a word looks like that of a
piece: a phrase has a space in it, and a stem ends in an ellipsis.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

BEGIN, END = "⊢", "⊣"
BEGINNINGS = (2, 3)  # words; that with one word is a pair already
STEM = 4  # letters; with 3 or 5 instead, seven sets of texts were judged about as well
CUT = "…"


def pieces_of(tokens: Sequence[str]) -> list[str]:
    """Return the phrases and stems of a text; how it ends tells nothing that its last word does not.

    >>> pieces_of(["how", "many", "refunds"])
    ['⊢ how', 'how many', 'many refunds', '⊢ how many', '⊢ how many refunds', 'refu…']
    """
    stems = [token[:STEM] + CUT for token in tokens if len(token) > STEM]
    return _pairs((BEGIN, *tokens)) + _beginnings(tokens) + stems


def phrases_of(tokens: Sequence[str]) -> list[str]:
    """Return pairs of neighbouring words, borders of the text counting as words, and its first words.

    >>> phrases_of(["how", "many", "cats"])
    ['⊢ how', 'how many', 'many cats', 'cats ⊣', '⊢ how many', '⊢ how many cats']
    """
    if not tokens:
        return []
    return _pairs((BEGIN, *tokens, END)) + _beginnings(tokens)


def _pairs(tokens: Sequence[str]) -> list[str]:
    return [f"{first} {second}" for first, second in pairwise(tokens)]


def _beginnings(tokens: Sequence[str]) -> list[str]:
    return [" ".join((BEGIN, *tokens[:n])) for n in BEGINNINGS if len(tokens) >= n]


def is_piece(name: str) -> bool:
    """Tell the name of a piece from that of a word.

    >>> [is_piece(name) for name in ("how", "how many", "⊢ how", "refu…", "…")]
    [False, True, True, True, False]
    """
    return " " in name or (name.endswith(CUT) and len(name) > len(CUT))
