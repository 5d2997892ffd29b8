"""A small model, its server on a free port, and a browser: what the tests of the page are played on."""

import contextlib
import json
import os
import random
import shutil
import socket
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from classinet import persistence
from classinet.datasets import made_up_sentences
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.server import Limits, Settings, make_app
from classinet.text import TextVectorizer

LABELLED = {
    "weather": ["rain and wind", "a storm with thunder", "snow and fog"],
    "kitchen": ["bread in the oven", "onion soup", "salt and pepper"],
    "football": ["a late goal", "the coach and the team", "a penalty in the match"],
}
# Hostile as a text, harmless as text: were it parsed as markup, the page's title would change.
HOSTILE = "<img src=x onerror=\"document.title='broken'\">"

WIDE = {"width": 1280, "height": 900}
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
)  # fmt: skip
WITH_WEBGL = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
WITHOUT_WEBGL = ("--disable-3d-apis",)


def small_classifier(examples=3):
    """Return a classifier whose net knows three topics; of words alone, so that one edge is one way."""
    net = TextNet(TextVectorizer(min_df=2), examples=examples).fit(made_up_sentences())
    texts = [text for group in LABELLED.values() for text in group]
    labels = [label for label, group in LABELLED.items() for _ in group]
    return ClassiNetClassifier(net, unlabeled=False).fit(texts, labels)


@contextlib.contextmanager
def served(model, folder, *, token=None, limits=None):
    """Save a model, serve it on a free port of the loopback, and give the address of its page."""
    path = persistence.save(model, folder / "model", replace=True)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        settings = Settings(path, port=port, token=token, limits=limits or Limits())
        server = uvicorn.Server(uvicorn.Config(make_app(settings), log_level="warning", lifespan="on", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            _wait_until(lambda: server.started or not thread.is_alive())
            assert thread.is_alive(), "the server did not start"
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.should_exit = True
            thread.join(10)


def _wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s in vain"
        time.sleep(0.02)


def launch(playwright, *flags):
    """Start Chromium as installed on this machine."""
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*FLAGS, *flags])


class Tab:
    """A tab that remembers whatever a page should never do: errors, policy violations, requests to elsewhere."""

    def __init__(self, place, address, **options):
        """Open a tab in a context or, with options or not, in a new context of a browser."""
        self.address = address
        self.own = place.new_context(**{"viewport": WIDE, **options}) if hasattr(place, "new_context") else None
        self.page = (self.own or place).new_page()
        self.page.set_default_timeout(15_000)
        self.faults, self.forgiven = [], []
        self.page.on("console", lambda message: message.type == "error" and self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self._check(request.url))

    def _check(self, url):
        if not url.startswith((self.address, "blob:", "data:")):
            self.faults.append(f"a request to {url}")

    def open(self, **view):
        """Open the page at a view."""
        values = {name: json.dumps(value) if isinstance(value, list) else value for name, value in view.items()}
        self.page.goto(f"{self.address}#{urlencode(values)}")
        expect(self.page.locator("#model-line")).to_contain_text("words")
        return self.page

    def shot(self, name, **options):
        folder = os.environ.get("CLASSINET_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(folder) / f"{name}.png", **options)

    def close(self):
        (self.own or self.page).close()
        assert [fault for fault in self.faults if not any(known in fault for known in self.forgiven)] == []


def text_field(page):
    return page.get_by_role("textbox", name="A short text")


def texts_of(locator):
    return [text.strip() for text in locator.all_inner_texts()]


def words(page, table):
    return texts_of(page.locator(f"{table} tbody th .word-button"))


def batch_rows(count):
    rng = random.Random(0)
    known = [word for group in LABELLED.values() for text in group for word in text.split()]
    rows = []
    for number in range(count):
        text = " ".join(rng.choices(known, k=rng.randint(0, 5)))
        if number % 7 == 0:
            text = f'"{text}",\r\nsaid Zoë'
        rows.append([str(number), text, rng.choice(["", "a,b", "x"])])
    return rows


def choose(page, name, data):
    page.locator("#file").set_input_files({"name": name, "mimeType": "text/csv", "buffer": data})


def downloaded(page):
    with page.expect_download() as download:
        page.locator("#download").click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def serious(page):
    found = Axe().run(page).response["violations"]
    return [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found if v["impact"] in ("serious", "critical")]
