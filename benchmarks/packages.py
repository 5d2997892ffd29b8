"""The protocol of `classinet bench few-labels` on sets on which nothing was chosen: one-line descriptions of packages.

    apt-cache dumpavail > available
    python benchmarks/packages.py --available available [--translations DIR] [--sets topics,games]
        [--methods none,default] [--folder DIR] [--out DIR] [--jobs 2]

Of Debian's packages: the topic of a program (its section), which language a library is for, what a game is like, and
what a package is for (its tags). DIR holds translated descriptions as Debian publishes them, unpacked: Translation-de,
… The unlabeled text is the set's own training texts. Cells are kept in the folder, and a run goes on from them.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from classinet.bench.methods import all_methods
from classinet.bench.runner import Bench, Choice
from classinet.bench.study import report
from classinet.bench.tasks import Labelled, Task, labelled

TOPICS = (
    "admin", "database", "editors", "electronics", "fonts", "games", "graphics", "hamradio", "httpd", "interpreters",
    "kernel", "mail", "math", "net", "otherosfs", "science", "sound", "text", "video", "web",
)  # fmt: skip
LIBRARIES = (
    "gnu-r", "golang", "haskell", "java", "javascript", "lisp", "ocaml", "perl", "php", "python", "ruby", "rust",
)  # fmt: skip
LANGUAGES = ("de", "fr", "it", "es", "pl", "ru", "ja")
DESCRIPTION = re.compile("Description(-[a-z]{2})?")
FEWEST = 25  # texts of a class
METHODS = "none,none-pieces,global,default,dense,cbow-tfidf,fasttext,minilm"


def main() -> None:
    """Compute what is missing, and write the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--available", type=Path, required=True)
    parser.add_argument("--translations", type=Path)
    parser.add_argument("--sets")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--folder", type=Path, default=Path("classinet-bench-packages"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    tasks = tasks_of(asked.available, asked.translations)
    sets = tuple(tasks) if asked.sets is None else tuple(asked.sets.split(","))
    bench = Bench(asked.folder, tasks=tasks, methods=all_methods())
    choice = Choice("few-labels", sets, tuple(asked.methods.split(",")), ("own",))
    prepared = bench.prepare(choice, silent)
    print(f"{prepared.missing} of {prepared.total} cells to compute", flush=True)
    for failure in [*prepared.left_out, *bench.compute(prepared, asked.jobs, asked.jobs, silent)]:
        print(failure)
    print(report(bench, prepared, asked.out or asked.folder / "report"))


def tasks_of(available: Path, translations: Path | None) -> dict[str, Task]:
    """Return the sets by key."""
    loads = {
        "topics": ("Topics", partial(by_section, available, TOPICS)),
        "libraries": ("Libraries", partial(by_section, available, LIBRARIES)),
        "games": ("Games", partial(by_tag, available, "game::")),
        "roles": ("Roles", partial(by_tag, available, "role::")),
    }
    if translations is not None:
        for language in LANGUAGES:
            file = translations / f"Translation-{language}"
            loads[f"topics_{language}"] = f"Topics ({language})", partial(by_section, available, TOPICS, file)
    return {
        key: Task(key, title, load, order=order, external="reddit", per_class=True)
        for order, (key, (title, load)) in enumerate(loads.items())
    }


def by_section(available: Path, sections: tuple[str, ...], translated: Path | None = None) -> Labelled:
    """Return descriptions and the section of each package, in English or as translated."""
    texts = descriptions(available if translated is None else translated)
    sections_of = {entry["Package"]: entry.get("Section", "").rpartition("/")[2] for entry in entries(available)}
    pairs = [(texts[package], section) for package, section in sections_of.items() if package in texts]
    return distinct(sections[0], [(text, section) for text, section in pairs if section in sections])


def by_tag(available: Path, facet: str) -> Labelled:
    """Return descriptions of packages that have one tag of this facet, and the tag."""
    texts, pairs = descriptions(available), []
    for entry in entries(available):
        tags = [tag for tag in entry.get("Tag", "").replace(" ", "").split(",") if tag.startswith(facet)]
        if len(tags) == 1 and entry["Package"] in texts:
            pairs.append((texts[entry["Package"]], tags[0].removeprefix(facet)))
    return distinct(facet, pairs)


def distinct(name: str, pairs: Iterable[tuple[str, str]]) -> Labelled:
    """Return a set of texts that all differ, of classes that have texts enough; packages may be listed in any order."""
    label_of: dict[str, str] = {}
    for text, label in sorted(pairs):
        label_of.setdefault(text, label)
    sizes = Counter(label_of.values())
    chosen = [(text, label) for text, label in label_of.items() if sizes[label] >= FEWEST]
    return labelled(name, [text for text, _ in chosen], [label for _, label in chosen])


def descriptions(file: Path) -> dict[str, str]:
    """Return the one-line description of each package that has one, in the language of the file."""
    found = {}
    for entry in entries(file):
        lines = [text for name, text in entry.items() if DESCRIPTION.fullmatch(name) and text]
        if lines:
            found[entry["Package"]] = lines[0]
    return found


def entries(file: Path) -> Iterator[dict[str, str]]:
    """Yield the fields of each package; of those of several lines the first, but of tags all."""
    entry: dict[str, str] = {}
    last = ""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.strip():
                if "Package" in entry:
                    yield entry
                entry = {}
            elif not line.startswith(" "):
                last, _, value = line.partition(":")
                entry[last] = value.strip()
            elif last == "Tag":
                entry[last] += line.strip()
    if "Package" in entry:
        yield entry


def silent(stage: str, done: int, total: int) -> None:
    """Tell nothing."""


if __name__ == "__main__":
    main()
