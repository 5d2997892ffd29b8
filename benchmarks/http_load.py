"""A load generator for a server on the loopback: raw HTTP over connections that stay open, at planned times.

Enter: a port and requests as bytes. Leave: statuses, and latencies counted from the plan, so that a server that falls
behind cannot hide it. One asyncio process on plain streams, so that the generator takes little from what it measures.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np


def request(path: str, body: bytes | None = None) -> bytes:
    head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nhost: localhost\r\n"
    if body is not None:
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + (body or b"")


def predicting(texts: list[str]) -> list[bytes]:
    return [request("/v1/predict", json.dumps({"text": text}).encode()) for text in texts]


class Connection:
    """A connection that stays open, and is opened anew when it breaks."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, data: bytes) -> tuple[int, bytes]:
        """Return status and body; status 0 where the connection broke."""
        try:
            if self.streams is None:
                self.streams = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
            reader, writer = self.streams
            writer.write(data)
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head)
            body = await reader.readexactly(int(length[1]) if length else 0)
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            return 0, b""
        if b"connection: close" in head:
            self.close()
        return int(head[9:12]), body

    def close(self) -> None:
        """Close it; the next request opens it anew."""
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


@dataclass
class Outcome:
    """Latencies in seconds, counted from the plan, and statuses."""

    latencies: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0

    def figures(self) -> dict[str, float]:
        """Percentiles, in milliseconds, and counts."""
        p50, p95, p99 = np.percentile(np.array(self.latencies) * 1e3, [50, 95, 99])
        failed = sum(count for status, count in self.statuses.items() if status != 200)
        done = len(self.latencies)
        return {"requests": done, "failed": failed, "per_second": done / self.seconds,
                "p50_ms": float(p50), "p95_ms": float(p95), "p99_ms": float(p99)}  # fmt: skip


async def load(port: int, requests: list[bytes], *, rate: float | None, seconds: float, connections: int,
               until: asyncio.Event | None = None) -> Outcome:  # fmt: skip
    """Send requests at a rate, or without one as fast as they are answered, for some seconds or until an event."""
    outcome, numbers = Outcome(), itertools.count()
    started = time.perf_counter()

    def over(moment: float) -> bool:
        return until.is_set() if until is not None else moment >= started + seconds

    async def keep_asking() -> None:
        connection = Connection(port)
        while True:
            number = next(numbers)
            planned = time.perf_counter() if rate is None else started + number / rate
            if over(planned):
                break
            await asyncio.sleep(max(0.0, planned - time.perf_counter()))
            status, _ = await connection.ask(requests[number % len(requests)])
            outcome.latencies.append(time.perf_counter() - planned)
            outcome.statuses[status] += 1
        connection.close()

    await asyncio.gather(*(keep_asking() for _ in range(connections)))
    outcome.seconds = time.perf_counter() - started
    return outcome
