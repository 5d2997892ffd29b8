"""FastSent, SDAE, Skip-thought and CNN: the neural rivals of the paper, trained here on the same text."""

from classinet.baselines.base import Baseline
from classinet.bench.methods.base import Method, without_nets

_NEEDS, _GROUP = (("torch", "neural"), ("gensim", "baselines")), "Sentence embeddings"


def _fastsent() -> Baseline:
    from classinet.baselines.neural.fastsent import FastSent

    return FastSent()


def _sdae() -> Baseline:
    from classinet.baselines.neural.sdae import SDAE

    return SDAE()


def _skip_thought() -> Baseline:
    from classinet.baselines.neural.skip_thought import SkipThought

    return SkipThought()


def _cnn() -> Baseline:
    from classinet.baselines.neural.cnn import CNN

    return CNN()


METHODS = (
    Method("fastsent", "FastSent", _GROUP, 71, without_nets(_fastsent), needs=_NEEDS, neural=True, few=True,
           ordered=True, width=100, fit_seconds=60, text_seconds=0.5),
    Method("sdae", "SDAE", _GROUP, 72, without_nets(_sdae), needs=_NEEDS, neural=True, few=True, only=("imdb",),
           width=300, fit_seconds=200, text_seconds=2),
    Method("skip-thought", "Skip-thought", _GROUP, 73, without_nets(_skip_thought), needs=_NEEDS, neural=True, few=True,
           ordered=True, width=300, fit_seconds=250, text_seconds=2),
    Method("cnn", "CNN", _GROUP, 74, without_nets(_cnn), needs=_NEEDS, neural=True, few=True, fit_seconds=40,
           text_seconds=10),
)  # fmt: skip
