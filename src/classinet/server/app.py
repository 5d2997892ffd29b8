"""The application: the API, the page, and the guards around them.

Enter: settings. Leaves: an ASGI application for any server; `classinet.server.workers` runs it in several processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from classinet import __version__
from classinet.server.guards import REQUEST, ROUTE, Guard
from classinet.server.problems import MEDIA_TYPE, Problem
from classinet.server.routes import make_router
from classinet.server.schemas import ProblemDetails
from classinet.server.service import Service
from classinet.server.settings import Settings

STATIC = Path(__file__).parent / "static"
PAGE = "index.html"
# How the framework's own refusals are called here.
BY_STATUS = {400: "not-json", 404: "not-found", 405: "method-not-allowed"}
LONGEST_PATH = 200


class App:
    """The guarded application.

    Attributes
    ----------
    service : its moving parts.
    inner : the application behind the guards.
    """

    def __init__(self, settings: Settings) -> None:
        self.service = Service(settings)
        self.inner = _unguarded(self.service)
        self._guard = Guard(self.inner, settings, self.service.metrics)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, as ASGI wants it."""
        await self._guard(scope, receive, send)


def make_app(settings: Settings) -> App:
    """Return the application that serves a model.

    The model is loaded when the application starts, and followed from then on.

    Examples
    --------
    >>> from classinet.server.settings import Settings
    >>> app = make_app(Settings(Path("model")))
    >>> sorted(app.inner.openapi()["paths"])[:3]
    ['/healthz', '/metrics', '/readyz']
    """
    return App(settings)


def _unguarded(service: Service) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await service.refresh()
        following = asyncio.create_task(service.follow())
        yield
        service.stopping = True
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
        service.close()

    app = FastAPI(
        title="ClassiNet",
        version=__version__,
        description="Predict the words a short text could have contained, and classify it with them.",
        lifespan=lifespan,
        docs_url=None,  # these pages would load their scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        exception_handlers={
            Problem: _tell_problem,
            HTTPException: _tell_refusal,
            RequestValidationError: _tell_invalid,
            Exception: _tell_failure,
        },
    )
    app.include_router(make_router(service))

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(STATIC / PAGE, headers={"cache-control": "no-cache"})

    app.mount("/static", _Static(directory=STATIC))
    _document(app, token=service.settings.token is not None)
    return app


class _Static(StaticFiles):
    """The page's files; browsers ask each time whether they have changed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[ROUTE] = "/static"
        await super().__call__(scope, receive, send)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


def _document(app: FastAPI, *, token: bool) -> None:
    """Add to the OpenAPI document what the framework does not know: problems, and the token."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = made()
            parts = document["components"]
            schema = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
            parts["schemas"] |= {**schema.pop("$defs", {}), "ProblemDetails": schema}
            for unused in ("HTTPValidationError", "ValidationError"):
                parts["schemas"].pop(unused, None)
            if token:
                parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            for path, methods in document["paths"].items():
                for operation in methods.values():
                    # Added to every address that takes a parameter, also where any string will do.
                    if MEDIA_TYPE not in operation["responses"].get("422", {"content": MEDIA_TYPE})["content"]:
                        del operation["responses"]["422"]
                    if token and path.startswith(("/v1/", "/metrics")):
                        operation["security"] = [{"token": []}]
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


# ------------------------------------------------------------------------------------------------------ problems


async def _tell_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return _told(request, error)


async def _tell_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kind = BY_STATUS.get(error.status_code, "bad-request")
    path = request.url.path[:LONGEST_PATH]
    detail = {
        "not-found": f"nothing is served at {path}; /openapi.json lists all addresses",
        "method-not-allowed": f"{path} does not take {request.method[:20]}; /openapi.json lists what it takes",
    }.get(kind, str(error.detail))
    return _told(request, Problem(kind, detail, headers=error.headers))


async def _tell_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = [(_place(each["loc"]), _message(each)) for each in error.errors()]
    detail = "; ".join(f"{where}: {what}" for where, what in errors[:3])
    return _told(request, Problem("invalid", detail, errors))


async def _tell_failure(request: Request, error: Exception) -> Response:
    return _told(request, Problem("internal-error", "this is a fault of the server; its log says more"))


def _told(request: Request, problem: Problem) -> Response:
    body = problem.to_bytes(request.scope.get(REQUEST, ""))
    return Response(body, problem.status, headers=problem.headers, media_type=MEDIA_TYPE)


def _place(location: Any) -> str:
    """Write the place of an error as a program would: edits[0].weight."""
    place = ""
    for step in location[1:] or location:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else str(step)
    return place


def _message(error: Mapping[str, Any]) -> str:
    return str(error["msg"]).removeprefix("Value error, ")
