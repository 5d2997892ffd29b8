"""Pages that tell what was measured agree with what is stored."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_tables_of_what_to_expect_are_of_the_stored_scores():
    command = [sys.executable, str(ROOT / "benchmarks" / "expect.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
