"""HTTP as uvicorn speaks it, with bounds on what comes before a request is known.

Enter: bytes of a connection. Leave: requests. The head of a request must arrive in time and be of a sensible size, and
there may be only so many connections; uvicorn itself waits for ever and reads any number of headers. What is refused
here never was a request, and is answered with problem details all the same.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from classinet.server.guards import SECURITY_HEADERS
from classinet.server.problems import MEDIA_TYPE, Problem
from classinet.server.settings import Limits

HEAD_BYTES = 64 * 1024
LINGER_SECONDS = 1.0


def bounded_protocol(limits: Limits) -> type[HttpToolsProtocol]:
    """Return the protocol for these limits.

    >>> bounded_protocol(Limits(connections=10)).limits.connections
    10
    """
    return type("BoundedProtocol", (_BoundedProtocol,), {"limits": limits})


class _BoundedProtocol(HttpToolsProtocol):
    limits: Limits

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._head_bytes = 0
        self._late: asyncio.TimerHandle | None = None
        self._refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(Problem("too-busy", f"{self.limits.connections} connections are open; try again"))
            return
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_has_come()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._in_head:
            self._expect_head()
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > HEAD_BYTES:
            self._refuse(Problem("head-too-large", f"the head is larger than {HEAD_BYTES:,} bytes; send fewer headers"))

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._head_has_come()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head, self._head_bytes = True, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Problem("bad-request", "this is no HTTP request that can be understood"))

    def _expect_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.limits.read_seconds, self._head_is_late)

    def _head_has_come(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _head_is_late(self) -> None:
        seconds = self.limits.read_seconds
        self._refuse(Problem("too-slow", f"the head of the request did not arrive within {seconds:g} seconds"))

    def _refuse(self, problem: Problem) -> None:
        """Answer what is no request, and close the connection."""
        self._head_has_come()
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True  # its own answer, if it still comes to one, is not sent
            cycle.message_event.set()
        # Where an earlier request of this connection is still being answered, a second answer must not come between.
        if not self.pipeline and (cycle is None or cycle.response_complete or not cycle.response_started):
            number = uuid4().hex
            body = problem.to_bytes(number)
            headers = {
                "content-type": MEDIA_TYPE, "content-length": str(len(body)), "connection": "close",
                "x-request-id": number, **SECURITY_HEADERS, **problem.headers,
            }  # fmt: skip
            lines = [f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            self.transport.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            self.transport.write_eof()
        # Closed at once, what still comes in would be met with a reset, and the client might never read the answer.
        self.loop.call_later(LINGER_SECONDS, self.transport.close)
