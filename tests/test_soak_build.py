"""`make soak`: a build is killed again and again at random times; what it ends in is what it would have been.

CLASSINET_SOAK_KILLS (default 10) says how often; the seed that is printed repeats the moments.
"""

import os
import random
import subprocess
import sys
import time

import pytest

import build_helpers
from build_helpers import build, hash_of_net, made_up_texts

TEXTS, RARE = 60_000, 6_000
PROGRAM = """
import build_helpers, sys
texts = build_helpers.made_up_texts(int(sys.argv[2]), int(sys.argv[3]))
print("ready", flush=True)
build_helpers.build(sys.argv[1], texts=texts, resume=True, n_threads=2)
"""


@pytest.mark.soak
def test_a_build_survives_kill_9_at_random_times(tmp_path, record):
    seed = int(os.environ.get("CLASSINET_SOAK_SEED", time.time_ns() % 2**32))
    kills = int(os.environ.get("CLASSINET_SOAK_KILLS", "10"))
    moments = random.Random(seed)
    texts = made_up_texts(TEXTS, RARE)
    begun = time.monotonic()
    wanted = hash_of_net(build(texts=texts, n_threads=2).net)
    alone = time.monotonic() - begun
    place, n_kept = tmp_path / "net.build", []
    command = [sys.executable, "-c", PROGRAM, str(place), str(TEXTS), str(RARE)]
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(build_helpers.__file__)}
    for _ in range(kills):
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(moments.uniform(0, 0.5 + alone / 4))
            process.kill()
        n_kept.append(len(list(place.rglob("*.*"))))
    built = build(place, texts=texts, resume=True, n_threads=1)
    assert hash_of_net(built.net) == wanted
    record(
        kills=kills, seed=seed, texts=TEXTS, seconds_without_kills=round(alone, 1), files_kept_after_each_kill=n_kept,
        same_bytes=True,
    )  # fmt: skip
