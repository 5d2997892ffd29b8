"""Reduce a docstring to its prose.

Enter: a docstring as it stands in the source: numpydoc sections, reStructuredText mark-up, doctests, tables, formulas.
Leave: its paragraphs as plain text, one string each, without mark-up; what is no prose is left out.

The idea: one pass over the lines. A line either belongs to something that is no prose (a doctest, a directive, a
literal block, a table, the name of a parameter) and goes, or it continues the paragraph above it when it stands at the
same indentation, or it begins a new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc

# In these sections a line without indentation names a thing ("x : ndarray"); the prose is what is indented below it.
_ENTRY_SECTIONS = frozenset(
    {"parameters", "other parameters", "keyword arguments", "arguments", "attributes", "methods", "fields"}
    | {"returns", "yields", "receives", "raises", "warns"}
)
_SKIPPED_SECTIONS = frozenset({"references", "see also", "index"})
# The bodies of these directives are prose; all other directives hold formulas, code, tables of contents or versions.
_PROSE_DIRECTIVES = frozenset({"note", "warning", "important", "tip", "hint", "caution", "attention", "admonition"})

_SIGNATURE = re.compile(r"\s*[\w.]+\([^()]*(?:\([^()]*\)[^()]*)*\)(?:\s*->.*)?\s*\Z")
_UNDERLINE = re.compile(r"([-=~^*#`\"'+.])\1{2,}\Z")
_TABLE = re.compile(r"[-=]{2,}(?:\s+[-=]{2,})+\Z|\+[-=+]+\+\Z|\|.*\|\Z")
_DIRECTIVE = re.compile(r"\.\.(?:\s+|\Z)(?:([\w:-]+?)::)?")
_BULLET = re.compile(r"(?:[-*+•]|\(?(?:\d{1,2}|[a-z])[.)])\s+(?=\S)")
_FIELD = re.compile(r":(?:\w+)(?:\s+[^:`]+)?:\s+|@\w+(?:\s+\w+:)?\s+")

_MARKED = re.compile(r"[`*$]|\]_|://")
_MATH = re.compile(r":math:`[^`]*`|\$[^$]+\$")
_ROLE = re.compile(r"(?::[\w.+-]+)+:(?=`)")
_LINK = re.compile(r"`([^`<]*?)\s*<[^`>]*>`_*")
_FOOTNOTE = re.compile(r"\[[#*]?[\w-]*\]_")
_ADDRESS = re.compile(r"<?\b(?:https?|ftp)://\S*?(?=[.,;:)]*(?:\s|\Z))")
_QUOTED = re.compile(r"``(.+?)``|`~?([^`]+)`_*")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(?=\S)([^*]+?)(?<=\S)\1(?![\w*])")
_SPACE_BEFORE = re.compile(r"\s+(?=[,.;:!?](?:\s|\Z))")


def paragraphs(docstring: str) -> list[str]:
    r"""Return the paragraphs of prose of a docstring, in order.

    Parameters
    ----------
    docstring : str
        As written in the source, indentation included.

    Returns
    -------
    list of str
        Plain text on one line each.

    Examples
    --------
    >>> paragraphs('''Add two numbers with :func:`~operator.add`.
    ...
    ...     Parameters
    ...     ----------
    ...     a : int
    ...         The first number.
    ...
    ...     Examples
    ...     --------
    ...     >>> add(1, 2)
    ...     3
    ... ''')
    ['Add two numbers with operator.add.', 'The first number.']
    """
    return [text for text in map(plain, _blocks(docstring)) if text]


def plain(text: str) -> str:
    """Return a paragraph without reStructuredText mark-up, on one line.

    Formulas, footnote marks and addresses go; what a role, a link or back-ticks enclose stays.

    Parameters
    ----------
    text : str
        One paragraph.

    Returns
    -------
    str

    Examples
    --------
    >>> plain("See :class:`numpy.ndarray` [1]_ and the *long* ``repr`` at https://numpy.org .")
    'See numpy.ndarray and the long repr at.'
    """
    if _MARKED.search(text):  # most paragraphs have no mark-up, and ten thousand of them are cleaned at a time
        text = _MATH.sub("", text)
        text = _ROLE.sub("", text)
        text = _LINK.sub(r"\1", text)
        text = _FOOTNOTE.sub("", text)
        text = _QUOTED.sub(lambda match: match[1] or match[2], text)
        text = _ADDRESS.sub("", text)
        text = _EMPHASIS.sub(r"\2", text)
        text = _SPACE_BEFORE.sub("", text)
    return " ".join(text.split())


def _blocks(docstring: str) -> Iterator[str]:
    """Yield the runs of lines that form a paragraph of prose, mark-up still inside."""
    lines = _without_signature(cleandoc(docstring).split("\n"))
    block: list[str] = []  # the paragraph so far
    indent = 0  # the indentation that continues it
    section = ""
    skip_deeper_than: int | None = None  # inside a directive or literal block that stands at this indentation
    skip_to_blank = False  # inside a doctest or a table row

    for number, line in enumerate(lines):
        text = line.strip()
        own = len(line) - len(line.lstrip())
        if not text:
            skip_to_blank = False
            literal = bool(block) and block[-1].endswith("::")
            if block:
                yield " ".join(block).removesuffix(":") if literal else " ".join(block)
            if literal:
                skip_deeper_than = indent
            block = []
            continue
        if skip_deeper_than is not None:
            if own > skip_deeper_than:
                continue
            skip_deeper_than = None
        if skip_to_blank:
            continue

        following = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if _UNDERLINE.match(following) and not _UNDERLINE.match(text):
            section = text.rstrip(":").lower()
            is_prose = False
        elif text.startswith((">>>", "$ ", "In [")) or _TABLE.match(text):
            skip_to_blank = True
            is_prose = False
        elif directive := _DIRECTIVE.match(text):
            if directive[1] not in _PROSE_DIRECTIVES:
                skip_deeper_than = own
            is_prose = False
        else:
            is_prose = not _UNDERLINE.match(text) and section not in _SKIPPED_SECTIONS
            is_prose = is_prose and not (section in _ENTRY_SECTIONS and own == 0)

        bullet = _BULLET.match(text) or _FIELD.match(text)
        if block and (not is_prose or bullet or own != indent):
            yield " ".join(block)
            block = []
        if is_prose:
            if not block:
                # The lines below a bullet continue it where its text began.
                indent = own + (bullet.end() if bullet and _BULLET.match(text) else 0)
            block.append(text[bullet.end() :] if bullet else text)
    if block:
        yield " ".join(block)


def _without_signature(lines: list[str]) -> list[str]:
    """Return the lines without a first line that repeats how the function is called."""
    return lines[1:] if lines and _SIGNATURE.match(lines[0]) else lines
