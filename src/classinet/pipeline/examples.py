"""A few texts that hold each feature, gathered while the corpus streams by.

Enter: texts on their way into a build. Leave: the same texts, unchanged, and in `found` the first few of each feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from classinet.text import TextVectorizer, split_sentences

LONGEST = 300


class ExampleCollector:
    """Look at texts as they pass.

    >>> collector = ExampleCollector(TextVectorizer(), count=1)
    >>> list(collector.watch(["a cat", "a dog"]))
    ['a cat', 'a dog']
    >>> collector.of(["cat", "dog", "cow"])
    {'cat': ['a cat'], 'dog': ['a dog']}
    """

    def __init__(self, vectorizer: TextVectorizer, count: int, split: str | None = None) -> None:
        self.vectorizer = vectorizer
        self.count = count
        self.split = split
        self.found: dict[str, list[str]] = {}

    def watch(self, texts: Iterable[str]) -> Iterator[str]:
        """Hand on every text, keeping those that show a feature seldom seen before."""
        features = self.vectorizer.compiled_words()
        for text in texts:
            for part in split_sentences(text) if self.split else [text]:
                for feature in set(features(part)):
                    examples = self.found.setdefault(feature, [])
                    if len(examples) < self.count:
                        examples.append(part[:LONGEST])
            yield text

    def of(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Return the examples of some features."""
        return {name: self.found[name] for name in names if name in self.found}
