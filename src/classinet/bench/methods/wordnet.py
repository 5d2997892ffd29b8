"""WordNet: all synonyms of every word."""

from classinet.baselines.wordnet import WordNet
from classinet.bench.methods.base import Method, without_nets

METHODS = (Method("wordnet", "WordNet", "The paper's rivals", 60, without_nets(WordNet), fit_seconds=3, width=80),)
