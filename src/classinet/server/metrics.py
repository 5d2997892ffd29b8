"""What the server counts, in Prometheus' form, all workers added up.

Enter: requests as they end. Leave: counters. With several workers prometheus_client keeps each process's numbers in a
file of the folder that PROMETHEUS_MULTIPROC_DIR names, and whichever worker is asked adds them up. No label takes a
value that a client chose: unknown addresses are all called "other".
"""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The counters of one server.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.ended("/v1/predict", "POST", 200, 0.004)
    >>> b'classinet_requests_total{method="POST",route="/v1/predict",status="200"} 1.0' in metrics.render()
    True
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "classinet_requests", "Requests answered.", ["route", "method", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "classinet_request_seconds", "Time to answer.", ["route"], buckets=SECONDS, registry=self.registry
        )
        self.in_flight = Gauge(
            "classinet_requests_in_flight", "Requests being answered.", registry=self.registry,
            multiprocess_mode="livesum",
        )  # fmt: skip
        self.texts = Counter("classinet_texts", "Texts judged, expanded or explained.", registry=self.registry)
        self.version = Gauge(
            "classinet_model_version", "Number of the version in use, by process.", registry=self.registry,
            multiprocess_mode="liveall",
        )  # fmt: skip
        self.broken = Gauge(
            "classinet_model_broken", "Processes that could not load the newest version.", registry=self.registry,
            multiprocess_mode="livesum",
        )  # fmt: skip
        self.reload_errors = Counter(
            "classinet_reload_errors", "Failed attempts to load a version.", registry=self.registry
        )

    def ended(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, method if method in METHODS else "other", str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def render(self) -> bytes:
        """Return all numbers as text."""
        if FOLDER not in os.environ:
            return generate_latest(self.registry)
        every = CollectorRegistry()
        MultiProcessCollector(every)  # type: ignore[no-untyped-call]
        return generate_latest(every)
