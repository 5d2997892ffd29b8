"""WordNet's own files (WNDB, as Princeton distributes them) read into two small tables.

Enter: a folder with `index.*`, `data.*` and `*.exc` for the four parts of speech. Leave: the synsets of every lemma,
the words of every synset, and for any word form the lemmas it may be a form of. A synset is named by the offset that
its line states, never sought by it, so files whose line ends were converted are read all the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from classinet.exceptions import InputError

K = TypeVar("K")
V = TypeVar("V")
F = TypeVar("F")

VARIABLE = "CLASSINET_WORDNET"
DEFAULT_FOLDER = Path("/usr/share/wordnet")  # where Debian's package puts the files

# Endings that a form may have and what its lemma has instead; an adverb has no regular forms.
ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ),
    "adj": (("er", ""), ("er", "e"), ("est", ""), ("est", "e")),
    "adv": (),
}  # fmt: skip
POINTER_COUNT = re.compile(rb"\d{3} ")
SYNTACTIC_MARKER = re.compile(r"\((?:a|p|ip)\)(?= |$)")  # where an adjective may stand: "galore(ip)"


@dataclass(frozen=True)
class PartOfSpeech:
    """The nouns, verbs, adjectives or adverbs.

    Attributes
    ----------
    senses : the synsets of each lemma; lemmas are in lower case, their words joined by "_".
    words : the words of each synset, in lower case.
    exceptions : the lemmas of irregular forms.
    endings : (ending of a form, ending of its lemma) of regular forms.

    >>> nouns = PartOfSpeech({"film": (1,), "goose": (2,)}, {1: ("film", "movie"), 2: ("goose",)},
    ...                      {"geese": ("goose",)}, ENDINGS["noun"])
    >>> nouns.base_forms("films"), nouns.base_forms("geese"), nouns.base_forms("filmy")
    (['film'], ['goose'], [])
    """

    senses: Mapping[str, tuple[int, ...]]
    words: Mapping[int, tuple[str, ...]]
    exceptions: Mapping[str, tuple[str, ...]]
    endings: tuple[tuple[str, str], ...]

    def base_forms(self, form: str) -> list[str]:
        """Return the lemmas of which `form` may be a form, itself first where it is a lemma.

        An irregular form has the lemmas that the list of exceptions gives; only other forms are taken apart.
        """
        found = self.exceptions.get(form)
        if found is None:
            found = tuple(form.removesuffix(old) + new for old, new in self._endings_of(form))
        return list(dict.fromkeys(lemma for lemma in (form, *found) if lemma in self.senses))

    def _endings_of(self, form: str) -> Iterator[tuple[str, str]]:
        if self.endings == ENDINGS["noun"] and (form.endswith("ss") or len(form) <= 2):
            return  # "glass" and "as" are no plurals
        yield from ((old, new) for old, new in self.endings if form.endswith(old))


@dataclass(frozen=True)
class WordNetFiles:
    """What a folder of WNDB files holds, one entry a part of speech.

    >>> verbs = PartOfSpeech({"shoot": (1,)}, {1: ("film", "shoot")}, {"shot": ("shoot",)}, ENDINGS["verb"])
    >>> WordNetFiles({"verb": verbs}).synonyms("shot")
    ['film', 'shoot']
    """

    parts: Mapping[str, PartOfSpeech]

    def base_forms(self, form: str) -> list[str]:
        """Return the lemmas of any part of speech of which `form` may be a form."""
        return list(dict.fromkeys(lemma for part in self.parts.values() for lemma in part.base_forms(form)))

    def synonyms(self, form: str) -> list[str]:
        """Return all words of all synsets of all lemmas of a form, each once, the form's own lemmas among them."""
        return list(
            dict.fromkeys(
                word
                for part in self.parts.values()
                for lemma in part.base_forms(form)
                for synset in part.senses[lemma]
                for word in part.words[synset]
            )
        )


def read_wndb(folder: str | os.PathLike[str] | None = None) -> WordNetFiles:
    """Read all files of a folder; what cannot be read is refused with its file and line.

    Parameters
    ----------
    folder : where the files are; None: what the environment variable CLASSINET_WORDNET names, else
        /usr/share/wordnet.

    >>> read_wndb("some/folder")
    Traceback (most recent call last):
    ...
    classinet.exceptions.InputError: no WordNet files in some/folder (noun.exc is missing, among others): install
    Debian's package wordnet-base, or set CLASSINET_WORDNET to a folder with WordNet's index.*, data.* and *.exc files
    """
    chosen = _checked(folder)
    return WordNetFiles({part: _read_part(chosen, part) for part in ENDINGS})


def _checked(folder: str | os.PathLike[str] | None) -> Path:
    """Return where the files are: the folder given, else what CLASSINET_WORDNET names, else where Debian puts them."""
    chosen = Path(folder if folder is not None else os.environ.get(VARIABLE) or DEFAULT_FOLDER)
    needed = [name.format(part) for part in ENDINGS for name in ("{}.exc", "index.{}", "data.{}")]
    missing = [name for name in needed if not (chosen / name).is_file()]
    if missing:
        others = ", among others" if len(missing) > 1 else ""
        raise InputError(
            f"no WordNet files in {chosen} ({missing[0]} is missing{others}): install Debian's package wordnet-base, "
            f"or set {VARIABLE} to a folder with WordNet's index.*, data.* and *.exc files"
        )
    return chosen


def _read_part(folder: Path, part: str) -> PartOfSpeech:
    words = dict(_read(folder / f"data.{part}", _synset))
    index = folder / f"index.{part}"

    def known_senses(line: bytes) -> tuple[str, tuple[int, ...]]:
        lemma, offsets = _index_entry(line)
        for offset in offsets:
            if offset not in words:
                raise ValueError(f"synset {offset:08d} is not in data.{part}")
        return lemma, offsets

    senses = dict(_read(index, known_senses))
    return PartOfSpeech(senses, words, dict(_read(folder / f"{part}.exc", _exception)), ENDINGS[part])


def _read(path: Path, entry: Callable[[bytes], tuple[K, V]]) -> Iterator[tuple[K, V]]:
    """Yield what each line says; lines of the licence begin with a space."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line[:1] == b" " or not line.strip():
                continue
            try:
                yield entry(line)
            except ValueError as error:  # also what is no UTF-8
                raise InputError(f"{path}, line {number}: {error}; install the WordNet files anew") from error


def _synset(line: bytes) -> tuple[int, tuple[str, ...]]:
    """Read "offset lex_filenum ss_type w_cnt (word lex_id)… p_cnt pointers… | gloss"; w_cnt is in hexadecimal."""
    offset, _, _, count, rest = _enough(line.split(b" ", 4), 5)
    n_words = int(count, 16)
    *members, pointers = rest.split(b" ", 2 * n_words)
    if n_words < 1 or len(members) != 2 * n_words or not POINTER_COUNT.match(pointers):
        raise ValueError(f"{n_words} words were announced, then the number of pointers; the line holds something else")
    words = b" ".join(members[::2]).decode().lower()
    if ")" in words:
        words = SYNTACTIC_MARKER.sub("", words)
    return int(offset), tuple(words.split(" "))


def _index_entry(line: bytes) -> tuple[str, tuple[int, ...]]:
    """Read "lemma pos synset_cnt p_cnt pointer_symbols… sense_cnt tagsense_cnt offsets…"; no more and no less."""
    fields = _enough(line.split(), 4)
    n_synsets, n_pointers = int(fields[2]), int(fields[3])
    if n_synsets < 1 or len(fields) != 6 + n_pointers + n_synsets:
        raise ValueError(f"{n_pointers} pointers and {n_synsets} synsets were announced; the line holds something else")
    return fields[0].decode(), tuple(int(offset) for offset in fields[-n_synsets:])


def _exception(line: bytes) -> tuple[str, tuple[str, ...]]:
    form, *lemmas = _enough(line.decode().split(), 2)
    return form, tuple(lemmas)


def _enough(fields: list[F], count: int) -> list[F]:
    if len(fields) < count:
        raise ValueError(f"{len(fields)} fields where at least {count} were expected")
    return fields
