"""Models to serve, and servers to ask: in this process, on a thread with a real socket, in processes of their own."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import schemathesis
import uvicorn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from classinet import ClassiNetClassifier, TextNet, save
from classinet.datasets import made_up_sentences
from classinet.server import Limits, Settings, make_app
from classinet.server.protocol import bounded_protocol
from classinet.server.workers import bound

LABELLED = ["rain and wind", "bread in the oven", "a late goal"]
LABELS = ["weather", "kitchen", "football"]
TOKEN = "a-token-that-nobody-guesses"
JSON = {"content-type": "application/json"}


def made_up_net(**parameters):
    return TextNet(**parameters).fit(made_up_sentences(400))


def made_up_classifier(net=None, labels=LABELS):
    return ClassiNetClassifier(net or made_up_net(examples=2)).fit(LABELLED, labels)


def graph_alone(net):
    """A net that kept neither predictors nor label vectors."""
    bare = made_up_net()
    bare.net_ = replace(net.net_, predictor=None, labels=None)
    return bare


def saved(model, folder, name="model"):
    return save(model, Path(folder) / name)


@contextmanager
def asking(path, **settings):
    """Ask the application in this process."""
    limits = {name: settings.pop(name) for name in list(settings) if name in Limits.__dataclass_fields__}
    app = make_app(Settings(Path(path), limits=Limits(**limits), **settings))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@contextmanager
def listening(path, **settings):
    """Serve on a thread of this process; yield the port."""
    limits = {name: settings.pop(name) for name in list(settings) if name in Limits.__dataclass_fields__}
    given = Settings(Path(path), limits=Limits(**limits), **settings)
    config = uvicorn.Config(
        make_app(given),
        http=bounded_protocol(given.limits),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
    )
    server = uvicorn.Server(config)
    with bound("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def exchange(port, data, seconds=10.0):
    """Send bytes over a connection of their own; return all that comes back until the server closes it."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(data)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


def post(path, body, **headers):
    """A whole request as bytes, after which the server closes the connection."""
    lines = {"host": "localhost", "content_type": "application/json", "content_length": str(len(body)), **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items() if value is not None)
    return f"POST {path} HTTP/1.1\r\n{head}connection: close\r\n\r\n".encode("latin-1") + body


def tried(path, examples):
    """Send requests that the document describes, and some that it excludes; return how many of each status came back.

    No answer may be a fault of the server, and every answer must be as the document says.
    """
    statuses = Counter()
    # Any host name: schemathesis has its own ideas.
    app = make_app(Settings(Path(path), host="0.0.0.0"))

    async def started_already(scope, receive, send):
        """Keep schemathesis from starting, and ending, the application once more."""
        if scope["type"] == "http":
            await app(scope, receive, send)
        else:
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})

    with TestClient(app):
        for found in schemathesis.openapi.from_asgi("/openapi.json", started_already).get_all_operations():
            cases = st.one_of([found.ok().as_strategy(generation_mode=mode) for mode in GenerationMode])

            @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
            @given(cases)
            def run(case):
                response = case.call()
                statuses[response.status_code] += 1
                # A request may be as described and still ask for words that the net does not know.
                case.validate_response(response, excluded_checks=[positive_data_acceptance])

            run()
    return statuses


class Running:
    """`classinet serve` in a process of its own."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "classinet", "serve", *map(str, arguments), "--port", "0"],
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        self._lines = []
        # Read all the time: a server whose log nobody reads would stop when the pipe is full.
        self._reader = threading.Thread(target=self._lines.extend, args=(iter(self.process.stderr.readline, b""),))
        self._reader.start()
        self.url = self._until(r"serving \S+ at (http://\S+) ")

    @property
    def log(self):
        return b"".join(self._lines).decode()

    def _until(self, pattern, seconds=120.0):
        end = time.monotonic() + seconds
        while (found := re.search(pattern, self.log)) is None:
            assert time.monotonic() < end, self.log
            assert self.process.poll() is None, self.log
            time.sleep(0.02)
        return found[1]

    def stop(self, number=signal.SIGTERM):
        """End the server; return its exit code and all that it printed."""
        self.process.send_signal(number)
        self.process.wait(60)
        self._reader.join()
        self.process.stderr.close()
        return self.process.returncode, self.log


@contextmanager
def running(*arguments, environment=None):
    server = Running(*arguments, environment=environment)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
