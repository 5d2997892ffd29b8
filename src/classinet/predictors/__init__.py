"""Feature predictors, one kind a file, all behind `fit(contexts, targets, forbidden)`."""

from classinet.predictors.base import Predictor, Setup
from classinet.predictors.factorised import Factorised
from classinet.predictors.logistic import Logistic
from classinet.predictors.ridge import Ridge
from classinet.predictors.sampled import Sampling

__all__ = ["Factorised", "Logistic", "Predictor", "Ridge", "Sampling", "Setup"]
