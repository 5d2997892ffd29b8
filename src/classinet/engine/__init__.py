"""Where batches run: the contract of an engine and its implementation on local threads."""

from classinet.engine.base import Engine, fixed_batches
from classinet.engine.threads import ThreadEngine

__all__ = ["Engine", "ThreadEngine", "fixed_batches"]
