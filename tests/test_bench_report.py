"""From cells to a report: scores by hand and by law, tests, tables in four formats, claims, and whole files."""

import csv
import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_1samp, ttest_rel
from sklearn.metrics import accuracy_score, f1_score, recall_score

from classinet.bench.cells import Cell, CellKey, CellStore, Run
from classinet.bench.comparisons import Paired, read_comparisons, summarise, write_comparisons
from classinet.bench.methods.base import RECIPE
from classinet.bench.published import PUBLISHED, TABLE_1, TABLE_2, TITLES, published
from classinet.bench.report import (
    Labels,
    MethodLabel,
    Results,
    TaskLabel,
    claims,
    save_figure,
    write_report,
)
from classinet.bench.report.few_labels import gain_table, score_table
from classinet.bench.report.paper import published_table
from classinet.bench.report.summary import (
    coloured,
    gains_table,
    mean_tables,
    rank_table,
    shared_table,
    win_table,
)
from classinet.bench.scores import Estimate, Score, ScoreKey, over_draws, pool, read_scores, score, write_scores
from classinet.bench.tables import (
    Entry,
    Row,
    Table,
    latex_text,
    markdown_text,
    plain_table,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
)
from classinet.evaluation import _class_scores
from classinet.exceptions import InputError
from classinet.plotting import plot_damping, plot_many_learning_curves
from classinet.plotting.many_curves import spread_apart

pytest.importorskip("matplotlib")


def cell(
    method, truth, draws, *, study="paper", task="mr", corpus="imdb", labels="all", split=0, classes=("neg", "pos")
):
    """A cell of made-up predictions, one row a draw."""
    key = CellKey(study, task, corpus, method, labels, split)
    n_labels = int(labels.split("-")[0]) if labels[0].isdigit() else 1000
    runs = tuple(Run(i, n_labels, tuple(said), {"C": 1.0}, 0.5) for i, said in enumerate(draws))
    return Cell(key, "d", tuple(classes), tuple(truth), runs, 3.0, 100.0, {})


def right(n, correct):
    """Truth of n texts of class 1 in turn with 0, and predictions of which so many are right."""
    truth = [i % 2 for i in range(n)]
    return truth, [t if i < correct else 1 - t for i, t in enumerate(truth)]


def by_method(accuracies, n=100, **where):
    return [cell(m, right(n, correct)[0], [right(n, correct)[1]], **where) for m, correct in accuracies.items()]


NAMES = Labels(
    {m: MethodLabel(title, "The paper's" if m in TABLE_1.methods else "") for m, title in TITLES.items()},
    {task: TaskLabel(task.upper()) for task in ("tr", "mr", "cr", "subj", "trec")},
    {"imdb": "IMDB reviews", "own": "own texts"},
)


# -------------------------------------------------------------------------------------------------------------- scores


def test_a_score_by_hand():
    """Two folds, four texts: three of four right; neg: 2 of 2 found, 3 given; pos: 1 of 2 found, 1 given."""
    folds = [cell("scl", [0, 1], [[0, 1]], split=0), cell("scl", [0, 1], [[0, 0]], split=1)]
    result = score(pool(folds[::-1]))
    assert (result.splits, result.draws, result.n, result.n_labels) == (2, 1, 4, 1000)
    assert result.accuracy.mean == 0.75
    assert result.accuracy.sd is None
    assert result.accuracy.low == pytest.approx(0.3006, abs=1e-4)  # Wilson's formula on paper
    assert result.accuracy.high == pytest.approx(0.9544, abs=1e-4)
    assert result.macro_f1 == Estimate(pytest.approx((0.8 + 2 / 3) / 2))
    assert [(c.name, c.n, c.recall, c.f1) for c in result.classes] == [("neg", 2, 1.0, 0.8), ("pos", 2, 0.5, 2 / 3)]
    assert (result.fit_seconds, result.run_seconds, result.peak_memory_mb) == (3.0, 0.5, 100.0)


def test_several_draws_get_a_t_interval():
    result = score(pool([cell("scl", [0, 1], [[0, 1], [0, 0], [1, 0]], labels="10")]))
    assert result.accuracy.mean == 0.5
    assert result.accuracy.sd == pytest.approx(0.5)
    assert (result.accuracy.low, result.accuracy.high) == (0.0, 1.0)  # 0.5 ± 4.303 · 0.5 / √3, cut to a share
    assert result.classes == ()
    low, high = ttest_1samp([0.6, 0.7, 0.65], 0).confidence_interval(0.95)
    found = over_draws(np.array([0.6, 0.7, 0.65]))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_draws_that_cannot_differ_are_one():
    same = [[0, 1, 0]] * 3
    assert pool([cell("none", [0, 1, 1], same)]).draws == (0,)
    assert pool([cell("none", [0, 1, 1], same, labels="10")]).draws == (0, 1, 2)


codes = st.integers(0, 2)
texts = st.lists(st.tuples(codes, codes), min_size=1, max_size=30)


@given(texts, st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_plain_oracles(pairs, folds):
    folds = min(folds, len(pairs))
    truth, said = (list(values) for values in zip(*pairs, strict=True))
    cells = [cell("m", truth[i::folds], [said[i::folds]], split=i, classes=("a", "b", "c")) for i in range(folds)]
    pooled = pool(cells)
    result = score(pooled)
    assert result.accuracy.mean == pooled.correct()[0].mean() == pytest.approx(accuracy_score(truth, said))
    assert 0 <= result.accuracy.low <= result.accuracy.mean <= result.accuracy.high <= 1
    assert result.macro_f1.mean == pytest.approx(f1_score(truth, said, average="macro", zero_division=0))
    plain = _class_scores([frozenset([t]) for t in truth], [frozenset([s]) for s in said])
    assert [(c.n, pytest.approx(c.recall), pytest.approx(c.f1)) for c in result.classes] == [
        (c.support, c.recall, c.f1) for c in plain if c.support
    ]
    recalls = recall_score(truth, said, labels=sorted(set(truth)), average=None)
    assert [c.recall for c in result.classes] == pytest.approx(recalls.tolist())


def test_bad_cells_are_named():
    with pytest.raises(InputError, match=r"mr/imdb/m/all-1\.json and .*all-0\.json have other classes"):
        pool([cell("m", [0], [[0]]), cell("m", [0], [[0]], split=1, classes=("x", "y"))])
    with pytest.raises(InputError, match="draw 0 judges 1 of 2 texts"):
        pool([cell("m", [0, 1], [[0]])])
    with pytest.raises(InputError, match="draw 0 names a class that is not among the 2"):
        pool([cell("m", [0, 1], [[0, 2]])])
    with pytest.raises(InputError, match="were judged on other texts"):
        summarise([cell("a", [0, 1], [[0, 1]]), cell("b", [1, 1], [[0, 1]])])
    with pytest.raises(InputError, match="paper/mr stand apart"):
        summarise([cell("a", [0], [[0]]), cell("a", [0], [[0]], task="tr"), cell("b", [0], [[0]])])


# --------------------------------------------------------------------------------------------------------- comparisons


def test_one_draw_is_compared_text_by_text():
    _, (found,) = summarise(by_method({"global": 90, "none": 80}))
    assert (found.first, found.second, found.test, found.n) == ("global", "none", "mcnemar", 100)
    assert (found.only_first, found.only_second, found.difference) == (10, 0, pytest.approx(0.1))
    assert found.p == pytest.approx(binomtest(0, 10).pvalue)
    assert found.significant


def test_draws_are_compared_in_pairs():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 40)
    said = {m: np.where(rng.random((6, 40)) < share, truth, 1 - truth) for m, share in (("none", 0.6), ("scl", 0.8))}
    cells = [cell(m, truth.tolist(), s.tolist(), study="few-labels", labels="10") for m, s in said.items()]
    _, found = summarise(cells)
    accuracy, macro_f1 = found
    a, b = ((said[m] == truth).mean(axis=1) for m in ("scl", "none"))
    oracle = ttest_rel(a, b)
    low, high = oracle.confidence_interval(0.95)
    assert (accuracy.first, accuracy.second, accuracy.test, accuracy.n) == ("scl", "none", "draws", 6)
    assert (accuracy.p, accuracy.low, accuracy.high) == (
        pytest.approx(oracle.pvalue),
        pytest.approx(low),
        pytest.approx(high),
    )
    assert accuracy.difference == pytest.approx((a - b).mean())
    f1 = [[f1_score(truth, row, average="macro") for row in said[m]] for m in ("scl", "none")]
    assert macro_f1.p == pytest.approx(ttest_rel(*f1).pvalue)


def test_only_shared_draws_are_compared_and_equal_ones_are_equal():
    truth = [0, 1] * 5
    same = cell("a", truth, [truth, truth[::-1]], study="few-labels", labels="10")
    none = cell("none", truth, [truth, truth[::-1], truth], study="few-labels", labels="10")
    _, (accuracy, _) = summarise([same, none])
    assert (accuracy.n, accuracy.difference, accuracy.p, accuracy.low, accuracy.high) == (2, 0.0, 1.0, 0.0, 0.0)


def test_methods_without_a_corpus_stand_beside_all():
    cells = [
        *by_method({"none": 60}, study="few-labels", corpus="any"),
        *by_method({"scl": 70}, study="few-labels", corpus="imdb"),
        *by_method({"scl": 50}, study="few-labels", corpus="own"),
    ]
    scores, found = summarise(cells)
    gains = {(c.corpus, c.measure): c.difference for c in found}
    assert gains["imdb", "accuracy"] == pytest.approx(0.1)
    assert gains["own", "accuracy"] == pytest.approx(-0.1)
    results = Results("few-labels", scores, found, NAMES)
    assert results.corpora() == ["imdb", "own"]
    assert results.find("mr", "own", "none").accuracy.mean == 0.6
    assert results.gain("mr", "imdb", "scl", "all").first == "scl"


def test_a_comparison_can_be_asked_for_either_way():
    scores, found = summarise(by_method({"global": 90, "none": 80}))
    results = Results("paper", scores, found, NAMES)
    one, other = results.compared("mr", "imdb", "global", "none"), results.compared("mr", "imdb", "none", "global")
    assert (other.difference, other.low, other.high) == (-one.difference, -one.high, -one.low)
    assert (other.first, other.only_second, other.p) == ("none", one.only_first, one.p)


# ----------------------------------------------------------------------------------------------------------- CSV files

names = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1, max_size=8)
share = st.floats(0, 1)
estimates = st.builds(Estimate, share, st.none() | share, st.none() | share, st.none() | share)


@given(st.lists(st.builds(ScoreKey, names, names, names, names, names), unique=True, max_size=4), estimates, share)
@settings(max_examples=40, deadline=None)
def test_scores_survive_their_file(tmp_path_factory, keys, estimate, seconds):
    path = tmp_path_factory.mktemp("csv") / "scores.csv"
    whole = score(pool([cell("m", [0, 1, 1], [[0, 1, 0]])]))
    scores = [Score(key, 5, 3, 7, 2.5, estimate, estimate, whole.classes, seconds, 0.1, 9.0) for key in sorted(keys)]
    write_scores(path, scores)
    assert read_scores(path) == scores


@given(st.lists(st.builds(Paired, *[names] * 8, st.integers(1, 9), share, st.none() | share), max_size=4))
@settings(max_examples=40, deadline=None)
def test_comparisons_survive_their_file(tmp_path_factory, comparisons):
    path = tmp_path_factory.mktemp("csv") / "comparisons.csv"
    write_comparisons(path, comparisons)
    read = read_comparisons(path)
    assert len(read) == len(comparisons)
    assert all(c in comparisons for c in read)


def test_a_broken_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "scores.csv"
    write_scores(path, [score(pool([cell("m", [0, 1], [[0, 1]])]))])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(",1000.0,", ",many,"), encoding="utf-8")
    with pytest.raises(InputError, match=r"scores\.csv, line 2: could not convert string to float: 'many'"):
        read_scores(path)
    path.write_text(text + "short,row\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 3: 2 fields instead of 21; write the report anew from cells"):
        read_scores(path)
    path.write_text("a,b\n", encoding="utf-8")
    with pytest.raises(InputError, match="must name the columns study,task"):
        read_scores(path)


# -------------------------------------------------------------------------------------------------------------- tables

TRICKY = plain_table(
    "t", "a & b | <c>", ["x_y", "50 %"], [["p|q", "<b>&amp;"], ["#1 {x} $5 ~ ^ \\", "*[]`\nnew"]], ["* n_1"]
)


def test_markdown_keeps_its_columns():
    lines = to_markdown(TRICKY).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [3, 3, 3, 3]
    assert rows[2] == r"| p\|q | &lt;b&gt;&amp;amp; |"
    assert rows[3] == r"| \#1 {x} \$5 \~ ^ \\ | \*\[\]\` new |"
    assert lines[-1] == r"\* n\_1"


def test_latex_escapes_what_it_reads():
    text = to_latex(TRICKY)
    assert r"\caption{a \& b $|$ $<$c$>$}" in text
    assert r"x\_y & 50 \% \\" in text
    assert r"\#1 \{x\} \$5 \textasciitilde{} \textasciicircum{} \textbackslash{} & {}*[]` new \\" in text
    assert r"\footnotesize {}* n\_1" in text  # a star after a line break would vanish
    assert text.count(r"\begin") == text.count(r"\end")
    assert latex_text("Gödel 25.0 ± 1.2 −3 – … ﬁ 日") == r"Gödel 25.0 $\pm$ 1.2 $-$3 -- \ldots{} fi ?"


@given(st.text(max_size=40))
def test_no_text_escapes_its_cell(text):
    table = plain_table("t", "title", ["a", "b"], [[text, "1"]])
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", to_markdown(table).split("---:|\n")[1])) == 3
    row = to_latex(table).split("\\midrule\n")[1].split("\n\\bottomrule")[0]
    assert len(re.findall(r"(?<!\\)&", row)) == 1
    assert not re.search(r"(?<!\\)[%#~^]", row)
    assert list(csv.reader(io.StringIO(to_csv(table), newline=""))) == [["a", "b"], [" ".join(text.split()), "1"]]
    page = Page(to_html(table))
    assert page.rows[1][1:] == ["1"]
    assert "\n" not in markdown_text(text)


def test_strong_entries_groups_and_alignment():
    rows = tuple(
        Row((Entry(m), Entry(v, m == "b"), Entry("some words")), g)
        for m, v, g in [("a", "1.5 (2 of 3)", "G"), ("b", "−2.0 ± 1*", "H")]
    )
    table = Table("t", "T", ("m", "n", "w"), rows)
    assert table.numeric() == [False, True, False]
    assert "| *G* | | |\n| a | 1.5 (2 of 3) | some words |\n| *H* | | |\n| b | **−2.0 ± 1\\*** |" in to_markdown(table)
    assert r"\midrule" + "\n" + r"\multicolumn{3}{l}{\emph{H}} \\" in to_latex(table)
    assert r"\begin{tabular}{lrl}" in to_latex(table)
    assert '<th scope="rowgroup" colspan="3">H</th>' in to_html(table)
    assert '<td class="n"><strong>−2.0 ± 1*</strong></td>' in to_html(table)


class Page(HTMLParser):
    """Reads a page: complains of tags that do not match; collects rows, ids and references."""

    VOID = frozenset({"meta", "img", "br", "link"})

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.ids, self.references, self.tags = [], [], [], [], set()
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name.split(":")[-1] in ("href", "src", "data", "action") or "url(" in (value or ""):
                self.references.append(value)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


# ------------------------------------------------------------------------------------------------- the paper's numbers


def test_published_numbers_are_whole():
    for table in (TABLE_1, TABLE_2):
        assert all(published(method, task) for method in table.methods for task in table.tasks)
    assert len(PUBLISHED) == 4 * len(TABLE_1.methods) + 4 * (len(TABLE_2.methods) - 1) + 1
    assert {method for method, _ in PUBLISHED} == set(TITLES)
    assert sorted(key for key, value in PUBLISHED.items() if value.star) == [
        ("global", "cr"), ("global", "mr"), ("skip-thought", "subj"),
    ]  # fmt: skip
    assert published("fts", "subj").accuracy == pytest.approx(0.5015)


def test_best_is_bold_and_starred_only_against_the_second_best():
    def column(accuracies):
        scores, comparisons = summarise(by_method(accuracies, n=400))
        table = published_table(Results("paper", scores, comparisons, NAMES), "imdb", TABLE_1)
        return {row.entries[0].text: row.entries[3] for row in table.rows}

    clear = column({"none": 300, "scl": 310, "global": 350})
    assert clear["Global"] == Entry("87.50*", True)
    assert clear["SCL"] == Entry("77.50")
    assert clear["FTS"] == Entry("–")
    assert column({"none": 300, "scl": 349, "global": 350})["Global"] == Entry("87.50", True)
    tied = column({"none": 300, "scl": 350, "global": 350})
    assert tied["Global"] == tied["SCL"] == Entry("87.50", True)


def paper_results(accuracies, n=1000):
    cells = [c for task in sorted(accuracies) for c in by_method(accuracies[task], n=n, task=task)]
    return Results("paper", *summarise(cells), NAMES)


def test_claims_hold_where_numbers_say_so():
    order = [
        "fts",
        "wordnet",
        "independent",
        "local-path",
        "all-neighbor",
        "mutual-neighbor",
        "none",
        "cbow",
        "scl",
        "global",
    ]
    ladder = {m: 600 + 30 * i for i, m in enumerate(order)}
    found = {c.text: c for c in claims(paper_results(dict.fromkeys(TABLE_1.tasks, ladder)), "imdb")}
    verdicts = {text: claim.verdict for text, claim in found.items()}
    assert set(list(verdicts.values())[:8]) == {"held"}
    assert list(verdicts.values())[8:] == ["could not be judged"] * 2
    assert found["Global is best on all four sets"].numbers.startswith(
        "TR 87.00 (Global) against 84.00 (SCL), p < 0.001; MR 87.00"
    )
    ladder["scl"] = ladder["global"] + 5
    found = claims(paper_results({**dict.fromkeys(TABLE_1.tasks, ladder)}), "imdb")
    assert (found[0].verdict, found[0].against) == ("did not hold", ("TR", "MR", "CR", "SUBJ"))
    assert found[2].verdict == "held"


def test_claims_of_significance_need_it():
    close = dict.fromkeys(TABLE_1.methods, 700) | {"global": 701}
    found = claims(paper_results({"mr": close, "cr": close}), "imdb")
    assert (found[1].verdict, found[1].against) == ("did not hold", ("MR", "CR"))
    assert found[0].verdict == "could not be judged"
    partial = claims(paper_results({"mr": {"global": 600, "scl": 700}}), "imdb")
    assert partial[0].verdict == "did not hold"  # what is missing cannot save it
    assert partial[7].verdict == "could not be judged"


def test_the_papers_own_table_speaks_against_three_of_its_remarks():
    found = claims(Results("paper", [], [], NAMES), "imdb")
    assert {c.text.removesuffix(" †"): c.in_paper for c in found if c.in_paper != "held"} == {
        "SCL and CBOW beat the local methods": "did not hold (MR, CR, SUBJ)",
        "FTS is worst": "did not hold (TR, MR)",
        "WordNet beats FTS in all cases": "did not hold (MR)",
    }
    assert all(c.verdict == "could not be judged" for c in found)


# ---------------------------------------------------------------------------------------------------------- few labels


def few_cells(task="mr", corpus="own"):
    """Every method is right on its own number of texts, a little other in every draw."""
    cells = []
    for method, level in (("global", 70), ("none", 60), ("scl", 50)):
        for labels in ("10", "50", "all"):
            draws = [0] if labels == "all" else [-1, 0, 1]
            truth = right(100, 0)[0]
            steady = 1 if method == "none" else 2  # so that differences are not all the same
            said = [right(100, level + (5 if labels == "50" else 0) + steady * d)[1] for d in draws]
            cells.append(cell(method, truth, said, study="few-labels", task=task, corpus=corpus, labels=labels))
    return cells


def few_results(labels=NAMES, planned=()):
    return Results("few-labels", *summarise(few_cells()), labels, planned)


def entries(table):
    return {row.entries[0].text: [e.text for e in row.entries[1:]] for row in table.rows}


def test_tables_of_few_labels_by_hand():
    results = few_results(Labels({"none": MethodLabel("None"), "global": MethodLabel("Global")}, {}))
    table = score_table(results, "mr", "own")
    assert table.header == ("method", "10", "50", "all (1,000)")
    half = 100 * 4.302652729911275 * 0.01 / 3**0.5
    assert entries(table)["None"][:2] == [f"60.0 ± {half:.1f}", f"65.0 ± {half:.1f}"]
    assert entries(table)["Global"][2] == "70.0 ± 9.6"  # Wilson: 60.4 to 78.1
    gains = entries(gain_table(results, "mr", "own"))
    # Draws differ by 9, 10 and 11 points: 4.303 · 1 / √3; one draw, 10 texts of 100 only one way: 1.96 · 3.25.
    assert gains["Global"] == ["+10.0 ± 2.5*", "+10.0 ± 2.5*", "+10.0 ± 6.4*"]
    assert gains["scl"][0] == "−10.0 ± 2.5*"
    assert entries(rank_table(results)) == {"None": ["2.0"] * 4, "Global": ["1.0"] * 4, "scl": ["3.0"] * 4}
    assert entries(win_table(results)) == {
        "Global": ["1 / 0 / 0"] * 3 + ["3 / 0 / 0"], "scl": ["0 / 1 / 0"] * 3 + ["0 / 3 / 0"]
    }  # fmt: skip
    assert coloured(results) == ["none", "global", "scl"]


def test_tables_over_all_tasks_by_hand():
    """SCL is not judged on TREC, which has other numbers of labels; on CR all have ten points more."""
    on_cr = few_cells("cr")
    shifted = {"global": 80, "none": 70, "scl": 60}
    for i, one in enumerate(on_cr):
        truth, said = right(100, shifted[one.key.method])
        on_cr[i] = replace(one, truth=truth, runs=tuple(replace(run, predicted=said) for run in one.runs))
    on_trec = [
        replace(one, key=replace(one.key, labels={"10": "5-a-class", "50": "10-a-class"}.get(one.key.labels, "all")))
        for one in few_cells("trec")
        if one.key.method != "scl"
    ]
    results = Results("few-labels", *summarise([*few_cells(), *on_cr, *on_trec]), Labels({}, {}))
    assert shared_table(results).header == ("method", "cr", "mr", "trec", "mean")
    assert shared_table(results).title.startswith("all, ")
    assert entries(shared_table(results)) == {
        "global": ["80.0", "70.0", "70.0", "73.3"],
        "none": ["70.0", "60.0", "60.0", "63.3"],
        "scl": ["60.0", "50.0", "–", "–"],
    }
    (means,) = mean_tables(results)  # of TREC alone there is no mean
    assert means.header == ("method", "10", "50", "all")
    assert entries(means)["none"] == ["65.0", "67.5", "65.0"]
    assert entries(gains_table(results)) == {
        "global": ["+10.0 (2 of 2)"] * 2 + ["+10.0 (1 of 1)"] * 2 + ["+10.0 (3 of 3)", "+10.0 (9 of 9)"],
        "scl": ["−10.0 (0 of 2)"] * 2 + ["–"] * 2 + ["−10.0 (0 of 2)", "−10.0 (0 of 6)"],
    }


def test_without_labels_in_common_nothing_stands_side_by_side():
    ten, fifty = ([one for one in few_cells(task) if one.key.labels == n] for task, n in (("mr", "10"), ("cr", "50")))
    results = Results("few-labels", *summarise([*ten, *fifty]), Labels({}, {}))
    assert shared_table(results) is None
    assert mean_tables(results) == []


def test_the_default_is_coloured_even_where_little_of_it_is_computed():
    once = [
        replace(one, key=replace(one.key, method="default"))
        for one in few_cells()
        if (one.key.method, one.key.labels) == ("global", "10")
    ]
    results = Results("few-labels", *summarise([*few_cells(), *once]), Labels({}, {}))
    assert coloured(results) == ["none", "global", "default", "scl"]


def test_a_task_judged_by_macro_f1_is_so_everywhere():
    labels = Labels({}, {"mr": TaskLabel("MR", "macro_f1")})
    results = few_results(labels)
    expected = score(pool([c for c in few_cells() if c.key.method == "scl" and c.key.labels == "all"])).macro_f1.mean
    assert entries(score_table(results, "mr", "own"))["scl"][2] == f"{100 * expected:.1f}"
    assert results.gain("mr", "own", "scl", "10").measure == "macro_f1"
    assert not entries(gain_table(results, "mr", "own"))["scl"][2].endswith("*")  # one draw of macro-F1: no test


def test_incomplete_folds_are_missing():
    cells = by_method({"none": 60, "scl": 70}) + by_method({"none": 60}, split=1)
    planned = [CellKey("paper", "mr", "imdb", m, split=s) for m in ("none", "scl", "cbow") for s in (0, 1)]
    scores, comparisons = summarise(sorted(cells, key=lambda c: c.key))
    assert comparisons == []
    for plan in (planned, ()):
        results = Results("paper", scores, comparisons, NAMES, plan)
        assert results.find("mr", "imdb", "scl") is None
        assert results.find("mr", "imdb", "none").n == 200
        assert (results.missing, results.planned) == ((3, 6) if plan else (0, 0))


# ------------------------------------------------------------------------------------------------------------- reports


def contents(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(Path(folder).rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def paper_report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    store = CellStore(folder / "cells")
    for i, method in enumerate(["none", "scl", "global", "mine", "recipe-q1"]):
        for task in ("tr", "mr"):
            for made in by_method({method: 200 + 30 * i}, n=400, task=task):
                store.write(made)
    labels = Labels({**NAMES.methods, "mine": MethodLabel("My <own> & new"), "recipe-q1": MethodLabel("1 hop", RECIPE)},
                    NAMES.tasks, NAMES.corpora)  # fmt: skip
    figure = save_figure(plot_damping([0.5, 0.85], [0.7, 0.8]), folder, "made")
    analyses = [
        ("damping", "Damping", "Seen: γ < 1 & more.", ["γ", "accuracy"], [["0.5", "70.0"]], figure),
        ("again", "Again", "Twice.", [], [], figure.with_suffix(".png")),
    ]
    planned = [CellKey("paper", t, "imdb", m) for t in ("tr", "mr") for m in ("none", "scl", "global", "mine", "fts")]

    def write(source, out):
        return write_report(source, "paper", labels, analyses, out, planned=planned).parent

    return store, write, write(store, folder / "out")


def test_a_partial_store_makes_a_whole_report(paper_report):
    _, _, out = paper_report
    text = (out / "report.md").read_text(encoding="utf-8")
    assert "2 of the 10 cells of this study are missing" in text
    assert "classinet bench paper computes them" in text
    assert "| FTS | – | 76.47 | – | 66.83 | – | 62.41 | – | 50.15 |" in text
    assert "| My &lt;own&gt; &amp; new | **72.50\\*** | – |" in text
    assert "**The paper's recipe: accuracy; unlabeled text: IMDB reviews**" in text
    assert "| 1 hop | **80.00** | **80.00** |" in text
    assert "![Damping](figures/damping.svg)" in text
    assert "| Global is best on all four sets | could not be judged |" in text
    latex = (out / "tables.tex").read_text(encoding="utf-8")
    assert latex.count(r"\usepackage") == 1
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") > 8
    assert r"My $<$own$>$ \& new" in latex


def test_the_page_is_whole_and_stands_alone(paper_report):
    _, _, out = paper_report
    text = (out / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert {"table", "caption", "figure", "svg", "img", "nav"} <= page.tags
    assert not {"script", "link", "iframe"} & page.tags
    for reference in page.references:
        if reference.startswith("#"):
            assert reference[1:] in page.ids
        else:
            assert re.fullmatch(r"data:image/png;base64,.*|.*url\(#[\w-]+\).*", reference), reference
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert all(len(row) > 0 for row in page.rows)


def test_the_same_cells_or_scores_give_the_same_bytes(paper_report, tmp_path):
    store, write, out = paper_report
    first = contents(out)
    assert set(first) >= {
        "report.md",
        "report.html",
        "tables.tex",
        "scores.csv",
        "comparisons.csv",
        "figures/damping.svg",
    }
    assert contents(write(store, tmp_path / "again")) == first
    assert contents(write(out, tmp_path / "from-scores")) == first
    assert contents(write(out, out)) == first


def test_few_labels_report(tmp_path):
    store = CellStore(tmp_path / "cells")
    for made in few_cells():
        store.write(made)
    highlighted = Labels(NAMES.methods, NAMES.tasks, NAMES.corpora, highlight=("none", "global"))
    page = write_report(store, "few-labels", highlighted, [], tmp_path / "out")
    again = write_report(tmp_path / "out", "few-labels", highlighted, [], tmp_path / "again")
    assert contents(page.parent) == contents(again.parent)
    assert (tmp_path / "out" / "figures" / "curves-mr-own.png").stat().st_size > 1000
    Page(page.read_text(encoding="utf-8"))
    assert "Better / worse / neither than no expansion" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_what_cannot_be_reported_is_said(tmp_path):
    with pytest.raises(InputError, match="no scores of the study 'paper'; run: classinet bench paper"):
        write_report(CellStore(tmp_path), "paper", NAMES, [], tmp_path / "out")
    with pytest.raises(InputError, match=r"there is no scores\.csv in"):
        write_report(tmp_path, "paper", NAMES, [], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    store = CellStore(tmp_path / "cells")
    store.write(cell("none", [0, 1], [[0, 1]]))
    with pytest.raises(InputError, match=r"figure picture\.gif must be an \.svg or \.png file"):
        write_report(store, "paper", NAMES, [("a", "A", "", [], [], Path("picture.gif"))], tmp_path / "out")


# -------------------------------------------------------------------------------------------------------------- curves


@given(st.lists(share, min_size=1, max_size=8), st.floats(0.01, 0.12))
def test_names_keep_apart_in_order_and_inside(wanted, gap):
    placed = spread_apart(np.array(wanted), gap, 0.0, 1.0)
    order = np.argsort(wanted, kind="stable")
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(placed[order]))
    assert placed.min() >= -1e-9
    assert placed.max() <= 1 + 1e-9
    far = np.diff(np.sort(wanted)).min(initial=1.0) >= gap
    assert not far or placed == pytest.approx(wanted)


def test_curves_pass_over_holes_and_name_what_is_asked():
    nan = float("nan")
    curve = [0.5, nan, 0.7], [0.4, nan, nan], [0.6, nan, nan]
    ax = plot_many_learning_curves([10, 20, 50], {"$slow_": curve, "other": curve}, ["absent", "$slow_"])
    named = [
        line for line in ax.lines if line.get_color() != "#bdbdbd" and len(line.get_xdata()) == 2 and line.get_clip_on()
    ]
    assert [line.get_xdata().tolist() for line in named] == [[10, 50]]
    assert [text.get_text() for text in ax.texts] == ["$slow_"]
    assert ax.texts[0].get_color() == "#D55E00"  # the second colour: the first is kept for the absent method
    assert "1 other method" in ax.get_xlabel()
    with pytest.raises(InputError, match="no method"):
        plot_many_learning_curves([10], {}, [])
    with pytest.raises(InputError, match=r"must be \(mean, low, high\)"):
        plot_many_learning_curves([10], {"a": ([0.5],)}, [])
