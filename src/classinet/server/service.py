"""The moving parts of one process of the server: the model, the threads that answer, the counters.

Enter: settings. Leave: answers as bytes, the state of the model, and what reloading did.
"""

from __future__ import annotations

import asyncio
import json
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from classinet.exceptions import DivergenceWarning
from classinet.persistence.store import version_number
from classinet.server import answers
from classinet.server.answers.judging import usable_methods
from classinet.server.board import Board, State
from classinet.server.deadlines import Deadline, Workshop
from classinet.server.holder import Holder, Loaded
from classinet.server.metrics import Metrics
from classinet.server.problems import Problem
from classinet.server.settings import Settings

POLL_SECONDS = 0.5
RELOAD_SECONDS = 60.0
LOOK_SECONDS = 0.02
WARMING_SECONDS = 600.0


class Service:
    """What one process needs to answer.

    Parameters
    ----------
    settings : how to serve.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.board = None if settings.board is None else Board(settings.board)
        self.holder = Holder(settings.model, self.board, warm_up)
        self.stopping = False
        self._workshop = Workshop()
        self._loader = ThreadPoolExecutor(1, thread_name_prefix="classinet-load")
        self._failures = 0

    # ------------------------------------------------------------------------------------------------- the model

    async def follow(self) -> None:
        """Look for a new version now and then, for ever."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            await self.refresh()

    async def refresh(self, *, force: bool = False) -> State:
        """Load what is new, beside requests that are being answered."""
        loop = asyncio.get_running_loop()
        state = await loop.run_in_executor(self._loader, lambda: self.holder.refresh(force=force))
        self.metrics.reload_errors.inc(self.holder.failures - self._failures)
        self._failures = self.holder.failures
        self.metrics.broken.set(state.failed is not None)
        if self.holder.loaded is not None:
            self.metrics.version.set(version_number(self.holder.loaded.version) or 0)
        return state

    async def reload(self) -> dict[str, Any]:
        """Load what is new and wait until all workers answer with it; return the version and their number."""
        asked = 0 if self.board is None else await asyncio.to_thread(self.board.ask)
        own = await self.refresh(force=True)
        end = time.monotonic() + RELOAD_SECONDS
        while True:
            states = [own] if self.board is None else await asyncio.to_thread(self.board.states)
            for state in states:
                if state.failed is not None and state.asked >= asked:
                    raise Problem("broken-version", f"{state.reason}. The version before it goes on being served")
            behind = [state for state in states if state.asked < asked or state.model != self.holder.state.model]
            if not behind:
                return {"version": self.loaded().version, "workers": len(states)}
            if time.monotonic() > end:
                raise Problem("reload-unfinished", f"{len(behind)} of {len(states)} workers still load it; ask again")
            await asyncio.sleep(LOOK_SECONDS)

    def loaded(self) -> Loaded:
        """Return the model in use."""
        loaded = self.holder.loaded
        if loaded is None:
            raise Problem("not-ready", self.holder.state.reason or "the model is being loaded; try again")
        return loaded

    # --------------------------------------------------------------------------------------------------- answers

    async def answer(self, work: Callable[[Loaded, Deadline], dict[str, Any]], n_texts: int = 0) -> bytes:
        """Return what the model in use answers, as JSON, within the time that a request may take."""
        loaded = self.loaded()

        def run(deadline: Deadline) -> bytes:
            told = {"version": loaded.version, **work(loaded, deadline)}
            return json.dumps(told, ensure_ascii=False, allow_nan=False).encode("utf-8")

        body = await self._workshop.run(run, self.settings.limits.seconds)
        if n_texts:
            self.metrics.texts.inc(n_texts)
        return body

    def close(self) -> None:
        """End the threads."""
        self._workshop.close()
        self._loader.shutdown(wait=False, cancel_futures=True)


def warm_up(loaded: Loaded) -> None:
    """Answer one request of each kind, so that the first real one finds everything compiled and in memory."""
    names = loaded.text_net.net_.beginning_with("", 2)
    texts, deadline = names[:1] or [""], Deadline(WARMING_SECONDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)
        if loaded.classifier is not None:
            answers.predict(loaded, texts, deadline)
            answers.explain(loaded, texts, deadline)
        for method in (None, *usable_methods(loaded)):
            answers.expand(loaded, texts, deadline, method=method)
    for name in names[:1]:
        answers.about_feature(loaded, name)
        answers.path_between(loaded, name, names[-1])
