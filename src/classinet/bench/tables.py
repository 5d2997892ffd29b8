"""A table without a format, and its five writers: Markdown, LaTeX, CSV, HTML and plain text.

Enter: entries as text, with a mark for those to stress. Leave: strings in each format, with every character that the
format reads as its own made harmless. A column of numbers is set to the right, any other to the left.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

MISSING = "–"
LONG_TEXT = 30  # characters from which on a column of text is broken into lines
MANY_COLUMNS = 7


@dataclass(frozen=True)
class Entry:
    """One entry: its text, and whether to stress it."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Row:
    """One row: its first entry names it; rows of a group follow each other below the name of the group."""

    entries: tuple[Entry, ...]
    group: str = ""


@dataclass(frozen=True)
class Table:
    r"""A table.

    Attributes
    ----------
    name : for links and files: letters, digits and hyphens.
    title : what it shows.
    header : one name a column.
    rows : each as wide as the header.
    notes : remarks to stand below it.

    Examples
    --------
    >>> table = plain_table("t", "Sets", ["set", "texts"], [["CR", "3,775"], ["a|b", "–"]])
    >>> print(to_markdown(table))
    **Sets**
    <BLANKLINE>
    | set | texts |
    |---|---:|
    | CR | 3,775 |
    | a\|b | – |
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def numeric(self) -> list[bool]:
        """Return for each column whether it holds numbers; the first column names the rows."""
        columns = zip(*(row.entries for row in self.rows), strict=True) if self.rows else [[] for _ in self.header]
        return [i > 0 and all(NUMBER.fullmatch(e.text) for e in column) for i, column in enumerate(columns)]

    def grouped(self) -> Iterator[tuple[str, list[Row]]]:
        """Return the rows of each group in turn."""
        part: list[Row] = []
        for row in self.rows:
            if part and row.group != part[-1].group:
                yield part[-1].group, part
                part = []
            part.append(row)
        if part:
            yield part[-1].group, part


NUMBER = re.compile(r"[\d\s.,:+−–±*†%/()<×=-]*(of [\d,]+\))?")


def plain_table(
    name: str, title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()
) -> Table:
    """Return a table of plain strings; short rows are filled up.

    >>> plain_table("t", "Sets", ["set", "texts"], [["CR"]]).rows[0].entries[1].text
    '–'
    """
    width = max([len(header), *map(len, rows)])
    padded = [[*map(str, row), *[MISSING] * (width - len(row))] for row in rows]
    names = (*header, *[""] * (width - len(header)))
    return Table(name, title, names, tuple(Row(tuple(map(Entry, row))) for row in padded), tuple(notes))


# ------------------------------------------------------------------------------------------------------------ Markdown


def to_markdown(table: Table) -> str:
    r"""Return the title, the table and its notes as Markdown.

    >>> row = Row((Entry("global"), Entry("81.20*", strong=True)), group="ours")
    >>> print(to_markdown(Table("t", "Films", ("method", "MR"), (row,), ("* p < 0.01",))))
    **Films**
    <BLANKLINE>
    | method | MR |
    |---|---:|
    | *ours* | |
    | global | **81.20\*** |
    <BLANKLINE>
    \* p &lt; 0.01
    """
    lines = [
        f"**{markdown_text(table.title)}**",
        "",
        _piped([markdown_text(name) for name in table.header]),
        "|" + "|".join("---:" if number else "---" for number in table.numeric()) + "|",
    ]
    for group, rows in table.grouped():
        if group:
            lines.append(f"| *{markdown_text(group)}* " + "| " * (len(table.header) - 1) + "|")
        for row in rows:
            lines.append(_piped([_stressed(markdown_text(e.text), "**", "**", e) for e in row.entries]))
    for note in table.notes:
        lines += ["", markdown_text(note)]
    return "\n".join(lines)


def markdown_text(text: str) -> str:
    r"""Return text on one line, with what Markdown would read as markup escaped.

    >>> markdown_text("a|b *c* <d>\ne_f")
    'a\\|b \\*c\\* &lt;d&gt; e\\_f'
    """
    line = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]|#~$])", r"\\\1", escape(line, quote=False))


def _piped(entries: Sequence[str]) -> str:
    return "| " + " | ".join(entries) + " |"


def _stressed(text: str, before: str, after: str, entry: Entry) -> str:
    return f"{before}{text}{after}" if entry.strong and text else text


# --------------------------------------------------------------------------------------------------------------- LaTeX

LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "&": r"\&", "%": r"\%",
    "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "<": "$<$", ">": "$>$", "|": "$|$", '"': "''",
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$", "→": r"$\rightarrow$",
    "γ": r"$\gamma$", "α": r"$\alpha$", "λ": r"$\lambda$", "–": "--", "—": "---", "…": r"\ldots{}", "·": r"$\cdot$",
    "“": "``", "”": "''", "‘": "`", "’": "'", "\u00a0": "~", "∞": r"$\infty$", "†": r"\dag{}",
}  # fmt: skip


def to_latex(table: Table) -> str:
    r"""Return a table environment that needs the package booktabs and no other.

    >>> print(to_latex(plain_table("t", "Gains", ["set", "gain"], [["A & B", "5 %"]])))
    \begin{table}[htbp]
    \centering
    \caption{Gains}
    \label{tab:t}
    \begin{tabular}{lr}
    \toprule
    set & gain \\
    \midrule
    A \& B & 5 \% \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    lines = [r"\begin{table}[htbp]", r"\centering"]
    if len(table.header) > MANY_COLUMNS:
        lines.append(r"\scriptsize\setlength{\tabcolsep}{3pt}")
    lines += [rf"\caption{{{latex_text(table.title)}}}", rf"\label{{tab:{table.name}}}"]
    lines += [rf"\begin{{tabular}}{{{_columns(table)}}}", r"\toprule"]
    lines.append(_ampersands([latex_text(name) for name in table.header]))
    for group, rows in table.grouped():
        lines.append(r"\midrule")
        if group:
            lines.append(rf"\multicolumn{{{len(table.header)}}}{{l}}{{\emph{{{latex_text(group)}}}}} \\")
        for row in rows:
            lines.append(_ampersands([_stressed(latex_text(e.text), r"\textbf{", "}", e) for e in row.entries]))
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        notes = r"\\ ".join(_guarded(latex_text(note)) for note in table.notes)
        lines += ["", rf"\smallskip\parbox{{\linewidth}}{{\footnotesize {notes}}}"]
    return "\n".join([*lines, r"\end{table}"])


def latex_text(text: str) -> str:
    r"""Return text on one line for LaTeX without further packages; a letter it cannot set loses its mark or is "?".

    >>> latex_text("50 % of a_b {γ} naïve 中")
    '50 \\% of a\\_b \\{$\\gamma$\\} naïve ?'
    """
    return "".join(LATEX.get(c) or _settable(c) for c in " ".join(text.split()))


def _settable(character: str) -> str:
    if character.isascii() or ("À" <= character <= "ÿ"):
        return character
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode("ascii")
    return "".join(LATEX.get(c, c) for c in plain) or ("" if unicodedata.combining(character) else "?")


def _columns(table: Table) -> str:
    """Return the alignment of each column; long texts share three quarters of the line."""
    longest = [max([len(row.entries[i].text) for row in table.rows], default=0) for i in range(len(table.header))]
    long = [i for i, length in enumerate(longest) if length > LONG_TEXT]
    share = f"p{{{0.75 / max(1, len(long)):.2f}\\linewidth}}"
    return "".join("r" if number else share if i in long else "l" for i, number in enumerate(table.numeric()))


def _ampersands(entries: Sequence[str]) -> str:
    return " & ".join(_guarded(entry) for entry in entries) + r" \\"


def _guarded(text: str) -> str:
    """Keep "[" and "*" at the beginning of a line from being read as arguments of the line break before it."""
    return "{}" + text if text.startswith(("[", "*")) else text


# ------------------------------------------------------------------------------------------------------------- the rest


def to_csv(table: Table) -> str:
    r"""Return header and rows as CSV, every entry on one line, without title and notes.

    >>> to_csv(plain_table("t", "Sets", ["set", "texts"], [["CR", "3,775"]]))
    'set,texts\nCR,"3,775"\n'
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for line in [table.header, *([entry.text for entry in row.entries] for row in table.rows)]:
        writer.writerow([" ".join(text.split()) for text in line])
    return file.getvalue()


def to_html(table: Table) -> str:
    """Return the table in a box that scrolls sideways where the screen is narrow, and its notes.

    >>> print(to_html(plain_table("t", "Sets", ["set", "texts"], [["a<b", "3"]])))
    <div class="wide" role="region" tabindex="0" aria-labelledby="t-title">
    <table id="t">
    <caption id="t-title">Sets</caption>
    <thead><tr><th scope="col">set</th><th scope="col" class="n">texts</th></tr></thead>
    <tbody>
    <tr><th scope="row">a&lt;b</th><td class="n">3</td></tr>
    </tbody>
    </table>
    </div>
    """
    kinds = [' class="n"' if number else "" for number in table.numeric()]
    name = escape(table.name)
    names = zip(table.header, kinds, strict=True)
    lines = [
        f'<div class="wide" role="region" tabindex="0" aria-labelledby="{name}-title">',
        f'<table id="{name}">',
        f'<caption id="{name}-title">{escape(table.title)}</caption>',
        "<thead><tr>" + "".join(f'<th scope="col"{kind}>{escape(text)}</th>' for text, kind in names) + "</tr></thead>",
    ]
    for group, rows in table.grouped():
        lines.append("<tbody>")
        if group:
            lines.append(f'<tr><th scope="rowgroup" colspan="{len(table.header)}">{escape(group)}</th></tr>')
        for row in rows:
            first, *others = (_stressed(escape(e.text), "<strong>", "</strong>", e) for e in row.entries)
            values = "".join(f"<td{kind}>{text}</td>" for text, kind in zip(others, kinds[1:], strict=True))
            lines.append(f'<tr><th scope="row">{first}</th>{values}</tr>')
        lines.append("</tbody>")
    lines += ["</table>", "</div>", *(f'<p class="note">{escape(note)}</p>' for note in table.notes)]
    return "\n".join(lines)


def to_text(table: Table) -> str:
    """Return title, table and notes for a terminal: columns below each other, two spaces apart.

    >>> print(to_text(plain_table("t", "Sets", ["set", "texts"], [["CR", "3,775"], ["TREC", "500"]], ["a note"])))
    Sets
    set   texts
    CR    3,775
    TREC    500
    a note
    """
    lines = [list(table.header), *([entry.text for entry in row.entries] for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    set_right = table.numeric()
    body = [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, set_right, strict=True)
        ).rstrip()
        for line in lines
    ]
    return "\n".join([table.title, *body, *table.notes])
