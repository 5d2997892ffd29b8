"""What a server is told before it starts: values that are checked once and never change.

Enter: numbers and names, from the command line or a program. Leave: `Settings` and its `Limits`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from classinet._validation import check_number
from classinet.exceptions import ParameterError

LEAST_TOKEN = 16
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")


@dataclass(frozen=True)
class Limits:
    """What a request may cost; whatever is beyond is refused with a reason.

    Attributes
    ----------
    body_bytes : size of a request's body.
    batch : texts in a request.
    explained : texts in a request for explanations.
    text_length : characters of a text.
    seconds : time to answer a request.
    read_seconds : time for the head of a request to arrive, and again for its body.
    in_flight : requests that a worker answers at the same time.
    connections : connections that a worker keeps open.

    Examples
    --------
    >>> Limits(batch=10).batch
    10
    >>> Limits(seconds=0)
    Traceback (most recent call last):
    ...
    classinet.exceptions.ParameterError: seconds must be a number > 0 and ≤ 3600, got 0
    """

    body_bytes: int = 1 << 20
    batch: int = 1000
    explained: int = 50
    text_length: int = 10_000
    seconds: float = 10.0
    read_seconds: float = 10.0
    in_flight: int = 64
    connections: int = 1024

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name.endswith("seconds"):
                check_number(each.name, value, low=0, high=3600, open_low=True)
            else:
                check_number(each.name, value, low=1, high=1 << 40, whole=True)


@dataclass(frozen=True)
class Settings:
    """How to serve a model.

    Attributes
    ----------
    model : folder of the saved model.
    host, port : where to listen; port 0 is any free one.
    workers : number of processes.
    token : what clients must send as "Authorization: Bearer …", or None to let everyone in. It is never printed.
    allow_origins : other origins, such as "https://words.example.org", whose pages may use the API. Their host names
        may also be used to reach a server that listens on the loopback alone.
    limits : what a request may cost.
    log_requests : write a line for every request.
    board : folder in which the workers of one server tell each other their state; None for a server of one process.

    Examples
    --------
    >>> settings = Settings(Path("model"), allow_origins=("https://words.example.org",))
    >>> settings.loopback, settings.url
    (True, 'http://127.0.0.1:8000')
    >>> Settings(Path("model"), allow_origins=("words.example.org",))
    Traceback (most recent call last):
    ...
    classinet.exceptions.ParameterError: 'words.example.org' is no origin; write it as https://words.example.org
    """

    model: Path
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    token: str | None = field(default=None, repr=False)
    allow_origins: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    log_requests: bool = False
    board: Path | None = None

    def __post_init__(self) -> None:
        check_number("port", self.port, low=0, high=65535, whole=True)
        check_number("workers", self.workers, low=1, high=1024, whole=True)
        if self.token is not None and (len(self.token) < LEAST_TOKEN or not _TOKEN.fullmatch(self.token)):
            raise ParameterError(
                f"the token must have at least {LEAST_TOKEN} characters, all of them letters, digits or one of "
                "- . _ ~ + /; make one with: python -c 'import secrets; print(secrets.token_urlsafe())'"
            )
        for origin in self.allow_origins:
            parts = urlsplit(origin)
            if (
                parts.scheme not in ("http", "https")
                or not parts.netloc
                or origin != f"{parts.scheme}://{parts.netloc}"
            ):
                name = parts.netloc or origin.strip("/")
                raise ParameterError(f"{origin!r} is no origin; write it as https://{name}")

    @property
    def loopback(self) -> bool:
        """Whether only programs on this machine can connect."""
        return is_loopback(self.host)

    @property
    def url(self) -> str:
        """Where a browser on this machine finds the server."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Say whether a name or address is that of this machine alone.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.2", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
