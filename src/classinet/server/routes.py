"""The addresses of the API: each reads a request, asks a pure function, and returns its answer.

Enter: the service. Leaves: a router. What the document promises of each address stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.exceptions import HTTPException

from classinet.exceptions import InputError
from classinet.server import answers, schemas
from classinet.server.metrics import MEDIA_TYPE as METRICS_TYPE
from classinet.server.problems import KINDS, MEDIA_TYPE, Problem
from classinet.server.service import Service
from classinet.server.settings import Limits

Word = Annotated[str, Query(examples=["storm"])]
# What any request may meet.
ALWAYS = (401, 403, 503)


class StrictRequest(Request):
    """A request whose JSON is read without leniency: no NaN, no halves of surrogate pairs, no endless nesting."""

    async def json(self) -> Any:
        """Return the body, or refuse it with status 400."""
        try:
            return from_json(await self.body(), allow_inf_nan=False)
        except ValueError as error:
            raise HTTPException(400, f"the body is not JSON: {error}") from None


class StrictRoute(APIRoute):
    """A route that reads its requests strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function that answers a request."""
        answer = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await answer(StrictRequest(request.scope, request.receive))

        return strict


def make_router(service: Service) -> APIRouter:
    """Return all addresses of the API."""
    router = APIRouter(route_class=StrictRoute)
    _add_texts(router, service)
    _add_looking(router, service)
    _add_watching(router, service)
    return router


def _add_texts(router: APIRouter, service: Service) -> None:
    limits = service.settings.limits

    @router.post("/v1/predict", **_documented("Predict the labels of texts", schemas.Predictions, 408, 409, *BODY))
    async def predict(asked: schemas.PredictRequest) -> Response:
        texts, edits = checked_texts(asked, limits), checked_edits(asked)
        return _json(
            await service.answer(
                lambda loaded, deadline: answers.predict(
                    loaded, texts, deadline, edits=edits, probabilities=asked.probabilities
                ),
                len(texts),
            )
        )

    @router.post("/v1/expand", **_documented("Show what the net adds to texts", schemas.Expansions, 408, *BODY))
    async def expand(asked: schemas.ExpandRequest) -> Response:
        texts, edits = checked_texts(asked, limits), checked_edits(asked)
        return _json(
            await service.answer(
                lambda loaded, deadline: answers.expand(
                    loaded, texts, deadline, top=asked.top, method=asked.method, parameters=asked.parameters(),
                    edits=edits,
                ),
                len(texts),
            )
        )  # fmt: skip

    @router.post("/v1/explain", **_documented("Explain the labels of texts", schemas.Explanations, 408, 409, *BODY))
    async def explain(asked: schemas.ExplainRequest) -> Response:
        texts, edits = checked_texts(asked, limits, limits.explained), checked_edits(asked)
        return _json(
            await service.answer(
                lambda loaded, deadline: answers.explain(loaded, texts, deadline, top=asked.top, edits=edits),
                len(texts),
            )
        )


def _add_looking(router: APIRouter, service: Service) -> None:
    @router.get("/v1/features", **_documented("Complete the beginning of a word", schemas.Features, 422))
    async def features(prefix: Word = "", limit: Annotated[int, Query(ge=1, le=50)] = 10) -> Response:
        return _json(await service.answer(lambda loaded, _: answers.features_by_prefix(loaded, prefix, limit)))

    @router.get("/v1/features/{feature:path}", **_documented("Describe a word of the net", schemas.AboutFeature, 404))
    async def feature(feature: str) -> Response:
        return _json(await service.answer(lambda loaded, _: answers.about_feature(loaded, feature)))

    @router.get(
        "/v1/neighbors/{feature:path}", **_documented("List the neighbors of a word", schemas.Neighbors, 404, 422)
    )
    async def neighbors(
        feature: str, top: Annotated[int, Query(ge=1, le=200)] = 20, incoming: bool = False
    ) -> Response:
        return _json(
            await service.answer(lambda loaded, _: answers.neighbors_of(loaded, feature, top, incoming=incoming))
        )

    @router.get("/v1/path", **_documented("Find the most probable path", schemas.Path, 404, 422))
    async def path(source: Word, target: Word) -> Response:
        return _json(await service.answer(lambda loaded, _: answers.path_between(loaded, source, target)))

    @router.get("/v1/graph", **_documented("Show the net around some words", schemas.Graph, 404, 422))
    async def graph(
        around: Annotated[list[str], Query(min_length=1, max_length=20, examples=[["storm"]])],
        hops: Annotated[int, Query(ge=1, le=3)] = 1,
        top: Annotated[int, Query(ge=1, le=50)] = 10,
        most: Annotated[int, Query(ge=1, le=500)] = 100,
        mutual: bool = False,
    ) -> Response:
        return _json(
            await service.answer(
                lambda loaded, _: answers.part_of_graph(loaded, around, hops=hops, top=top, most=most, mutual=mutual)
            )
        )

    @router.get("/v1/model", **_documented("Describe the model", schemas.About))
    async def model() -> Response:
        settings = service.settings
        return _json(
            await service.answer(lambda loaded, _: answers.about_model(loaded, settings.model, settings.limits))
        )


def _add_watching(router: APIRouter, service: Service) -> None:
    @router.post("/v1/reload", **_documented("Load a new version in all workers", schemas.Reloaded, 408, 409, 413, 415))
    async def reload() -> dict[str, Any]:
        return await service.reload()

    @router.get("/healthz", **_documented("Say whether the process lives", schemas.Health, always=(403,)))
    async def healthz() -> dict[str, Any]:
        return {"status": "ok"}

    @router.get("/readyz", **_documented("Say whether requests can be answered", schemas.Health, 503, always=(403,)))
    async def readyz() -> dict[str, Any]:
        if service.stopping:
            raise Problem("not-ready", "the server is stopping")
        service.loaded()
        reason = service.holder.state.reason
        return {"status": "ok"} if reason is None else {"status": "ok", "detail": reason}

    @router.get(
        "/metrics",
        summary="Count requests, in Prometheus' form",
        response_class=Response,
        responses={200: {"description": "Metrics", "content": {"text/plain": {}}}, **_problems(401, 403)},
    )
    async def metrics() -> Response:
        return Response(service.metrics.render(), media_type=METRICS_TYPE)


# -------------------------------------------------------------------------------------------------------- checks

BODY = (400, 413, 415, 422)


def checked_texts(asked: schemas.TextRequest, limits: Limits, most: int | None = None) -> list[str]:
    """Return the texts of a request, if there are not too many and none is too long.

    >>> checked_texts(schemas.PredictRequest(text="storm"), Limits())
    ['storm']
    """
    texts, allowed = asked.all_texts(), min(limits.batch, most or limits.batch)
    if len(texts) > allowed:
        raise Problem("too-large", f"{len(texts):,} texts were sent, and a request may hold {allowed:,}; send several")
    for number, text in enumerate(texts):
        if len(text) > limits.text_length:
            raise Problem(
                "too-large",
                f"texts[{number}] has {len(text):,} characters, and a text may have {limits.text_length:,}; shorten it",
            )
    return texts


def checked_edits(asked: schemas.TextRequest) -> Any:
    """Return the edits of a request as the library has them."""
    try:
        return asked.all_edits()
    except InputError as error:
        raise Problem("invalid", str(error), [("edits", str(error))]) from error


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


# ------------------------------------------------------------------------------------------------- the document


def _documented(summary: str, model: type, *statuses: int, always: tuple[int, ...] = ALWAYS) -> dict[str, Any]:
    """Return what the OpenAPI document says of an address that answers with a model or one of some problems."""
    return {
        "summary": summary,
        "response_model": None,
        "responses": {
            200: {"model": model, "description": (model.__doc__ or "").strip()},
            **_problems(*always, *statuses),
        },
    }


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    reference = {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}
    titles = {status: " / ".join(t for s, t in KINDS.values() if s == status) for status in {*statuses, 500}}
    return {
        status: {
            "description": titles[status],
            "content": {MEDIA_TYPE: reference},
            **({"headers": {"Retry-After": {"schema": {"type": "integer"}}}} if status == 503 else {}),
        }
        for status in sorted({*statuses, 500})
    }
