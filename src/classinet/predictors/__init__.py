"""Feature predictors, one kind a file, all behind `fit(contexts, targets, forbidden)`."""

from classinet.predictors.adapter import SklearnPredictor
from classinet.predictors.base import Predictor, Setup
from classinet.predictors.embedding import Embedding
from classinet.predictors.factorised import Factorised
from classinet.predictors.indicator import Indicator
from classinet.predictors.logistic import Logistic
from classinet.predictors.naive_bayes import NaiveBayes
from classinet.predictors.perceptron import Perceptron
from classinet.predictors.ridge import Ridge
from classinet.predictors.sampled import Sampling

__all__ = [
    "Embedding",
    "Factorised",
    "Indicator",
    "Logistic",
    "NaiveBayes",
    "Perceptron",
    "Predictor",
    "Ridge",
    "Sampling",
    "Setup",
    "SklearnPredictor",
]
