"""`classinet serve`: a model as an HTTP API, and a page to look at it."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classinet.cli import output
from classinet.cli.progress import reporting
from classinet.exceptions import InputError

if TYPE_CHECKING:
    from classinet.server import Settings

TOKEN = "CLASSINET_TOKEN"


def serve(
    model: Annotated[
        Path | None,
        typer.Argument(help="Folder of a net (build) or of a model (train).", metavar="MODEL", show_default=False),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen at; 0.0.0.0 is all of this machine's.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", help="Port to listen at; 0 is any free one.", min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option("--workers", help="Number of processes; they share the model.", min=1)] = 1,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            help=f"File with the token that clients must send; otherwise it is read from {TOKEN}, if that is set.",
            show_default=False,
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin",
            help="Origin, such as https://words.example.org, whose pages may use the API; may be given several times.",
            metavar="ORIGIN",
            show_default=False,
        ),
    ] = None,
    max_body: Annotated[int, typer.Option("--max-body", help="Bytes of a request.", min=1)] = 1 << 20,
    max_batch: Annotated[int, typer.Option("--max-batch", help="Texts in a request.", min=1)] = 1000,
    max_explained: Annotated[
        int, typer.Option("--max-explained", help="Texts in a request for explanations.", min=1)
    ] = 50,
    max_text: Annotated[int, typer.Option("--max-text", help="Characters of a text.", min=1)] = 10_000,
    max_seconds: Annotated[float, typer.Option("--max-seconds", help="Seconds to answer a request.")] = 10.0,
    max_read_seconds: Annotated[
        float, typer.Option("--max-read-seconds", help="Seconds for the head of a request to arrive, and its body.")
    ] = 10.0,
    max_in_flight: Annotated[
        int, typer.Option("--max-in-flight", help="Requests that a worker answers at the same time.", min=1)
    ] = 64,
    max_connections: Annotated[
        int, typer.Option("--max-connections", help="Connections that a worker keeps open.", min=1)
    ] = 1024,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo", help="Serve a model of the docstrings of installed Python packages.", show_default=False
        ),
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.", show_default=False)] = False,
    log_requests: Annotated[
        bool,
        typer.Option("--log-requests", help="Write a line for every request, without its texts.", show_default=False),
    ] = False,
) -> None:
    """Serve a model: an HTTP API, and a page on which to type a text and see what the net adds to it and why.

    A new version in the model's folder is served as soon as it is there, without dropping a request. Ctrl-C ends the
    server after the requests under way. See docs/serving.md for the API, for limits and for serving to other machines.
    """
    if demo == (model is not None):
        raise typer.BadParameter("name the folder of a model, or pass --demo", param_hint="MODEL")
    from classinet.server import Limits, Settings
    from classinet.server.workers import serve as run

    with _served(model) as folder:
        settings = Settings(
            folder, host=host, port=port, workers=workers, token=_token(token_file),
            allow_origins=tuple(allow_origin or ()), log_requests=log_requests,
            limits=Limits(
                body_bytes=max_body, batch=max_batch, explained=max_explained, text_length=max_text,
                seconds=max_seconds, read_seconds=max_read_seconds, in_flight=max_in_flight,
                connections=max_connections,
            ),
        )  # fmt: skip
        if not settings.loopback and settings.token is None:
            output.note(
                f"{host} can be reached from other machines, and no token is set: whoever connects may use the model. "
                f"Set {TOKEN} or pass --token-file"
            )
        run(settings, lambda settings: _greet(settings, open_page))
    output.say("stopped")


def _greet(settings: Settings, open_page: bool) -> None:
    output.say(f"serving {settings.model.name} at {settings.url} (Ctrl-C ends)")
    if open_page:
        webbrowser.open(settings.url)


def _token(file: Path | None) -> str | None:
    if file is None:
        return os.environ.get(TOKEN) or None
    token = file.read_text(encoding="utf-8").strip()
    if not token:
        raise InputError(f"{file}: holds no token; write one into it, or leave --token-file out")
    return token


@contextmanager
def _served(model: Path | None) -> Iterator[Path]:
    """Give the folder of the model, made for the time of the block where none was named."""
    if model is not None:
        yield model
        return
    from tempfile import TemporaryDirectory

    from classinet.demo import build_model

    with TemporaryDirectory(prefix="classinet-demo-") as folder:
        with reporting() as progress:
            path = build_model(Path(folder) / "docstrings", progress=progress)
        yield path
