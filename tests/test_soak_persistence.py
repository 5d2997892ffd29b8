"""`make soak`: at least two thousand mutated model folders, and nothing but clear errors."""

from collections import Counter

import pytest

from classinet.persistence import load
from test_persistence_hostile import attack, behaviour, quietly, saved_models

MUTATIONS = 2400


@pytest.mark.soak
def test_two_thousand_tampered_folders(tmp_path):
    saved = [(path, quietly(behaviour, load(path))) for path in saved_models(tmp_path)]
    outcomes = Counter()
    for seed in range(10_000, 10_000 + MUTATIONS):
        path, expected = saved[seed % len(saved)]
        try:
            outcomes[attack(path, tmp_path / "copy", expected, seed)] += 1
        except BaseException as error:
            error.add_note(f"seed {seed}, {path.name}")
            raise
    assert sum(outcomes.values()) == MUTATIONS
    print(
        f"\n{MUTATIONS} mutated model folders: {outcomes['refused']} refused with one StorageError, "
        f"{outcomes['same']} behaved identically, {outcomes['other']} loaded other but sound values; 0 crashes"
    )
