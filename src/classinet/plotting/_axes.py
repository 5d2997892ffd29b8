"""What all pictures share: Axes without pyplot, one sober look, and files that appear whole or not at all."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from classinet._files import whole_file
from classinet._optional import optional_import
from classinet.exceptions import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart by colour-blind eyes; ordered so that neighbours also differ in grey.
COLOURS = ("#0072B2", "#D55E00", "#000000", "#56B4E9", "#CC79A7", "#009E73", "#E69F00")
INK, QUIET = "#222222", "#777777"
# What each kind of file would otherwise date, so that the same picture is the same bytes.
UNDATED: dict[str, dict[str, None]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
DOTS_PER_INCH = 200


def plot_module(name: str) -> ModuleType:
    """Return a module of matplotlib, or say which extra brings it."""
    return optional_import(f"matplotlib.{name}" if name else "matplotlib", "classinets[plot]")


def chart_axes(ax: Axes | None, *, width: float = 5.0, height: float = 3.2) -> Axes:
    """Return `ax`, or the Axes of a new figure of so many inches; either way in the common look."""
    if ax is None:
        figure = plot_module("figure").Figure(figsize=(width, height), layout="constrained")
        ax = figure.add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8, color=QUIET)
    ax.xaxis.get_label().set_fontsize(9)
    ax.yaxis.get_label().set_fontsize(9)
    return ax


def label_axes(ax: Axes, x: str, y: str, *, left_out: str = "") -> None:
    """Label both axes; what is not shown is said below the label, where it covers nothing."""
    ax.set_xlabel(f"{x}\n({left_out} not shown)" if left_out else x)
    ax.set_ylabel(y, parse_math=False)


def counted(number: int, one: str, many: str) -> str:
    """Return how many of what, or nothing for none.

    >>> counted(1, "text", "texts"), counted(1200, "text", "texts"), counted(0, "text", "texts")
    ('1 text', '1,200 texts', '')
    """
    return f"{number:,} {one if number == 1 else many}" if number else ""


def save(picture: Axes | Figure, path: str | PathLike[str]) -> None:
    """Write a picture to a .png, .svg or .pdf file, which appears whole or not at all.

    Parameters
    ----------
    picture : the Axes that a plotting function returned, or its figure.
    path : where to; the suffix names the kind. PNG and PDF files are the same bytes every time; matplotlib gives the
        parts of an SVG random names unless its setting `svg.hashsalt` is set.

    Examples
    --------
    >>> import tempfile
    >>> from classinet.plotting import plot_damping
    >>> ax = plot_damping([0.5, 0.85, 0.95], [0.71, 0.78, 0.74])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(ax, Path(folder) / "damping.png")
    ...     [file.name for file in Path(folder).iterdir()]
    ['damping.png']
    >>> save(ax, "damping.bmp")
    Traceback (most recent call last):
    ...
    classinet.exceptions.ParameterError: cannot write 'damping.bmp': a picture is a .png, .svg or .pdf file; change the
    suffix
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in UNDATED:
        raise ParameterError(f"cannot write {str(path)!r}: a picture is a .png, .svg or .pdf file; change the suffix")
    # An Axes and a part of a figure know the figure they belong to; a figure is its own.
    figure: Any = picture
    while figure.figure is not None and figure.figure is not figure:
        figure = figure.figure
    with whole_file(path, binary=True) as file:
        figure.savefig(
            file, format=kind, dpi=DOTS_PER_INCH, bbox_inches="tight", pad_inches=0.04, metadata=UNDATED[kind]
        )
