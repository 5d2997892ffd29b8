"""CBOW: word vectors of the same text, summed; alone, as in the paper, and beside tf-idf."""

from classinet.baselines.cbow import CBOW
from classinet.bench.methods.base import Method, without_nets

_NEEDS = (("gensim", "baselines"),)
METHODS = (
    Method("cbow", "CBOW", "The paper's rivals", 63, without_nets(CBOW), needs=_NEEDS, fit_seconds=40, width=300),
    Method("cbow-tfidf", "CBOW + tf-idf", "What one would use today", 80, without_nets(lambda: CBOW(use="append")),
           needs=_NEEDS, width=300),  # its features are those of the former
)  # fmt: skip
