"""How the default does in other languages, on short texts of programs: which program is each from.

    python benchmarks/languages.py --catalogs DIR [--sets fi,ja] [--draws 5] [--json FILE]

DIR is a folder of translations as programs install them, such as /usr/share/locale: LANGUAGE/LC_MESSAGES/PROGRAM.mo.
The sixteen programs with most texts are the classes, up to a thousand texts of each are kept, and a quarter of these
are judged; the others are the unlabeled text, ten of every program with their labels. The figures in docs/expect.md are
of 26 packages of Debian 12, which it names. Prints accuracy in percent.
"""

from __future__ import annotations

import gettext
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ablation import keep, parser_of
from classinet import ClassiNetClassifier, TextNet
from classinet.bench.plan import draw_rows
from classinet.exceptions import UnknownTextWarning
from classinet.text import TextVectorizer, Tokenizer

LANGUAGES = "de,fi,hu,ru,tr,vi,ar,hi,ko,zh_CN,ja,th,km,my"
MOST_CLASSES, MOST_TEXTS, FEWEST_TEXTS = 16, 1000, 150
SHORTEST, LONGEST = 6, 300  # characters
LABELS = "10-a-class"
# Placeholders, markup, entities, keys that a letter in brackets stands for.
NO_TEXT = re.compile(r"%[-\d.$+#]*[a-zA-Z]|<[^>]*>|&[a-z]+;|\(.\)")
VECTORIZERS = {
    "as before": TextVectorizer(Tokenizer(unspaced="keep"), min_df=2, pieces="stems"),
    "characters": TextVectorizer(analyzer="char", ngram_range=(1, 3), min_df=2),
    "default": None,
}


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, draws=5)
    parser.set_defaults(sets=LANGUAGES)
    parser.add_argument("--catalogs", type=Path, required=True)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    found = {}
    print(f"| language, texts | pieces alone | {' | '.join(VECTORIZERS)} |\n|---|" + "---:|" * (len(VECTORIZERS) + 1))
    for language in asked.sets.split(","):
        texts, programs = translations(asked.catalogs, language)
        if len(set(programs)) < 2:
            parser.error(f"{asked.catalogs} holds no two programs with {FEWEST_TEXTS} texts in {language!r}")
        scores = {name: measured(texts, programs, vectorizer, asked.draws) for name, vectorizer in VECTORIZERS.items()}
        alone = scores["default"][0]
        found[language] = {"texts": len(texts), "pieces alone": alone, **{name: s for name, (_, s) in scores.items()}}
        told = " | ".join(f"{score:.1f}" for score in (alone, *(score for _, score in scores.values())))
        print(f"| {language}, {len(texts):,} | {told} |", flush=True)
    keep(asked, accuracy=found)


def translations(folder: Path, language: str) -> tuple[list[str], list[str]]:
    """Return texts and the program that each is from; a text of several counts for that with most texts."""
    by_program = {}
    for file in sorted((folder / language / "LC_MESSAGES").glob("*.mo")):
        with file.open("rb") as stream:
            catalog = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]
        pairs = ((key[0] if isinstance(key, tuple) else key, text) for key, text in catalog.items())
        cleaned = {" ".join(NO_TEXT.sub(" ", text).replace("_", "").replace("&", "").split())
                   for source, text in pairs if source and text != source}  # fmt: skip
        texts = sorted(text for text in cleaned if SHORTEST <= len(text) <= LONGEST)
        if len(texts) >= FEWEST_TEXTS:
            by_program[file.stem] = texts
    rng, program_of = np.random.default_rng(0), dict[str, str]()
    for program in sorted(by_program, key=lambda name: -len(by_program[name]))[:MOST_CLASSES]:
        texts = by_program[program]
        for row in rng.permutation(len(texts))[:MOST_TEXTS]:
            program_of.setdefault(texts[row], program)
    return list(program_of), list(program_of.values())


def measured(
    texts: Sequence[str], programs: Sequence[str], vectorizer: TextVectorizer | None, draws: int
) -> tuple[float, float]:
    """Return accuracy without expansion and with it, as means over draws of labels."""
    classes, codes = np.unique(programs, return_inverse=True)
    order = np.random.default_rng(1000).permutation(len(texts))
    judged, training = np.split(order, [len(order) // 4])
    net = TextNet(vectorizer).fit([texts[row] for row in training])
    asked, scores = [texts[row] for row in judged], []
    for draw in range(draws):
        labelled = training[draw_rows(codes[training], LABELS, draw)]
        clf = ClassiNetClassifier(net, class_names=False, n_jobs=-1)
        told = clf.fit([texts[row] for row in labelled], classes[codes[labelled]]).judge(asked)
        truth = classes[codes[judged]]
        scores.append((np.mean(told.labels_without == truth), np.mean(told.labels == truth)))
    without, with_expansion = 100 * np.mean(scores, axis=0)
    return float(without), float(with_expansion)


if __name__ == "__main__":
    main()
