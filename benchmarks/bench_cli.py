"""How long `classinet --help` takes, beside `python -c "import numpy"`: a ratio of at most 3 is wanted.

Run: python benchmarks/bench_cli.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 7
LIMIT = 3.0


def seconds(*arguments: str) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return time.perf_counter() - begun


def main() -> None:
    commands = {"import numpy": ("-c", "import numpy"), "classinet --help": ("-m", "classinet", "--help")}
    times: dict[str, list[float]] = {name: [] for name in commands}
    # In turn, so that whatever else the machine does slows both; the first round only warms the disk cache.
    for measured in range(-1, RUNS):
        for name, arguments in commands.items():
            taken = seconds(*arguments)
            if measured >= 0:
                times[name].append(taken)
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        print(f"{name:<18} {median * 1000:6.0f} ms (median of {RUNS})")
    print(f"ratio {medians['classinet --help'] / medians['import numpy']:.2f} (at most {LIMIT:g} wanted)")


if __name__ == "__main__":
    main()
