"""`make soak`: at least two thousand mutated model folders, and nothing but clear errors."""

from collections import Counter

import pytest

from classinet.persistence import load
from test_persistence_hostile import attack, behaviour, quietly, saved_models

MUTATIONS = 2400


@pytest.mark.soak
def test_two_thousand_tampered_folders(tmp_path, record):
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
    record(
        mutated_folders=MUTATIONS,
        refused_with_one_error=outcomes["refused"],
        behaved_identically=outcomes["same"],
        loaded_other_but_sound_values=outcomes["other"],
        crashes=0,
        seeds=[10_000, 10_000 + MUTATIONS - 1],
    )
