"""The text-in door: `TextNet` learns from unlabeled texts, `ClassiNetClassifier` from a few labels."""

from classinet.pipeline.classifier import ClassiNetClassifier
from classinet.pipeline.head import Head
from classinet.pipeline.text_net import TextNet

__all__ = ["ClassiNetClassifier", "Head", "TextNet"]
