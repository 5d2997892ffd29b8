"""fastText, supervised; by itself, and beginning with vectors of the unlabeled text."""

from classinet.baselines.fasttext import FastText
from classinet.bench.methods.base import Method, without_nets

_NEEDS, _GROUP = (("fasttext", "baselines"),), "What one would use today"
METHODS = (
    Method("fasttext", "fastText", _GROUP, 81, without_nets(FastText), needs=_NEEDS, unlabeled=False, text_seconds=2),
    Method("fasttext-vectors", "fastText + vectors of the corpus", _GROUP, 82,
           without_nets(lambda: FastText(pretrained=True)), needs=_NEEDS, fit_seconds=40, text_seconds=3),
)  # fmt: skip
