"""Errors as answers: problem details (RFC 9457), one kind a row of a table.

Enter: the kind of a problem and what happened. Leave: an exception that any part of the server may raise, and the JSON
that the client gets. The title says what kind it is, the detail what, where and what to do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

MEDIA_TYPE = "application/problem+json"

# kind: status, title
KINDS: Mapping[str, tuple[int, str]] = {
    "not-json": (400, "The body is not JSON"),
    "bad-request": (400, "The request cannot be read"),
    "unauthorized": (401, "A token is needed"),
    "host-not-allowed": (403, "The server does not answer to this host name"),
    "origin-not-allowed": (403, "Pages of this origin may not use the API"),
    "not-found": (404, "There is nothing at this address"),
    "unknown-feature": (404, "The net does not know this word"),
    "method-not-allowed": (405, "The address does not take this method"),
    "too-slow": (408, "The request took too long to arrive"),
    "no-classifier": (409, "The model is a net without a classifier"),
    "broken-version": (409, "The new version cannot be loaded"),
    "too-large": (413, "The request is too large"),
    "unsupported-media-type": (415, "The body must be JSON"),
    "invalid": (422, "The request asks for something that cannot be"),
    "head-too-large": (431, "The head of the request is too large"),
    "internal-error": (500, "The server has failed"),
    "not-ready": (503, "No model is loaded"),
    "too-busy": (503, "The server is busy"),
    "out-of-time": (503, "The answer took too long"),
    "reload-unfinished": (503, "Not all workers have the new version yet"),
}
RETRY_SECONDS = 1


class Problem(Exception):
    """An answer that says what is wrong.

    Parameters
    ----------
    kind : a key of `KINDS`.
    detail : what happened, where, and what to do.
    errors : for an invalid request, pairs of where and what.
    headers : what else to send.

    Examples
    --------
    >>> problem = Problem("too-busy", "64 requests are being answered; try again")
    >>> problem.status, dict(problem.headers)
    (503, {'retry-after': '1'})
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        errors: Iterable[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.status, self.title = KINDS[kind]
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = {**({"retry-after": str(RETRY_SECONDS)} if self.status == 503 else {}), **(headers or {})}

    def to_dict(self, instance: str) -> dict[str, Any]:
        """Return the members of the problem; `instance` names the request.

        >>> Problem("not-found", "/v2 does not exist").to_dict("c0ffee")["type"]
        '/problems/not-found'
        """
        members: dict[str, Any] = {
            "type": f"/problems/{self.kind}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
        }
        if self.status == 422:
            members["errors"] = [{"where": where, "what": what} for where, what in self.errors]
        return members

    def to_bytes(self, instance: str) -> bytes:
        """Return the body of the answer.

        >>> Problem("not-found", "/v2").to_bytes("c0ffee")[:30]
        b'{"type": "/problems/not-found"'
        """
        # Escaped throughout: what a client sent may hold anything, also halves of surrogate pairs.
        return json.dumps(self.to_dict(instance)).encode("ascii")
