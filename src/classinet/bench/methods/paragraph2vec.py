"""Paragraph2Vec: a vector for every text, by gensim's Doc2Vec."""

from classinet.baselines.paragraph2vec import Paragraph2Vec
from classinet.bench.methods.base import Method, without_nets

METHODS = (
    Method("paragraph2vec", "Paragraph2Vec", "Sentence embeddings", 70, without_nets(Paragraph2Vec),
           needs=(("gensim", "baselines"),), fit_seconds=60, text_seconds=2, width=300),
)  # fmt: skip
