"""Figures and analyses of the paper, each computed once, stored as plain values, and drawn from these alone."""

from classinet.bench.analyses import damping, degree, extract, hops, neighbourhood, qualitative, quality, ratios
from classinet.bench.analyses.base import Analysis, Materials

__all__ = ["ANALYSES", "Analysis", "Materials"]

ANALYSES: tuple[Analysis, ...] = (
    damping.ANALYSIS,
    hops.ANALYSIS,
    degree.ANALYSIS,
    ratios.ANALYSIS,
    extract.ANALYSIS,
    qualitative.ANALYSIS,
    neighbourhood.ANALYSIS,
    quality.ANALYSIS,
)
