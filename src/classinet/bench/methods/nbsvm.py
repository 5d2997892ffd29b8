"""NBSVM: uni- and bigrams weighed by naive Bayes log-count ratios."""

from classinet.baselines.nbsvm import NBSVM
from classinet.bench.methods.base import Method, without_nets

METHODS = (
    Method(
        "nbsvm",
        "NB-weighted uni+bigrams",
        "What one would use today",
        83,
        without_nets(NBSVM),
        unlabeled=False,
        width=30,
    ),
)
