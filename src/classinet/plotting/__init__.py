"""Pictures of a net and of results: functions of a result and, if given, the Axes to draw in; they return the Axes.

They need matplotlib (`pip install "classinets[plot]"`), which is imported when the first picture is drawn. No function
opens a window, touches pyplot or changes a setting: without an `ax` a picture gets a `matplotlib.figure.Figure` of its
own, which `save` writes to a file.
"""

from classinet.plotting._axes import save
from classinet.plotting.curves import plot_damping, plot_learning_curve
from classinet.plotting.growth import plot_dots, plot_growth
from classinet.plotting.histograms import expansion_ratios, plot_expansion_ratio, plot_out_degree
from classinet.plotting.many_curves import plot_many_learning_curves
from classinet.plotting.network import plot_graph
from classinet.plotting.quality import plot_predictor_quality

__all__ = [
    "expansion_ratios",
    "plot_damping",
    "plot_dots",
    "plot_expansion_ratio",
    "plot_graph",
    "plot_growth",
    "plot_learning_curve",
    "plot_many_learning_curves",
    "plot_out_degree",
    "plot_predictor_quality",
    "save",
]
