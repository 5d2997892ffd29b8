"""Pieces of a text beside its words: pairs of neighbouring words, how it begins, and runs of letters.

Enter: tokens. Leave: names of pieces. A piece tells what no word of it does ("not good", "how many"), and words of one
stem, or of one part of a compound, share runs ("…fund…" of "refunded" and "funds"): so a word that the net has never
seen still leads somewhere. No name of a word looks like that of a piece: a phrase has a space in it, and a run has an
ellipsis where the word goes on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from classinet.text.scripts import is_unspaced, units_of

BEGIN, END = "⊢", "⊣"
BEGINNINGS = (2, 3)  # words; that with one word is a pair already
CUT = "…"
# Letters of a run, the border of a word counting as one. On seven sets of English and German texts and three of
# Finnish, Hungarian and Russian 4 did best, 5 and 3 nearly as well. A syllable of Hangul or kana is two or three.
RUN, SYLLABLES = 4, 2
# Shorter words share with others what tells nothing; without their runs texts are counted in half the time.
SHORTEST = 4
# A run counts for less than a word, for a word has several. A quarter and all of it did worse on most of those sets.
RUN_SHARE = 0.5
REMEMBERED = 100_000  # words
STEM = 4  # letters; what nets counted in place of runs before

PieceKind = bool | Literal["stems"]
STEMS: Literal["stems"] = "stems"

_SYLLABLES = re.compile("[가-힣ぁ-ヿ]")


def pieces_of(tokens: Sequence[str], kind: PieceKind = True) -> list[str]:
    """Return the phrases and runs of a text; how it ends tells nothing that its last word does not.

    Parameters
    ----------
    tokens : the words of the text.
    kind : True; or "stems" for the beginnings of long words in place of runs, as in nets that were built before.

    >>> pieces_of(["how", "many", "funds"])
    ['⊢ how', 'how many', 'many funds', '⊢ how many', '⊢ how many funds', 'man…', '…many…', '…any', 'fun…', '…fund…',
     '…unds…', '…nds']
    >>> pieces_of(["refunds"], "stems")
    ['⊢ refunds', 'refu…']
    """
    found = leading_phrases(tokens)
    for token in tokens:
        found += parts_of(token, kind)
    return found


def leading_phrases(tokens: Sequence[str]) -> list[str]:
    """Return the pieces of a text that are told by the order of its words.

    >>> leading_phrases(["how", "many", "funds"])
    ['⊢ how', 'how many', 'many funds', '⊢ how many', '⊢ how many funds']
    """
    return _pairs((BEGIN, *tokens)) + _beginnings(tokens)


def parts_of(token: str, kind: PieceKind = True) -> tuple[str, ...]:
    """Return the pieces of a text that one of its words brings along, wherever it stands.

    >>> parts_of("fund"), parts_of("refund", "stems")
    (('fun…', '…fund…', '…und'), ('refu…',))
    """
    if kind == STEMS:
        return (stem_of(token),) if len(token) > STEM else ()
    return letters_of(token)


def phrases_of(tokens: Sequence[str]) -> list[str]:
    """Return pairs of neighbouring words, borders of the text counting as words, and its first words.

    >>> phrases_of(["how", "many", "cats"])
    ['⊢ how', 'how many', 'many cats', 'cats ⊣', '⊢ how many', '⊢ how many cats']
    """
    if not tokens:
        return []
    return _pairs((BEGIN, *tokens, END)) + _beginnings(tokens)


@lru_cache(REMEMBERED)
def letters_of(word: str) -> tuple[str, ...]:
    """Return the runs of letters of a word: four of an alphabet, two syllables, or one character of Han.

    >>> letters_of("refund"), letters_of("the")
    (('ref…', '…refu…', '…efun…', '…fund…', '…und'), ())
    >>> letters_of("뜨거운"), letters_of("天气")
    (('…뜨거…', '…거운…'), ('…天…', '…气…'))
    """
    if not word.isascii():
        if _SYLLABLES.search(word):
            return tuple(f"{CUT}{word[i : i + SYLLABLES]}{CUT}" for i in range(len(word) - SYLLABLES + 1))
        if is_unspaced(word):
            units = units_of(word)
            return tuple(f"{CUT}{unit}{CUT}" for unit in units) if len(units) > 1 else ()
    if len(word) < SHORTEST:
        return ()
    inside = (f"{CUT}{word[i : i + RUN]}{CUT}" for i in range(len(word) - RUN + 1))
    return (word[: RUN - 1] + CUT, *inside, CUT + word[1 - RUN :])


def stem_of(word: str) -> str:
    """Return the name of the stem of a word.

    >>> stem_of("refunds")
    'refu…'
    """
    return word[:STEM] + CUT


def _pairs(tokens: Sequence[str]) -> list[str]:
    return [f"{first} {second}" for first, second in pairwise(tokens)]


def _beginnings(tokens: Sequence[str]) -> list[str]:
    return [" ".join((BEGIN, *tokens[:n])) for n in BEGINNINGS if len(tokens) >= n]


def is_piece(name: str) -> bool:
    """Tell the name of a piece from that of a word.

    >>> [is_piece(name) for name in ("how", "how many", "⊢ how", "ref…", "…und", "…")]
    [False, True, True, True, True, False]
    """
    return " " in name or is_run(name)


def is_run(name: str) -> bool:
    """Tell the name of a run, or of a stem, from those of words and phrases.

    >>> [is_run(name) for name in ("how many", "…fund…", "refu…", "…")]
    [False, True, True, False]
    """
    return (name.endswith(CUT) or name.startswith(CUT)) and len(name) > len(CUT)
