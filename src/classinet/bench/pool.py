"""Run units of work in processes of their own: some beside each other, heavy ones alone.

Enter: units. Leave: nothing but what they write; progress by callback. A process that fails or is killed costs its unit
and no other; the failures are returned, with the last line of what went wrong.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from classinet.bench.plan import Unit
from classinet.bench.worker import work_on

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Report = Callable[[Unit, float], None]


def run_units(units: Sequence[Unit], cells: Path, work: Path, jobs: int, threads: int, report: Report) -> list[str]:
    """Run units, `jobs` at a time, each with so many threads; return a line for each that failed."""
    context = mp.get_context("spawn")
    waiting, running, failures = list(units), {}, []  # type: ignore[var-annotated]
    with algebra_threads(threads):
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    unit = waiting.pop(0)
                    ours, theirs = context.Pipe(duplex=False)
                    process = context.Process(target=_child, args=(unit, cells, work, theirs), daemon=True)
                    process.start()
                    theirs.close()
                    running[ours] = unit, process
                for ready in wait(list(running)):
                    unit, process = running[ready]  # type: ignore[index]
                    failure = _listen(ready, unit, process, report)  # type: ignore[arg-type]
                    if failure is None:
                        continue
                    del running[ready]  # type: ignore[arg-type]
                    if failure:
                        failures.append(failure)
        finally:
            for _, process in running.values():
                process.terminate()
    return failures


def _listen(connection: Connection, unit: Unit, process: Any, report: Report) -> str | None:
    """Take one message; None while the process goes on, else what went wrong, "" if nothing did."""
    try:
        message = connection.recv()
    except EOFError:
        process.join()
        return f"{_named(unit)}: the process ended with code {process.exitcode} (killed, or out of memory?)"
    if isinstance(message, float):
        report(unit, message)
        return None
    process.join()
    if message is not None:
        return f"{_named(unit)}: {message}"
    report(unit, 1.0)
    return ""


def _child(unit: Unit, cells: Path, work: Path, connection: Connection) -> None:
    try:
        work_on(unit, cells, work, lambda share: connection.send(float(share)))
    except Exception as error:  # noqa: BLE001  (told to the parent, which goes on with other units and fails at the end)
        traceback.print_exc()
        connection.send(f"{type(error).__name__}: {error}")
    else:
        connection.send(None)


def _named(unit: Unit) -> str:
    return f"{unit.method or 'the net of recipe ' + str(unit.recipe)} on {unit.corpus}"


@contextmanager
def algebra_threads(count: int) -> Iterator[None]:
    """Let processes that are started meanwhile use so many threads for algebra."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(count)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
