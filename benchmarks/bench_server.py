"""Load on `classinet serve`: how long single texts take, how much it can take, and what disturbs it.

A model of about 20,000 vertices is served by 2 workers on the loopback. Requests are planned at fixed times and their
latency is counted from the plan, so a server that falls behind cannot hide it. Then: as many requests as it can answer,
batches beside the same work in this process, 20 new versions under load, a worker killed under load, and 1,000 hostile
requests, with the memory of the workers in between.

With CLASSINET_DATA the model is built from titles (see bench_predict.py), otherwise from made-up words. `--quick` is a
small model and short runs, `--model` serves a saved classifier instead, `--json` prints the figures as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import itertools
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import psutil

import classinet
from classinet.exceptions import UnknownTextWarning
from classinet.persistence import prune
from classinet.text import read_records
from http_load import Connection, Outcome, load, predicting, request

RESULTS = Path(__file__).parent / "results" / "server.json"
WORKERS, CONNECTIONS, RATE = 2, 64, 300
TARGETS = {"p99_ms": 50.0, "batch_share": 0.5}


@dataclass(frozen=True)
class Sizes:
    """How much to do."""

    vertices: int = 20_000
    texts: int = 60_000
    seconds: float = 30.0
    saturation_seconds: float = 10.0
    batches: int = 20
    reloads: int = 20
    hostile: int = 1_000


QUICK = Sizes(vertices=2_000, texts=8_000, seconds=4.0, saturation_seconds=3.0, batches=4, reloads=3, hostile=100)


# ---------------------------------------------------------------------------------------------------- the model


def made_up_texts(count: int, n_words: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Texts of a dozen words, most of them of one of 20 topics, with frequencies that fall as in language."""
    chance = 1.0 / np.arange(1, n_words + 1)
    words = rng.choice(n_words, size=(count, 12), p=chance / chance.sum())
    topics = rng.integers(20, size=count)
    own = rng.random(words.shape) < 0.7
    words = np.where(own, words // 20 * 20 + topics[:, None], words)
    return [" ".join(f"w{word}" for word in row) for row in words], [f"topic {topic}" for topic in topics]


def texts_and_labels(sizes: Sizes) -> tuple[list[str], list[str], list[str]]:
    """Return unlabeled texts, labelled texts and their labels."""
    folder = os.environ.get("CLASSINET_DATA")
    if not folder or sizes is QUICK:
        texts, labels = made_up_texts(sizes.texts, 2 * sizes.vertices, np.random.default_rng(0))
        return texts, texts, labels
    records = list(read_records(Path(folder) / "extra" / "reddit20" / "train.tsv"))
    with gzip.open(Path(folder) / "extra" / "reddit_titles.txt.gz", "rt", encoding="utf-8") as file:
        titles = [line.rstrip("\n") for line in itertools.islice(file, sizes.texts)]
    labelled = [record.text for record in records]
    return labelled + titles, labelled, [record.labels[0] for record in records]


def build(path: Path, sizes: Sizes) -> tuple[Path, list[str]]:
    """Save a classifier; return its path and texts to judge."""
    unlabeled, labelled, labels = texts_and_labels(sizes)
    net = classinet.TextNet(model=classinet.ClassiNet(sizes.vertices, n_jobs=-1)).fit(unlabeled)
    order = np.random.default_rng(0).permutation(len(labelled))
    drawn, others = order[:400], order[400:6400]
    model = classinet.ClassiNetClassifier(net).fit([labelled[i] for i in drawn], [labels[i] for i in drawn])
    return classinet.save(model, path), [labelled[i] for i in others]


# --------------------------------------------------------------------------------------------------- the server


class Server:
    """`classinet serve` in processes of its own."""

    def __init__(self, model: Path) -> None:
        command = [sys.executable, "-m", "classinet", "serve", str(model), "--port", "0", "--workers", str(WORKERS)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.log: list[str] = []
        found = None
        while found is None:
            line = self.process.stderr.readline()  # type: ignore[union-attr]
            if not line:
                sys.exit("the server did not start:\n" + "".join(self.log))
            self.log.append(line)
            found = re.search(r"at http://127\.0\.0\.1:(\d+) ", line)
        self.port = int(found[1])
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()  # type: ignore[arg-type]

    def workers(self) -> list[psutil.Process]:
        """The processes that answer."""
        children = psutil.Process(self.process.pid).children()
        return [child for child in children if "spawn_main" in " ".join(child.cmdline())]

    def own_megabytes(self) -> float:
        """Memory that the workers share with nobody."""
        return sum(worker.memory_full_info().uss for worker in self.workers()) / 1e6

    def stop(self) -> int:
        """End the server; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def serving(model: Path):
    server = Server(model)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


# ------------------------------------------------------------------------------------------------ measurements


async def batches(port: int, model: Path, texts: list[str], count: int) -> dict[str, float]:
    """Texts per second in batches of 1,000: by the server with as many clients as workers, and in this process."""
    part = (texts * 1000)[:1000]
    loaded = classinet.load(model).on_threads(None)
    loaded.predict(part[:10])
    started = time.perf_counter()
    for _ in range(count):
        loaded.predict(part)
    here = count * len(part) / (time.perf_counter() - started)
    data = [request("/v1/predict", json.dumps({"texts": part}).encode())]
    figures = {"in_process": here}
    for clients in (1, WORKERS):
        connections = [Connection(port) for _ in range(clients)]
        await asyncio.gather(*(connection.ask(data[0]) for connection in connections))
        started = time.perf_counter()
        answers = await asyncio.gather(*(_several(connection, data[0], count) for connection in connections))
        seconds = time.perf_counter() - started
        if {status for each in answers for status in each} != {200}:
            sys.exit(f"a batch failed: {answers}")
        figures[f"served_to_{clients}"] = clients * count * len(part) / seconds
        for connection in connections:
            connection.close()
    return figures


async def _several(connection: Connection, data: bytes, count: int) -> list[int]:
    return [(await connection.ask(data))[0] for _ in range(count)]


async def under_load(port: int, requests: list[bytes], disturb) -> tuple[Outcome, dict]:
    """Run a disturbance while requests come in at the planned rate; return both outcomes."""
    done = asyncio.Event()
    running = asyncio.create_task(load(port, requests, rate=RATE, seconds=0, connections=CONNECTIONS, until=done))
    await asyncio.sleep(0.5)
    told = await disturb()
    await asyncio.sleep(0.5)
    done.set()
    return await running, told


async def reload_often(port: int, path: Path, count: int) -> dict:
    """Save a new version and have it loaded, several times."""
    model, connection, seconds = classinet.load(path), Connection(port), []
    for _ in range(count):
        await asyncio.to_thread(classinet.save, model, path, replace=True)
        started = time.perf_counter()
        status, body = await connection.ask(request("/v1/reload", b"{}"))
        seconds.append(time.perf_counter() - started)
        if status != 200 or json.loads(body)["workers"] != WORKERS:
            sys.exit(f"a reload failed: {status} {body.decode()}")
        await asyncio.to_thread(prune, path, 2)
    connection.close()
    return {"reloads": count, "reload_seconds": float(np.median(seconds))}


async def kill_one(server: Server) -> dict:
    """Kill a worker and wait for its successor."""
    victim = server.workers()[0]
    victim.kill()
    started = time.perf_counter()
    connection = Connection(server.port)
    while True:
        status, body = await connection.ask(request("/v1/reload", b"{}"))
        if (
            status == 200
            and json.loads(body)["workers"] == WORKERS
            and victim.pid not in {w.pid for w in server.workers()}
        ):
            connection.close()
            return {"seconds_to_successor": time.perf_counter() - started}
        await asyncio.sleep(0.1)


def hostile_requests() -> list[bytes]:
    """Requests that no honest client sends; each must be refused."""
    bodies = [
        b"", b"{", b"[" * 50_000, b'{"a":' * 20_000, b'{"text": NaN}', b'{"text": "\\ud800"}', b'{"text": "\xff\xfe"}',
        b'{"text": 5}', b'{"text": ["a"]}', b'{"texts": "a"}', b'{"texts": []}', b'{"text": "a", "x": 1}',
        b'{"text": "a", "top": ' + b"9" * 4000 + b"}", b'{"text": "a", "edits": [{"ban": "no-such-word-at-all"}]}',
        b'{"texts": [' + b'"a",' * 200_000 + b'"a"]}', json.dumps({"text": "word " * 3_000}).encode(),
        json.dumps({"texts": ["a"] * 1001}).encode(), b" " * (1 << 20) + b"{}", b'"' * 1000,
    ]  # fmt: skip
    posts = [request(path, body) for body in bodies for path in ("/v1/expand", "/v1/explain", "/v1/predict")]
    paths = ["/../../etc/passwd", "/static/../../settings.py", "/static/%2e%2e/app.py", "/%00", "/v1/features/%ff%fe",
             "/v1/features/" + "a" * 5000, "/v1/neighbors/storm?top=-1", "/v1/graph?around=" + "x&around=" * 30,
             "/v1/path?source=a", "/v1/neighbors/x?top=99999999999999999999", "//v1//model"]  # fmt: skip
    raw = [
        b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
        b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 40_000, b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
        b"POST /v1/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n",
        b"POST /v1/predict HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n",
        b"GET /v1/model HTTP/1.1\r\nhost: evil.example\r\n\r\n", b"PUT /v1/model HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"POST /v1/predict HTTP/1.1\r\nhost: localhost\r\norigin: https://evil.example\r\ncontent-length: 0\r\n\r\n",
    ]  # fmt: skip
    return posts + [request(path) for path in paths] + raw


async def attack(port: int, count: int) -> Counter[str]:
    """Send hostile requests, a few at a time, some of them never finished; count what came back."""
    kinds, seen = hostile_requests(), Counter[str]()
    numbers = iter(range(count))

    async def one(number: int) -> str:
        data = kinds[number % len(kinds)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(data[: len(data) // 2] if number % 10 == 9 else data)
            if number % 10 == 9:  # leaves in the middle
                return "left"
            head = await asyncio.wait_for(reader.read(12), 30)
            return f"{head[9:10].decode() or '0'}xx"
        except OSError:
            return "reset"
        finally:
            writer.close()

    async def several() -> None:
        for number in numbers:
            seen[await one(number)] += 1

    await asyncio.gather(*(several() for _ in range(8)))
    return seen


async def measure(server: Server, model: Path, texts: list[str], sizes: Sizes) -> dict:
    requests = predicting(texts)
    port = server.port
    await load(port, requests, rate=RATE, seconds=1.0, connections=CONNECTIONS)  # connections and caches
    steady = await load(port, requests, rate=RATE, seconds=sizes.seconds, connections=CONNECTIONS)
    flood = await load(port, requests, rate=None, seconds=sizes.saturation_seconds, connections=CONNECTIONS)
    batch = await batches(port, model, texts, sizes.batches)
    memory = {"at first": server.own_megabytes()}
    reloading, reloads = await under_load(port, requests, lambda: reload_often(port, model, sizes.reloads))
    memory["after reloads"] = server.own_megabytes()
    killing, killed = await under_load(port, requests, lambda: kill_one(server))
    memory["after kill"] = server.own_megabytes()
    seen = await attack(port, sizes.hostile)
    await asyncio.sleep(3.0)
    memory["after hostile"] = server.own_megabytes()
    alive, _ = await Connection(port).ask(requests[0])
    return {
        "open_loop": steady.figures(),
        "saturation": flood.figures(),
        "batch": {**batch, "share": batch["served_to_1"] / batch["in_process"]},
        "reloading": {**reloading.figures(), **reloads},
        "killing": {**killing.figures(), **killed},
        "hostile": {"requests": sizes.hostile, "answers": dict(seen), "alive_after": alive == 200},
        "own_megabytes": memory,
    }


def show(result: dict) -> None:
    print(f"{result['vertices']:,} vertices, {WORKERS} workers, {CONNECTIONS} connections, {RATE} requests/s planned")
    for name in ("open_loop", "saturation", "reloading", "killing"):
        f = result[name]
        print(
            f"{name.replace('_', ' '):>10}: {f['requests']:>6} requests, {f['failed']} failed, "
            f"{f['per_second']:.0f}/s, p50 {f['p50_ms']:.1f}, p95 {f['p95_ms']:.1f}, p99 {f['p99_ms']:.1f} ms"
        )
    batch, hostile = result["batch"], result["hostile"]
    print(f"     batch: {batch['in_process']:,.0f} texts/s in process, {batch['served_to_1']:,.0f} served to 1 client "
          f"({batch['share']:.0%}), {batch[f'served_to_{WORKERS}']:,.0f} to {WORKERS}")  # fmt: skip
    print(f"   reloads: {result['reloading']['reloads']}, {result['reloading']['reload_seconds']:.2f} s each; "
          f"successor of a killed worker after {result['killing']['seconds_to_successor']:.1f} s")  # fmt: skip
    print(f"   hostile: {hostile['requests']} requests {hostile['answers']}")
    memory = ", ".join(f"{megabytes:.0f} {when}" for when, megabytes in result["own_megabytes"].items())
    print(f"    memory: own megabytes of the workers {memory}")
    met = {
        "p99 ≤ 50 ms without errors": result["open_loop"]["p99_ms"] <= TARGETS["p99_ms"]
        and not result["open_loop"]["failed"],
        "batches ≥ 50 % of in-process speed": batch["share"] >= TARGETS["batch_share"],
        "no request failed while reloading": not result["reloading"]["failed"],
        "no hostile request was answered with 2xx or 5xx": not {"2xx", "5xx"} & set(hostile["answers"]),
    }
    for name, is_met in met.items():
        print(f"{name}: {'met' if is_met else 'missed'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small model and short runs; nothing is stored")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--model", type=Path, help="serve a copy of this saved classifier")
    arguments = parser.parse_args()
    sizes = QUICK if arguments.quick else Sizes()
    warnings.simplefilter("ignore", UnknownTextWarning)  # some texts hold no known word; they are judged all the same
    with tempfile.TemporaryDirectory(prefix="classinet-bench-") as folder:
        if arguments.model is None:
            path, texts = build(Path(folder) / "model", sizes)
        else:
            path = classinet.save(classinet.load(arguments.model), Path(folder) / "model")
            names = list(classinet.load(path).text_net_.net_.graph.names)
            rng = np.random.default_rng(0)
            texts = [" ".join(rng.choice(names, 10)) for _ in range(2000)]
        vertices = classinet.load(path).text_net_.net_.n_vertices
        with serving(path) as server:
            result = asyncio.run(measure(server, path, texts, sizes))
            result["exit_code"] = server.stop()
    result |= {
        "vertices": vertices,
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": {name: version(name) for name in ("classinets", "fastapi", "uvicorn", "numpy", "numba")},
    }
    if not arguments.quick and arguments.model is None:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if arguments.json:
        print(json.dumps(result, indent=1))
    else:
        show(result)


if __name__ == "__main__":
    main()
