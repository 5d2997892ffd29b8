"""Real text on every machine: the docstrings of the libraries that ClassiNet itself stands on.

Enter: nothing; the installed sources of numpy, scipy, scikit-learn and the standard library are found and parsed, never
imported. Leave: unlabeled sentences, and a task: one-line summaries labelled by the sub-package they come from.

The idea: a docstring's first sentence says in a dozen words what a function does, so it is a short text with a topic,
and the sub-package is the topic. The longer explanations below it are unlabeled text about the same matters.
"""

from __future__ import annotations

import ast
import gc
import importlib.util
import os
import re
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from classinet.datasets.errors import DatasetError
from classinet.datasets.prose import paragraphs
from classinet.text.sentences import split_sentences

LIBRARIES = ("numpy", "scipy", "sklearn")
N_CLASSES = 20
MIN_WORDS = 3

# Tests describe cases, not topics. The rest is no library text (an editor, a Python 2 grammar, turtle drawings), or is
# installed into the standard library's folder by others.
_SKIPPED_FOLDERS = frozenset(
    {"test", "tests", "idlelib", "lib2to3", "turtledemo", "site-packages", "dist-packages", "__pycache__"}
)
# No topics of the library that holds them: copies of other projects, and what recent Pythons no longer install.
_NOT_TOPICS = frozenset({"externals", "distutils"})
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_WORD = re.compile(r"[(\"']*[^\W\d_]+(?:[-'’/][^\W\d_]+)*[)\"']*[,.;:!?]*[)\"']*\Z")


@dataclass(frozen=True)
class Docstrings:
    """What `load_docstrings` gathered.

    Attributes
    ----------
    sentences : list of str
        Unlabeled sentences, each once; no text of the task is among them.
    texts : list of str
        The task: one-line summaries, each once.
    labels : list of str
        The sub-package of each summary, such as ``"scipy.stats"``.
    """

    sentences: list[str] = field(repr=False)
    texts: list[str] = field(repr=False)
    labels: list[str] = field(repr=False)


def load_docstrings() -> Docstrings:
    """Gather the docstrings of numpy, scipy, scikit-learn and the standard library from their installed source.

    Nothing is downloaded, imported or written. The result depends on the installed versions alone. The first call takes
    several seconds; later ones in the same process return copies of the same lists.

    Returns
    -------
    Docstrings

    Notes
    -----
    The classes are the 20 public sub-packages of numpy, scipy and scikit-learn with the most summaries (ties: by name).
    Summaries of private functions count as well: they speak of the same topic, and are a third of all. A summary that
    stands in two sub-packages (``"Predict the labels of X."``) names no topic and is dropped from the task. All texts
    of the task, and nothing but them, are left out of the sentences: a net built from them has seen no test text.

    Examples
    --------
    >>> from classinet.datasets import load_docstrings
    >>> data = load_docstrings()
    >>> len(data.texts) == len(data.labels) and len(set(data.labels))
    20
    >>> set(data.texts).isdisjoint(data.sentences)
    True
    """
    sentences, texts, labels = _gathered(LIBRARIES, sysconfig.get_path("stdlib"), N_CLASSES)
    return Docstrings(list(sentences), list(texts), list(labels))


@lru_cache(maxsize=1)
def _gathered(
    libraries: tuple[str, ...], standard_library: str, n_classes: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return sentences, texts and labels; kept for a second call, since the sources do not change meanwhile."""
    sentences: dict[str, str] = {}  # by their spelling in lower case, so that each is kept once, as first met
    summaries: dict[str, tuple[str, set[str]]] = {}
    for topic, docstring in _docstrings(libraries, standard_library):
        for is_summary, sentence in _prose_sentences(docstring):
            key = sentence.lower().rstrip(".:!?")
            if is_summary and topic:
                summaries.setdefault(key, (sentence, set()))[1].add(topic)
            sentences.setdefault(key, sentence)
    if not sentences:
        raise DatasetError(
            f"no docstrings found: {', '.join(libraries)} and the standard library are installed without source files"
        )
    single = {key: (text, topics.pop()) for key, (text, topics) in summaries.items() if len(topics) == 1}
    sizes = Counter(topic for _, topic in single.values())
    chosen = set(sorted(sizes, key=lambda topic: (-sizes[topic], topic))[:n_classes])
    task = {key: (text, topic) for key, (text, topic) in single.items() if topic in chosen}
    return (
        tuple(sentence for key, sentence in sentences.items() if key not in task),
        tuple(text for text, _ in task.values()),
        tuple(topic for _, topic in task.values()),
    )


def _docstrings(libraries: tuple[str, ...], standard_library: str) -> Iterator[tuple[str | None, str]]:
    """Yield (sub-package or None, docstring) of every module, class and function, in the order of the sorted files."""
    for library in libraries:
        spec = importlib.util.find_spec(library)
        for root in map(Path, (spec and spec.submodule_search_locations) or ()):
            for path, tree in _parsed(root):
                topic = _topic(library, path.relative_to(root).parts)
                for is_module, docstring in _of_tree(tree):
                    yield (None if is_module else topic), docstring
    for _, tree in _parsed(Path(standard_library)):
        for _, docstring in _of_tree(tree):
            yield None, docstring


def _topic(library: str, parts: tuple[str, ...]) -> str | None:
    """Return the public sub-package that a file belongs to, if any."""
    folder = parts[0]
    return None if len(parts) == 1 or folder.startswith("_") or folder in _NOT_TOPICS else f"{library}.{folder}"


def _parsed(root: Path) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the source files below a folder, tests left out, with their syntax trees, in the order of their paths."""
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(set(subfolders) - _SKIPPED_FOLDERS)
        for name in sorted(names):
            if name.endswith(".py") and not name.startswith("test_") and name != "conftest.py":
                path = Path(folder, name)
                if tree := _tree(path.read_bytes()):
                    yield path, tree


def _tree(source: bytes) -> ast.Module | None:
    """Parse a file; templates and files for another Python, which this one cannot parse, have no docstrings to give."""
    # A tree is thousands of new objects, none of them garbage; searching them for garbage would double the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of stray backslashes in other people's strings
            return ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    finally:
        if collecting:
            gc.enable()


def _of_tree(tree: ast.Module) -> Iterator[tuple[bool, str]]:
    """Yield (whether it is the module's, docstring) of a module, its classes and functions, in source order."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr):
            if docstring := _attached(node.value):
                yield False, docstring
            continue
        if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node, clean=False)):
            yield node is tree, docstring
        # Only statements hold definitions; leaving expressions aside makes this several times faster than ast.walk.
        for name in ("finalbody", "orelse", "handlers", "body"):
            waiting.extend(reversed(getattr(node, name, ())))


def _attached(value: ast.expr) -> str | None:
    """Return the docstring that numpy and scipy attach to a compiled function: ``add_newdoc(…, docstring)``."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "add_newdoc"):
        return None
    last = value.args[-1] if value.args else None
    if isinstance(last, ast.Tuple) and last.elts:  # of a method: (name, docstring)
        last = last.elts[-1]
    return last.value if isinstance(last, ast.Constant) and isinstance(last.value, str) else None


def _prose_sentences(docstring: str) -> Iterator[tuple[bool, str]]:
    """Yield (whether it is the first, sentence) of a docstring's sentences of at least three words and few symbols."""
    for place, paragraph in enumerate(paragraphs(docstring)):
        for number, sentence in enumerate(split_sentences(paragraph)):
            tokens = sentence.split()
            words = len(list(filter(_WORD.match, tokens)))
            if words >= MIN_WORDS and 2 * words > len(tokens):
                yield place == number == 0, sentence
