"""A short text becomes its tokens: words, numbers, #hashtags, @mentions, emoji and emoticons; links become `<url>`.

Enter: a string in any script. Leaves: a list of strings without spaces, in the order of the text.
One regular expression finds the tokens; every option but lower case works on the tokens found, so that with the options
as they are nothing is done per token.

A word is a run of letters, digits and marks, continued over one inner apostrophe or hyphen and over underscores
(don't, well-known, fit_transform); a full stop, comma, colon or slash continues it between digits (3.14, 10:30, 24/7).
Where a script puts no space between words, pairs of neighbouring characters stand for them (`classinet.text.scripts`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import Literal, NamedTuple, cast, get_args

from sklearn.base import BaseEstimator

from classinet._optional import optional_import
from classinet._validation import check_choice
from classinet.exceptions import InputError, ParameterError
from classinet.text import characters as chars
from classinet.text.scripts import NO_WIDTH, is_unspaced, split_unspaced

Contractions = Literal["keep", "split"]
Hashtags = Literal["keep", "word", "split", "drop"]
Mentions = Literal["keep", "mask", "drop"]
Numbers = Literal["keep", "mask", "drop"]
Emoji = Literal["keep", "drop"]
Elongations = Literal["keep", "shorten"]
Unspaced = Literal["split", "keep"]

LINK, NUMBER, USER = "<url>", "<num>", "@user"

# Each start of an address is ruled out by one look behind, and no run is read twice: linear in the text.
_LINK = re.compile(r"(?i:https?://|ftp://|www\.)[^\s<>\"]++|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++")
_NUMBER = re.compile(r"\d+(?:[-'_.,:/]+\d+)*")
_LONG_RUN = re.compile(r"([^\W\d_])\1{2,}")
_CONTRACTION = re.compile(r"(.+?)(n't|'(?:s|re|ve|ll|d|m))", re.IGNORECASE)


class Options(NamedTuple):
    """All that decides how a text is cut, as one value that can be looked up."""

    lowercase: bool = True
    contractions: Contractions = "keep"
    hashtags: Hashtags = "keep"
    mentions: Mentions = "keep"
    numbers: Numbers = "keep"
    emoji: Emoji = "keep"
    elongations: Elongations = "keep"
    lemmas: str | None = None
    unspaced: Unspaced = "split"


class Tokenizer(BaseEstimator):  # type: ignore[misc]
    """Cut short texts into tokens; an instance is called like a function.

    Parameters
    ----------
    lowercase : bool, default True
        Whether Word and word are the same token.
    contractions : {"keep", "split"}, default "keep"
        "split" takes English contractions apart: don't → do n't, it's → it 's.
    hashtags : {"keep", "word", "split", "drop"}, default "keep"
        "word" leaves out the #; "split" also cuts #ShortText and #short_text into short text.
    mentions : {"keep", "mask", "drop"}, default "keep"
        "mask" writes every mention as @user.
    numbers : {"keep", "mask", "drop"}, default "keep"
        What to do with tokens of digits alone (3.14 and 24/7, not 2nd); "mask" writes <num>.
    emoji : {"keep", "drop"}, default "keep"
        What to do with emoji and with emoticons such as :-).
    elongations : {"keep", "shorten"}, default "keep"
        "shorten" leaves two of three or more equal letters: cooool → cool.
    lemmas : str, optional
        Language, such as "en", in which words are replaced by their dictionary form; words with an apostrophe stay as
        they are (else don't would become do). Needs `pip install "classinets[lemma]"`.
    unspaced : {"split", "keep"}, default "split"
        What to do with Chinese, Japanese, Thai, Lao, Khmer and Burmese, which put no space between words: "split" takes
        pairs of neighbouring characters for words; "keep" is for texts in which words were separated by a space before.

    Notes
    -----
    Links and e-mail addresses always become `<url>`: as tokens of their own they would hardly ever repeat. Other
    punctuation is left out. A text is normalised by NFKC first; see `classinet.text.characters` for why.

    Examples
    --------
    >>> tokenize = Tokenizer()
    >>> tokenize("I can’t wait 4 @anna’s #BigDay :-) 👍🏽 www.example.org")
    ['i', "can't", 'wait', '4', '@anna', 's', '#bigday', ':-)', '👍🏽', '<url>']
    >>> Tokenizer(contractions="split", hashtags="split", numbers="mask")("It's 20 to 9 #BigDay")
    ['it', "'s", '<num>', 'to', '<num>', 'big', 'day']
    >>> tokenize("今天天气真好！")
    ['今天', '天天', '天气', '气真', '真好']
    """

    def __init__(
        self,
        lowercase: bool = True,
        contractions: Contractions = "keep",
        hashtags: Hashtags = "keep",
        mentions: Mentions = "keep",
        numbers: Numbers = "keep",
        emoji: Emoji = "keep",
        elongations: Elongations = "keep",
        lemmas: str | None = None,
        unspaced: Unspaced = "split",
    ) -> None:
        self.lowercase = lowercase
        self.contractions = contractions
        self.hashtags = hashtags
        self.mentions = mentions
        self.numbers = numbers
        self.emoji = emoji
        self.elongations = elongations
        self.lemmas = lemmas
        self.unspaced = unspaced

    def __call__(self, text: str) -> list[str]:
        """Return the tokens of one text.

        >>> Tokenizer(elongations="shorten")("Sooooo coooool")
        ['soo', 'cool']
        """
        if not isinstance(text, str):
            raise InputError(f"a text must be a string, got {type(text).__name__}")
        return self.compiled()(text)

    def compiled(self) -> Callable[[str], list[str]]:
        """Return the function behind this tokenizer, its options checked; for loops over many texts.

        >>> [len(tokens) for tokens in map(Tokenizer().compiled(), ["a b", "c"])]
        [2, 1]
        """
        options = Options(
            self.lowercase, self.contractions, self.hashtags, self.mentions,
            self.numbers, self.emoji, self.elongations, self.lemmas, self.unspaced,
        )  # fmt: skip
        try:
            return _compiled(options)
        except TypeError:  # a list, say, cannot be looked up; the check names the parameter
            _check(options)
            raise


@lru_cache(maxsize=256)
def _compiled(options: Options) -> Callable[[str], list[str]]:
    """Make the function for one set of options; with the default ones its body is all that runs."""
    _check(options)
    lowercase, split_tags, separate = options.lowercase, options.hashtags == "split", options.unspaced == "split"
    plain = options._replace(lowercase=True, unspaced="split") == Options()
    edit = _editor(options)
    ascii_tokens = _ascii_pattern().findall

    def tokens_of(text: str) -> list[str]:
        text = chars.fold(text)
        if split_tags:
            text = _split_hashtags(text)
        if lowercase:
            text = text.lower()
        if "@" in text or "://" in text or "www." in (text if lowercase else text.lower()):
            text = _LINK.sub(f" {LINK} ", text)
        found: list[str] = ascii_tokens(text) if text.isascii() else _pattern().findall(text)
        if separate and is_unspaced(text):
            found = _split_unspaced(found, options, separated=NO_WIDTH in text)
        return found if plain else edit(found)

    return tokens_of


def _check(options: Options) -> None:
    check_choice("lowercase", options.lowercase, (True, False))
    for name, choices in (
        ("contractions", Contractions), ("hashtags", Hashtags), ("mentions", Mentions),
        ("numbers", Numbers), ("emoji", Emoji), ("elongations", Elongations),
        ("unspaced", Unspaced),
    ):  # fmt: skip
        check_choice(name, getattr(options, name), get_args(choices))
    if not isinstance(options.lemmas, str | None):
        raise ParameterError(f'lemmas must be None or a language such as "en", got {options.lemmas!r}')


# 1. Find the tokens.


@cache
def _ascii_pattern() -> re.Pattern[str]:
    """The pattern for texts of ASCII alone: the same tokens, found in less time."""
    return re.compile(_token("[A-Za-z0-9]++", r"_*+[A-Za-z0-9]\w*+", "'-"))


@cache
def _pattern() -> re.Pattern[str]:
    run = rf"[^\W_]++(?:{chars.marks()}[^\W_]*+)*+"
    person = f"[{chars.EMOJI}][{chars.SKIN_TONES}]?+[{chars.FLAG_TAGS}]*+"
    inner = f"{chars.JOINERS}'-"
    emoji = f"{person}(?:\u200d{person})*+|[{chars.FLAG_LETTERS}]{{1,2}}"
    return re.compile(f"[0-9#*]{chars.KEYCAP}|{_token(run, _name(), inner)}|{emoji}")


def _name() -> str:
    """What follows a # or @: letters, digits, marks and underscores, not underscores alone."""
    return rf"_*+[^\W_]\w*+(?:{chars.marks()}\w*+)*+"


def _token(run: str, name: str, inner: str) -> str:
    """Write the pattern of one token. No part gives back what it has read, so no run is read twice."""
    word = rf"{run}(?:(?:[{inner}]|_++){run}|(?<=\d)[.,:/](?=\d){run})*+"
    hashtag = rf"\#(?!\d++(?!\w)){name}"
    emoticon = r"[:;=][-^']?[()/\\|*dpoDPO](?!\w)|<3(?!\w)"
    return f"{word}|{hashtag}|@{name}|{LINK}|{NUMBER}|{emoticon}"


def _split_hashtags(text: str) -> str:
    """Write #ShortText as Short Text, before its case is lost; a link that holds a # stays a link."""
    if "#" not in text:
        return text
    return _hashtag_pattern().sub(lambda tag: f" {_words_of(tag[1])} ", _LINK.sub(f" {LINK} ", text))


@cache
def _hashtag_pattern() -> re.Pattern[str]:
    return re.compile(f"#({_name()})")


def _words_of(tag: str) -> str:
    """Cut before a capital that follows a small letter, and before the last of several capitals: NASARocks."""
    starts = [0]
    for i in range(1, len(tag)):
        if tag[i].isupper() and (not tag[i - 1].isupper() or tag[i + 1 : i + 2].islower()):
            starts.append(i)
    return " ".join(tag[a:b] for a, b in zip(starts, [*starts[1:], len(tag)], strict=True)).replace("_", " ")


def _split_unspaced(tokens: Iterable[str], options: Options, *, separated: bool) -> list[str]:
    """Cut clauses, long runs of one character shortened before: pairs of them could not be told from each other."""
    found: list[str] = []
    for token in tokens:
        if token[0] in "#@" or not is_unspaced(token):
            found.append(token)
        else:
            found += split_unspaced(_shortened(token, options), separated=separated)
    return found


# 2. Edit those that an option speaks of.


def _editor(options: Options) -> Callable[[Iterable[str]], list[str]]:
    """Return the function that applies the options to the tokens found."""
    lemma = _lemmatizer(options.lemmas) if options.lemmas is not None else None

    def edited(tokens: Iterable[str]) -> Iterator[str]:
        for token in tokens:
            if token == LINK:
                yield token
            elif token == NUMBER or _NUMBER.fullmatch(token):
                yield from _kept_or_masked(token, options.numbers, NUMBER)
            elif token[0] == "@":
                yield from _kept_or_masked(token, options.mentions, USER)
            elif token[-1] == chars.KEYCAP or not (token[0] == "#" or token[0].isalnum()):
                yield from _kept_or_masked(token, options.emoji, token)
            elif token[0] == "#":
                yield from _hashtag(token, options)
            else:
                yield from _word(token, options, lemma)

    return lambda tokens: list(edited(tokens))


def _kept_or_masked(token: str, choice: str, mask: str) -> Iterator[str]:
    if choice != "drop":
        yield mask if choice == "mask" else token


def _hashtag(token: str, options: Options) -> Iterator[str]:
    if options.hashtags == "drop":
        return
    word = _shortened(token, options)
    if options.hashtags == "keep":
        yield word
    elif options.unspaced == "split" and is_unspaced(word):
        yield from split_unspaced(word.strip("#_"))
    else:
        yield word.strip("#_")


def _word(token: str, options: Options, lemma: Callable[[str], str] | None) -> Iterator[str]:
    token = _shortened(token, options)
    split = _CONTRACTION.fullmatch(token) if options.contractions == "split" and "'" in token else None
    word = split[1] if split else token
    if lemma is not None and "'" not in word:
        word = lemma(word).lower() if options.lowercase else lemma(word)
    yield word
    if split:
        yield split[2]


def _shortened(token: str, options: Options) -> str:
    return _LONG_RUN.sub(r"\1\1", token) if options.elongations == "shorten" else token


@cache
def _lemmatizer(language: str) -> Callable[[str], str]:
    simplemma = optional_import("simplemma", "classinets[lemma]")

    @lru_cache(maxsize=100_000)
    def lemma(word: str) -> str:
        return cast(str, simplemma.lemmatize(word, lang=language))

    try:
        lemma("words")
    except (ValueError, TypeError) as error:
        raise ParameterError(f"lemmas must be None or a language that simplemma knows, got {language!r}") from error
    return lemma
