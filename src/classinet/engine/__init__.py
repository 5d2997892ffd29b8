"""Where batches run: a three-verb protocol and its implementation on local threads."""

from classinet.engine.base import Engine, fixed_batches
from classinet.engine.threads import ThreadEngine

__all__ = ["Engine", "ThreadEngine", "fixed_batches"]
