"""The benchmark's harness: data sets, draws, rows, judging, the store of cells, and a run from nothing to a report."""

import json
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from classinet import ClassiNet, ClassiNetClassifier, TextNet
from classinet._sparse import canonical_csr
from classinet.baselines.base import Baseline
from classinet.baselines.dense_average import DenseAverage
from classinet.baselines.expanded import Expanded
from classinet.baselines.no_expansion import NoExpansion
from classinet.bench import plan, quick
from classinet.bench.cells import Cell, CellKey, CellStore, Run
from classinet.bench.corpora import of_documents, separate
from classinet.bench.judging import judge_blocks, judge_by_itself
from classinet.bench.methods import Method, all_methods
from classinet.bench.methods.base import without_nets
from classinet.bench.pool import run_units
from classinet.bench.runner import Bench, Choice
from classinet.bench.study import analyse, bench_of, report
from classinet.bench.tasks import Task, all_tasks, folds, labelled
from classinet.bench.tasks.base import TRAIN, UNUSED
from classinet.bench.text import OwnFeatures
from classinet.bench.work import Work
from classinet.bench.worker import work_on
from classinet.datasets import DatasetError, Docstrings, made_up_sentences
from classinet.exceptions import InputError, ParameterError
from classinet.pipeline.representation import unit_rows

SENTENCES = made_up_sentences()
TOPICS = {"weather": ("storm", "rain", "snow", "wind"), "kitchen": ("soup", "bread", "oven", "onion")}


def quiet(stage, done, total):
    pass


def small_task(n=12):
    texts, labels = [], []
    for label, words in TOPICS.items():
        for i in range(n):
            texts.append(f"the {words[i % 4]} and {words[(i + 1) % 4]} number{i}")
            labels.append(label)
    return labelled("small", texts, labels)


def small_bench(folder, **tasks):
    tasks = tasks or {"small": small_task}
    defined = {key: Task(key, key.title(), load, 1, "made-up", in_paper=True) for key, load in tasks.items()}
    corpora = {name: lambda: separate("made-up", SENTENCES) for name in ("made-up", "other")}
    return Bench(folder, tasks=defined, corpora=corpora)


# ------------------------------------------------------------------------------------------------- data sets


@given(st.lists(st.tuples(st.text("abc", min_size=1, max_size=3), st.integers(0, 2)), min_size=1, max_size=60))
def test_folds_keep_equal_texts_together_and_classes_mixed(rows):
    texts, codes = [text for text, _ in rows], np.array([code for _, code in rows])
    fold = folds(texts, codes)
    assert all(len({f for f, t in zip(fold, texts, strict=True) if t == text}) == 1 for text in texts)
    order = np.random.default_rng(0).permutation(len(texts))
    np.testing.assert_array_equal(folds([texts[i] for i in order], codes[order]), fold[order])
    own = {code: {t for t, c in rows if c == code} for code in {c for _, c in rows}}
    alone = {code: names - set().union(*(o for k, o in own.items() if k != code)) for code, names in own.items()}
    for code, names in own.items():
        if names == alone[code]:  # texts of no other class: dealt out evenly
            sizes = np.bincount([fold[texts.index(name)] for name in names], minlength=5)
            assert sizes.max() - sizes.min() <= 1


def test_parts_decide_what_trains_and_what_is_tested():
    data = labelled("x", ["a", "b", "c", "d", "e", "f"], list("pqpqpq"), [TRAIN, TRAIN, TRAIN, TRAIN, 0, UNUSED])
    assert data.train(0).tolist() == [0, 1, 2, 3]
    assert data.test(0).tolist() == [4]
    assert data.own_texts() == ["a", "b", "c", "d"]
    assert data.n_splits == 1


@pytest.mark.parametrize(
    ("texts", "labels", "parts", "message"),
    [
        (["a", "b"], ["p"], None, "x: 2 texts and 1 labels"),
        (["a", " "], ["p", "q"], None, "x: text 1 is empty"),
        (["a", "b"], ["p", "p"], None, "x: 1 classes; a task needs at least 2"),
        (["a", "b", "c", "d", "e"], list("ppqqr"), [-1, -1, -1, -1, 0], "no text to train on has the label 'r'"),
        (["a", "b", "c", "d"], list("ppqq"), [-1, -1, -1, 0], "class 'q' has one text to train on"),
        (["a", "b", "c", "d"], list("ppqq"), [-1, -1, -1, 1], "no text is tested in split 0"),
    ],
)
def test_bad_data_is_refused_by_name(texts, labels, parts, message):
    with pytest.raises(InputError, match=message):
        labelled("x", texts, labels, parts)


def test_a_missing_data_set_is_one_error_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setenv("CLASSINET_DATA", str(tmp_path / "nothing"))
    monkeypatch.setenv("CLASSINET_CACHE", str(tmp_path / "cache"))
    with pytest.raises(DatasetError, match="cr"):
        Bench(tmp_path / "bench").prepare(Choice("paper", tasks=("cr",), methods=("none",)), quiet)
    assert not (tmp_path / "bench").exists()


def test_the_library_defines_what_the_paper_compares():
    tasks, methods = all_tasks(), all_methods()
    assert [key for key, task in tasks.items() if task.in_paper] == ["tr", "mr", "cr", "subj", "trec"]
    assert {"docstrings", "reddit20", "banking77", "sms_spam", "germeval2018_de"} < set(tasks)
    compared = (
        "none independent local-path all-neighbor mutual-neighbor global wordnet scl fts cbow paragraph2vec fastsent "
        "sdae skip-thought cnn fasttext fasttext-vectors minilm nbsvm"
    )
    assert set(compared.split()) < set(methods)
    assert {f"paper-{n}-global-{q}" for n in (700, 1000) for q in range(1, 6)} < set(methods)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Choice("papers"), "study"),
        (Choice("paper", methods=("nine",)), "method"),
        (Choice("paper", tasks=("nine",)), "data set"),
        (Choice("paper", corpora=("nine",)), "unlabeled text"),
        (Choice("few-labels", corpora=("nine+own",)), "unlabeled text"),
        (Choice("few-labels", corpora=("other",)), "'other' goes with none of the data sets small"),
    ],
)
def test_unknown_names_are_refused(choice, message, tmp_path):
    with pytest.raises(ParameterError, match=message):
        small_bench(tmp_path).prepare(choice, quiet)


def test_own_text_may_stand_beside_text_from_elsewhere(tmp_path):
    bench = small_bench(tmp_path, one=small_task, two=lambda: small_task(20))
    prepared = bench.prepare(Choice("few-labels", methods=("global",), corpora=("made-up+own",)), quiet)
    for loaded in prepared.tasks:
        corpus = bench.work.corpus(loaded.corpora["made-up+own"][0].name)
        assert corpus.texts == [*SENTENCES, *loaded.data.own_texts()]
        assert len(np.unique(corpus.documents)) == len(corpus.texts)
    assert {key.corpus for unit in prepared.units for key, _ in unit.cells} == {"made-up+own"}


@pytest.mark.parametrize(("corpus", "before"), [("own", []), ("made-up+own", SENTENCES)])
def test_own_text_of_a_fold_is_what_trains_in_it(corpus, before, tmp_path):
    bench = small_bench(tmp_path, folds=lambda: replace(small_task(), parts=np.arange(len(small_task().texts)) % 3))
    prepared = bench.prepare(Choice("paper", methods=("none", "global"), corpora=(corpus,)), quiet)
    (loaded,) = prepared.tasks
    for split, kept in enumerate(loaded.corpora[corpus]):
        training = [loaded.data.texts[row] for row in loaded.data.train(split)]
        assert bench.work.corpus(kept.name).texts == [*before, *training]
    cells = {unit.corpus: [key.split for key, _ in unit.cells] for unit in prepared.units if unit.method == "global"}
    assert cells == {kept.name: [split] for split, kept in enumerate(loaded.corpora[corpus])}
    nets = [unit.corpus for unit in prepared.units if unit.method is None]
    assert sorted(nets) == sorted(cells)
    assert len(set(nets)) == 3
    assert bench.compute(prepared, 1, 1, quiet) == []
    assert bench.prepare(prepared.choice, quiet).missing == 0


def test_text_from_elsewhere_is_read_once(tmp_path):
    bench = small_bench(tmp_path, one=small_task, two=lambda: small_task(20))
    times = []
    bench.corpora = {"made-up": lambda: times.append(1) or separate("made-up", SENTENCES)}
    bench.prepare(Choice("few-labels", methods=("global",), corpora=("made-up", "made-up+own")), quiet)
    assert len(times) == 1


def test_a_method_without_its_extra_is_left_out_and_explained(tmp_path):
    bench = small_bench(tmp_path)
    lacking = replace(all_methods()["none"], key="lacking", title="Lacking", needs=(("no_such", "neural"),))
    bench.methods = {"none": all_methods()["none"], "lacking": lacking}
    prepared = bench.prepare(Choice("paper"), quiet)
    assert [method.key for method in prepared.methods] == ["none"]
    assert prepared.left_out == ('Lacking needs no_such; run: pip install "classinets[neural]"',)


# ------------------------------------------------------------------------------------------------------ draws


@given(st.lists(st.integers(0, 3), min_size=8, max_size=80), st.integers(0, 3), st.integers(4, 8))
def test_draws_have_the_mix_of_the_whole_and_every_class(codes, draw, count):
    codes = np.unique(np.array(codes), return_inverse=True)[1]
    rows = plan.draw_rows(codes, str(count), draw)
    assert len(np.unique(rows)) == len(rows) == min(count, len(codes))
    drawn = np.bincount(codes[rows], minlength=codes.max() + 1)
    expected = count * np.bincount(codes) / len(codes)
    assert drawn.min() >= 1
    assert (drawn <= np.maximum(1, np.ceil(expected + 1))).all()


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(0, 3), st.integers(1, 6))
def test_draws_by_class_take_so_many_of_each(codes, draw, count):
    codes = np.unique(np.array(codes), return_inverse=True)[1]
    rows = plan.draw_rows(codes, f"{count}-a-class", draw)
    np.testing.assert_array_equal(np.bincount(codes[rows]), np.minimum(np.bincount(codes), count))


def test_draws_differ_and_repeat():
    codes = np.repeat([0, 1], 50)
    assert plan.draw_rows(codes, "10", 0).tolist() == plan.draw_rows(codes, "10", 0).tolist()
    assert plan.draw_rows(codes, "10", 0).tolist() != plan.draw_rows(codes, "10", 1).tolist()
    assert plan.draw_rows(codes, "all", 3).tolist() == list(range(100))


# ------------------------------------------------------------------------------------------------- own words


def test_own_words_are_what_no_expansion_gives():
    data = small_task()
    rival = NoExpansion().fit(SENTENCES)
    own = OwnFeatures.of(data.texts, rival)
    for training in (np.array([0, 13]), np.arange(0, 24, 2)):
        labels = [data.classes[code] for code in data.codes[training]]
        oracle = rival.adapt([data.texts[row] for row in training], labels).transform(data.texts).toarray()
        rows = own.rows(training).toarray()
        np.testing.assert_allclose(rows @ rows.T, oracle @ oracle.T, atol=1e-12)


def test_no_expansion_takes_counts_as_well_as_texts():
    from_texts = NoExpansion().fit(SENTENCES)
    counts = from_texts.counts(SENTENCES)
    from_counts = NoExpansion().fit(counts, feature_names=from_texts.feature_names_)
    a, b = from_texts.transform(SENTENCES[:9]), from_counts.transform(counts)
    np.testing.assert_array_equal(a.toarray(), b.toarray()[:9])
    with pytest.raises(InputError, match="fitted on counts"):
        from_counts.adapt(["new words"], ["x"])


def test_expanded_is_the_expansion_of_the_net():
    rival = Expanded().fit(SENTENCES)
    again = Expanded(rival.net_).fit([])
    assert again.net_ is rival.net_
    np.testing.assert_array_equal(again.transform(["a storm"]).toarray(), rival.transform(["a storm"]).toarray())
    # It is what the classifier adds to a text that holds nothing but the corpus's features.
    clf = ClassiNetClassifier(rival.net_, pieces=False).fit(["rain and wind", "a late goal"], ["weather", "football"])
    texts = SENTENCES[:20]
    row = clf._representation
    added = row.expansion_rows(row.counts(texts))
    np.testing.assert_allclose(unit_rows(rival.transform(texts)).toarray(), unit_rows(added).toarray(), atol=1e-12)


# --------------------------------------------------------------------------------------------------- judging


def test_judging_is_scikit_learns_logistic_regression():
    rng = np.random.default_rng(0)
    own, block = rng.random((60, 30)), rng.random((60, 5))
    codes = np.empty(60, dtype=np.int64)
    for part in (np.arange(39), np.arange(39, 60)):  # even classes, whose border is not shifted
        codes[part[np.argsort((own[:, 0] + block[:, 1] + own[:, 2])[part])]] = np.arange(len(part)) * 3 // len(part)
    unit = [m / np.linalg.norm(m, axis=1, keepdims=True) for m in (own, block)]
    training, tested = np.arange(39), np.arange(39, 60)
    said, chosen = judge_blocks(*map(canonical_csr, unit), codes, 3, training, tested)
    assert (chosen["how"], chosen["C"], chosen["weight"]) == ("fixed", 30.0, 1.0)
    # What was chosen before is used, not chosen anew.
    again, _ = judge_blocks(*map(canonical_csr, unit), codes, 3, training, tested, {"C": 0.1, "weight": 0.5})
    assert (again != said).any()
    for found, C, weight in ((said, 30.0, 1.0), (again, 0.1, 0.5)):
        joined = np.hstack([unit[0], weight * unit[1]]) / np.hypot(1, weight)
        oracle = LogisticRegression(C=C, class_weight="balanced", max_iter=5000, tol=1e-8)
        oracle.fit(joined[training], codes[training])
        np.testing.assert_array_equal(found, oracle.predict(joined[tested]))


def test_names_that_tell_are_judged_with_and_others_are_not():
    # Each text holds a word of its own and one of three of its class; names are these three, in order.
    codes = np.arange(30) % 3
    words = np.hstack([np.eye(30), np.eye(3)[codes]])
    names = np.hstack([np.zeros((3, 30)), np.eye(3)])
    asked = np.hstack([np.zeros((3, 30)), [[0.6, 0.5, 0.4], [0.4, 0.6, 0.5], [0.5, 0.4, 0.6]]])
    rows = np.vstack([words, names, asked])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    training, named, tested = np.arange(30), np.arange(30, 33), np.arange(33, 36)
    every = np.concatenate([codes, np.arange(3), np.zeros(3, dtype=np.int64)])

    def judged(names):
        return judge_blocks(canonical_csr(rows), None, every, 3, training, tested, names=names)[0].tolist()

    def oracle(rows_of_names):
        fitted = np.concatenate([training, rows_of_names, rows_of_names])  # a name counts twice
        labels = np.concatenate([codes, np.arange(len(rows_of_names)), np.arange(len(rows_of_names))])
        head = LogisticRegression(C=30.0, class_weight="balanced", max_iter=5000, tol=1e-8)
        return head.fit(rows[fitted], labels).predict(rows[tested]).tolist()

    assert judged(named) == oracle(named) == [0, 1, 2]
    assert judged(np.roll(named, 1)) == judged(named[:0]) == oracle(named[:0])


class Loud(Baseline):
    """Says the class that its parameter names, unless told otherwise: only one value of the grid can be right."""

    use = "predict"
    grid: ClassVar = {"word": ("storm", "soup")}

    def __init__(self, word="storm"):
        self.word = word

    def fit(self, X, y=None):
        self.n_texts_ = len(X)
        return self

    def adapt(self, texts, labels):
        learnt = Loud(self.word).fit(texts)
        with_word = [label for text, label in zip(texts, labels, strict=True) if self.word in text]
        learnt.label_ = max(set(with_word), key=with_word.count)
        return learnt

    def predict(self, texts):
        return np.array([self.label_ if self.word in text else 1 - self.label_ for text in texts])


def test_a_rival_with_its_own_classifier_is_tuned_on_inner_folds_alone():
    # "soup" decides, "storm" is in half of both classes.
    texts = [f"{'soup' if i % 2 else 'bread'} {'storm' if i // 2 % 2 else 'calm'} {i}" for i in range(240)]
    codes = np.arange(240) % 2
    rival = Loud().fit(texts)
    said, chosen = judge_by_itself(rival, texts, codes, 2, np.arange(200), np.arange(200, 240))
    assert chosen["word"] == "soup"
    assert chosen["how"] == "cross-validation"
    assert (said == codes[200:]).all()
    _, fixed = judge_by_itself(rival, texts, codes, 2, np.arange(20), np.arange(200, 240))
    assert (fixed["word"], fixed["how"]) == ("storm", "fixed")


def test_pieces_stand_beside_words_only_where_the_method_has_them(tmp_path):
    """The order of two words decides, which words alone cannot tell."""
    texts = [f"{'storm rain' if i % 2 else 'rain storm'} {i}" for i in range(300)]
    labels = ["ab"[i % 2] for i in range(300)]
    bench = small_bench(tmp_path, order=lambda: labelled("order", texts, labels, [TRAIN] * 250 + [0] * 50))
    for unit in bench.prepare(Choice("paper", methods=("none", "none-pieces")), quiet).units:
        work_on(unit, bench.store.folder, bench.work.folder, lambda share: None)
    accuracy = {cell.key.method: cell.correct().mean() for cell in bench.store.all()}
    assert accuracy["none-pieces"] == 1
    assert accuracy["none"] < 0.8


def test_features_that_hang_on_labels_are_tuned_on_those_of_inner_folds_alone(tmp_path):
    """Labels drawn by chance cannot be told; they could if those that are held out had a say in the features."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(600)])
    share = 1 / np.arange(1, 601)
    texts = [" ".join(rng.choice(words, 10, p=share / share.sum())) for _ in range(1500)]
    labels = rng.choice(["a", "b"], 1500).tolist()
    parts = [TRAIN] * 1400 + [0] * 100
    bench = small_bench(tmp_path, by_chance=lambda: labelled("by_chance", texts, labels, parts))
    bench.corpora = {"made-up": lambda: separate("made-up", texts)}
    prepared = bench.prepare(Choice("paper", methods=("nbsvm", "fts")), quiet)
    for unit in prepared.units:
        work_on(unit, bench.store.folder, bench.work.folder, lambda share: None)
    cells = list(bench.store.all())
    assert {cell.key.method for cell in cells} == {"nbsvm", "fts"}
    for cell in cells:
        assert min(cell.runs[0].settings["losses"].values()) > 0.67


# ----------------------------------------------------------------------------------------------------- cells


def test_a_broken_cell_is_named(tmp_path):
    store, key = CellStore(tmp_path), CellKey("paper", "subj", "imdb", "global")
    store.write(Cell(key, "d", ("a", "b"), (0, 1), (Run(0, 2, (0, 1), {}, 0.1),), 1.0, 2.0, {}))
    path = tmp_path / key.path
    for damaged in ("{", "[]", "{}", json.dumps({"format": 9}), path.read_text()[:-9]):
        path.write_text(damaged)
        with pytest.raises(InputError, match=r"all-0\.json"):
            store.read(key)


# ------------------------------------------------------------------------------------------------------ runs


def test_cells_that_are_there_are_not_computed_again(tmp_path):
    bench = small_bench(tmp_path)
    choice = Choice("paper", methods=("none", "all-neighbor"))
    prepared = bench.prepare(choice, quiet)
    assert (prepared.missing, prepared.total) == (10, 10)
    assert [unit.method for unit in prepared.units] == [None, "none", "all-neighbor"]
    for unit in prepared.units:
        work_on(unit, bench.store.folder, bench.work.folder, lambda share: None)
    first = {cell.key: cell for cell in bench.store.all("paper")}
    assert len(first) == 10
    assert not bench.prepare(choice, quiet).units

    gone = CellKey("paper", "small", "made-up", "all-neighbor", "all", 3)
    (bench.store.folder / gone.path).unlink()
    prepared = bench.prepare(choice, quiet)
    assert [key for unit in prepared.units for key, _ in unit.cells] == [gone]
    for unit in prepared.units:
        work_on(unit, bench.store.folder, bench.work.folder, lambda share: None)
    assert [run.predicted for run in bench.store.read(gone).runs] == [run.predicted for run in first[gone].runs]

    # Another text, another task: its cells are others.
    changed = small_bench(tmp_path, small=lambda: small_task(13))
    assert changed.prepare(choice, quiet).missing == 10


def test_two_runs_in_processes_say_the_same_and_are_reported(tmp_path):
    choice = Choice("few-labels", methods=("all-neighbor", "nbsvm"), corpora=("own",))
    benches = [small_bench(tmp_path / name) for name in ("a", "b")]
    told = []
    for bench in benches:
        prepared = bench.prepare(choice, quiet)
        assert bench.compute(prepared, 2, 1, lambda stage, done, total: told.append(done)) == []
    assert told[-1] == 1000
    a, b = ({cell.key: cell for cell in bench.store.all()} for bench in benches)
    assert a.keys() == b.keys()
    for key, cell in a.items():
        assert [run.predicted for run in cell.runs] == [run.predicted for run in b[key].runs]
        assert cell.truth == b[key].truth
    assert {(key.corpus, key.method) for key in a} == {("own", "all-neighbor"), ("any", "nbsvm")}
    few = a[CellKey("few-labels", "small", "own", "all-neighbor", "10")]
    assert len({run.predicted for run in few.runs}) > 1 or few.correct().all()
    assert [run.n_labels for run in few.runs] == [10] * 10
    page = report(benches[0], benches[0].prepare(choice, quiet), tmp_path / "out")
    assert "All neighbor" in page.read_text(encoding="utf-8")


def test_a_report_shows_no_cell_that_was_computed_otherwise(tmp_path):
    bench = small_bench(tmp_path)
    choice = Choice("paper", methods=("none", "all-neighbor"))
    prepared = bench.prepare(choice, quiet)
    for unit in prepared.units:
        work_on(unit, bench.store.folder, bench.work.folder, lambda share: None)
    stale = next(cell for cell in bench.store.all() if cell.key.method == "none")
    bench.store.write(replace(stale, definition="another"))
    page = report(bench, prepared, tmp_path / "out")
    assert "1 of the 10 cells of this study are missing" in (page.parent / "report.md").read_text(encoding="utf-8")
    part = report(bench, bench.prepare(Choice("paper", methods=("none",)), quiet), tmp_path / "part")
    assert "all-neighbor" not in (part.parent / "scores.csv").read_text(encoding="utf-8")


def test_a_unit_that_fails_costs_no_other(tmp_path, capfd):
    bench = small_bench(tmp_path)
    units = bench.prepare(Choice("paper", methods=("none",)), quiet).units
    broken = replace(units[0], corpus="not-kept")
    failures = run_units([broken, units[0]], bench.store.folder, bench.work.folder, 1, 1, lambda unit, share: None)
    assert len(failures) == 1
    assert failures[0].startswith("none on not-kept: FileNotFoundError")
    assert len(list(bench.store.all())) == 5
    assert "Traceback" in capfd.readouterr().err


def test_blocks_and_words_are_kept(tmp_path):
    work = Work(tmp_path)
    dense, sparse = np.arange(6, dtype=np.float32).reshape(2, 3), canonical_csr(np.eye(3))
    for name, features in (("dense", dense), ("sparse", sparse)):
        work.keep_block(name, features, 2.5)
        rows, seconds = work.block(name)
        np.testing.assert_array_equal(rows.toarray(), features if name == "dense" else np.eye(3))
        assert seconds == 2.5
    assert work.block("other") is None
    corpus = of_documents("two", ["One fish. Two fish.", "Red fish."])
    name = work.keep_corpus(corpus)
    assert work.corpus(name).texts == corpus.texts
    assert work.corpus(name).fingerprint == corpus.fingerprint
    fitted, read = work.words(name), work.words(name)
    np.testing.assert_array_equal(fitted.idf_, read.idf_)
    assert fitted.feature_names_.tolist() == read.feature_names_.tolist() == ["fish"]


def test_a_plan_tells_slow_rivals_to_do_less():
    data = small_task(400)
    loaded = plan.Loaded(Task("t", "T", small_task, 1, "imdb"), data, "t", {"own": plan.Kept("own-t", 10)})
    quick = Method("q", "Q", "g", 1, without_nets(NoExpansion))
    slow = replace(quick, few=True)
    counts = [key.labels for key in plan.few_label_keys(loaded, quick, ["own"])]
    assert counts == ["10-a-class", "10", "20", "50", "100", "200", "500", "all"]
    keys = list(plan.few_label_keys(loaded, slow, ["own"]))
    assert [key.labels for key in keys] == ["200"]
    assert [plan.draws_of(key, slow, data) for key in keys] == [3]
    assert {plan.draws_of(key, quick, data) for key in keys} == {10}
    many = labelled("many", [f"text {i}" for i in range(4000)], [f"c{i % 80}" for i in range(4000)])
    key = plan.CellKey("few-labels", "many", "own", "q", "20-a-class")
    assert plan.draws_of(key, quick, many) == 10
    assert plan.draws_of(replace(key, labels="30-a-class"), quick, many) == 3
    assert plan.draws_of(replace(key, labels="all"), quick, many) == 1


def test_methods_get_the_unlabeled_text_that_suits_them():
    data = small_task()
    corpora = {"any": [plan.Kept("any", 0)], "own": [plan.Kept("o", 9)], "imdb": [plan.Kept("i", 9, ordered=True)]}
    loaded = plan.Loaded(Task("t", "T", small_task, 1, "imdb"), data, "t", corpora)
    method = Method("q", "Q", "g", 1, without_nets(NoExpansion))
    suited = {
        name: {key.corpus for key in plan.keys_of("paper", loaded, replace(method, **more))}
        for name, more in (
            ("usual", {}),
            ("ordered", {"ordered": True}),
            ("alone", {"unlabeled": False}),
            ("chosen", {"only": ("own",)}),
        )
    }
    assert suited == {"usual": {"own", "imdb"}, "ordered": {"imdb"}, "alone": {"any"}, "chosen": {"own"}}


@settings(max_examples=5)
@given(st.integers(0, 4))
def test_the_definition_of_a_cell_tells_cells_apart(split):
    data = small_task()
    loaded = plan.Loaded(Task("t", "T", small_task, 1, "imdb"), data, "t-1", {"imdb": [plan.Kept("imdb-1", 10)] * 6})
    method = Method("q", "Q", "g", 1, without_nets(NoExpansion))
    key = CellKey("paper", "t", "imdb", "q", "all", split)
    own = plan.definition(key, method, loaded)
    assert own == plan.definition(key, method, replace(loaded))
    others = [
        plan.definition(replace(key, split=split + 1), method, loaded),
        plan.definition(key, method, replace(loaded, kept="t-2")),
        plan.definition(key, method, replace(loaded, corpora={"imdb": [plan.Kept("imdb-2", 10)] * 6})),
        plan.definition(key, replace(method, recipe="default"), loaded),
        plan.definition(key, replace(method, make=lambda nets: Expanded()), loaded),
    ]
    assert own not in others


def test_the_quick_slice_has_three_tasks_and_its_own_text(tmp_path, monkeypatch):
    texts = [f"{name} number {i}" for name in quick.CLASSES for i in range(20)]
    labels = [name for name in quick.CLASSES for _ in range(20)]
    monkeypatch.setattr(quick, "load_docstrings", lambda: Docstrings(SENTENCES, texts, labels))
    bench = bench_of(tmp_path, quick=True)
    prepared = bench.prepare(Choice("paper", methods=("none", "global", "paper-700-global-3")), quiet)
    assert [one.task.key for one in prepared.tasks] == ["two", "three", "five"]
    assert prepared.tasks[0].corpora["docstrings"][0].ordered
    alone = bench.prepare(Choice("paper", tasks=("two",), methods=("none",)), quiet)
    with pytest.raises(InputError, match="three was left out"):
        analyse(bench, alone, quiet, quick=True)
    bench.corpora = {**bench.corpora, "docstrings-all": quick.quick_corpus}
    other = bench.prepare(Choice("paper", methods=("none",), corpora=("docstrings-all",)), quiet)
    with pytest.raises(InputError, match="the unlabeled text docstrings; it was left out"):
        analyse(bench, other, quiet, quick=True)
    for damaged in ("{", "[]"):
        (tmp_path / "analyses").mkdir(exist_ok=True)
        (tmp_path / "analyses" / "damping.json").write_text(damaged)
        with pytest.raises(InputError, match=r"damping\.json is no analysis"):
            report(bench, prepared, tmp_path / "out", quick=True)
    for unit in other.units:
        work_on(unit, bench.store.folder, bench.work.folder, lambda share: None)
    assert "damping" not in report(bench, other, tmp_path / "out", quick=True).read_text(encoding="utf-8")


def test_dense_average_is_the_mean_of_unit_vectors():
    rival = DenseAverage().fit(SENTENCES)
    net = rival.net_
    assert DenseAverage(net).fit([]).net_ is net
    words = NoExpansion(net.vectorizer_).fit(SENTENCES)
    vectors = net.net_.predictor.feature_vectors().astype(np.float64)
    place = {name: i for i, name in enumerate(net.net_.feature_names)}
    for text in ("a storm", "the oven and the soup", "qwertz"):
        oracle = np.zeros(vectors.shape[1])
        row = words.transform([text])
        names = [words.feature_names_[column] for column in row.indices]
        values = row.data * [0.5 if "…" in name else 1.0 for name in names]  # a run counts half as much as a word
        for name, value in zip(names, values / max(np.linalg.norm(values), 1e-300), strict=True):
            vector = vectors[place[name]]
            oracle += value * vector / np.linalg.norm(vector)
        np.testing.assert_allclose(rival.transform([text]).toarray()[0], oracle, atol=1e-9)
    with pytest.raises(ParameterError, match="vectors for all features"):
        DenseAverage(TextNet(model=ClassiNet.paper())).fit(SENTENCES[:200])
