"""Measure one thing in a process of its own: seconds, CPU time, memory.

Enter: a function of a module, and its arguments. It is called in a fresh process with a clock, and decides what of its
work the clock sees. Leaves: a `Measured`. This process looks at the other's memory while its clock runs, so that a
measurement is not slowed down by being watched. Finished ones can be kept as files, so that a run goes on where it
stopped.
"""

from __future__ import annotations

import json
import multiprocessing as mp
import os
import platform
import re
import resource
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from classinet._files import whole_file
from classinet._typing import Progress
from classinet.bench.memory import anonymous_bytes, resident_peak
from classinet.bench.pool import algebra_threads
from classinet.bench.work import name_of
from classinet.bench.worker import PACKAGES
from classinet.engine.threads import resolve_n_jobs
from classinet.exceptions import ClassiNetError

EVERY = 0.02  # seconds from one look at the memory of a process to the next
BEGIN, END, DONE, FAILED = "begin", "end", "done", "failed"


class MeasuringError(ClassiNetError):
    """A process that was to measure something failed, or is gone."""


@dataclass(frozen=True)
class Measured:
    """What was measured.

    Attributes
    ----------
    seconds : on the wall.
    cpu_seconds : of all threads, and of processes that were started.
    peak_bytes : largest resident memory of the process until the clock stopped, files that are mapped included.
    anonymous_bytes : largest memory that is no mapped file, seen while the clock ran; None where /proc is missing.
    before_bytes : the same when the clock began: what the libraries take by themselves.
    date : when, as 2026-11-16T12:30.
    notes : what the measured function returned.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    anonymous_bytes: int | None = None
    before_bytes: int | None = None
    date: str = ""
    notes: dict[str, Any] = field(default_factory=dict)


class Clock:
    """What a measured function is given: `with clock:` around the work, or `clock.best_of` for quick work."""

    def __init__(self, tell: Callable[[str], None] = lambda mark: None) -> None:
        self.tell = tell
        self.begun = self.seconds = self.cpu_seconds = 0.0
        self.before_bytes: int | None = None
        self.peak_bytes = 0

    def __enter__(self) -> Clock:
        self.before_bytes = anonymous_bytes("self")
        self.tell(BEGIN)
        self.cpu_begun, self.begun = _cpu_seconds(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds, self.cpu_seconds = time.perf_counter() - self.begun, _cpu_seconds() - self.cpu_begun
        self.peak_bytes = resident_peak()  # what is done after the clock stopped is not measured
        self.tell(END)

    def best_of(self, action: Callable[[], object], repeats: int = 5) -> None:
        """Do something several times; the quickest counts.

        >>> clock = Clock()
        >>> clock.best_of(lambda: None, repeats=2)
        >>> 0 <= clock.seconds < 1
        True
        """
        tries: list[tuple[float, float]] = []
        for _ in range(repeats):
            with self:
                action()
            tries.append((self.seconds, self.cpu_seconds))
        self.seconds, self.cpu_seconds = min(tries)


def measure(function: Callable[..., Mapping[str, Any]], arguments: Mapping[str, Any], threads: int) -> Measured:
    """Call `function(clock, **arguments)` in a fresh process that may use so many threads for algebra.

    The function must be found by its name in a module, and what it returns is noted.
    """
    context = mp.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(function, dict(arguments), theirs), daemon=True)
    with algebra_threads(threads):
        process.start()
    theirs.close()
    assert process.pid is not None
    try:
        return _watch(ours, process.pid)
    except EOFError:
        process.join()
        raise MeasuringError(f"the process ended with code {process.exitcode} (killed, or out of memory?)") from None
    finally:
        process.terminate()
        process.join()
        ours.close()


def _watch(connection: Connection, pid: int) -> Measured:
    """Take what the process says, and look at its memory while its clock runs."""
    peak: int | None = None
    running = False
    while True:
        if not connection.poll(EVERY if running else None):
            peak = _larger(peak, anonymous_bytes(pid))
            continue
        kind, said = connection.recv()
        if kind in (BEGIN, END):
            running = kind == BEGIN
            peak = _larger(peak, said)
        elif kind == FAILED:
            raise MeasuringError(said)
        else:
            return Measured(**{**said, "anonymous_bytes": peak})


def _child(function: Callable[..., Mapping[str, Any]], arguments: dict[str, Any], connection: Connection) -> None:
    # What a recipe warns of is known; lines on standard error would only hide those of the run.
    warnings.simplefilter("ignore")
    clock = Clock(lambda mark: connection.send((mark, anonymous_bytes("self"))))
    try:
        notes = dict(function(clock, **arguments))
        connection.send((DONE, _as_measured(clock, notes)))
    except Exception as error:  # noqa: BLE001  (told to the parent, which says what could not be measured)
        traceback.print_exc()
        connection.send((FAILED, f"{type(error).__name__}: {error}"))


def _as_measured(clock: Clock, notes: dict[str, Any]) -> dict[str, Any]:
    return {
        "seconds": clock.seconds, "cpu_seconds": clock.cpu_seconds,
        "peak_bytes": clock.peak_bytes, "before_bytes": clock.before_bytes,
        "date": datetime.now(UTC).isoformat(timespec="minutes")[:16], "notes": notes,
    }  # fmt: skip


def _larger(a: int | None, b: int | None) -> int | None:
    return max((x for x in (a, b) if x is not None), default=None)


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


# ------------------------------------------------------------------------------------------------------- this machine


def machine() -> dict[str, Any]:
    """Say on what is measured, with what, and when.

    >>> sorted(machine())
    ['cores', 'cpu', 'date', 'memory_bytes', 'python', 'system', 'versions']
    """
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": _cpu(),
        "cores": resolve_n_jobs(-1),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": dict(_versions()),
    }


def in_words(place: Mapping[str, Any]) -> str:
    """Return what `machine` says as a sentence.

    >>> in_words({"cpu": "Z80", "cores": 1, "memory_bytes": 65536, "system": "CP/M", "python": "3.11", "date": "1980",
    ...           "versions": {"numpy": "2.0"}})
    'Z80, 1 core, 0.0 GB, CP/M; Python 3.11, numpy 2.0; 1980.'
    """
    cores = f"{place['cores']} core{'s' if place['cores'] > 1 else ''}"
    versions = ", ".join(f"{name} {number}" for name, number in place["versions"].items())
    return (
        f"{place['cpu']}, {cores}, {place['memory_bytes'] / 1e9:.1f} GB, {place['system']}; "
        f"Python {place['python']}, {versions}; {place['date']}."
    )


def _cpu() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return " ".join(found[1].split()) if found else platform.processor() or platform.machine()


def _versions() -> Iterable[tuple[str, str]]:
    for package in (*PACKAGES, "sentence-transformers"):
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


# --------------------------------------------------------------------------------------------------------- many of them


@dataclass(frozen=True)
class Measurement:
    """Something to be measured.

    Attributes
    ----------
    name : of its file.
    title : said while it runs.
    function, threads, arguments : see `measure`.
    definition : all that decides the figures; a stored file with another one does not count.
    """

    name: str
    title: str
    function: Callable[..., Mapping[str, Any]]
    threads: int
    arguments: dict[str, Any]
    definition: tuple[object, ...] = ()


def measure_all(
    wanted: Iterable[Measurement],
    folder: Path,
    progress: Progress,
    *,
    again: bool = False,
    first: Callable[[Clock], Mapping[str, Any]] | None = None,
) -> tuple[dict[str, Measured], list[str]]:
    """Measure one after the other what is not stored in a folder; return all figures, and a line for each failure.

    Every figure is written as soon as it is known. Figures of another machine or of other versions do not count.

    Parameters
    ----------
    wanted : what to measure.
    folder : where figures are; made if need be.
    progress : called as progress(stage, done, total).
    again : measure also what is stored.
    first : done once, in a process of its own, before anything is measured; not if everything is stored.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Measured] = {}
    failures: list[str] = []
    place = machine()
    here = (place["cpu"], place["cores"], place["python"], place["versions"])
    for one in wanted:
        path = folder / f"{one.name}.json"
        definition = name_of(*here, one.threads, *one.definition)
        stored = None if again else _stored(path, definition)
        if stored is None:
            if first is not None:
                progress("load compiled kernels", 0, 1)
                measure(first, {}, one.threads)
                progress("load compiled kernels", 1, 1)
                first = None
            progress(one.title, 0, 1)
            try:
                stored = measure(one.function, one.arguments, one.threads)
            except MeasuringError as error:
                failures.append(f"{one.title}: {error}")
                continue
            with whole_file(path) as file:
                json.dump({"definition": definition, **asdict(stored)}, file, indent=1, ensure_ascii=False)
            progress(one.title, 1, 1)
        found[one.name] = stored
    return found, failures


def _stored(path: Path, definition: str) -> Measured | None:
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return Measured(**known) if known.pop("definition") == definition else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # not there, or not ours: measured anew


def when(measured: Iterable[Measured]) -> str:
    """Say when things were measured, for a remark below a table.

    >>> when([Measured(1, 1, 1, date="2026-01-02T11:00"), Measured(1, 1, 1, date="2026-01-02T10:00")])
    'The first figure was ready 2026-01-02T10:00, the last 2026-01-02T11:00 (UTC).'
    """
    dates = sorted(one.date for one in measured)
    return f"The first figure was ready {dates[0]}, the last {dates[-1]} (UTC)." if dates else "Nothing was measured."
