"""What stands between the network and the answers: host, origin, token, limits, headers, problems.

Enter: an ASGI application. Leaves: another, which hands on only requests that may be answered, their bodies read whole
and within bounds, and turns whatever goes wrong into problem details. Every answer carries the security headers and
the number of its request.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from classinet.server.metrics import Metrics
from classinet.server.problems import MEDIA_TYPE, Problem
from classinet.server.settings import Settings, is_loopback

logger = logging.getLogger("classinet.server")

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
# Of requests whose bodies are still arriving there may be so many times those being answered: slow senders shall not
# keep others out, and their bodies shall not fill the memory.
ARRIVING = 4
# Of a body that is too large so many times the limit is read and thrown away, for so long.
DISCARDED, DISCARDING_SECONDS = 16, 2.0
REQUEST, ROUTE = "classinet.request", "classinet.route"
CLOSE = {"connection": "close"}
PREFLIGHT_SECONDS = "600"


class Guard:
    """The application with its guards.

    Parameters
    ----------
    app : what answers.
    settings : who may ask, and how much.
    metrics : where requests are counted.
    """

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self.app = app
        self.settings = settings
        self.limits = settings.limits
        self.metrics = metrics
        self._answering = 0
        self._arriving = 0
        own = {urlsplit(origin).hostname for origin in settings.allow_origins}
        self._hosts = {name for name in own if name} | {settings.host.lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; everything that is no HTTP goes on as it is."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await _Exchange(self, scope, receive, send).run()
        else:
            await send({"type": "websocket.close", "code": 1008})

    # ------------------------------------------------------------------------------------------------ who may ask

    def check_host(self, headers: Headers) -> None:
        """Refuse names that a foreign page could have made point to this machine.

        A server on the loopback is open to whoever sits at the machine; a page of another site must not get in by
        giving its own name this machine's address.
        """
        if not self.settings.loopback:
            return
        name = _hostname(headers.get("host", ""))
        if name is None or not (is_loopback(name) or name in self._hosts):
            raise Problem(
                "host-not-allowed",
                "this server listens on the loopback and answers to localhost alone; to reach it under another name, "
                "start it with --allow-origin and the origin of that name",
            )

    def check_origin(self, headers: Headers) -> str | None:
        """Return an origin that was allowed to use the API; refuse pages of all others but this server's own."""
        origin = headers.get("origin")
        if origin in self.settings.allow_origins:
            return origin
        foreign = origin is not None and origin.partition("://")[2] != headers.get("host")
        if foreign or headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            raise Problem(
                "origin-not-allowed",
                "pages of other origins may not use this API; start the server with --allow-origin to permit one",
            )
        return None

    def check_token(self, headers: Headers) -> None:
        """Refuse whoever does not know the token."""
        token = self.settings.token
        if token is None:
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        known = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
        if scheme.lower() != "bearer" or not known:
            raise Problem(
                "unauthorized",
                'send the token of this server as "Authorization: Bearer …"',
                headers={"www-authenticate": 'Bearer realm="classinet"'},
            )

    # ------------------------------------------------------------------------------------------------- how much

    async def body(self, headers: Headers, receive: Receive) -> bytes:
        """Read the body of a request, within its limits."""
        self._check_type(headers)
        most, seconds = self.limits.body_bytes, self.limits.read_seconds
        if self._arriving >= ARRIVING * self.limits.in_flight:
            raise Problem("too-busy", f"{self._arriving} requests are arriving; try again", headers=CLOSE)
        self._arriving += 1
        try:
            async with asyncio.timeout(seconds):
                body = await _read(headers, receive, most)
            if body is not None:
                return body
            if "expect" not in headers:  # else the client waits to be told whether to send it at all
                await _discard(receive, DISCARDED * most, min(DISCARDING_SECONDS, seconds))
            detail = f"the body is larger than {most:,} bytes; send the texts in several requests"
            raise Problem("too-large", detail, headers=CLOSE)
        except TimeoutError:
            raise Problem(
                "too-slow", f"the body did not arrive within {seconds:g} seconds; send it at once", headers=CLOSE
            ) from None
        finally:
            self._arriving -= 1

    def _check_type(self, headers: Headers) -> None:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        empty = headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers
        if kind != "application/json" and not (empty and not kind):
            raise Problem(
                "unsupported-media-type", "send JSON, with the header Content-Type: application/json", headers=CLOSE
            )

    def begin(self) -> None:
        """Take one of the places for requests that are answered at the same time."""
        if self._answering >= self.limits.in_flight:
            raise Problem("too-busy", f"{self._answering} requests are being answered; try again")
        self._answering += 1
        self.metrics.in_flight.inc()

    def end(self) -> None:
        """Give the place back."""
        self._answering -= 1
        self.metrics.in_flight.dec()


class _Exchange:
    """One request and its answer."""

    def __init__(self, guard: Guard, scope: Scope, receive: Receive, send: Send) -> None:
        self.guard = guard
        self.scope = scope
        self.receive = receive
        self._send = send
        self.headers = Headers(scope=scope)
        self.number = uuid4().hex
        self.status = 0
        self._begun = False
        self.allowed_origin: str | None = None
        path: str = scope["path"]
        self.is_api = path.startswith("/v1/") or path == "/v1"
        self.is_private = self.is_api or path == "/metrics"
        scope[REQUEST] = self.number

    async def run(self) -> None:
        started = time.perf_counter()
        try:
            await self._answer()
        except Problem as problem:
            await self._tell(problem)
        except _Gone:
            self.status = 499
        except Exception:
            logger.exception("request %s failed", self.number)
            if self._begun:
                return
            await self._tell(Problem("internal-error", "this is a fault of the server; its log says more"))
        finally:
            self._note(time.perf_counter() - started)

    async def _answer(self) -> None:
        guard, method = self.guard, self.scope["method"]
        guard.check_host(self.headers)
        if not self.is_private:
            await guard.app(self.scope, self.receive, self.send)
            return
        self.allowed_origin = guard.check_origin(self.headers)
        if method == "OPTIONS" and self.allowed_origin and "access-control-request-method" in self.headers:
            await self._preflight()
            return
        guard.check_token(self.headers)
        receive = self.receive
        if method not in ("GET", "HEAD", "OPTIONS"):
            receive = _replay(await guard.body(self.headers, self.receive), self.receive)
        if not self.is_api:
            await guard.app(self.scope, receive, self.send)
            return
        guard.begin()
        try:
            await guard.app(self.scope, receive, self.send)
        finally:
            guard.end()

    async def send(self, message: Message) -> None:
        """Send a part of the answer, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self.status, self._begun = message["status"], True
            message = {**message, "headers": [*message.get("headers", []), *_RAW_HEADERS, *self._own_headers()]}
        await self._send(message)

    def _own_headers(self) -> Iterable[tuple[bytes, bytes]]:
        yield b"x-request-id", self.number.encode()
        if self.is_private:
            yield b"cache-control", b"no-store"
        if self.guard.settings.allow_origins:
            yield b"vary", b"origin"
        if self.allowed_origin is not None:
            yield b"access-control-allow-origin", self.allowed_origin.encode("latin-1")

    async def _tell(self, problem: Problem) -> None:
        headers = {"content-type": MEDIA_TYPE, **problem.headers}
        await self._respond(problem.status, headers, problem.to_bytes(self.number))

    async def _preflight(self) -> None:
        allowed = {
            "access-control-allow-methods": "GET, POST",
            "access-control-allow-headers": "authorization, content-type",
            "access-control-max-age": PREFLIGHT_SECONDS,
        }
        await self._respond(204, allowed, b"")

    async def _respond(self, status: int, headers: dict[str, str], body: bytes) -> None:
        length = {} if status == 204 else {"content-length": str(len(body))}
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in {**headers, **length}.items()]
        await self.send({"type": "http.response.start", "status": status, "headers": raw})
        await self.send({"type": "http.response.body", "body": b"" if self.scope["method"] == "HEAD" else body})

    def _note(self, seconds: float) -> None:
        route = getattr(self.scope.get("route"), "path", None) or self.scope.get(ROUTE, "other")
        method = self.scope["method"]
        self.guard.metrics.ended(route, method, self.status, seconds)
        if self.guard.settings.log_requests:
            logger.info("%s %s %s %d %.1f ms", self.number, method, route, self.status, 1e3 * seconds)


class _Gone(Exception):
    """The client has left before its request had arrived."""


async def _read(headers: Headers, receive: Receive, most: int) -> bytes | None:
    """Return the body, or None where it is larger than may be."""
    length = headers.get("content-length", "")
    announced = int(length[:20]) if length.isdecimal() else 0
    body = bytearray()
    while announced <= most:
        message = await _next(receive)
        body += message.get("body", b"")
        if len(body) > most:
            break
        if not message.get("more_body", False):
            return bytes(body)
    return None


async def _discard(receive: Receive, most: int, seconds: float) -> None:
    """Let the rest of a body come in, for a client that sends all before it reads an answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while most > 0:
                message = await _next(receive)
                most -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


async def _next(receive: Receive) -> Message:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise _Gone
    return message


def _replay(body: bytes, receive: Receive) -> Receive:
    """Hand on a body that has been read already."""
    waiting: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def _hostname(host: str) -> str | None:
    """Return the name of a Host header without its port, None if it is malformed."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
