"""`make soak`: `classinet build` is killed at random moments; what --resume ends in is what it would have been.

CLASSINET_SOAK_KILLS (default 10) says how often; CLASSINET_SOAK_SEED repeats the moments.
"""

import os
import random
import subprocess
import sys
import time

import pytest

from build_helpers import made_up_texts

TEXTS, RARE = 60_000, 6_000


def files(folder):
    """Every file of a saved net, by its place."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.soak
def test_a_build_survives_kill_9_at_random_times(tmp_path, record):
    seed = int(os.environ.get("CLASSINET_SOAK_SEED", time.time_ns() % 2**32))
    kills = int(os.environ.get("CLASSINET_SOAK_KILLS", "10"))
    moments = random.Random(seed)
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(made_up_texts(TEXTS, RARE)), encoding="utf-8")

    def command(name, *more):
        return [sys.executable, "-m", "classinet", "build", str(corpus), "-o", str(tmp_path / name), *more]

    subprocess.run(command("warm"), check=True, capture_output=True)  # compiles what is not compiled yet
    begun = time.monotonic()
    subprocess.run(command("whole"), check=True, capture_output=True)
    alone = time.monotonic() - begun
    wanted = files(tmp_path / "whole")
    killed_after, files_kept, finished_before = [], [], 0
    while len(killed_after) < kills:
        name = f"net{len(killed_after)}-{finished_before}"
        moment = moments.uniform(0, alone)
        with subprocess.Popen(command(name), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(moment)
                finished_before += 1  # it was quicker this time: no kill, so it does not count
                continue
            except subprocess.TimeoutExpired:
                process.kill()
        killed_after.append(round(moment, 2))
        files_kept.append(len([path for path in (tmp_path / f"{name}.build").rglob("*") if path.is_file()]))
        assert not (tmp_path / name / "CURRENT").exists() or files(tmp_path / name) == wanted, "half a net"
        # Killed after the net was saved and before the work directory was removed, the build has nothing left to do.
        if not (tmp_path / name).exists():
            resume = ["--resume"] if (tmp_path / f"{name}.build").exists() else []
            subprocess.run(command(name, *resume), check=True, capture_output=True)
        assert files(tmp_path / name) == wanted
    record(
        kills=kills, seed=seed, texts=TEXTS, seconds_without_kills=round(alone, 1), killed_after_seconds=killed_after,
        files_kept_at_each_kill=files_kept, same_bytes=True,
    )  # fmt: skip
