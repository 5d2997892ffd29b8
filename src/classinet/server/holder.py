"""The model in use: loaded beside the one before it, then swapped in one assignment.

Enter: the folder of a saved model. Leaves: `Loaded`, an immutable value that a request takes once and answers from, so
that requests under way finish on the model they began with. The pointer file and the edits are looked at now and then;
a new version that cannot be loaded is reported and the old one serves on.
"""

from __future__ import annotations

import copy
import gc
import hashlib
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from classinet import persistence
from classinet.edits import Edits
from classinet.exceptions import ClassiNetError
from classinet.persistence.store import CHECKSUMS, POINTER, edits_path, find_model
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.server.board import Board, State

logger = logging.getLogger("classinet.server")

KEPT_EDITS = 4
Stamp: TypeAlias = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model that is ready to answer.

    Attributes
    ----------
    version : name of its version.
    identity : version and edits, as one word.
    text_net : the net.
    classifier : the classifier, or None for a net alone.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> loaded = Loaded.of(TextNet().fit(made_up_sentences()), "v0001")
    >>> loaded.edited(Edits().ban("storm")).text_net.edits.banned(), len(loaded.text_net.edits)
    (('storm',), 0)
    """

    version: str
    identity: str
    text_net: TextNet
    classifier: ClassiNetClassifier | None
    _edited: OrderedDict[Edits, Loaded] = field(default_factory=OrderedDict, repr=False)

    @classmethod
    def of(cls, model: TextNet | ClassiNetClassifier, version: str) -> Loaded:
        """Make a model ready: requests run on one thread each."""
        if isinstance(model, ClassiNetClassifier):
            classifier = model.on_threads(None)
            text_net = classifier.text_net_
        else:
            classifier, text_net = None, model
        lines = "\n".join(text_net.edits.to_lines())
        identity = f"{version}-{hashlib.sha256(lines.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        return cls(version, identity, text_net, classifier)

    def edited(self, edits: Edits) -> Loaded:
        """Return the model with more edits after its own; the last few such models are kept.

        The edited net shares all but its weights with this one.
        """
        if not len(edits):
            return self
        found = self._edited.get(edits)
        if found is None:
            every = Edits((*self.text_net.edits, *edits))
            if self.classifier is not None:
                classifier = copy.copy(self.classifier).edit(every)
                found = Loaded(self.version, self.identity, classifier.text_net_, classifier)
            else:
                found = Loaded(self.version, self.identity, copy.copy(self.text_net).edit(every), None)
            while len(self._edited) >= KEPT_EDITS:
                self._edited.popitem(last=False)
            self._edited[edits] = found
        return found


class Holder:
    """Hold the model in use and follow the folder it comes from.

    Parameters
    ----------
    path : folder of the model.
    board : where to tell the state, or None.
    warm : called with a loaded model before it is used, to have everything compiled and at hand.

    Examples
    --------
    >>> import tempfile
    >>> from classinet.datasets import made_up_sentences
    >>> net = TextNet().fit(made_up_sentences())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     holder = Holder(persistence.save(net, f"{folder}/net"))
    ...     _ = holder.refresh()
    ...     _ = persistence.save(net, holder.path, replace=True)
    ...     before = holder.loaded
    ...     _ = holder.refresh()
    >>> before.version, holder.loaded.version
    ('v0001', 'v0002')
    """

    def __init__(self, path: Path, board: Board | None = None, warm: Callable[[Loaded], None] | None = None) -> None:
        self.path = path
        self.board = board
        self.loads = 0
        self.failures = 0
        self._warm = warm
        self._loaded: Loaded | None = None
        self._stamp: Stamp | None = None
        self._state = State(os.getpid())
        self._one_at_a_time = threading.Lock()

    @property
    def loaded(self) -> Loaded | None:
        """The model in use, or None before there is one."""
        return self._loaded

    @property
    def state(self) -> State:
        """What this process answers with, and what it could not load."""
        return self._state

    def refresh(self, *, force: bool = False) -> State:
        """Load what the folder holds now if it has changed since it was last looked at; return the new state.

        Parameters
        ----------
        force : also try again what could not be loaded, though nothing has changed.
        """
        with self._one_at_a_time:
            asked = 0 if self.board is None else self.board.asked()
            # Taken before loading: what changes meanwhile is seen the next time.
            stamp = self._present_stamp()
            again = self._state.failed is not None and (force or asked > self._state.asked)
            if stamp != self._stamp or again:
                self._stamp = stamp
                self._tell(replace(self._load(), asked=asked))
            elif asked > self._state.asked:
                self._tell(replace(self._state, asked=asked))
            return self._state

    def _load(self) -> State:
        try:
            loaded = read_loaded(self.path, self.board)
            if self._warm is not None:
                self._warm(loaded)
        except (ClassiNetError, OSError) as error:
            self.failures += 1
            logger.error("the model cannot be loaded: %s", error)  # noqa: TRY400 (the message says it all)
            return State(os.getpid(), self._state.model, self._named(), str(error))
        self.loads += 1
        self._loaded = loaded
        # A model is many objects and no garbage: looked through once here, and never again while requests wait.
        gc.collect()
        gc.freeze()
        logger.info("serving %s", loaded.identity)
        return State(os.getpid(), loaded.identity)

    def _named(self) -> str:
        try:
            return find_model(self.path)
        except (ClassiNetError, OSError):
            return "unknown"

    def _tell(self, state: State) -> None:
        self._state = state
        if self.board is not None:
            self.board.tell(state)

    def _present_stamp(self) -> Stamp:
        pointer = _stamp(self.path / POINTER)
        version = self._named()
        return pointer, _stamp(edits_path(self.path, version)), _stamp(self.path / version)


def read_loaded(path: Path, board: Board | None = None) -> Loaded:
    """Load the current version of a model, comparing it with its checksums unless the board says that this was done.

    Examples
    --------
    >>> read_loaded(Path("no/such/model"))
    Traceback (most recent call last):
    ...
    classinet.exceptions.StorageError: no/such/model: there is no such folder; check the path
    """
    while True:
        version = find_model(path)
        with nullcontext() if board is None else board.alone():
            mark = _mark(path, version)
            verify = board is None or not board.is_verified(mark)
            model = persistence.load(path, verify=verify)
            current = find_model(path) == version
            if current and verify and board is not None:
                board.verified(mark)
        if current:  # otherwise a newer version came while this one was read
            return Loaded.of(model, version)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _mark(path: Path, version: str) -> str:
    return "-".join(map(str, (version, *(_stamp(path / version / CHECKSUMS) or ()))))
