"""A report as sections of text, tables and pictures, and its three forms: Markdown, one HTML page, and LaTeX tables.

Enter: sections. Leave: strings. The page needs nothing beside itself: no script, no font, no file; pictures are inside
it. It follows the reader's choice of light or dark, and wide tables scroll by themselves on a narrow screen.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from classinet.bench.report.figures import inline_svg
from classinet.bench.tables import Table, markdown_text, to_html, to_latex, to_markdown


@dataclass(frozen=True)
class Picture:
    """A picture: its file lies in `figures/`; the title names it for readers who do not see it."""

    name: str
    title: str
    path: Path


@dataclass(frozen=True)
class Section:
    """A part of a report below a heading of its own."""

    name: str
    title: str
    text: tuple[str, ...] = ()
    parts: tuple[Table | Picture, ...] = ()


def to_report_markdown(title: str, sections: Sequence[Section]) -> str:
    r"""Return the report as Markdown.

    >>> print(to_report_markdown("Report", [Section("a", "First", ("Some *text*.",))]), end="")
    # Report
    <BLANKLINE>
    ## First
    <BLANKLINE>
    Some \*text\*.
    """
    blocks = [f"# {markdown_text(title)}"]
    for section in sections:
        blocks += [f"## {markdown_text(section.title)}", *map(markdown_text, section.text)]
        for part in section.parts:
            if isinstance(part, Table):
                blocks.append(to_markdown(part))
            else:
                blocks.append(f"![{markdown_text(part.title)}](figures/{part.path.name})")
    return "\n\n".join(blocks) + "\n"


def to_report_latex(sections: Sequence[Section]) -> str:
    """Return all tables as a document that needs booktabs and no other package."""
    tables = [to_latex(part) for section in sections for part in section.parts if isinstance(part, Table)]
    # A page of floats after every few tables, or LaTeX runs out of room for those that wait.
    return "\n\n".join([PREAMBLE, *(f"{table}\n\\clearpage" for table in tables), "\\end{document}"]) + "\n"


def to_report_html(title: str, sections: Sequence[Section]) -> str:
    """Return the report as one page.

    >>> page = to_report_html("Report", [Section("a", "A < B", ("Some text.",))])
    >>> "<h2>A &lt; B</h2>" in page, "<script" in page
    (True, False)
    """
    links = "".join(f'<li><a href="#s-{escape(s.name)}">{escape(s.title)}</a></li>' for s in sections)
    body = "\n".join(map(_section, sections))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f'<nav aria-label="Sections">\n<ul>{links}</ul>\n</nav>\n<main>\n{body}\n</main>\n</body>\n</html>\n'
    )


def _section(section: Section) -> str:
    lines = [f'<section id="s-{escape(section.name)}">', f"<h2>{escape(section.title)}</h2>"]
    lines += [f"<p>{escape(text)}</p>" for text in section.text]
    lines += [to_html(part) if isinstance(part, Table) else _picture(part) for part in section.parts]
    return "\n".join([*lines, "</section>"])


def _picture(picture: Picture) -> str:
    if picture.path.suffix == ".svg":
        drawn = inline_svg(picture.path, picture.name, picture.title)
    else:
        data = base64.b64encode(picture.path.read_bytes()).decode("ascii")
        drawn = f'<img alt="{escape(picture.title)}" src="data:image/png;base64,{data}">'
    return f"<figure>\n{drawn}\n<figcaption>{escape(picture.title)}</figcaption>\n</figure>"


PREAMBLE = r"""\documentclass[a4paper,10pt]{article}
\usepackage{booktabs}
\setlength{\textwidth}{17cm}
\setlength{\oddsidemargin}{-0.5cm}
\setlength{\textheight}{24cm}
\setlength{\topmargin}{-1.5cm}
\begin{document}"""

STYLE = """\
:root { color-scheme: light dark; --page: #ffffff; --ink: #1b1b1b; --quiet: #5c5c5c; --line: #cfcfcf; --band: #f3f5f7;
  --link: #0b5a9c; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181b; --ink: #e8e8e8; --quiet: #a9adb3; --line: #3b3f45; --band: #20242a; --link: #8cc4f4; }
}
* { box-sizing: border-box; }
body { background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 76rem; padding: 1rem clamp(0.75rem, 3vw, 2rem) 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; }
h2 { border-top: 1px solid var(--line); font-size: 1.25rem; margin-top: 2.5rem; padding-top: 1.25rem; }
p { max-width: 46rem; }
a { color: var(--link); }
nav ul { columns: 18rem; padding-left: 1.2rem; }
.wide { margin-top: 1.25rem; overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
caption { caption-side: top; font-weight: 600; padding-bottom: 0.4rem; text-align: left; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid var(--quiet); vertical-align: bottom; }
tbody th { font-weight: 400; }
th[scope="row"] { background: var(--page); left: 0; position: sticky; }
th[scope="rowgroup"] { background: var(--band); font-style: italic; }
.n { text-align: right; white-space: nowrap; }
.note { color: var(--quiet); font-size: 0.85rem; margin: 0.4rem 0; }
figure { background: #ffffff; border: 1px solid var(--line); border-radius: 6px; color: #1b1b1b; margin: 1.25rem 0;
  max-width: 46rem; padding: 0.75rem; }
figure svg, figure img { display: block; height: auto; max-width: 100%; }
figcaption { color: #5c5c5c; font-size: 0.85rem; padding-top: 0.5rem; }
@media (max-width: 40rem) { th[scope="row"] { max-width: 42vw; } }
@media print { nav { display: none; } .wide { overflow: visible; } section { break-inside: auto; } }
"""
