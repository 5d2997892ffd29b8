"""The command line: the real app in this process, and in a process of its own where signals and pipes matter."""

import csv
import inspect
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

from classinet import cli
from classinet.cli import inputs, output
from classinet.cli.app import ORDER, app
from classinet.cli.manual import parameters
from classinet.datasets import made_up_sentences
from classinet.datasets.made_up import TOPICS
from classinet.persistence import load

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "classinet"]
TOPIC_OF = {word: topic for topic, words in TOPICS.items() for word in words}


def topic(sentence):
    return next(TOPIC_OF[word] for word in sentence.split() if word in TOPIC_OF)


def run(*arguments, stdin=None, code=0):
    """Run a command in this process and return what it printed on standard output and standard error."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, (result.stdout, result.stderr)
    return result.stdout, result.stderr


def process(*arguments):
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A corpus, labelled files, a net and a model, all made by the command line."""
    folder = tmp_path_factory.mktemp("cli")
    sentences = made_up_sentences(400)
    (folder / "corpus.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    for name, some in (("few.tsv", sentences[:30]), ("test.tsv", made_up_sentences(60, seed=1))):
        (folder / name).write_text("".join(f"{topic(s)}\t{s}\n" for s in some), encoding="utf-8")
    run("build", folder / "corpus.txt", "-o", folder / "net")
    run("train", folder / "net", folder / "few.tsv", "-o", folder / "model")
    return folder


# --------------------------------------------------------------------------------------------------------- manual


def test_every_command_and_option_is_documented():
    names = [command.__name__ for command in ORDER]
    assert names == [
        "demo", "build", "train", "predict", "explain", "evaluate", "expand", "neighbors", "path", "graph", "plot",
        "edit", "serve", "info", "update", "merge",
    ]  # fmt: skip
    for command in ORDER:
        assert inspect.getdoc(command)
        for parameter in parameters(command):
            assert parameter.info.help, (command.__name__, parameter.name)
            assert not parameter.usage().startswith(" ")


def test_the_page_of_the_manual_is_up_to_date():
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page == cli.reference(), "run the command at the top of docs/cli.md"
    assert callable(cli.reference)  # no module took its place


def test_a_flag_that_may_be_left_open_takes_no_value():
    usages = [parameter.usage() for command in ORDER for parameter in parameters(command)]
    assert "--pieces/--no-pieces" in usages


def test_help_is_quick_because_nothing_heavy_is_imported():
    code = (
        "import sys; sys.argv = ['classinet', '--help']\n"
        "from classinet.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "print({'numpy', 'scipy', 'sklearn', 'numba', 'matplotlib', 'pyarrow'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "evaluate" in done.stdout
    assert done.stderr == "set()\n"


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_the_pip_command_is_named(missing):
    code = f"import sys; sys.modules[{missing!r}] = None\nfrom classinet.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == 'classinet\'s command line needs typer and rich; run: pip install "classinets[cli]"\n'


def test_the_demo_prints_its_report(tmp_path, monkeypatch):
    asked = {}

    class Report:
        def __str__(self):
            return "accuracy 0.5"

        def to_dict(self):
            return {"accuracy": 0.5}

    def stand_in(folder, *, progress, threads, seed):
        asked.update(folder=folder, threads=threads, seed=seed)
        progress("sentences", 1, 1)
        return Report()

    monkeypatch.setattr("classinet.demo.run", stand_in)
    assert run("demo", "-o", tmp_path / "x", "--threads", 1, "--seed", 3) == ("accuracy 0.5\n", "sentences\n")
    assert asked == {"folder": tmp_path / "x", "threads": 1, "seed": 3}
    assert json.loads(run("demo", "--json")[0]) == {"accuracy": 0.5}


# ------------------------------------------------------------------------------------------------ build and train


def test_build_leaves_a_net_and_nothing_else(place):
    assert sorted(path.name for path in place.iterdir() if path.is_dir()) == ["model", "net"]
    net = load(place / "net")
    assert net.n_texts_ == 400
    # Fillers such as "we" may be near any word; words of other topics may not.
    assert {TOPIC_OF.get(edge.target) for edge in net.neighbors("storm", 5)} <= {"weather", None}


def test_build_reads_several_files_tables_and_standard_input(place, tmp_path):
    table = tmp_path / "more.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "title"), *enumerate(made_up_sentences(100, seed=3))])
    said, _ = run(
        "build", table, table, "-o", tmp_path / "net", "--text", "title", "--min-df", "0.02", "--vertices", "12",
        "--max-features", "20", "--examples", 1, "--seed", 5, "--threads", 1, "--json",
    )  # fmt: skip
    told = json.loads(said)
    assert (told["texts"], told["features"], told["vertices"]) == (200, 40, 12)  # words, and as many pieces
    assert load(tmp_path / "net").examples_
    corpus = "\n".join(made_up_sentences(150))
    said, _ = run("build", "-", "-o", tmp_path / "chars", "--analyzer", "char_wb", "--vertices", 30, stdin=corpus)
    assert {len(name) for name in load(tmp_path / "chars").net_.feature_names} == {2, 3, 4}


def test_build_from_documents_with_context(tmp_path):
    documents = [". ".join(made_up_sentences(4, seed=seed)).capitalize() + "." for seed in range(60)]
    (tmp_path / "documents.txt").write_text("\n".join(documents), encoding="utf-8")
    said, _ = run(
        "build", tmp_path / "documents.txt", "-o", tmp_path / "net", "--split", "sentences", "--context", "1", "--json"
    )
    assert json.loads(said)["texts"] > 60
    assert load(tmp_path / "net").context == 1


def test_build_with_options_of_the_tokenizer(tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("".join(f"@anna {text} {i}\n" for i, text in enumerate(made_up_sentences(200))), encoding="utf-8")
    run("build", corpus, "-o", tmp_path / "net", "--tokens", "mentions=mask", "--tokens", "numbers=drop")
    features = set(load(tmp_path / "net").vectorizer_.vocabulary_)
    assert "@user" in features
    assert not any(feature.isdigit() or feature == "@anna" for feature in features)
    _, said = run("build", corpus, "-o", tmp_path / "other", "--tokens", "numbers=some", code=2)
    assert "numbers must be one of" in said
    assert not (tmp_path / "other").exists()


def test_estimate_builds_nothing(place, tmp_path):
    said, talk = run("build", place / "corpus.txt", "-o", tmp_path / "net", "--estimate", "--json")
    told = json.loads(said)
    assert told["n_texts"] == 400
    assert told["seconds"] > 0
    assert told["peak_bytes"] > 0
    said, talk = run("build", place / "corpus.txt", "-o", tmp_path / "net", "--estimate")
    assert [line.split()[0] for line in said.splitlines()] == [
        "time", "memory", "disk", "texts", "features", "vertices",
    ]  # fmt: skip
    assert "note: a build of the first 400 texts took" in talk
    assert not list(tmp_path.iterdir())


def test_a_corpus_that_cannot_be_read_leaves_nothing_behind(tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"fine\nnot \xff fine\n")
    _, talk = run("build", tmp_path / "bad.txt", "-o", tmp_path / "net", code=1)
    assert re.search(r"^error: .*bad\.txt, line 2", talk, re.MULTILINE)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.txt"]


def test_what_is_there_is_not_overwritten(place, tmp_path):
    for command in (["build", place / "corpus.txt"], ["train", place / "net", place / "few.tsv"]):
        _, talk = run(*command, "-o", place / "net", code=1)
        assert "holds a model already; pass --replace" in talk
        _, talk = run(*command, "-o", tmp_path, code=1)
        assert "is no ClassiNet model, so it is not touched" in talk
        _, talk = run(*command, "-o", tmp_path / "no" / "net", code=1)
        assert "there is no such folder" in talk
    run("train", place / "net", place / "few.tsv", "-o", tmp_path / "model")
    run("train", place / "net", place / "few.tsv", "-o", tmp_path / "model", "--replace")
    assert json.loads(run("info", tmp_path / "model", "--json")[0])["versions"] == ["v0001", "v0002"]


def test_train_says_what_was_chosen_and_how(place, tmp_path):
    said, _ = run("train", place / "net", place / "few.tsv", "-o", tmp_path / "a")
    # The net is of little text.
    assert re.search(r"C 30, weight of the expansion 0\.\d+ \(fixed: labels are too few", said)
    assert re.search(r"^classes +football \d+, kitchen \d+, weather \d+$", said, re.MULTILINE)
    assert "of a text's features are known to the net" in said
    assert re.search(r"^names of classes +not read$", said, re.MULTILINE)  # the net knows none of them
    said, _ = run(
        "train", place / "model", place / "test.tsv", "-o", tmp_path / "b", "--weight", "0.5", "--C", "3", "--hops", 2,
        "--damping", "0.5", "--class-weight", "balanced", "--seed", "4", "--json",
    )  # fmt: skip
    told = json.loads(said)
    assert (told["settings"]["C"], told["settings"]["weight"], told["settings"]["how"]) == (3.0, 0.5, "given")
    assert told["expansion"] == "Global(damping=0.5, hops=2)"
    assert sum(told["classes"].values()) == told["texts"] == 60


def test_train_reads_names_of_classes_unless_told_not_to(place, tmp_path):
    lines = ["storm\train", "storm\tcold snow", "bread\tsoup", "bread\tsalt", "match\tkeeper", "match\tthe coach"]
    (tmp_path / "named.tsv").write_text("\n".join(lines), encoding="utf-8")
    said, _ = run("train", place / "net", tmp_path / "named.tsv", "-o", tmp_path / "a")
    assert re.search(r"^names of classes +read as texts$", said, re.MULTILINE)
    said, _ = run("train", place / "net", tmp_path / "named.tsv", "-o", tmp_path / "b", "--no-names", "--json")
    assert json.loads(said)["settings"]["class_names"] is False


def test_train_tells_whether_the_border_was_shifted(place, tmp_path):
    lines = ["weather	rain", "weather	cold snow", "weather	storm", "kitchen	soup"]
    for count, told in ((4, "shifted, since classes are uneven"), (2, "as fitted")):
        (tmp_path / "few.tsv").write_text("\n".join(lines[-count:]), encoding="utf-8")
        said, _ = run("train", place / "net", tmp_path / "few.tsv", "-o", tmp_path / str(count))
        assert re.search(rf"^border +{told}$", said, re.MULTILINE)


def test_train_tells_what_was_chosen_from_what_was_fixed(place, tmp_path):
    sentences = made_up_sentences(240, seed=7)
    (tmp_path / "more.tsv").write_text("".join(f"{topic(s)}\t{s}\n" for s in sentences), encoding="utf-8")
    command = ("train", place / "net", tmp_path / "more.tsv", "-o")
    said, _ = run(*command, tmp_path / "a", "--seed", 2**32 - 1)
    how = r"\(by cross-validation over 4 choices\)"
    fixed = r"\(fixed: labels are too few to choose by cross-validation\)"
    assert re.search(rf"^settings +C 30 {fixed}, weight of the expansion [\d.]+ {how}$", said, re.MULTILINE)
    said, _ = run(*command, tmp_path / "b", "--C", 3)
    assert re.search(rf"^settings +C 3 \(as given\), weight of the expansion [\d.]+ {how}$", said, re.MULTILINE)
    said, _ = run(*command, tmp_path / "c", "--weight", 1)
    assert re.search(rf"^settings +C 30 {fixed}, weight of the expansion 1 \(as given\)$", said, re.MULTILINE)
    said, _ = run(*command, tmp_path / "d", "--C", 3, "--weight", 1)
    assert re.search(r"^settings +C 3, weight of the expansion 1 \(as given\)$", said, re.MULTILINE)


def test_as_many_hops_can_be_asked_for_as_can_be_stored(place, tmp_path):
    from classinet.expansion.global_ import MAX_HOPS

    assert inputs.MOST_HOPS == MAX_HOPS
    _, talk = run("train", place / "net", place / "few.tsv", "-o", tmp_path / "a", "--hops", MAX_HOPS + 1, code=2)
    assert "--hops" in talk
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("rule", ["spectral", "independent", "all-neighbors", "mutual-neighbors", "local-path"])
def test_every_expansion_can_be_trained_and_predicts(place, tmp_path, rule):
    run("train", place / "net", place / "few.tsv", "-o", tmp_path / "model", "--expansion", rule)
    said, _ = run("predict", tmp_path / "model", stdin="thunder and snow\n")
    assert said.startswith("weather\t")


def test_labels_are_needed_and_two_of_them(place, tmp_path):
    (tmp_path / "one.tsv").write_text("a\tstorm\na\train\n", encoding="utf-8")
    (tmp_path / "none.tsv").write_text("a\tstorm\n\train\n", encoding="utf-8")
    (tmp_path / "empty.tsv").write_text("", encoding="utf-8")
    for name, message in (("one", "needs at least 2 classes"), ("none", "line 2: has no label"), ("empty", "no texts")):
        _, talk = run("train", place / "net", tmp_path / f"{name}.tsv", "-o", tmp_path / "model", code=1)
        assert message in talk
    assert not (tmp_path / "model").exists()


def test_labels_that_are_missing_say_how_to_get_them(place, tmp_path):
    for name, content, message in (
        (
            "lines.txt",
            "a storm\n",
            "line 1: has no label; files of lines have none: pass --format tsv",
        ),
        ("cut.csv", "label;text\na;storm\n", "line 1: has no label; the file has one column: columns are separated by"),
        ("stars.csv", "text,stars\nstorm,5\n", "line 2: has no label; name the column with --label"),
        ("review.csv", "label,review\na,storm\n", "name the one with the texts, --text, or number it"),
        ("header.csv", "sentiment,review\na,storm\n", "name the columns of texts and labels, --text and --label, or"),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        _, talk = run("train", place / "net", tmp_path / name, "-o", tmp_path / "model", code=1)
        assert message in talk, name
    _, talk = run("train", place / "net", "-", "--format", "fasttext", "-o", tmp_path / "m", stdin="storm\n", code=1)
    assert "line 1: has no label; begin the line with __label__" in talk


def test_labelled_texts_come_from_standard_input_and_tables_with_a_header(place, tmp_path):
    rows = [line.split("\t") for line in (place / "few.tsv").read_text(encoding="utf-8").splitlines()]
    lines = "".join(f"{label}\t{text}\n" for label, text in rows)
    with (tmp_path / "three.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "text", "label"), *((7, text, label) for label, text in rows)])
    expected = json.loads(run("train", place / "net", place / "few.tsv", "-o", tmp_path / "a", "--json")[0])
    for name, source, more in (("b", "-", ()), ("c", "three.csv", ()), ("d", "three.csv", ("--text", "text"))):
        path = source if source == "-" else tmp_path / source
        said, _ = run("train", place / "net", path, "-o", tmp_path / name, *more, "--json", stdin=lines)
        assert json.loads(said) == {**expected, "model": str(tmp_path / name)}


# ---------------------------------------------------------------------------------------------------- predictions


def test_predict_prints_a_line_for_a_line(place):
    said, talk = run("predict", place / "model", "-", "--batch", 2, stdin="thunder and snow\nonion soup\nzzz\n")
    rows = [line.split("\t") for line in said.splitlines()]
    assert [row[0] for row in rows[:2]] == ["weather", "kitchen"]
    assert [row[2] for row in rows] == ["1.00", "1.00", "0.00"]
    assert [row[3] for row in rows] == ["thunder and snow", "onion soup", "zzz"]
    assert talk == "note: texts without a known word (coverage 0), whose label is a guess: 1 of 3\n"


def test_answers_stay_in_step_with_empty_lines(place):
    for command in (("predict", place / "model"), ("expand", place / "net")):
        for format in ("lines", "tsv", "csv"):
            out, _ = run(*command, "--format", format, stdin="\nstorm\n\nsoup\n")
            assert len(out.splitlines()) == 4


def test_errors_name_options_and_folders(place, tmp_path):
    table = tmp_path / "three.csv"
    table.write_text("a,b,c\n1,2,3\n", encoding="utf-8")
    _, said = run("predict", place / "model", table, code=1)
    assert "--text" in said
    assert "text=" not in said
    _, said = run("plot", place / "net", "-o", tmp_path / "nowhere" / "x.png", code=1)
    assert said.rstrip().endswith("nowhere: there is no such folder; create it first")
    (tmp_path / "x.png").mkdir()
    _, said = run("plot", place / "net", "-o", tmp_path / "x.png", code=1)
    assert said == f"error: {tmp_path / 'x.png'}: is a folder; name a file\n"
    assert not list((tmp_path / "x.png").iterdir())
    _, said = run("predict", place / "model", tmp_path / "tset", code=1)
    assert said == f"error: {tmp_path / 'tset'} cannot be read: No such file or directory\n"


def test_words_are_read_as_texts_are(place, tmp_path):
    assert run("neighbors", place / "net", "Storm") == run("neighbors", place / "net", "storm")
    files = []
    for word in ("storm", "STORM"):
        files.append((tmp_path / f"{word}.csv", tmp_path / f"{word}.png"))
        run("graph", place / "net", "-o", files[-1][0], "--around", word, "--size", 5)
        run("plot", place / "net", "-o", files[-1][1], "--word", word, "--size", 5)
    for one, other in zip(*files, strict=True):
        assert one.read_bytes() == other.read_bytes()
    run("train", place / "net", place / "few.tsv", "-o", tmp_path / "model")
    assert run("edit", tmp_path / "model", "ban", "STORM")[0] == "+ ban storm\n"
    assert run("edit", tmp_path / "model", "pin", "Rain", "SNOW", 1)[0].startswith("+ pin rain → snow to 1")


def test_json_of_an_explanation_can_be_cut(place):
    out, _ = run("explain", place / "model", "thunder and snow", "--top", "3", "--json")
    told = json.loads(out)
    assert [term["kind"] for term in told["terms"]][-2:] == ["intercept", "others"]
    assert len(told["terms"]) == 5
    for c, logit in enumerate(told["logits"]):
        assert sum(term["contributions"][c] for term in told["terms"]) == pytest.approx(logit, abs=1e-9)


def test_predict_agrees_with_the_library(place):
    said, _ = run("predict", place / "model", place / "test.tsv", "--json", "--proba")
    told = [json.loads(line) for line in said.splitlines()]
    model = load(place / "model")
    texts = [record["text"] for record in told]
    assert [record["label"] for record in told] == model.predict(texts).tolist()
    for record, row in zip(told, model.predict_proba(texts), strict=True):
        assert list(record["probabilities"].values()) == pytest.approx(row.tolist())
        assert record["probability"] == max(record["probabilities"].values())
    table, _ = run("predict", place / "model", place / "test.tsv", "--proba")
    assert table.splitlines()[0].split("\t") == [
        "label", "probability", "coverage", "football", "kitchen", "weather", "text",
    ]  # fmt: skip
    assert len(table.splitlines()) == 61


def test_tags(place, tmp_path):
    rows = [(topic(s) + ("|wet" if "rain" in s else ""), s) for s in made_up_sentences(120, seed=2)]
    (tmp_path / "tags.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in rows), encoding="utf-8")
    run("train", place / "net", tmp_path / "tags.tsv", "-o", tmp_path / "model", "--separator", "|", "--C", 100)
    said, _ = run("predict", tmp_path / "model", "--separator", "|", stdin="the rain and the storm\n")
    labels, probability, *_ = said.split("\t")
    assert set(labels.split("|")) == {"weather", "wet"}
    assert len(probability.split("|")) == 2
    told = json.loads(run("predict", tmp_path / "model", "--json", stdin="the rain and the storm\n")[0])
    assert sorted(told["labels"]) == ["weather", "wet"]
    said, _ = run("evaluate", tmp_path / "model", tmp_path / "tags.tsv", "--separator", "|")
    assert "subset accuracy" in said
    _, talk = run("evaluate", place / "model", tmp_path / "tags.tsv", "--separator", "|", code=1)
    assert re.search("a text several labels .*, and this model knows one a text", talk)
    same = [run("evaluate", place / "model", place / "test.tsv", *more) for more in ((), ("--separator", "|"))]
    assert same[0] == same[1]
    (tmp_path / "none.tsv").write_text("weather\tstorm\n\train\n", encoding="utf-8")
    _, talk = run("evaluate", place / "model", tmp_path / "none.tsv", "--separator", "|", code=1)
    assert "a text no label (), and this model knows one a text" in talk


def test_expand_with_paths(place):
    said, _ = run("expand", place / "net", "--top", 3, stdin="storm\n")
    text, words = said.rstrip("\n").split("\t")
    assert text == "storm"
    assert [TOPIC_OF[word.split(":")[0]] for word in words.split()] == ["weather"] * 3
    told = json.loads(run("expand", place / "model", "--top", 1, "--json", stdin="storm\n")[0])
    assert told["features"][-1]["path"][0] in {"storm", "⊢ storm", "storm ⊣", "stor…"}
    _, talk = run("expand", place / "net", stdin="zzz\n")
    assert "so nothing is inferred: 1 of 1" in talk


def test_explain(place, tmp_path):
    said, _ = run("explain", place / "model", "thunder and zzz", "--top", 3, "--html", tmp_path / "why.html")
    assert re.search(r"^label +weather \(weather 0\.\d+, ", said, re.MULTILINE)
    assert "not known: zzz" in said
    assert " others " in said
    assert "<table>" in (tmp_path / "why.html").read_text(encoding="utf-8")
    told = json.loads(run("explain", place / "model", "thunder", "--json")[0])
    for i, logit in enumerate(told["logits"]):
        assert sum(term["contributions"][i] for term in told["terms"]) == pytest.approx(logit, abs=1e-9)


def test_evaluate_says_whether_expansion_helps(place, tmp_path):
    said, _ = run("evaluate", place / "model", place / "test.tsv")
    assert re.search(r"^accuracy [01]\.\d{3} \(95 % interval", said, re.MULTILINE)
    assert re.search(r"^expansion(: no difference that these 60 labels could show| helps| hurts):", said, re.MULTILINE)
    told = json.loads(run("evaluate", place / "model", place / "test.tsv", "--json")[0])
    assert told["n"] == 60
    assert told["expansion"]["low"] <= told["expansion"]["difference"] <= told["expansion"]["high"]
    (tmp_path / "new.tsv").write_text("weather\tstorm\nspace\tstorm\n", encoding="utf-8")
    said, _ = run("evaluate", place / "model", tmp_path / "new.tsv")
    assert "never seen in training, so counted as errors: space (1)" in said


# ------------------------------------------------------------------------------------------------------ the graph


def test_neighbors_and_paths(place):
    said, _ = run("neighbors", place / "net", "storm", "--top", 3)
    assert said == run("neighbours", place / "net", "storm", "--top", 3)[0]
    words = [line.split("\t") for line in said.splitlines()]
    assert {TOPIC_OF[word] for word, _ in words} == {"weather"}
    assert [float(weight) for _, weight in words] == sorted((float(w) for _, w in words), reverse=True)
    incoming = [
        json.loads(line) for line in run("neighbors", place / "net", "storm", "--incoming", "--json")[0].splitlines()
    ]
    assert {edge["target"] for edge in incoming} == {"storm"}
    said, talk = run("path", place / "net", "storm", words[0][0])
    steps = [line.split("\t") for line in said.splitlines()]
    assert steps[0][0] == "storm"
    assert steps[-1][1] == words[0][0]
    assert "product of the weights" in talk
    _, talk = run("neighbors", place / "net", "stom", code=1)
    assert talk == "error: 'stom' is no vertex of this graph; did you mean 'storm'?\n"


def test_a_word_without_edges_is_an_answer(place, tmp_path):
    run("train", place / "net", place / "few.tsv", "-o", tmp_path / "model")
    run("edit", tmp_path / "model", "ban", "storm")
    assert run("neighbors", tmp_path / "model", "storm") == ("", "note: no edge leaves 'storm'\n")
    assert run("path", tmp_path / "model", "storm", "rain", "--json")[0] == "null\n"


@pytest.mark.parametrize("suffix", ["gexf", "graphml", "csv", "parquet"])
def test_graph_files(place, tmp_path, suffix):
    told = json.loads(run("graph", place / "net", "-o", tmp_path / f"x.{suffix}", "--k", 3, "--json")[0])
    graph = load(place / "net").net_.graph.knn(3)
    assert (told["vertices"], told["edges"]) == (graph.n_vertices, graph.n_edges)
    if suffix == "parquet":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(tmp_path / "x.parquet")
        assert table.num_rows == graph.n_edges
        assert table.column("weight").to_pylist() == graph.weights.data.tolist()
        assert table.column("source").to_pylist() == graph.edge_table()["source"].tolist()
    else:
        assert "storm" in (tmp_path / f"x.{suffix}").read_text(encoding="utf-8")


def test_a_part_of_the_graph(place, tmp_path):
    _, talk = run("graph", place / "net", "-o", tmp_path / "x.csv", "--around", "storm", "--size", 5)
    assert "5 words" in talk
    run("graph", place / "net", "-o", tmp_path / "x.xlsx", code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


# ------------------------------------------------------------------------------------------------------- pictures


@pytest.mark.parametrize("what", ["graph", "out-degree", "quality", "expansion-ratio"])
def test_pictures_of_a_net(place, tmp_path, what):
    more = ["--word", "storm", "--size", 6] if what == "graph" else []
    more += [place / "test.tsv"] if what == "expansion-ratio" else []
    run("plot", place / "net", *more, "-o", tmp_path / "x.png", "--what", what)
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_pictures_that_need_labels(place, tmp_path):
    run("plot", place / "net", "-o", tmp_path / "x.png", "--what", "damping", code=2)
    run("plot", place / "net", place / "test.tsv", "-o", tmp_path / "x.png", code=2)
    run("plot", place / "net", "-o", tmp_path / "x.bmp", code=2)
    assert not list(tmp_path.iterdir())
    said, _ = run("plot", place / "model", place / "test.tsv", "-o", tmp_path / "d.png", "--what", "damping", "--json")
    told = json.loads(said)
    assert told["at"][0] == 0.05
    assert told["at"][-1] == 1.0
    assert all(a <= b <= c for a, b, c in zip(told["low"], told["mean"], told["high"], strict=True))
    said, _ = run(
        "plot", place / "net", place / "test.tsv", "-o", tmp_path / "l.png", "--what", "learning-curve", "--json"
    )
    told = json.loads(said)
    # Two labels a class: the net knows which words belong together, the words alone do not.
    assert told["with expansion"]["mean"][0] > told["without expansion"]["mean"][0]
    assert told["with expansion"]["at"][-1] == 30
    (tmp_path / "few.tsv").write_text("a\tstorm\nb\tsoup\n", encoding="utf-8")
    _, talk = run("plot", place / "net", tmp_path / "few.tsv", "-o", tmp_path / "y.png", "--what", "damping", code=1)
    assert "needs at least 2 classes of at least 5 texts; the file has a 1, b 1" in talk


# -------------------------------------------------------------------------------------------------- edit and info


def test_edits_are_stored_shown_and_undone(place, tmp_path):
    path = tmp_path / "model"
    run("train", place / "net", place / "few.tsv", "-o", path)
    target = load(path).text_net_.neighbors("storm", 1)[0].target
    before = run("predict", path, stdin="storm\n")[0]
    said, talk = run("edit", path, "ban", "storm", target, "--text", "storm")
    assert re.fullmatch(rf"\+ ban storm → {target} \(was 0\.\d+\)\nbefore\t.*\nafter\t.*\n", said)
    assert talk == "1 edit in force\n"
    assert run("predict", path, stdin="storm\n")[0] != before
    run("edit", path, "pin", "storm", "soup", "0.5")
    said, _ = run("edit", path, "list")
    assert [line.split(" (")[0] for line in said.splitlines()] == [f"ban storm → {target}", "pin storm → soup to 0.5"]
    told = json.loads(run("edit", path, "list", "--json")[0])["edits"]
    assert told[1] == {"pin": ["storm", "soup"], "weight": 0.5, "was": pytest.approx(0.0229, abs=5e-5)}
    assert run("info", path)[0].count("pin storm → soup to 0.5") == 1
    said, _ = run("edit", path, "undo", 2)
    assert said.startswith(f"- ban storm → {target}")
    assert run("predict", path, stdin="storm\n")[0] == before
    run("edit", path, "ban", "storm")
    run("edit", path, "clear")
    assert run("edit", path, "list") == ("", "note: no edits\n")
    assert "no edits to take back" in run("edit", path, "undo", code=1)[1]
    said, _ = run("edit", place / "net", "ban", "storm", target, "--text", "storm", "--json")
    assert target in json.loads(said)["before"]
    assert target not in json.loads(said)["after"]
    run("edit", place / "net", "clear")


def test_an_edit_that_is_in_force_is_not_added_again(place, tmp_path):
    path = tmp_path / "model"
    run("train", place / "net", place / "few.tsv", "-o", path)
    for words in (("ban", "storm"), ("ban", "rain", "snow"), ("pin", "rain", "wind", "0.5")):
        run("edit", path, *words)
        said, talk = run("edit", path, *words)
        assert said == ""
        assert re.match(r"note: the edit .* is there already, and is not added again\n", talk)
    assert len(load(path).edits) == 3
    run("edit", path, "undo")
    assert load(path).edits.to_lines()[:1] == ['{"ban": "storm"}']
    assert len(load(path).edits) == 2


@pytest.mark.parametrize(
    "words",
    [["ban"], ["ban", "a", "b", "c"], ["pin", "a", "b"], ["pin", "a", "b", "much"], ["undo", "x"], ["list", "x"]],
)
def test_edits_that_make_no_sense_are_wrong_uses(place, words):
    run("edit", place / "net", *words, code=2)


def test_edits_of_unknown_words_change_nothing(place):
    _, talk = run("edit", place / "net", "ban", "stom", code=1)
    assert "did you mean 'storm'?" in talk
    assert len(load(place / "net").edits) == 0


def test_info(place, tmp_path):
    said, _ = run("info", place / "model")
    assert re.search(r"^kind +classifier$", said, re.MULTILINE)
    assert re.search(r"^classes +football, kitchen, weather$", said, re.MULTILINE)
    assert json.loads(run("info", place / "net", "--json")[0])["kind"] == "text-net"
    _, talk = run("info", tmp_path, code=1)
    assert talk.startswith("error: ")


# --------------------------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "x.txt"],
        ["build", "x.txt", "-o", "net", "--ngrams", "2-1"],
        ["build", "x.txt", "-o", "net", "--min-df", "few"],
        ["build", "x.txt", "-o", "net", "--split", "words"],
        ["build", "x.txt", "-o", "net", "--context", "2"],
        ["build", "x.txt", "-o", "net", "--split", "sentences", "--context", "chapter"],
        ["build", "x.txt", "-o", "net", "--format", "docx"],
        ["train", "net", "x.tsv", "-o", "m", "--C", "strong"],
        ["train", "net", "x.tsv", "-o", "m", "--class-weight", "equal"],
        ["train", "net", "x.tsv", "-o", "m", "--seed", str(2**32)],
        ["train", "net", "x.tsv", "-o", "m", "--expansion", "local-path", "--hops", "2"],
        ["predict"],
        ["nonsense"],
    ],
)
def test_wrong_use_ends_in_2(arguments):
    run(*arguments, code=2)


def test_a_net_cannot_predict(place):
    _, talk = run("predict", place / "net", stdin="x\n", code=1)
    assert "is a net, which knows no labels yet; run: classinet train" in talk


# ------------------------------------------------------------------------------------------ processes and terminals


def test_errors_are_one_line_unless_asked(tmp_path, monkeypatch):
    done = process("predict", tmp_path / "nothing")
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(r"error: .*nothing: there is no such folder; check the path\n", done.stderr)
    monkeypatch.setenv("CLASSINET_TRACEBACK", "1")
    assert "Traceback" in run("predict", tmp_path / "nothing", code=1)[1]


def test_a_closed_pipe_is_silent(place):
    texts = "thunder and snow\n" * 5_000
    (place / "many.txt").write_text(texts, encoding="utf-8")
    done = subprocess.run(
        f"{sys.executable} -m classinet predict {place / 'model'} {place / 'many.txt'} --batch 500 | head -1",
        shell=True, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("weather\t")
    assert done.stderr == ""


COLOUR = re.compile(r"\x1b\[(\d+;)*(3[0-7]|38;5;\d+|38;2;\d+;\d+;\d+)m")


def test_a_terminal_gets_bars_without_colour_if_it_wants_none(place):
    shown = on_terminal("evaluate", place / "model", place / "test.tsv", NO_COLOR="1")
    assert "judge 60 texts" in shown
    assert "1/1" in shown
    assert not COLOUR.search(shown)


def test_data_stays_on_standard_output_beside_bars(place, tmp_path):
    with (tmp_path / "out.tsv").open("wb") as file:
        shown = on_terminal("predict", place / "model", place / "test.tsv", stdout=file)
    assert len((tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()) == 60
    assert "60/60" in shown
    assert COLOUR.search(shown)
    assert "thunder" not in shown


def on_terminal(*arguments, stdout=subprocess.DEVNULL, **environment):
    """Run a command whose standard error is a terminal; return what that shows."""
    master, slave = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    child = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdout=stdout, stderr=slave, stdin=subprocess.DEVNULL,
        env={**env, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
    )  # fmt: skip
    os.close(slave)
    shown = b""
    while True:
        ready, _, _ = select.select([master], [], [], 60)
        try:
            part = os.read(master, 65536) if ready else b""
        except OSError:  # the other end is closed
            part = b""
        if not part:
            break
        shown += part
    os.close(master)
    assert child.wait(60) == 0
    return shown.decode()


def test_control_characters_of_a_text_are_not_obeyed():
    assert output.one_line("a\x1b[31mb\u2028c\x9b") == "a [31mb c "


def test_an_interrupted_build_is_resumed_to_the_same_net(tmp_path):
    sentences = made_up_sentences(3000, seed=4)
    corpus, net, work = tmp_path / "corpus.txt", tmp_path / "net", tmp_path / "net.build"
    corpus.write_text("\n".join(sentences), encoding="utf-8")
    arguments = ["build", corpus, "-o", net, "--ngrams", "1-2", "--threads", "1"]
    child = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while not list(work.glob("steps/*/*")) and child.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    child.send_signal(signal.SIGINT)
    _, talk = child.communicate(timeout=60)
    assert child.returncode == 1, talk
    assert f"stopped; what is finished is in {work}: run the same command with --resume to continue" in talk
    assert "Traceback" not in talk
    assert not net.exists()
    said, _ = run("info", work)
    assert "unfinished build" in said

    _, talk = run(*arguments, code=1)
    assert "--resume" in talk
    run(*arguments, "--resume")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", "net"]
    run("build", corpus, "-o", tmp_path / "again", *arguments[4:])
    for file in (net / "v0001").iterdir():
        assert file.read_bytes() == (tmp_path / "again" / "v0001" / file.name).read_bytes(), file.name


def test_ctrl_c_elsewhere_writes_nothing(place, tmp_path, monkeypatch):
    import classinet.persistence

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(classinet.persistence, "save", interrupted)
    _, talk = run("train", place / "net", place / "few.tsv", "-o", tmp_path / "model", code=1)
    assert talk.splitlines()[-1] == "stopped; nothing was written"
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("classinet.persistence.load", interrupted)
    assert run("predict", place / "model", stdin="x\n", code=1)[1] == "stopped\n"


def test_warnings_are_notes_each_kind_once(capsys):
    from classinet.cli.guard import guarded
    from classinet.exceptions import DivergenceWarning, EmptyNetWarning

    def warn():
        for category, message in (
            (DivergenceWarning, "grows"), (DivergenceWarning, "grows\nmore"), (EmptyNetWarning, "empty"),
            (UserWarning, "one"), (UserWarning, "one"), (UserWarning, "two"),
        ):  # fmt: skip
            warnings.warn(message, category, stacklevel=1)

    guarded(warn)()
    assert capsys.readouterr().err.splitlines() == ["note: grows", "note: empty", "note: one", "note: two"]


def test_a_real_warning_is_a_note(tmp_path):
    (tmp_path / "corpus.txt").write_text("same words\n" * 20, encoding="utf-8")
    _, talk = run("build", tmp_path / "corpus.txt", "-o", tmp_path / "net")
    assert sum(line.startswith("note: ") for line in talk.splitlines()) == 1
