"""The page of the server, in a real browser, on its main paths."""

import copy
import csv
import hashlib
import io
import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

from playwright.sync_api import expect, sync_playwright

import classinet.server
from classinet.exceptions import UnknownTextWarning
from classinet.expansion import METHODS, AllNeighbors, Global, Spectral
from classinet.pipeline import ClassiNetClassifier
from classinet.server import Limits
from explorer_helpers import (
    HOSTILE,
    WIDE,
    WITH_WEBGL,
    WITHOUT_WEBGL,
    Tab,
    batch_rows,
    choose,
    downloaded,
    launch,
    serious,
    served,
    small_classifier,
    text_field,
    texts_of,
    words,
)

pytestmark = pytest.mark.system

STATIC = Path(classinet.server.__file__).parent / "static"
TURNED = "bread thunder"  # weather only because of what thunder implies


@pytest.fixture(scope="module")
def classifier():
    return small_classifier()


@pytest.fixture(scope="module")
def site(classifier, tmp_path_factory):
    with served(classifier, tmp_path_factory.mktemp("site"), limits=Limits(batch=500)) as address:
        yield address


@pytest.fixture(scope="module")
def playwright():
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def browser(playwright):
    started = launch(playwright, *WITHOUT_WEBGL)
    yield started
    started.close()


@pytest.fixture(scope="module")
def context(browser):
    """A context that most tests share: a new one would fetch and compile the page's files again."""
    return browser.new_context(viewport=WIDE)


@pytest.fixture
def tab(context, site):
    opened = Tab(context, site)
    yield opened
    opened.close()


def edited(classifier, source, target=None):
    return copy.copy(classifier).ban(source, target)


# -------------------------------------------------------------------------------------------------------- a text


def test_a_typed_text_is_read_expanded_and_judged_as_the_library_does(tab, classifier):
    page = tab.open()
    text = "Thunder and soup zorgle"
    text_field(page).fill(text)
    told = classifier.explain(text)
    expect(page.locator("#label")).to_have_text(told.label)
    expect(page.locator("#label-without")).to_have_text(told.label_without)
    assert texts_of(page.locator("#words .word-button")) == ["thunder", "and", "soup"]
    expect(page.locator("#words .unknown")).to_contain_text("zorgle")

    added = classifier.text_net_.expand(text, top=20).predicted
    page.get_by_role("button", name="Show all 20").click()
    assert words(page, ".added") == [feature.name for feature in added]
    paths = texts_of(page.locator(".added .path"))
    assert [re.sub(r"\s*→\s*", " → ", path) for path in paths] == [" → ".join(feature.path) for feature in added]

    at = told.classes.index(told.label)
    largest = sorted((t for t in told.terms if t.feature), key=lambda t: -abs(t.contributions[at]))[:12]
    assert words(page, ".contributions") == [term.name for term in largest]
    logit = page.locator(".contributions .sum .number").inner_text().replace("−", "-")
    assert float(logit) == pytest.approx(told.logits[at], abs=0.006)


def test_contributions_follow_the_chosen_class(tab, classifier):
    page = tab.open(text="thunder and soup")
    told = classifier.explain("thunder and soup")
    other = next(name for name in told.classes if name != told.label)
    page.get_by_label("For the class").select_option(other)
    signed = f"{told.logits[told.classes.index(other)]:+.2f}".replace("-", "−")
    expect(page.locator(".contributions .sum .number")).to_have_text(signed)
    assert f"class={other}" in page.url


def test_a_late_answer_never_overwrites_a_newer_one(tab):
    page = tab.open()
    held = []
    page.route("**/v1/explain", lambda route: route.continue_() if held else held.append(route))
    aborted = []
    page.on("requestfailed", lambda request: aborted.append(request.post_data_json["text"]))
    field = text_field(page)
    with page.expect_request("**/v1/explain"):
        field.fill("rain and wind")
    field.fill("onion soup")
    expect(page.locator("#label")).to_have_text("kitchen")
    assert "rain and wind" in aborted
    assert len(held) == 1


def test_controls_change_the_expansion_and_leave_the_label(tab, classifier):
    page = tab.open(text=TURNED)
    expect(page.locator("#label")).to_have_text("weather")
    note = page.locator("#controls-note")
    expect(note).to_contain_text("The label stays that of the trained setting (Global, damping 0.85, 1 hop)")
    method = page.get_by_label("Method")
    assert method.locator("option").count() == len(METHODS)

    method.select_option("spectral")
    wanted = classifier.text_net_.expand(TURNED, top=10, expansion=Spectral()).predicted
    expect(page.locator(".added tbody .measure .number").first).to_have_text(f"{wanted[0].value:.3f}")
    assert words(page, ".added") == [feature.name for feature in wanted]  # the page folds what follows
    tab.shot("spectral")

    method.select_option("all-neighbors")
    page.get_by_label("Neighbours", exact=False).first.fill("2")
    wanted = classifier.text_net_.expand(TURNED, top=20, expansion=AllNeighbors(k=2)).predicted
    expect(page.locator(".added tbody tr")).to_have_count(len(wanted))
    assert words(page, ".added") == [feature.name for feature in wanted]
    expect(page.locator("#label")).to_have_text("weather")

    page.get_by_role("button", name="As trained").click()
    page.get_by_label("Hops").fill("3")
    page.get_by_label("Damping").fill("0.5")
    expect(page.locator("output[for=control-damping]")).to_have_text("0.50")
    two = classifier.text_net_.expand(TURNED, top=20, expansion=Global(damping=0.5, hops=3)).predicted
    expect(page.locator(".added tbody .measure .number").first).to_have_text(f"{two[0].value:.3f}")
    assert "damping=0.5" in page.url


# ---------------------------------------------------------------------------------------------------------- edits


def test_a_ban_changes_the_prediction_and_can_be_undone(tab, classifier):
    page = tab.open(text=TURNED)
    expect(page.locator("#label")).to_have_text("weather")
    page.locator("#expansion").get_by_role("button", name="Ban the edge thunder → cold").click()
    told = edited(classifier, "thunder", "cold").explain(TURNED)
    assert told.label == "kitchen"
    expect(page.locator("#label")).to_have_text("kitchen")
    expect(page.locator("#comparison")).to_contain_text("Your edits change the label")
    share = f"{100 * max(told.probabilities):.0f} %"
    expect(page.locator("#comparison")).to_contain_text(f"After: kitchen {share}")
    tab.shot("ban")

    page.get_by_role("button", name="Undo the ban of thunder → cold").click()
    expect(page.locator("#label")).to_have_text("weather")
    expect(page.locator("#edits-section")).to_be_hidden()
    expect(page.locator("#comparison")).to_have_count(0)


def test_a_word_can_be_banned_and_what_the_server_refuses_is_told(tab, classifier):
    page = tab.open(text=TURNED, word="thunder")
    page.get_by_role("button", name="Ban thunder", exact=True).click()
    told = edited(classifier, "thunder").explain(TURNED)
    expect(page.locator("#label")).to_have_text(told.label)
    expect(page.locator("#edits .banned")).to_have_text("thunder")
    expect(page.locator(".neighbors tbody tr.cut")).to_have_count(18)

    tab.forgiven.append("422")
    tab.open(text=TURNED, edits=[{"ban": "nosuchword"}])
    expect(page.locator("#verdict .notice")).to_contain_text("nosuchword")
    page.get_by_role("button", name="Undo the ban of nosuchword").click()
    expect(page.locator("#label")).to_have_text("weather")


# --------------------------------------------------------------------------------------------------------- a word


def test_a_pressed_word_shows_its_neighbours_predictor_and_examples(tab, classifier):
    page = tab.open(text="thunder")
    net = classifier.text_net_
    page.locator("#words").get_by_role("button", name="thunder").click()
    expect(page.locator("#word-title")).to_have_text("thunder")
    expect(page.locator("#word-title")).to_be_focused()
    expect(page.locator(".neighbors tbody tr")).to_have_count(len(net.neighbors("thunder", 20)))
    assert words(page, ".neighbors") == [edge.target for edge in net.neighbors("thunder", 20)]
    weights = texts_of(page.locator(".neighbors tbody .number"))
    assert weights == [f"{edge.weight:.2f}" for edge in net.neighbors("thunder", 20)]
    assert texts_of(page.locator(".examples li")) == list(net.examples_["thunder"])
    assert page.locator(".predictor tbody tr").count() == 20
    fires = net.net_.vertex("thunder").fires
    expect(page.locator(".facts div", has_text="predictor fires")).to_contain_text(f"{100 * fires:.0f} %")

    page.get_by_role("button", name="imply it").click()
    expect(page.locator(".neighbors caption")).to_contain_text("the neighbour implies this word")
    assert words(page, ".neighbors") == [edge.source for edge in net.neighbors("thunder", 20, incoming=True)]

    page.locator(".neighbors").get_by_role("button", name="snow", exact=True).click()
    expect(page.locator("#word-title")).to_have_text("snow")
    page.go_back()
    expect(page.locator("#word-title")).to_have_text("thunder")


def test_a_word_that_is_none_is_told_in_words(tab):
    tab.forgiven.append("404")
    page = tab.open(word="thunderr")
    expect(page.locator("#word .notice")).to_contain_text("thunderr")


def test_completion_is_a_combobox_for_keyboard_and_pointer(tab):
    page = tab.open()
    box = page.get_by_role("combobox", name="Find a word of the net")
    box.fill("s")
    options = page.locator("#completions").get_by_role("option")
    expect(options.first).to_be_visible()
    found = [text.split("\n")[0] for text in texts_of(options)]
    assert found
    assert all(name.startswith("s") for name in found)
    expect(box).to_have_attribute("aria-expanded", "true")
    box.press("ArrowDown")
    box.press("ArrowDown")
    expect(box).to_have_attribute("aria-activedescendant", "completion-1")
    box.press("Enter")
    expect(page.locator("#word-title")).to_have_text(found[1])
    box.fill("PEP")
    options.get_by_text("pepper").click()
    expect(page.locator("#word-title")).to_have_text("pepper")
    box.fill("oven")
    expect(options.first).to_be_visible()
    box.press("Escape")
    expect(options).to_have_count(0)
    box.press("Escape")
    expect(box).to_have_value("")


def test_the_drawing_without_webgl_leads_on_and_bans(tab):
    page = tab.open(text=TURNED, word="thunder")
    frame = page.locator(".graph-frame")
    expect(frame).to_have_attribute("data-drawing", "svg")
    expect(frame.locator(".node")).to_have_count(11)
    edge = frame.locator('.edge[data-ends=\'["thunder","cold"]\']')
    expect(edge.locator("text")).to_have_text("0.52")
    tab.shot("graph-svg")
    edge.locator("text").click()
    page.locator(".chosen-edge").get_by_role("button", name="Ban thunder → cold").click()
    expect(page.locator("#label")).to_have_text("kitchen")
    expect(frame.locator(".edge.cut")).to_have_count(1)
    frame.locator(".node", has_text="snow").click()
    expect(page.locator("#word-title")).to_have_text("snow")

    before = frame.locator("svg").get_attribute("viewBox")
    page.get_by_role("button", name="Zoom in").click()
    assert frame.locator("svg").get_attribute("viewBox") != before
    page.get_by_role("button", name="Show the whole drawing").click()
    expect(frame.locator("svg")).to_have_attribute("viewBox", before)
    page.get_by_label("Reach").select_option("2")
    expect(frame).to_have_attribute("aria-label", re.compile(r"Drawing of (1[2-9]|[2-6]\d) words"))


def test_the_drawing_with_webgl_does_the_same(playwright, site):
    browser = launch(playwright, *WITH_WEBGL)
    tab = Tab(browser, site, color_scheme="dark")
    page = tab.open(text=TURNED, word="thunder")
    frame = page.locator(".graph-frame")
    expect(frame).to_have_attribute("data-drawing", "webgl")
    place = """async (name) => {
      const { place } = await import("/static/js/graph/layout.js");
      const graph = await (await fetch("/v1/graph?around=thunder&hops=1&top=10&most=60")).json();
      const frame = document.querySelector(".graph-frame");
      return place(graph.nodes, graph.edges, { width: frame.clientWidth, height: frame.clientHeight }).get(name);
    }"""
    focus, cold = page.evaluate(place, "thunder"), page.evaluate(place, "cold")
    page.wait_for_timeout(300)  # sigma draws in frames of its own
    tab.shot("graph-webgl")
    frame.click(position={axis: 0.35 * cold[axis] + 0.65 * focus[axis] for axis in "xy"})  # where no other edge is
    page.locator(".chosen-edge").get_by_role("button", name="Ban thunder → cold").click()
    expect(page.locator("#label")).to_have_text("kitchen")
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Show the whole drawing").click()
    page.wait_for_timeout(500)
    frame.click(position={"x": cold["x"], "y": cold["y"]})
    expect(page.locator("#word-title")).to_have_text("cold")
    tab.close()
    browser.close()


# ----------------------------------------------------------------------------------------------- address and history


def test_a_shared_link_restores_the_view(browser, site):
    tab = Tab(browser, site, permissions=["clipboard-read", "clipboard-write"])
    page = tab.open()
    text_field(page).fill("soup & thunder = 100% #1 ☂")
    page.get_by_label("Method").select_option("mutual-neighbors")
    page.locator("#words").get_by_role("button", name="thunder").click()
    page.get_by_role("button", name="imply it").click()
    page.get_by_label("Reach").select_option("2")
    page.locator(".neighbors").get_by_role("button", name="Ban cold → thunder").click()
    expect(page.locator("#comparison")).to_be_visible()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")

    other = Tab(browser, site)
    seen = other.page
    seen.goto(link)
    expect(text_field(seen)).to_have_value("soup & thunder = 100% #1 ☂")
    expect(seen.locator("#word-title")).to_have_text("thunder")
    expect(seen.get_by_label("Method")).to_have_value("mutual-neighbors")
    expect(seen.get_by_label("Reach")).to_have_value("2")
    expect(seen.locator("#edits .banned")).to_have_text("cold → thunder")
    expect(seen.get_by_role("button", name="imply it")).to_have_attribute("aria-pressed", "true")
    expect(seen.locator("#comparison")).to_have_text(page.locator("#comparison").inner_text())
    other.close()
    tab.close()


def test_back_and_forward_walk_through_views(tab):
    page = tab.open()
    field = text_field(page)
    field.press_sequentially("onion soup", delay=10)
    expect(page.locator("#label")).to_have_text("kitchen")
    page.get_by_role("link", name="Batch").click()
    expect(page.get_by_role("heading", name="Label a file")).to_be_visible()
    page.go_back()
    expect(field).to_have_value("onion soup")
    expect(page.locator("#label")).to_be_visible()
    page.go_back()
    expect(field).to_have_value("")
    page.go_forward()
    expect(field).to_have_value("onion soup")
    expect(page.locator("#label")).to_have_text("kitchen")


def test_an_address_that_makes_no_sense_is_read_as_the_default(tab):
    page = tab.open(text="onion soup", damping="NaN", hops="99", reach="x", edits='[{"ban":[1,2]},7]', view="<b>")
    expect(page.locator("#label")).to_have_text("kitchen")
    expect(page.locator("#edits-section")).to_be_hidden()


# ---------------------------------------------------------------------------------------------------------- batch


def test_a_file_is_labelled_in_slices_and_downloaded(tab, classifier):
    rows = batch_rows(3000)
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\r\n").writerows([["id", "Text", "label"], *rows])
    page = tab.open(view="batch")
    sizes = []
    page.on("request", lambda r: "predict" in r.url and sizes.append(len(r.post_data_json["texts"])))
    choose(page, "rows.csv", "\ufeff".encode() + file.getvalue().encode())
    expect(page.get_by_label("Text column")).to_have_value("1")
    tab.shot("batch-options")
    page.get_by_role("button", name="Label the file").click()
    expect(page.locator("#done")).to_have_text("3,000 rows labelled.")
    assert sizes == [500] * 6
    tab.shot("batch")

    name, data = downloaded(page)
    assert name == "rows.labels.csv"
    header, *told = list(csv.reader(io.StringIO(data.decode(), newline="")))
    assert header == ["id", "Text", "label", "label_2", "probability"]
    assert [row[:3] for row in told] == rows
    with pytest.warns(UnknownTextWarning):
        probabilities = classifier.predict_proba([row[1] for row in rows])
    assert [row[3] for row in told] == classifier.classes_[probabilities.argmax(axis=1)].tolist()
    np.testing.assert_allclose([float(row[4]) for row in told], probabilities.max(axis=1), rtol=1e-9)


def test_a_busy_server_is_waited_for_and_edits_travel_along(tab, classifier):
    page = tab.open(view="batch", edits=[{"ban": ["thunder", "cold"]}])
    tab.forgiven.append("503")
    answers = []

    def busy_once(route):
        answers.append(route.request.post_data_json)
        if len(answers) > 1:
            route.continue_()
            return
        body = json.dumps({"title": "busy", "status": 503, "detail": "try again"})
        route.fulfill(status=503, headers={"Retry-After": "1"}, content_type="application/problem+json", body=body)

    page.route("**/v1/predict", busy_once)
    choose(page, "rows.tsv", f'text\tnote\n{TURNED}\tan "unquoted" note\n'.encode())
    page.get_by_label("With my 1 edit").check()
    page.get_by_role("button", name="Label the file").click()
    expect(page.locator("#progress-text")).to_contain_text("The server is busy")
    expect(page.locator("#done")).to_have_text("1 row labelled.")
    assert [answer["edits"] for answer in answers] == [[{"ban": ["thunder", "cold"]}]] * 2
    name, data = downloaded(page)
    assert name == "rows.labels.tsv"
    header, row = data.decode().splitlines()
    assert header == "text\tnote\tlabel\tprobability"
    assert row.startswith(f'{TURNED}\tan "unquoted" note\tkitchen\t0.')


def test_a_batch_can_be_cancelled_and_keeps_what_it_has(tab):
    page = tab.open(view="batch")
    held = []
    page.route(
        "**/v1/predict", lambda route: held.append(route) if "row 500" in route.request.post_data else route.continue_()
    )
    choose(page, "rows.csv", ("text\n" + "".join(f"row {n}\n" for n in range(1200))).encode())
    page.get_by_role("button", name="Label the file").click()
    expect(page.locator("#progress-text")).to_contain_text("500 rows labelled")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#cancelled")).to_have_text("Cancelled after 500 rows.")
    assert len(downloaded(page)[1].splitlines()) == 501


def test_a_broken_file_is_told_with_its_line(tab):
    page = tab.open(view="batch")
    start = page.get_by_role("button", name="Label the file")
    for data, told in [
        (b'text,n\n"rain\nand",1\nwind,2,3\n', "Line 4: it has 3 cells where line 1 has 2."),
        (b'text,n\nrain,1\n"wind,2\n\n', "Line 3: a quote is opened and never closed."),
        (b'text,n\n"rain" x,1\n', "Line 2: “ ” follows a closing quote"),
        (b'text,n\nra"in,1\n', "Line 2: a quote stands inside a cell"),
        (b"text,n\nrain,1\nw\xffnd,2\n", "a byte that is no UTF-8"),
        (b"text,n\n" + b"a" * 10_001 + b",1\n", "Line 2: the text has 10,001 characters; this server takes at most"),
        (b"\n\n", "The file holds no row."),
    ]:
        choose(page, "rows.csv", data)
        expect(start).to_be_visible()
        if start.is_enabled():
            start.click()
        expect(page.locator("#batch-panel")).to_contain_text(told)

    tab.forgiven.append("422")
    body = json.dumps({"title": "Invalid", "status": 422, "detail": "the server's own words"})
    page.route("**/v1/predict", lambda route: route.fulfill(status=422, body=body))
    choose(page, "rows.csv", b"text\nrain\n")
    start.click()
    expect(page.locator("#batch-panel .notice")).to_contain_text("the server's own words")


def test_rows_are_read_as_python_reads_them_wherever_the_pieces_are_cut(tab):
    rng = random.Random(1)
    cases = []
    for _ in range(150):
        width = rng.randint(1, 4)
        table = [
            ["".join(rng.choices('ab ,;"\n\ré☂', k=rng.randint(0, 6))) for _ in range(width)]
            for _ in range(rng.randint(1, 5))
        ]
        file = io.StringIO(newline="")
        # Python leaves line breaks of another kind than its own without quotes.
        ending = rng.choice(["\n", "\r\n", "\r"])
        quoting = csv.QUOTE_MINIMAL if ending == "\r\n" else csv.QUOTE_ALL
        csv.writer(file, lineterminator=ending, quoting=quoting).writerows(table)
        text = file.getvalue()
        cuts = sorted(rng.randint(0, len(text)) for _ in range(4))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        cases.append({"pieces": pieces, "table": table})
    page = tab.open(view="batch")
    read, written = page.evaluate(
        """async (cases) => {
          const { DelimitedReader, FORMATS, formatRow } = await import("/static/js/batch/delimited.js");
          const read = cases.map(({ pieces }) => {
            const reader = new DelimitedReader(FORMATS.comma);
            return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()].map((row) => row.cells);
          });
          return [read, read.map((rows) => rows.map((row) => formatRow(row, FORMATS.comma)).join(""))];
        }""",
        cases,
    )
    assert read == [case["table"] for case in cases]
    assert [list(csv.reader(io.StringIO(text, newline=""))) for text in written] == read


# ------------------------------------------------------------------------------------------------------- for everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_anybodys_way(browser, site, scheme):
    tab = Tab(browser, site, color_scheme=scheme, reduced_motion="reduce")
    page = tab.open(text=f"{TURNED} zorgle", word="thunder", edits=[{"ban": ["thunder", "cold"]}])
    expect(page.locator(".neighbors tbody tr").first).to_be_visible()
    expect(page.locator("#comparison")).to_be_visible()
    expect(page.locator(".graph-svg .node").first).to_be_visible()
    if scheme == "light":
        page.locator(".graph-part summary").click()
    assert serious(page) == []
    moves = "(e) => getComputedStyle(e, '::before').transitionDuration !== '0s'"
    assert page.evaluate(f"() => [...document.querySelectorAll('*')].filter({moves}).length") == 0
    tab.shot(scheme, full_page=True)
    page.get_by_role("link", name="Batch").click()
    choose(page, "rows.csv", b"id,text\n1,rain\n2,soup\n")
    expect(page.locator(".preview")).to_be_visible()
    assert serious(page) == []
    tab.shot(f"{scheme}-batch")
    tab.close()


def test_a_narrow_screen_shows_everything_without_scrolling_sideways(browser, site):
    tab = Tab(browser, site, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = tab.open(text="Thunder and soup on a long and foggy day")
    expect(page.locator("#label")).to_be_visible()
    page.locator("#words").get_by_role("button", name="thunder").tap()
    expect(page.locator(".neighbors tbody tr").first).to_be_visible()
    expect(page.locator("#word-title")).to_be_in_viewport()
    expect(page.locator(".graph-svg .node")).to_have_count(11)
    page.locator(".graph-svg .node", has_text="snow").tap()
    expect(page.locator("#word-title")).to_have_text("snow")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    tab.shot("narrow", full_page=True)
    page.get_by_role("link", name="Batch").tap()
    choose(page, "rows.csv", ("id,text\n" + "1," + "long text " * 50 + "\n").encode())
    expect(page.locator(".preview")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    tab.close()


def test_the_keyboard_alone_is_enough(tab):
    page = tab.open()
    expect(page.locator("#words .word-button").first).to_be_visible()
    press = page.keyboard.press

    def tab_to(locator, key="Tab"):
        for _ in range(80):
            if locator.evaluate_all("(found) => found.includes(document.activeElement)"):
                return
            press(key)
        pytest.fail(f"the keyboard does not reach {locator}")

    press("Tab")
    expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    press("Enter")
    expect(text_field(page)).to_be_focused()
    page.keyboard.type(TURNED)
    expect(page.locator("#label")).to_have_text("weather")
    expect(page.locator(".contributions")).to_be_visible()

    tab_to(page.locator("#expansion").get_by_role("button", name="Ban the edge thunder → cold"))
    press("Enter")
    expect(page.locator("#label")).to_have_text("kitchen")
    assert page.evaluate("document.activeElement.closest('#expansion') !== null"), "the place on the page is kept"
    page.keyboard.press("Shift+Tab")
    tab_to(page.locator(".added th .word-button"))
    word = page.evaluate("document.activeElement.textContent")
    press("Space")
    expect(page.locator("#word-title")).to_be_focused()
    expect(page.locator(".neighbors tbody tr").first).to_be_visible()
    tab_to(page.locator(".graph-part summary"))
    press("Enter")
    tab_to(page.locator(".edge-list").get_by_role("button", name=f"Ban {word} →").first)
    press("Enter")
    expect(page.locator("#edits .banned")).to_have_count(2)
    assert page.evaluate("document.activeElement.textContent") == "Allow"
    tab_to(page.locator(".graph-part summary"), key="Shift+Tab")
    press("Enter")
    tab_to(page.locator(".neighbors .word-button"))
    press("Enter")
    expect(page.locator("#word-title")).to_be_focused()
    assert page.locator("#word-title").inner_text() != word


def test_changes_are_announced(tab, classifier):
    page = tab.open()
    text_field(page).fill(TURNED)
    told = classifier.explain(TURNED)
    assert told.label != told.label_without
    said = f"Label {told.label}, without the net {told.label_without}."
    expect(page.get_by_role("status").filter(has_text=said)).to_have_count(1)


# ---------------------------------------------------------------------------------------------- trouble and hostility


def test_trouble_is_told_where_it_happens_and_passes(tab):
    page = tab.open(text="onion soup")
    expect(page.locator("#label")).to_have_text("kitchen")
    tab.forgiven += ["net::ERR_FAILED", "500"]
    page.route("**/v1/explain", lambda route: route.abort())
    body = json.dumps({"title": "Internal error", "status": 500, "detail": "a fault of the server", "instance": "r-17"})
    page.route(
        "**/v1/expand", lambda route: route.fulfill(status=500, content_type="application/problem+json", body=body)
    )
    text_field(page).fill("onion soup again")
    expect(page.locator("#verdict .notice")).to_contain_text("The server cannot be reached")
    expect(page.locator("#expansion .notice")).to_contain_text("a fault of the server")
    expect(page.locator("#expansion .notice")).to_contain_text("r-17")
    page.unroute_all()
    text_field(page).fill("onion soup")
    expect(page.locator("#label")).to_have_text("kitchen")
    expect(page.locator("#expansion .notice")).to_have_count(0)


def test_a_server_that_does_not_answer_at_first_can_be_tried_again(tab):
    tab.forgiven.append("net::ERR_FAILED")
    page = tab.page
    page.route("**/v1/model", lambda route: route.abort())
    page.goto(tab.address)
    expect(page.locator("#page-notice")).to_contain_text("The server cannot be reached")
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#model-line")).to_contain_text("words")
    expect(page.locator("#page-notice")).to_be_empty()


def test_a_replaced_model_is_told(tab):
    page = tab.open()

    def replaced(route):
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "version": "v0002"})

    page.route("**/v1/expand", replaced)
    text_field(page).fill("onion soup")
    expect(page.locator("#page-notice")).to_contain_text("The server now answers with v0002")


def test_markup_in_texts_words_and_files_is_shown_as_text(tab):
    tab.forgiven.append("404")
    page = tab.open(text=HOSTILE, word=HOSTILE, edits=[{"ban": HOSTILE}])
    tab.forgiven.append("422")
    expect(page.locator("#edits .banned")).to_have_text(HOSTILE)
    expect(page.locator("#word-title")).to_have_text(HOSTILE)
    page.get_by_role("link", name="Batch").click()
    choose(page, "rows.csv", f'"{HOSTILE.replace(chr(34), chr(34) * 2)}"\nrain\n'.encode())
    expect(page.locator(".preview th")).to_have_text(HOSTILE)
    assert page.locator("img[src=x]").count() == 0
    assert page.title() == "ClassiNet explorer"


def test_a_token_is_asked_for_once_and_kept_in_the_tab_and_hostile_labels_are_text(browser, classifier, tmp_path):
    token = "a-secret-of-this-test"
    hostile = ClassiNetClassifier(classifier.text_net_).fit(["rain and wind", "onion soup"], [HOSTILE, "kitchen"])
    with served(hostile, tmp_path, token=token) as address:
        tab = Tab(browser, address)
        tab.forgiven.append("401")
        page = tab.page
        page.goto(f"{address}#text=rain")
        field = page.locator("#token")
        expect(field).to_be_focused()
        field.fill("a-wrong-token-of-this-test")
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("#token-help")).to_contain_text("was not accepted")
        assert serious(page) == []
        field.fill(token)
        page.keyboard.press("Enter")
        expect(page.locator("#label")).to_have_text(HOSTILE)
        page.reload()
        expect(page.locator("#label")).to_have_text(HOSTILE)
        assert page.locator("img[src=x]").count() == 0
        assert page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
        assert token not in page.url
        tab.close()


def test_a_net_without_classifier_shows_its_expansion_alone(browser, tmp_path):
    net = copy.copy(small_classifier(examples=0).text_net_)
    with served(net, tmp_path) as address:
        tab = Tab(browser, address)
        page = tab.open(text="thunder", word="thunder")
        expect(page.locator(".added tbody tr").first).to_be_visible()
        expect(page.locator("#verdict-section")).to_be_hidden()
        expect(page.locator("#contributions-section")).to_be_hidden()
        expect(page.locator("#word")).to_contain_text("saved without example texts")
        page.get_by_role("link", name="Batch").click()
        expect(page.locator("#batch-panel")).to_contain_text("a net without a classifier")
        tab.close()


# ---------------------------------------------------------------------------------------------------------- the files


def test_vendored_files_are_those_that_their_readme_names():
    rows = re.findall(
        r"^\| `(\w+)/` .*`dist/([\w.]+)` .*`([0-9a-f]{64})`", (STATIC / "vendor/README.md").read_text(), re.M
    )
    assert len(rows) == 2
    for folder, file, digest in rows:
        assert hashlib.sha256((STATIC / "vendor" / folder / file).read_bytes()).hexdigest() == digest
        assert "Permission is hereby granted" in (STATIC / "vendor" / folder / "LICENSE.txt").read_text()


def test_the_page_never_parses_markup_and_names_no_other_host():
    own = [path for path in STATIC.rglob("*") if path.suffix in (".js", ".css", ".html") and "vendor" not in path.parts]
    assert len(own) > 20
    for path in own:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            path
        )
        assert set(re.findall(r"https?://[^\s\"'`]+", text)) <= {"http://www.w3.org/2000/svg"}, path
        if path.suffix == ".html":
            assert not re.search(r"\son\w+=|\sstyle=|<style|<script(?![^>]*\ssrc=)", text), path
