"""What the server knows: functions from a loaded model and plain values to plain values, without any HTTP.

`judging` answers about texts, `looking` about the net itself.
"""

from classinet.server.answers.judging import expand, explain, predict
from classinet.server.answers.looking import (
    about_feature,
    about_model,
    features_by_prefix,
    neighbors_of,
    part_of_graph,
    path_between,
)

__all__ = [
    "about_feature",
    "about_model",
    "expand",
    "explain",
    "features_by_prefix",
    "neighbors_of",
    "part_of_graph",
    "path_between",
    "predict",
]
