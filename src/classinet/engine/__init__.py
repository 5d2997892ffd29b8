"""Where batches run: the contract of an engine, and its implementations on local threads and on a Dask cluster."""

from classinet.engine.base import Engine, even_batches, fixed_batches
from classinet.engine.dask import DaskEngine
from classinet.engine.threads import ThreadEngine
from classinet.engine.timed import TimedEngine

__all__ = ["DaskEngine", "Engine", "ThreadEngine", "TimedEngine", "even_batches", "fixed_batches"]
