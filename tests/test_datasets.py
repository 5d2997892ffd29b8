"""Data sets: gathered from docstrings, found in folders, fetched over HTTP, converted from their published form."""

import gzip
import hashlib
import io
import sys
import tarfile
import threading
import time
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classinet import datasets
from classinet.datasets import DatasetError, docstrings, download, formats, registry
from classinet.datasets.catalogue import CATALOGUE
from classinet.datasets.download import Patience, Remote
from classinet.datasets.made_up import TOPICS
from classinet.datasets.prose import paragraphs, plain
from classinet.exceptions import Cancelled, ParameterError

CONTENT = bytes(range(256)) * 2000
QUICK = Patience(attempts=4, pause=0.01, timeout=2.0)


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch, tmp_path):
    """No test reads or writes the user's data, cache or network."""
    monkeypatch.delenv("CLASSINET_DATA", raising=False)
    monkeypatch.setenv("CLASSINET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(registry, "PATIENCE", Patience(attempts=1, pause=0.01, timeout=2.0))


# Prose of a docstring


def test_numpydoc_sections_leave_their_prose():
    docstring = """solve(a, b)

        Solve a ``linear`` system, *quickly*.

        It uses :func:`~scipy.linalg.lu` [1]_ where
        :math:`A x = b`::

            code(that, goes)

        and says so.

        Parameters
        ----------
        a : (M, M) array_like
            The matrix of the system.

            - first kind of matrix,
              on two lines
            - second kind of matrix

        Returns
        -------
        x : ndarray
            The solution vector.

        See Also
        --------
        inv : Invert a matrix first.

        Notes
        -----
        .. versionadded:: 1.2
           Goes with its text.

        .. note::

           This note stays here.

        .. math::

           x = 1

        =====  =====
        a      table
        =====  =====

        References
        ----------
        .. [1] An author, "A book".

        Examples
        --------
        The next line is code.

        >>> solve(1, 2)
        output of the code
        """
    assert paragraphs(docstring) == [
        "Solve a linear system, quickly.",
        "It uses scipy.linalg.lu where:",
        "and says so.",
        "The matrix of the system.",
        "first kind of matrix, on two lines",
        "second kind of matrix",
        "The solution vector.",
        "This note stays here.",
        "The next line is code.",
    ]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        (":class:`a.B` and :py:meth:`c`", "a.B and c"),
        ("`the page <https://a.org>`_ here", "the page here"),
        ("**bold** and *slanted*, a * b * c", "bold and slanted, a * b * c"),
        ("at https://a.org/b now", "at now"),
        ("(``http://`` is needed, see <https://a.org/b>).", "( is needed, see )."),
        ("no mark-up\n  at all", "no mark-up at all"),
    ],
)
def test_markup_goes_and_its_text_stays(marked, expected):
    assert plain(marked) == expected


@given(st.text())
def test_prose_of_anything_is_single_lines_without_outer_blanks(text):
    for paragraph in paragraphs(text):
        assert paragraph
        assert paragraph == " ".join(paragraph.split())


# Docstrings


@pytest.fixture(scope="module")
def gathered():
    return docstrings.load_docstrings()


def test_gathers_enough_real_text(gathered):
    assert len(gathered.sentences) > 40_000
    assert len(gathered.texts) == len(gathered.labels) > 3000
    assert len(set(gathered.labels)) == docstrings.N_CLASSES
    assert {"scipy.stats", "scipy.optimize", "numpy.lib", "sklearn.linear_model"} <= set(gathered.labels)


def test_a_second_call_gives_the_same_in_lists_of_its_own(gathered):
    again = docstrings.load_docstrings()
    assert again == gathered
    again.texts.clear()
    assert docstrings.load_docstrings() == gathered


def test_no_text_of_the_task_is_among_the_sentences(gathered):
    spelling = [text.lower().rstrip(".:!?") for text in gathered.texts]
    assert len(set(spelling)) == len(spelling)
    assert set(spelling).isdisjoint(sentence.lower().rstrip(".:!?") for sentence in gathered.sentences)
    assert len(set(gathered.sentences)) == len(gathered.sentences)


def test_sentences_are_prose(gathered):
    texts = [*gathered.texts, *gathered.sentences]
    assert all(len(text.split()) >= docstrings.MIN_WORDS and "\n" not in text for text in texts)
    for mark in ("``", ":func:", ":math:", ">>>", ".. ", "]_", "----"):
        # Mark-up that its authors left unbalanced or misspelt stays; it is rare.
        assert sum(mark in text for text in texts) < len(texts) / 500, mark


@pytest.fixture
def small_library(monkeypatch, tmp_path):
    """A library of three sub-packages on the path, and a standard library of one module."""

    def write(name, source):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.encode())

    write("lib/__init__.py", '"""The library as a whole."""\nraise RuntimeError("imported")\n')
    write(
        "lib/soup/_pots.py",
        '"""This module cooks soup."""\n'
        'class Pot:\n    """Hold the soup while cooking. It is round and deep."""\n'
        '    def fit(self):\n        """Fit to the data."""\n'
        'if True:\n    async def _stir():\n        """Stir it with a spoon, slowly."""\n'
        'def same():\n    """hold the soup while cooking"""\n',
    )
    write("lib/wind/gusts.py", 'def blow():\n    """Blow over the open sea."""\nclass A:\n    """Fit to the data."""\n')
    write("lib/wind/_new.py", 'add_newdoc("calm", """calm(x)\n\nBecome calm after a storm.""")\nadd_newdoc("x", y)\n')
    write("lib/_private/hidden.py", 'def f():\n    """Nobody names this a topic."""\n')
    write("lib/soup/tests/test_pots.py", 'def f():\n    """A test of the soup."""\n')
    write("lib/soup/template.py", "def {{name}}:\n")
    write("std/queue.py", '"""Queues for many threads."""\ndef f():\n    """Wait for a free place."""\n')
    write("std/site-packages/other.py", '"""Some other installed package."""\n')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(docstrings, "_gathered", docstrings._gathered.__wrapped__)  # leave what is kept alone
    monkeypatch.setattr(docstrings, "LIBRARIES", ("lib",))
    monkeypatch.setattr(docstrings.sysconfig, "get_path", lambda name: str(tmp_path / "std"))
    return tmp_path


def test_summaries_are_labelled_by_public_subpackage(small_library):
    data = docstrings.load_docstrings()
    assert dict(zip(data.texts, data.labels, strict=True)) == {
        "Hold the soup while cooking.": "lib.soup",
        "Stir it with a spoon, slowly.": "lib.soup",
        "Become calm after a storm.": "lib.wind",
        "Blow over the open sea.": "lib.wind",
    }
    assert data.sentences == [
        "The library as a whole.",
        "Nobody names this a topic.",
        "This module cooks soup.",
        "It is round and deep.",
        "Fit to the data.",  # it stands in two sub-packages, so it names no topic
        "Queues for many threads.",
        "Wait for a free place.",
    ]
    assert "lib" not in sys.modules


def test_only_the_largest_subpackages_are_classes(small_library, monkeypatch):
    monkeypatch.setattr(docstrings, "N_CLASSES", 1)
    data = docstrings.load_docstrings()
    assert set(data.labels) == {"lib.soup"}  # two each; the tie goes by name
    assert "Blow over the open sea." in data.sentences


def test_libraries_without_source_are_named(small_library, monkeypatch, tmp_path):
    monkeypatch.setattr(docstrings, "LIBRARIES", ("not_installed_anywhere",))
    monkeypatch.setattr(docstrings.sysconfig, "get_path", lambda name: str(tmp_path / "nowhere"))
    with pytest.raises(DatasetError, match="no docstrings found: not_installed_anywhere"):
        docstrings.load_docstrings()


# Made-up sentences


def test_made_up_sentences_keep_to_one_topic_and_to_the_seed():
    sentences = datasets.made_up_sentences(200, seed=3)
    assert sentences == datasets.made_up_sentences(200, seed=3)
    assert sentences[:50] == datasets.made_up_sentences(50, seed=3)
    assert sentences != datasets.made_up_sentences(200, seed=4)
    words = {word: topic for topic, members in TOPICS.items() for word in members}
    assert all(len({words[word] for word in text.split() if word in words}) == 1 for text in sentences)


# Download


class Server(ThreadingHTTPServer):
    """Answers on loopback; each request takes the next behaviour, and the last one stays."""

    daemon_threads = True

    def __init__(self, behaviours, content):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours, self.content, self.ranges = list(behaviours), content, []

    def handle_error(self, request, client_address):
        """Stay silent about connections that a test cuts."""


class Handler(BaseHTTPRequestHandler):
    def log_message(self, format, *args):
        """Stay silent."""

    def do_GET(self):
        asked = self.headers.get("Range")
        self.server.ranges.append(asked)
        behaviours = self.server.behaviours
        behaviour = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
        if isinstance(behaviour, int):
            return self.send_error(behaviour)
        content = self.server.content
        begin = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and behaviour != "no ranges" else 0
        body = content[begin:] if behaviour != "other bytes" else bytes(len(content) - begin)
        self.send_response(206 if begin else 200)
        if begin:
            first = begin + 1 if behaviour == "other range" else begin
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if behaviour == "cut" else body)
        if behaviour == "endless":
            self.wfile.write(body)
        return None


@contextmanager
def serving(*behaviours, content=CONTENT):
    server = Server(behaviours, content)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def remote_of(*servers, content=CONTENT, **changes):
    addresses = tuple(f"http://127.0.0.1:{server.server_address[1]}/file.bin" for server in servers)
    remote = Remote("file.bin", addresses, hashlib.sha256(content).hexdigest(), len(content))
    return replace(remote, **changes)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_arrives_whole_and_is_not_fetched_twice(tmp_path):
    calls = []
    with serving("fine") as server:
        path = download.download(remote_of(server), tmp_path / "new", progress=lambda *call: calls.append(call))
        again = download.download(remote_of(server), tmp_path / "new")
    assert path == again
    assert path.read_bytes() == CONTENT
    assert files_in(tmp_path / "new") == ["file.bin"]
    assert server.ranges == [None]
    assert calls[-1] == ("downloading file.bin", len(CONTENT), len(CONTENT))
    assert all(a[1] < b[1] for a, b in pairwise(calls))


def test_a_cut_connection_is_continued_where_it_broke(tmp_path):
    with serving("cut", "cut", "fine") as server:
        path = download.download(remote_of(server), tmp_path, patience=QUICK)
    assert path.read_bytes() == CONTENT
    half = len(CONTENT) // 2
    assert server.ranges == [None, f"bytes={half}-", f"bytes={half + half // 2}-"]


def test_a_server_without_ranges_starts_over(tmp_path):
    (tmp_path / "file.bin.part").write_bytes(b"old bytes")
    with serving("no ranges") as server:
        path = download.download(remote_of(server), tmp_path, patience=QUICK)
    assert server.ranges == ["bytes=9-"]
    assert path.read_bytes() == CONTENT


def test_another_range_than_asked_for_is_refused(tmp_path):
    (tmp_path / "file.bin.part").write_bytes(CONTENT[:10])
    with serving("other range") as server, pytest.raises(DatasetError, match="another range than was asked for"):
        download.download(remote_of(server), tmp_path, patience=QUICK)


def test_passing_trouble_is_waited_out(tmp_path):
    with serving(500, 503, 429, "fine") as server:
        path = download.download(remote_of(server), tmp_path, patience=QUICK)
    assert path.read_bytes() == CONTENT
    assert len(server.ranges) == 4


def test_lasting_trouble_ends(tmp_path):
    with serving(500) as server, pytest.raises(DatasetError, match=r"cannot download file\.bin: .*answered 500"):
        download.download(remote_of(server), tmp_path, patience=QUICK)
    assert len(server.ranges) == QUICK.attempts


def test_not_found_is_not_asked_again(tmp_path):
    with serving(404) as server, pytest.raises(DatasetError, match="answered 404"):
        download.download(remote_of(server), tmp_path, patience=QUICK)
    assert len(server.ranges) == 1


def test_wrong_bytes_are_removed(tmp_path):
    with serving("other bytes") as server, pytest.raises(DatasetError, match=r"wrong checksum.*expected .*removed"):
        download.download(remote_of(server), tmp_path, patience=QUICK)
    assert files_in(tmp_path) == []


def test_the_second_address_helps_when_the_first_fails(tmp_path):
    with serving("other bytes") as wrong, serving(404) as missing, serving("fine") as good:
        path = download.download(remote_of(wrong, missing, good), tmp_path, patience=QUICK)
    assert path.read_bytes() == CONTENT


def test_no_more_than_the_known_size_is_read(tmp_path):
    with serving("endless") as server:
        path = download.download(remote_of(server), tmp_path, patience=QUICK)
    assert path.stat().st_size == len(CONTENT)


def test_a_part_longer_than_the_file_is_dropped(tmp_path):
    (tmp_path / "file.bin.part").write_bytes(CONTENT + b"more")
    with serving("fine") as server:
        assert download.download(remote_of(server), tmp_path, patience=QUICK).read_bytes() == CONTENT
    assert server.ranges == [None]


def test_a_part_the_server_cannot_continue_is_dropped(tmp_path):
    (tmp_path / "file.bin.part").write_bytes(b"part of another file")
    with serving(416, "fine") as server:
        assert download.download(remote_of(server), tmp_path, patience=QUICK).read_bytes() == CONTENT
    assert server.ranges == ["bytes=20-", None]


def test_a_damaged_file_is_fetched_again(tmp_path):
    (tmp_path / "file.bin").write_bytes(b"damaged")
    with serving("fine") as server:
        assert download.download(remote_of(server), tmp_path, patience=QUICK).read_bytes() == CONTENT


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, Cancelled])
def test_an_interruption_leaves_only_the_part_and_is_continued(tmp_path, interruption):
    def stop(stage, done, total):
        raise interruption

    with serving("fine") as server:
        with pytest.raises(interruption):
            download.download(remote_of(server), tmp_path, progress=stop, patience=QUICK)
        assert files_in(tmp_path) == ["file.bin.part"]
        held = (tmp_path / "file.bin.part").stat().st_size
        assert 0 < held < len(CONTENT)
        assert download.download(remote_of(server), tmp_path, patience=QUICK).read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={held}-"]


def test_nobody_listening_is_said(tmp_path):
    with serving("fine") as server:
        remote = remote_of(server)
    with pytest.raises(DatasetError, match="no connection"):
        download.download(remote, tmp_path, patience=QUICK)


def test_a_silent_server_times_out(tmp_path, monkeypatch):
    monkeypatch.setattr(Handler, "do_GET", lambda self: time.sleep(0.6))
    with serving("fine") as server, pytest.raises(DatasetError, match=r"lost|no connection"):
        download.download(remote_of(server), tmp_path, patience=Patience(1, 0.01, 0.1))


def test_only_http_addresses_are_opened(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(CONTENT)
    with pytest.raises(DatasetError, match="not an http address"):
        download.download(remote_of(addresses=(secret.as_uri(),)), tmp_path / "new", patience=QUICK)


def test_without_checksum_nothing_is_fetched(tmp_path):
    with serving("fine") as server, pytest.raises(DatasetError, match="no known checksum"):
        download.download(remote_of(server, sha256=None), tmp_path)
    assert server.ranges == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with serving("fine") as server, pytest.raises(DatasetError, match=r"cannot write .*file.*CLASSINET_CACHE"):
        download.download(remote_of(server), tmp_path / "file" / "below")


def test_a_full_disk_is_named(tmp_path):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    (tmp_path / "file.bin.part").symlink_to(full)
    with serving("fine") as server, pytest.raises(DatasetError, match=r"cannot write .*part: No space left on device"):
        download.download(remote_of(server), tmp_path, patience=QUICK)
    assert len(server.ranges) == 1


# Formats


def zip_of(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tar_of(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            if content is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/hosts"
                archive.addfile(info)
                continue
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def test_treebank(tmp_path):
    trees = {
        "train": "(3 (2 It) (4 (2 's) (4 Fun)))\n(2 (2 A) (2 film))\n(0 (1 -LRB-) (2 Bad) (2 -RRB-))\n",
        "dev": "(4 (4 Crème) (2 1\\/2))\n",
        "test": "(1 (2 Not) (1 good))\n",
    }
    path = zip_of(tmp_path / "a.zip", {f"trees/{split}.txt": text.encode() for split, text in trees.items()})
    assert formats.convert_treebank([path]) == {
        "train": [("pos", "it 's fun"), ("neg", "-lrb- bad -rrb-")],
        "dev": [("pos", "crème 1\\/2")],
        "test": [("neg", "not good")],
    }


def test_a_broken_tree_is_shown():
    with pytest.raises(DatasetError, match="not a sentiment tree: 'no brackets'"):
        formats.sentence_of_tree("no brackets")


@pytest.mark.parametrize("prefix", ["", "./"])
def test_polarity(tmp_path, prefix):
    members = {
        "../rt-polarity.pos": b"a trick\n",
        f"{prefix}rt-polaritydata/rt-polarity.neg": b"so dull \n\n",
        f"{prefix}rt-polaritydata/rt-polarity.pos": b"songs \x97 a clich\xe9 \nfine . \n",
    }
    path = tar_of(tmp_path / "a.tar.gz", members)
    assert formats.convert_polarity([path]) == {
        "all": [("pos", "songs — a cliché"), ("pos", "fine ."), ("neg", "so dull")]
    }
    assert files_in(tmp_path) == ["a.tar.gz"]


def test_bytes_outside_windows_1252_are_read_as_latin_1(tmp_path):
    path = tar_of(tmp_path / "a.tar.gz", {"quote.tok.gt9.5000": b"\x81 \xe9", "plot.tok.gt9.5000": b"he leaves"})
    assert formats.convert_subjectivity([path]) == {"all": [("subjective", "\x81 é"), ("objective", "he leaves")]}


def test_customer_reviews(tmp_path):
    path = zip_of(
        tmp_path / "a.zip",
        {"data/customerr/custrev.pos": b"i love it .\n", "data/customerr/custrev.neg": b"it broke\n"},
    )
    assert formats.convert_customer([path]) == {"all": [("pos", "i love it ."), ("neg", "it broke")]}


def test_questions(tmp_path):
    train, test = tmp_path / "train", tmp_path / "test"
    train.write_bytes(b"DESC:manner How did it go ?\nLOC:city Which sister\xf0city ?\n")
    test.write_bytes(b"NUM:dist How far ?\n")
    assert formats.convert_questions([train, test]) == {
        "train": [("DESC", "How did it go ?"), ("LOC", "Which sisterðcity ?")],
        "test": [("NUM", "How far ?")],
    }
    test.write_bytes(b"NUM:dist How far ?\nno class here\n")
    with pytest.raises(DatasetError, match="line 2: expected CLASS:subclass question, found 'no class here'"):
        formats.convert_questions([train, test])


def test_reviews_come_in_the_order_of_their_numbers(tmp_path):
    members = {
        "aclImdb/README": b"not a review",
        "aclImdb/train/neg/0_1.txt": b"bad",
        "aclImdb/train/pos/10_9.txt": "tenth, é".encode(),
        "aclImdb/train/pos/2_8.txt": b"second.<br /><br />Next\tline",
        "aclImdb/train/unsup/0_0.txt": b"no label",
        "aclImdb/test/pos/0_7.txt": b"good",
        "aclImdb/test/pos/1_7.txt": None,
        "aclImdb/../train/pos/3_8.txt": b"a trick",
    }
    assert formats.convert_reviews([tar_of(tmp_path / "a.tar.gz", members)]) == {
        "train": [("pos", "second. Next line"), ("pos", "tenth, é"), ("neg", "bad")],
        "test": [("pos", "good")],
        "unsup": [("", "no label")],
    }


def test_absent_members_are_named(tmp_path):
    with pytest.raises(DatasetError, match=r"holds no trees/train\.txt; is it the official archive"):
        formats.convert_treebank([zip_of(tmp_path / "a.zip", {"x": b""})])
    linked = {"rt-polaritydata/rt-polarity.pos": None, "rt-polaritydata/rt-polarity.neg": b"x"}
    with pytest.raises(DatasetError, match=r"holds no rt-polaritydata/rt-polarity\.pos"):
        formats.convert_polarity([tar_of(tmp_path / "a.tar.gz", linked)])


def test_large_members_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "MAX_MEMBER", 10)
    path = tar_of(tmp_path / "a.tar.gz", {"aclImdb/train/pos/0_9.txt": b"x" * 11})
    with pytest.raises(DatasetError, match="larger than 10 bytes"):
        formats.convert_reviews([path])
    monkeypatch.setattr(formats, "MAX_TOTAL", 15)
    path = tar_of(tmp_path / "a.tar.gz", {f"aclImdb/train/pos/{n}_9.txt": b"x" * 8 for n in range(2)})
    with pytest.raises(DatasetError, match="larger than 15 bytes together"):
        formats.convert_reviews([path])


@pytest.mark.parametrize("convert", [formats.convert_treebank, formats.convert_polarity, formats.convert_reviews])
@pytest.mark.parametrize("cut", [0, 10, 100, -30])
def test_damaged_archives_get_one_clear_error(tmp_path, convert, cut):
    noise = hashlib.sha256(b"noise").hexdigest().encode() * 50
    if convert is formats.convert_treebank:
        path = zip_of(tmp_path / "a", {"trees/train.txt": noise})
    else:
        path = tar_of(tmp_path / "a", {"rt-polaritydata/rt-polarity.pos": noise})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(DatasetError, match=r"(damaged|cannot be read|holds no)"):
        convert([path])


labels = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=8)
lines = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(st.lists(st.tuples(labels, lines), max_size=8), st.sampled_from(["all.tsv", "all.tsv.gz"]))
def test_rows_survive_writing_but_for_breaks(tmp_path_factory, rows, name):
    path = tmp_path_factory.mktemp("rows") / name
    formats.write_rows(path, rows)
    expected = []
    for label, text in rows:
        for broken in "\t\r\n":
            text = text.replace(broken, "\n")
        while "\n\n" in text:
            text = text.replace("\n\n", "\n")
        expected.append((label, text.replace("\n", " ").strip()))
    assert formats.read_rows(path) == expected
    before = path.read_bytes()
    formats.write_rows(path, rows)
    assert path.read_bytes() == before


def test_lines_that_cannot_be_read_are_named(tmp_path):
    path = tmp_path / "all.tsv"
    path.write_bytes(b"pos\tfine\r\n\nno tab\n")
    with pytest.raises(DatasetError, match=r"all\.tsv, line 3: expected label<TAB>text, found no tab in 'no tab'"):
        formats.read_rows(path)
    path.write_bytes(b"pos\tfine\r\npos\tclich\xe9\n")
    with pytest.raises(DatasetError, match=r"all\.tsv, line 2: not UTF-8"):
        formats.read_rows(path)
    path.write_bytes(b"pos\tfine\r\n")
    assert formats.read_rows(path) == [("pos", "fine")]
    packed = tmp_path / "all.tsv.gz"
    packed.write_bytes(gzip.compress(b"pos\tfine\n" * 100)[:30])
    with pytest.raises(DatasetError, match=r"all\.tsv\.gz is damaged"):
        formats.read_rows(packed)


# Registry


def plain_files(folder, name, **splits):
    (folder / name).mkdir(parents=True)
    for split, content in splits.items():
        (folder / name / f"{split}.tsv").write_text(content)


def test_the_catalogue_is_sound():
    assert datasets.names() == list(CATALOGUE)
    for entry in CATALOGUE.values():
        assert (entry.convert is None) == (not entry.files)
        for remote in entry.files:
            assert all(address.startswith("https://") for address in remote.addresses)
            assert (remote.sha256 is None) == (remote.size == 0)
            assert remote.sha256 is None or len(bytes.fromhex(remote.sha256)) == 32


def test_splits_are_read_in_order_and_taken_apart(tmp_path):
    plain_files(tmp_path, "trec", train="DESC\tWhy ?\nNUM\tHow far ?\n", test="HUM\tWho ?\n")
    data = datasets.load("trec", folder=tmp_path)
    assert data.texts == ["Why ?", "How far ?", "Who ?"]
    assert data.labels == ["DESC", "NUM", "HUM"]
    assert data.splits == ["train", "train", "test"]
    assert data.folds is None
    assert data.part("test") == datasets.load("trec", split="test", folder=tmp_path)
    with pytest.raises(ParameterError, match="split must be one of 'train', 'test'; got 'dev'"):
        data.part("dev")


def test_names_and_splits_are_checked():
    with pytest.raises(ParameterError, match=r"name must be one of 'tr', 'mr'.*got 'nothing'"):
        datasets.load("nothing")
    with pytest.raises(ParameterError, match="split must be one of 'train', 'test', 'unsup'; got 'dev'"):
        datasets.load("imdb", split="dev")


def test_the_environment_names_the_folder_and_an_argument_overrides_it(tmp_path, monkeypatch):
    plain_files(tmp_path / "one", "mr", all="pos\tfrom the environment\n")
    plain_files(tmp_path / "two", "mr", all="pos\tfrom the argument\n")
    monkeypatch.setenv("CLASSINET_DATA", str(tmp_path / "one"))
    assert datasets.load("mr").texts == ["from the environment"]
    assert datasets.load("mr", folder=tmp_path / "two").texts == ["from the argument"]


def test_extra_sets_stand_in_their_own_folder_and_are_explained_when_absent(tmp_path):
    plain_files(tmp_path / "extra", "banking77", train="lost_card\tWhere is it ?\n", test="")
    assert datasets.load("banking77", folder=tmp_path).labels == ["lost_card"]
    with pytest.raises(DatasetError) as caught:
        datasets.load("sms_spam", folder=tmp_path)
    message = str(caught.value)
    assert f"looked for train.tsv, test.tsv in {tmp_path / 'sms_spam'}, {tmp_path / 'extra' / 'sms_spam'}" in message
    assert "no address to download it from" in message
    assert "CLASSINET_DATA" in message


def test_unlabeled_splits_are_plain_lines(tmp_path):
    (tmp_path / "imdb").mkdir()
    (tmp_path / "imdb" / "unsup.txt.gz").write_bytes(gzip.compress(b"one\nwith\ttab\n"))
    data = datasets.load("imdb", split="unsup", folder=tmp_path)
    assert data.texts == ["one", "with\ttab"]
    assert data.labels == ["", ""]


@pytest.fixture
def small_mr(monkeypatch, tmp_path):
    """The set `mr` with two rows, offered by a server on loopback; yields the server."""
    members = {"rt-polaritydata/rt-polarity.pos": b"fine film\n", "rt-polaritydata/rt-polarity.neg": b"dull film\n"}
    content = tar_of(tmp_path / "rt-polaritydata.tar.gz", members).read_bytes()
    with serving("fine", content=content) as server:
        remote = remote_of(server, content=content, name="rt-polaritydata.tar.gz")
        monkeypatch.setitem(CATALOGUE, "mr", replace(CATALOGUE["mr"], files=(remote,), rows={"all": 2}))
        yield server


def test_a_download_is_converted_into_the_cache_once(small_mr, tmp_path):
    calls = []
    first = datasets.load("mr", progress=lambda *call: calls.append(call))
    second = datasets.load("mr")
    assert first == second
    assert first.texts == ["fine film", "dull film"]
    assert first.labels == ["pos", "neg"]
    assert first.folds == 5
    assert len(small_mr.ranges) == 1
    assert calls
    assert (tmp_path / "cache" / "mr" / "all.tsv").read_bytes() == b"pos\tfine film\nneg\tdull film\n"


def test_a_published_file_put_in_place_is_used_if_it_is_right(small_mr, tmp_path):
    data = tmp_path / "data"
    (data / "mr").mkdir(parents=True)
    placed = data / "mr" / "rt-polaritydata.tar.gz"
    placed.write_bytes(b"something else")
    with pytest.raises(DatasetError, match=r"is not the published file: sha256 .*remove it and get it again"):
        datasets.load("mr", folder=data)
    placed.write_bytes((tmp_path / "rt-polaritydata.tar.gz").read_bytes())
    assert datasets.load("mr", folder=data).texts == ["fine film", "dull film"]
    assert small_mr.ranges == []
    assert files_in(data / "mr") == ["rt-polaritydata.tar.gz"]


def test_a_failed_download_explains_how_to_do_it_by_hand(small_mr, tmp_path):
    small_mr.behaviours[:] = [404]
    with pytest.raises(DatasetError) as caught:
        datasets.load("mr")
    message = str(caught.value)
    assert "the server answered 404" in message
    assert f"by hand, put it into {tmp_path / 'cache' / 'mr'}" in message


def test_sets_without_checksum_are_by_hand(tmp_path, monkeypatch):
    with pytest.raises(DatasetError, match=r"Get rotten_imdb\.tar\.gz from https://www\.cs\.cornell\.edu.* by hand"):
        datasets.load("subj")
    own = tmp_path / "cache" / "subj"
    own.mkdir(parents=True)
    tar_of(own / "rotten_imdb.tar.gz", {"quote.tok.gt9.5000": b"i laughed\n", "plot.tok.gt9.5000": b"he leaves\n"})
    with pytest.raises(DatasetError, match="2 texts in all where 10,000 are expected; is this the official file"):
        datasets.load("subj")
    monkeypatch.setitem(CATALOGUE, "subj", replace(CATALOGUE["subj"], rows={"all": 2}))
    assert datasets.load("subj").labels == ["subjective", "objective"]


def test_reviews_are_kept_gzipped_with_their_unlabeled_split(tmp_path, monkeypatch):
    own = tmp_path / "cache" / "imdb"
    own.mkdir(parents=True)
    kinds = ["train/pos", "train/neg", "test/pos", "test/neg", "train/unsup"]
    path = tar_of(own / "aclImdb_v1.tar.gz", {f"aclImdb/{kind}/0_1.txt": kind.encode() for kind in kinds})
    remote = replace(CATALOGUE["imdb"].files[0], sha256=download.sha256_of(path))
    entry = replace(CATALOGUE["imdb"], files=(remote,), rows={"train": 2, "test": 2}, unlabeled={"unsup": 1})
    monkeypatch.setitem(CATALOGUE, "imdb", entry)
    assert datasets.load("imdb").texts == kinds[:4]
    assert datasets.load("imdb", split="unsup").texts == ["train/unsup"]
    assert files_in(own) == ["aclImdb_v1.tar.gz", "test.tsv.gz", "train.tsv.gz", "unsup.txt.gz"]


def test_a_cache_that_cannot_be_written_is_named(small_mr, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "write_rows", lambda *args: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(DatasetError, match=r"cannot write into .*mr: No space left; make room or set CLASSINET_CACHE"):
        datasets.load("mr")


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/classinet"),
        ("linux", {}, "/home/me/.cache/classinet"),
        ("darwin", {}, "/home/me/Library/Caches/classinet"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/classinet"),
        ("linux", {"CLASSINET_CACHE": "/own"}, "/own"),
    ],
)
def test_the_cache_stands_where_the_platform_keeps_caches(monkeypatch, platform, variables, expected):
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "CLASSINET_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(registry.sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert datasets.cache_folder() == Path(expected)
