"""A server for a saved model: an HTTP API and a page to look at it (extra "server").

Enter: the folder of a model. Leaves: answers to POST /v1/predict, /v1/expand and /v1/explain, and to questions about
the net. `answers` are pure functions of a loaded model; `holder` loads it and follows its folder; `guards` refuse what
is too large, too slow or not allowed; `app` puts them together; `workers` runs that in several processes.
"""

from classinet._optional import optional_import

for _module in ("fastapi", "uvicorn", "prometheus_client"):
    optional_import(_module, "classinets[server]")

from classinet.server.app import make_app  # noqa: E402
from classinet.server.settings import Limits, Settings  # noqa: E402

__all__ = ["Limits", "Settings", "make_app"]
