"""From texts to a net in a directory of finished batches: whatever stops a build, it continues where it was.

Enter: texts, a vectorizer, and a function that fits a net to a corpus on an engine. Leaves: the fitted vectorizer, the
net and the corpus. With a directory, everything finished is kept there: `build.json` says what is being built, `lock`
that a process is at it, `steps` holds the journal, `shared` what a cluster's workers are sent. Without one, the same
code builds in memory.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from classinet._files import whole_file
from classinet._typing import Progress
from classinet.build.corpus import Corpus, stream_corpus
from classinet.build.journal import JournalEngine
from classinet.engine import Engine, ThreadEngine
from classinet.engine.versions import versions
from classinet.exceptions import StorageError
from classinet.net import Net
from classinet.text import TextFiles, TextVectorizer

SETTINGS, LOCK, STEPS, SHARED = "build.json", "lock", "steps", "shared"
LONGEST = 200


@dataclass(frozen=True, eq=False)
class Built:
    """What a build leaves: how to read texts, the net, and the texts it was built from as a matrix."""

    vectorizer: TextVectorizer
    net: Net
    corpus: Corpus


def build_text(
    texts: Iterable[str],
    *,
    vectorizer: TextVectorizer,
    fit: Callable[[Corpus, Engine], Net],
    settings: Mapping[str, object],
    directory: str | PathLike[str] | None = None,
    resume: bool = False,
    split: str | None = None,
    context: str | int | None = None,
    documents: Iterable[Any] | None = None,
    known: Sequence[str] = (),
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Built:
    """Build a net from texts, restartably if a directory is given.

    Parameters
    ----------
    texts : read once, in order; to resume, give the same again. `TextFiles` are read by the workers of a distributed
        engine, which must see the directory as well.
    vectorizer : what the features of a text are, and which to keep.
    fit : makes the net; must depend on nothing but its arguments and what `settings` says.
    settings : what the result depends on beside the texts, compared when resuming.
    directory : where finished batches are kept; None: in memory, and an interruption loses all.
    resume : continue what an interrupted build left in the directory.
    split, context, documents, known : see `stream_corpus`.
    engine : where batches run; None: a thread for each core, which tell `progress`.
    progress : called as progress(stage, done, total).

    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.model import ClassiNet
    >>> fit = lambda corpus, engine: ClassiNet().fit(corpus, engine=engine).net_
    >>> built = build_text(made_up_sentences(), vectorizer=TextVectorizer(), fit=fit, settings={})
    >>> built.net.graph.successors("storm", top=1)[0].target
    'thunder'
    """
    said = {
        "vectorizer": vectorizer, "split": split, "context": context, "documents": documents is not None, **settings,
    }  # fmt: skip
    if engine is not None and engine.distributed and isinstance(texts, TextFiles):
        said["files"] = texts.described()  # they are not read again to see whether they are the same
    with (
        nullcontext(engine) if engine is not None else ThreadEngine(-1, progress) as workers,
        nullcontext() if directory is None else build_directory(directory, said, resume=resume) as place,
    ):
        kept = workers if place is None else JournalEngine(workers, place)
        corpus = stream_corpus(
            texts, vectorizer, kept, split=split, context=context, documents=documents, known=known, progress=progress
        )
        net = fit(corpus, kept)
        return Built(vectorizer.with_vocabulary(list(net.feature_names)), net, corpus)


@contextmanager
def build_directory(directory: str | PathLike[str], settings: Mapping[str, object], *, resume: bool) -> Iterator[Path]:
    """Open a directory for one build, and yield where its steps are kept.

    A directory that holds anything else is refused, and so are a second process, another build, and a build that was
    begun before unless it is to be resumed.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with build_directory(Path(folder.name) / "net.build", {"seed": 0}, resume=False) as steps:
    ...     steps.name
    'steps'
    >>> with build_directory(Path(folder.name) / "net.build", {"seed": 1}, resume=True):
    ...     pass
    Traceback (most recent call last):
    ...
    classinet.exceptions.StorageError: ... was begun with other settings: seed was 0, now it is 1. ...
    >>> folder.cleanup()
    """
    place = Path(directory)
    if place.exists() and not _may_be_build(place):
        raise StorageError(f"{place} holds something other than a build; give an empty directory, or a new name")
    place.mkdir(parents=True, exist_ok=True)
    with _locked(place):
        _check_settings(place, _described({**settings, **versions()}), resume)
        yield place / STEPS


def discard(directory: str | PathLike[str]) -> None:
    """Remove a build's directory: what a build made, and the directory itself if nothing else is in it.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> place = Path(folder.name) / "net.build"
    >>> with build_directory(place, {}, resume=False):
    ...     pass
    >>> discard(place)
    >>> place.exists()
    False
    >>> folder.cleanup()
    """
    place = Path(directory)
    if not is_build(place):
        raise StorageError(f"{place} is not the directory of a build (no {SETTINGS}); nothing was removed")
    with _locked(place):
        for folder in (STEPS, SHARED):
            if (place / folder).exists():
                shutil.rmtree(place / folder)
        (place / SETTINGS).unlink()
        (place / LOCK).unlink()
    if not any(place.iterdir()):
        place.rmdir()


def is_build(directory: str | PathLike[str]) -> bool:
    """Whether a build was begun in this directory.

    >>> is_build("no/such/directory")
    False
    """
    return (Path(directory) / SETTINGS).is_file()


def shared_folder(directory: str | PathLike[str]) -> Path:
    """Return where in a build's directory a cluster's workers are sent what they need, for `DaskEngine(directory=…)`.

    >>> shared_folder("net.build").as_posix()
    'net.build/shared'
    """
    return Path(directory) / SHARED


def _may_be_build(place: Path) -> bool:
    """Whether this is the directory of a build, or at most of one that was killed before it had written a word."""
    if not place.is_dir() or (place / SETTINGS).is_file():
        return place.is_dir()
    return all(entry.name in (LOCK, SHARED) or entry.name.startswith(f".{SETTINGS}.") for entry in place.iterdir())


def _check_settings(place: Path, said: dict[str, str], resume: bool) -> None:
    file = place / SETTINGS
    if not file.exists():
        with whole_file(file) as out:
            json.dump(said, out, indent=1)
        return
    if not resume:
        raise StorageError(
            f"{place} holds a build that was begun before; pass resume=True (--resume) to continue it, or remove the "
            "directory"
        )
    try:
        before = dict(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise StorageError(f"{file} is damaged; remove {place} and build anew") from None
    changes = [
        f"{name} was {before.get(name, 'not given')}, now it is {said.get(name, 'not given')}"
        for name in {**before, **said}
        if before.get(name) != said.get(name)
    ]
    if changes:
        raise StorageError(
            f"{place} was begun with other settings: {'; '.join(changes)}. Resume with the same ones, or remove the "
            "directory"
        )


def _described(settings: Mapping[str, object]) -> dict[str, str]:
    """Settings in words that are the same in every process; an estimator also parameter by parameter.

    (An estimator's own `repr` leaves out what is long.)
    """
    said: dict[str, str] = {}
    for name, value in settings.items():
        said[name] = _in_words(value)
        if isinstance(value, BaseEstimator):
            said |= {f"{name}__{key}": _in_words(part) for key, part in value.get_params(deep=True).items()}
    return said


def _in_words(value: object) -> str:
    if isinstance(value, BaseEstimator):
        return type(value).__name__
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… ({len(text):,} characters, {blake2b(text.encode(), digest_size=8).hexdigest()})"


@contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Hold the directory for this process; the lock of a process that died is free."""
    with (place / LOCK).open("a") as file:
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise StorageError(
                    f"another process is building in {place}; wait for it or use another directory"
                ) from None
        yield
