"""`classinet serve` as a user runs it: processes that share a port, watch each other and end cleanly."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from classinet import save
from classinet.cli.app import app
from classinet.edits import Edits
from classinet.persistence import describe, save_edits
from server_helpers import TOKEN, made_up_classifier, running, saved


def ask(url, body=None, token=TOKEN):
    """Ask once over a connection of its own; return status and answer."""
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=30) as response:
            content = response.read()
            return response.status, json.loads(content) if b"{" in content[:1] else content.decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


@pytest.fixture(scope="module")
def classifier():
    return made_up_classifier()


@pytest.fixture(scope="module")
def model(classifier, tmp_path_factory):
    return saved(classifier, tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def server(model):
    with running(model, "--workers", 2, "--log-requests", environment={"CLASSINET_TOKEN": TOKEN}) as server:
        yield server


def pids(server):
    _, text = ask(f"{server.url}/metrics")
    return set(map(int, re.findall(r'classinet_model_version\{pid="(\d+)"\}', text)))


def counted(server, route):
    _, text = ask(f"{server.url}/metrics")
    found = re.search(rf'classinet_requests_total{{method="POST",route="{route}",status="200"}} (\S+)', text)
    return float(found[1]) if found else 0.0


def ended(pid):
    """Say whether a process is no more; nobody may have asked for the exit code of an orphan yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_metrics_of_all_workers_add_up(server):
    before = counted(server, "/v1/predict")
    for _ in range(40):
        assert ask(f"{server.url}/v1/predict", {"text": "snow"})[0] == 200
    until(lambda: counted(server, "/v1/predict") >= before + 40)  # an answer is counted once it was sent
    assert counted(server, "/v1/predict") == before + 40
    assert len(pids(server)) == 2


def test_reload_waits_for_all_workers(server, model, classifier):
    names = ["a", "b", "c"]
    for round_ in range(2):
        labels = names if round_ == 0 else ["weather", "kitchen", "football"]
        save(made_up_classifier(classifier.text_net_, labels), model, replace=True)
        status, answer = ask(f"{server.url}/v1/reload", {})
        assert (status, answer) == (200, {"version": f"v000{round_ + 2}", "workers": 2})
        for _ in range(20):
            _, told = ask(f"{server.url}/v1/predict", {"text": "snow"})
            assert told["version"] == answer["version"]
            assert told["predictions"][0]["label"] == labels[0]
    save_edits(model, Edits().ban("snow"))
    assert ask(f"{server.url}/v1/reload", {})[1] == {"version": "v0003", "workers": 2}
    for _ in range(10):
        assert ask(f"{server.url}/v1/model")[1]["edits"] == 1


def test_a_broken_version_leaves_the_old_one_serving(server, model, classifier):
    _, before = ask(f"{server.url}/v1/model")
    save(classifier, model, replace=True)
    broken = describe(model).version
    head = model / broken / "head.safetensors"
    good = head.read_bytes()
    head.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    status, problem = ask(f"{server.url}/v1/reload", {})
    assert (status, problem["type"]) == (409, "/problems/broken-version")
    assert "head.safetensors" in problem["detail"]
    for _ in range(10):
        assert ask(f"{server.url}/v1/model")[1]["version"] == before["version"]
    head.write_bytes(good)
    assert ask(f"{server.url}/v1/reload", {})[1] == {"version": broken, "workers": 2}


def test_a_worker_that_is_killed_is_replaced_and_the_service_goes_on(server):
    before = pids(server)
    victim = min(before)
    statuses, stop = [], threading.Event()

    def load():
        while not stop.is_set():
            try:
                statuses.append(ask(f"{server.url}/v1/predict", {"text": "snow"})[0])
            except (OSError, HTTPException):
                statuses.append(0)  # the victim had the connection, was about to have it, or was answering

    def replaced():
        with contextlib.suppress(OSError, HTTPException):
            found = pids(server)
            return victim not in found and len(found) == 2
        return False

    thread = threading.Thread(target=load)
    thread.start()
    try:
        until(lambda: 200 in statuses)
        os.kill(victim, signal.SIGKILL)
        until(replaced)
        answered = len(statuses)
        until(lambda: len(statuses) > answered + 5)
    finally:
        stop.set()
        thread.join()
    assert set(statuses) <= {200, 0}
    assert statuses.count(0) <= 2
    assert statuses[-1] == 200
    until(lambda: ask(f"{server.url}/v1/reload", {})[1]["workers"] == 2)


def test_a_second_server_says_in_one_line_that_the_port_is_taken(server, model):
    port = server.url.rpartition(":")[2]
    said = f"error: port {port} of 127.0.0.1 is taken by another program; choose another with --port\n"
    assert run(model, "--port", port, code=1) == said


def test_the_token_is_needed_and_shows_nowhere(server):
    assert ask(f"{server.url}/v1/model", token="wrong")[0] == 401
    for pid in {*pids(server), server.process.pid}:
        assert TOKEN.encode() not in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_it_ends_cleanly_after_what_it_was_answering(server):
    answers = []
    texts = {"texts": ["thunder and snow"] * 1000}
    threads = [
        threading.Thread(target=lambda: answers.append(ask(f"{server.url}/v1/predict", texts)[0])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    workers = pids(server)
    code, log = server.stop(signal.SIGINT)
    for thread in threads:
        thread.join()
    assert code == 0
    assert answers == [200] * 4
    assert log.endswith("stopped\n")
    assert "Traceback" not in log
    assert TOKEN not in log
    assert "thunder" not in log
    assert "POST /v1/predict 200" in log
    assert "is replaced" in log
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])))


# ------------------------------------------------------------------------------------------- the page of the manual

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall((Path(__file__).parent.parent / "docs" / "serving.md").read_text(encoding="utf-8"))
# What is asked, and what the page says comes back.
EXAMPLES = [
    (kind, code, answer_kind, answer)
    for (kind, code), (answer_kind, answer) in pairwise(BLOCKS)
    if kind in ("sh", "python", "javascript") and answer_kind in ("json", "text")
]


@pytest.fixture(scope="module")
def documented(tmp_path_factory):
    """The model that the page describes, served as the page says."""
    folder = tmp_path_factory.mktemp("page")
    with contextlib.chdir(folder):
        exec(next(code for kind, code in BLOCKS if kind == "python"), {})  # noqa: S102 (our own page)
    with running(folder / "model", environment={"TMPDIR": str(folder)}) as server:
        yield server


def same(found, told):
    """Compare values; the page rounds numbers and leaves out what is different every time."""
    if isinstance(told, dict):
        return found.keys() == told.keys() and all(same(found[name], told[name]) for name in told)
    if isinstance(told, list):
        return len(found) == len(told) and all(map(same, found, told))
    return told == "..." or found == (pytest.approx(told, abs=6e-4) if isinstance(told, float) else told)


def test_the_page_has_examples_of_every_kind():
    assert [kind for kind, *_ in EXAMPLES].count("sh") == 6
    assert {kind for kind, *_ in EXAMPLES} == {"sh", "python", "javascript"}


@pytest.mark.parametrize(("kind", "code", "answer_kind", "told"), EXAMPLES)
def test_the_examples_of_the_page_are_true(documented, kind, code, answer_kind, told):
    program = {"sh": "sh", "python": sys.executable, "javascript": "node"}[kind]
    if shutil.which(program) is None or (kind == "sh" and shutil.which("curl") is None):
        pytest.skip(f"{program} or curl is not installed")
    code = code.replace("http://127.0.0.1:8000", documented.url)
    arguments = ["--input-type=module", "-e", code] if kind == "javascript" else ["-c", code]
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True, timeout=60)
    if answer_kind == "json":
        assert same(json.loads(done.stdout), json.loads(told)), done.stdout
    else:
        assert done.stdout == told


def test_workers_end_with_their_parent(documented):
    (worker,) = pids(documented)
    folder = Path(f"/proc/{worker}/environ").read_bytes().partition(b"PROMETHEUS_MULTIPROC_DIR=")[2].partition(b"\0")[0]
    assert oct(Path(folder.decode()).parent.stat().st_mode)[-3:] == "700"
    documented.stop(signal.SIGKILL)
    until(lambda: ended(worker))


# ------------------------------------------------------------------------------------------------------- command


def run(*arguments, code):
    result = CliRunner().invoke(app, ["serve", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.stderr


def test_what_cannot_be_served_is_said_in_one_line(tmp_path, model):
    assert run(code=2).count("MODEL")
    assert run(model, "--demo", code=2)
    assert (
        run(tmp_path / "none", "--port", 0, code=1)
        == f"error: {tmp_path}/none: there is no such folder; check the path\n"
    )
    assert "is no origin" in run(model, "--allow-origin", "example.org", code=1)
    (tmp_path / "token").write_text("\n", encoding="utf-8")
    assert "holds no token" in run(model, "--token-file", tmp_path / "token", code=1)
    (tmp_path / "token").write_text("short\n", encoding="utf-8")
    refused = run(model, "--token-file", tmp_path / "token", code=1)
    assert "at least 16 characters" in refused
    assert "short" not in refused
    assert run(model, "--token-file", tmp_path / "missing", code=1).endswith("No such file or directory\n")
    assert "no address of this machine" in run(model, "--host", "192.0.2.1", code=1)


def test_a_server_for_other_machines_without_a_token_is_warned_about(model, monkeypatch):
    from classinet.server import workers

    seen = []
    monkeypatch.setattr(workers, "serve", lambda settings, ready: seen.append(settings))
    assert "no token is set" in run(model, "--host", "0.0.0.0", code=0)
    monkeypatch.setenv("CLASSINET_TOKEN", TOKEN)
    assert "no token is set" not in run(model, "--host", "0.0.0.0", code=0)
    assert "no token is set" not in run(model, "--max-batch", 7, "--allow-origin", "https://a.org", code=0)
    assert seen[-1].limits.batch == 7
    assert seen[-1].allow_origins == ("https://a.org",)
    assert seen[-1].token == TOKEN


def test_the_demo_is_built_and_served(model, monkeypatch):
    from classinet import demo
    from classinet.server import workers

    served = []
    monkeypatch.setattr(demo, "build_model", lambda path, progress: path.mkdir() or path)
    monkeypatch.setattr(workers, "serve", lambda settings, ready: served.append(settings.model) or ready(settings))
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert "serving docstrings at http://127.0.0.1:8000" in run("--demo", "--open", code=0)
    assert opened == ["http://127.0.0.1:8000"]
    assert not served[0].exists()


def test_without_the_extra_the_pip_command_is_named(model):
    code = (
        "import sys; sys.modules['fastapi'] = None\n"
        f"sys.argv = ['classinet', 'serve', {str(model)!r}]\n"
        "from classinet.cli import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == 'error: fastapi is not installed; run: pip install "classinets[server]"\n'
