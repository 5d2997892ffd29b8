"""Accuracy by overlap: shares by counting one by one, and planted cells whose tables are known."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from classinet.bench.cells import Cell, CellKey, CellStore, Run
from classinet.bench.overlap import BORDERS, LEAST, by_overlap, overlap_results, overlaps
from classinet.bench.plan import Kept, Loaded, draw_rows
from classinet.bench.report import Labels, MethodLabel, TaskLabel
from classinet.bench.tasks import Task, labelled

WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=5).map(" ".join)


@given(st.lists(WORDS, min_size=9, max_size=20))
def test_overlap_is_the_share_of_words_that_labelled_texts_hold(texts):
    parts = [-1] * 6 + [0] * (len(texts) - 6)
    data = labelled("x", texts, ["even", "odd"] * (len(texts) // 2) + ["even"] * (len(texts) % 2), parts)
    found = overlaps(data, draws=3, labels="2-a-class")
    pool = data.train(0)
    for draw in range(3):
        held = {w for row in pool[draw_rows(data.codes[pool], "2-a-class", draw)] for w in data.texts[row].split()}
        wanted = [len(set(data.texts[row].split()) & held) / len(set(data.texts[row].split())) for row in data.test(0)]
        np.testing.assert_allclose(found[draw], wanted)


def test_a_border_belongs_to_the_part_above_it_and_small_parts_are_left_out():
    found = np.array([[0.1] * LEAST + [BORDERS[0]] * LEAST + [1.0] * (LEAST - 1)])
    correct = np.array([[False] * LEAST + [True] * LEAST + [True] * (LEAST - 1)])
    assert by_overlap(found, correct) == [0.0, 1.0, None, None]


def planted(folder, methods):
    """Half of the test texts share all words with labelled ones, half none; only "default" judges the latter right."""
    texts = [f"{'sun' if i % 2 else 'oven'}" for i in range(40)]
    texts += ["sun", "oven"] * LEAST + ["snow", "soup"] * LEAST
    labels = [("w" if i % 2 else "k") for i in range(40)] + ["w", "k"] * (2 * LEAST)
    data = labelled("planted", texts, labels, [-1] * 40 + [0] * (4 * LEAST))
    task = Task("planted", "Planted", lambda: data, 1, "imdb")
    truth = data.codes[data.test(0)]
    store = CellStore(folder)
    for method in methods:
        knows = np.arange(4 * LEAST) < 2 * LEAST
        said = truth if method == "default" else np.where(knows, truth, 1 - truth)
        run = Run(0, 20, tuple(said.tolist()), {}, 0.1)
        key = CellKey("few-labels", "planted", "own", method, "10-a-class")
        store.write(Cell(key, "d", data.classes, tuple(truth.tolist()), (run,), 1.0, 1.0, {}))
    names = {"none": MethodLabel("None"), "scl": MethodLabel("SCL"), "default": MethodLabel("Default")}
    return overlap_results(
        store, [Loaded(task, data, "kept", {"own": Kept("own", 40)})], Labels(names, {"planted": TaskLabel("Planted")})
    )


def test_planted_cells_give_the_tables_that_were_planted(tmp_path):
    by_method, by_task = planted(tmp_path, ["none", "default"])
    assert by_method.rows == [["None", "0.0", "–", "–", "100.0"], ["Default", "100.0", "–", "–", "100.0"]]
    assert by_task.rows == [["Planted", "0.0 +100.0", "–", "–", "100.0 0.0"]]
    assert "+100.0 (less than a quarter), 0.0 (three quarters and more)" in by_method.finding


def test_what_was_not_computed_has_no_table(tmp_path):
    assert planted(tmp_path / "nothing", []) == []
    assert planted(tmp_path / "ours", ["default"]) == []
    (only,) = planted(tmp_path / "plain", ["none"])
    assert [row[0] for row in only.rows] == ["None"]
