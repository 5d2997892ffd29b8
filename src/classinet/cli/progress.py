"""Progress of long work: bars with rate and remaining time on a terminal, one plain line a stage elsewhere.

Enter: calls progress(stage, done, total) as the library makes them; a total of 0 means that nobody knows it yet. Leave:
lines on standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from classinet.cli.output import say

if TYPE_CHECKING:
    import rich.progress

Report = Callable[[str, int, int], None]
T = TypeVar("T")


@contextmanager
def reporting(*, beside_data: bool = False) -> Iterator[Report]:
    r"""Show progress while the block runs.

    Parameters
    ----------
    beside_data : the block prints its results as it goes. On a terminal they show the progress themselves, and
        without a terminal no stage is announced either.

    Examples
    --------
    >>> import contextlib, io
    >>> with contextlib.redirect_stderr(io.StringIO()) as talk, reporting() as progress:
    ...     progress("train", 1, 2)
    ...     progress("train", 2, 2)
    >>> talk.getvalue()
    'train\n'
    """
    if beside_data and (sys.stdout.isatty() or not sys.stderr.isatty()):
        yield lambda stage, done, total: None
        return
    if not sys.stderr.isatty():
        yield _lines()
        return
    with _bars() as bars:
        yield _advance(bars)
        _settle(bars)


def counted(items: Iterable[T], stage: str, report: Report, every: int = 1000, total: int = 0) -> Iterator[T]:
    """Hand on items, reporting how many have passed.

    >>> list(counted("abc", "read", print, every=2))
    read 2 0
    read 3 0
    ['a', 'b', 'c']
    """
    done = 0
    for done, item in enumerate(items, start=1):
        if done % every == 0:
            report(stage, done, total)
        yield item
    if done % every:
        report(stage, done, total)


def _lines() -> Report:
    seen: set[str] = set()

    def report(stage: str, done: int, total: int) -> None:
        if _whole(stage) not in seen:
            seen.add(_whole(stage))
            say(_whole(stage))

    return report


def _advance(bars: rich.progress.Progress) -> Report:
    tasks: dict[str, rich.progress.TaskID] = {}
    shown: dict[str, str] = {}

    def report(stage: str, done: int, total: int) -> None:
        whole = _whole(stage)
        if whole not in tasks:
            _settle(bars)
            tasks[whole] = bars.add_task(stage, total=None)
        elif shown[whole] != stage:
            bars.reset(tasks[whole])
        shown[whole] = stage
        bars.update(tasks[whole], description=stage, completed=done, total=total or None)

    return report


def _settle(bars: rich.progress.Progress) -> None:
    """Fill the bars of stages that have ended and whose length nobody knew before."""
    for task in bars.tasks:
        if task.total is None:
            bars.update(task.id, total=task.completed)


def _whole(stage: str) -> str:
    """Return the stage that rounds such as "predictors, pass 3" belong to: they share a line."""
    return stage.partition(", ")[0]


def _bars() -> rich.progress.Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: rich.progress.Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.1f}/s" if speed else "", style="progress.data.speed")

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(stderr=True),
        redirect_stdout=False,  # else what a command prints would go where the bars are
    )
