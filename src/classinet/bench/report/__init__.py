"""Reports: scores and comparisons → tables, figures, and pages in Markdown, HTML and LaTeX."""

from classinet.bench.report.claims import Claim, claims, claims_table
from classinet.bench.report.figures import save_figure
from classinet.bench.report.labels import AnalysisResult, Labels, MethodLabel, TaskLabel
from classinet.bench.report.results import Results
from classinet.bench.report.write import write_report

__all__ = [
    "AnalysisResult",
    "Claim",
    "Labels",
    "MethodLabel",
    "Results",
    "TaskLabel",
    "claims",
    "claims_table",
    "save_figure",
    "write_report",
]
