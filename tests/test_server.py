"""The server in this process: every address against the library's own answer, every refusal in its form."""

import json
import shutil
import time
from collections import deque
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from classinet import load, save
from classinet.edits import Edits
from classinet.exceptions import ParameterError
from classinet.expansion import AllNeighbors, Global, Independent, LocalPath, MutualNeighbors, Spectral
from classinet.persistence import save_edits
from classinet.server import Limits, Settings, answers, schemas, service
from classinet.server.deadlines import Deadline
from classinet.server.guards import SECURITY_HEADERS
from classinet.server.holder import KEPT_EDITS, Holder, Loaded
from classinet.server.problems import KINDS, MEDIA_TYPE, Problem
from server_helpers import (
    JSON,
    LABELLED,
    LABELS,
    TOKEN,
    asking,
    exchange,
    graph_alone,
    listening,
    made_up_classifier,
    made_up_net,
    post,
    saved,
    tried,
)

TEXTS = ["thunder and snow", "onion soup", "xyzzy", "", "a late save by the keeper"]


@pytest.fixture(scope="module")
def classifier():
    return made_up_classifier()


@pytest.fixture(scope="module")
def model(classifier, tmp_path_factory):
    return saved(classifier, tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def client(model):
    with asking(model) as client:
        yield client


@pytest.fixture(scope="module")
def net_alone(tmp_path_factory, classifier):
    return saved(graph_alone(classifier.text_net_), tmp_path_factory.mktemp("net"))


def told(response, kind=None):
    """Check an answer, or the problem of a kind; return its members."""
    value = response.json()
    for name, content in SECURITY_HEADERS.items():
        assert response.headers[name] == content
    if kind is None:
        assert response.status_code == 200, value
        return value
    status, title = KINDS[kind]
    assert response.status_code == status, value
    assert response.headers["content-type"] == MEDIA_TYPE
    checked = schemas.ProblemDetails.model_validate(value)
    assert (checked.type, checked.title, checked.status) == (f"/problems/{kind}", title, status)
    assert checked.instance == response.headers["x-request-id"]
    assert (checked.errors is not None) == (status == 422)
    if status == 503:
        assert int(response.headers["retry-after"]) >= 1
    return value


def asked(client, path, kind=None, **body):
    return told(client.post(path, json=body), kind)


# -------------------------------------------------------------------------------------------------- about texts


def test_predictions_are_the_library_s(client, classifier):
    answer = asked(client, "/v1/predict", texts=TEXTS, probabilities=True)
    assert schemas.Predictions.model_validate(answer).version == "v0001"
    judged = classifier.judge(TEXTS)
    with pytest.warns(UserWarning, match="no known word"):
        labels = classifier.predict(TEXTS).tolist()
    assert [each["label"] for each in answer["predictions"]] == labels == judged.labels.tolist()
    without = classifier.predict_without_expansion(TEXTS).tolist()
    assert [each["label_without_expansion"] for each in answer["predictions"]] == without
    assert [each["coverage"] for each in answer["predictions"]] == classifier.coverage(TEXTS).tolist()
    for each, row in zip(answer["predictions"], judged.probabilities, strict=True):
        found = {p["label"]: p["probability"] for p in each["probabilities"]}
        assert found == dict(zip(classifier.classes_.tolist(), row.tolist(), strict=True))
        assert list(found.values()) == sorted(found.values(), reverse=True)


def test_one_text_is_answered_as_a_list_of_one(client):
    one, several = (
        asked(client, "/v1/predict", **body)["predictions"] for body in ({"text": "snow"}, {"texts": ["snow"]})
    )
    assert one == several
    assert "probabilities" not in one[0]


def test_a_batch_is_answered_in_slices_that_leave_no_trace(client):
    texts = [f"{TEXTS[i % 2]} {i}" for i in range(250)]
    batch = asked(client, "/v1/predict", texts=texts)["predictions"]
    assert batch == [asked(client, "/v1/predict", text=text)["predictions"][0] for text in texts[:3]] + batch[3:]
    assert len(batch) == 250


def test_tags_are_lists(tmp_path, classifier):
    tagger = made_up_classifier(classifier.text_net_, [["weather"], ["kitchen", "food"], []])
    with asking(saved(tagger, tmp_path)) as client:
        answer = asked(client, "/v1/predict", texts=["snow", "onion"])["predictions"]
        assert [each["label"] for each in answer] == [list(tags) for tags in tagger.predict(["snow", "onion"])]
        assert asked(client, "/v1/explain", text="snow")["explanations"][0]["label"] == answer[0]["label"]
        assert told(client.get("/v1/model"))["multilabel"] is True


@pytest.mark.parametrize(
    ("body", "expansion"),
    [
        ({}, Global()),
        ({"damping": 0.5, "hops": 3}, Global(damping=0.5, hops=3)),
        ({"method": "global"}, Global()),
        ({"method": "all-neighbors", "k": 2}, AllNeighbors(k=2)),
        ({"method": "mutual-neighbors"}, MutualNeighbors()),
        ({"method": "spectral"}, Spectral()),
        ({"method": "independent"}, Independent()),
        ({"method": "local-path"}, LocalPath()),
    ],
)
def test_expansions_are_the_library_s(client, classifier, body, expansion):
    answer = asked(client, "/v1/expand", texts=TEXTS, top=5, **body)
    schemas.Expansions.model_validate(answer)
    net = classifier.text_net_
    expected = [json.loads(net.expand(text, top=5, expansion=expansion).to_json()) for text in TEXTS]
    assert answer["expansions"] == expected
    assert answer["expansion"]["parameters"] == expansion.get_params()


def test_a_parameter_that_the_method_lacks_is_refused(client):
    for body in ({"k": 3}, {"method": "independent", "hops": 2}, {"method": "all-neighbors", "damping": 0.5}):
        problem = asked(client, "/v1/expand", "invalid", text="snow", **body)
        assert "has no parameter" in problem["detail"]
        assert problem["errors"][0]["where"] in body


def test_explanations_are_the_library_s(client, classifier):
    answer = asked(client, "/v1/explain", texts=TEXTS[:3], top=3)
    schemas.Explanations.model_validate(answer)
    assert answer["explanations"] == [json.loads(json.dumps(classifier.explain(t).to_dict(3))) for t in TEXTS[:3]]


def test_edits_count_for_their_request_alone(client, model):
    edits = [{"ban": "Snow"}, {"ban": ["thunder", "rain"]}, {"pin": ["thunder", "oven"], "weight": 1}]
    before = asked(client, "/v1/explain", text="thunder")
    edited = asked(client, "/v1/explain", text="thunder", edits=edits)
    assert asked(client, "/v1/explain", text="thunder") == before
    clf = load(model).edit(Edits().ban("snow").ban("thunder", "rain").pin("thunder", "oven", 1.0))
    assert edited["explanations"] == [json.loads(json.dumps(clf.explain("thunder").to_dict(40)))]
    names = {term["name"] for term in edited["explanations"][0]["terms"]}
    assert "oven" in names
    assert not {"snow", "rain"} & names
    answer = asked(client, "/v1/expand", text="thunder", edits=edits)["expansions"][0]
    assert answer == json.loads(clf.text_net_.expand("thunder", top=20).to_json())
    assert (
        asked(client, "/v1/predict", text="thunder", edits=edits)["predictions"][0]["label"]
        == clf.predict(["thunder"])[0]
    )


def test_edited_models_are_kept_but_not_all_of_them(model):
    loaded = Loaded.of(load(model), "v0001")
    first = Edits().ban("rain")
    assert loaded.edited(Edits()) is loaded
    kept = loaded.edited(first)
    assert loaded.edited(Edits().ban("rain")) is kept
    for weight in np.linspace(0.1, 0.9, KEPT_EDITS):
        loaded.edited(Edits().pin("rain", "oven", float(weight)))
    assert loaded.edited(first) is not kept
    assert len(loaded._edited) == KEPT_EDITS


def test_edits_come_after_the_model_s_own(tmp_path, classifier):
    path = saved(classifier, tmp_path)
    save_edits(path, Edits().ban("thunder", "rain"))
    with asking(path) as client:
        assert told(client.get("/v1/model"))["edits"] == 1
        body = {"text": "thunder", "edits": [{"pin": ["thunder", "rain"], "weight": 0.7}]}
        features = asked(client, "/v1/expand", **body)["expansions"][0]["features"]
        assert "rain" in {feature["name"] for feature in features}
        plain = asked(client, "/v1/expand", text="thunder")["expansions"][0]["features"]
        assert ["thunder", "rain"] not in [feature["path"] for feature in plain]


# ---------------------------------------------------------------------------------------------- about the net


def test_words_are_completed_as_they_are_read(client, classifier):
    net = classifier.text_net_.net_
    answer = told(client.get("/v1/features", params={"prefix": "S", "limit": 4}))
    schemas.Features.model_validate(answer)
    expected = sorted((n for n in net.graph.names if n.startswith("s")), key=lambda n: (-net.vertex_frequency(n), n))
    assert [each["name"] for each in answer["features"]] == expected[:4]
    assert len(told(client.get("/v1/features"))["features"]) == 10
    assert told(client.get("/v1/features", params={"prefix": "qqq"}))["features"] == []


def test_a_word_is_described(client, classifier):
    net = classifier.text_net_
    answer = told(client.get("/v1/features/STORM"))
    schemas.AboutFeature.model_validate(answer)
    feature, at = answer["feature"], net.net_.graph.index("storm")
    assert feature["name"] == "storm"
    assert feature["frequency"] == net.net_.frequency[net.net_.columns[at]]
    assert feature["fires"] == net.net_.labels.firing_rate()[at]
    assert feature["degree_out"] == net.net_.graph.out_degree(weighted=False)[at]
    assert feature["degree_in"] == net.net_.graph.in_degree(weighted=False)[at]
    assert feature["examples"] == net.examples_["storm"]
    weights = [each["weight"] for each in feature["predictor"]]
    assert weights == sorted(weights, key=abs, reverse=True)
    assert len(weights) <= 20
    own = net.net_.predictor.feature_weights(at)
    for each in feature["predictor"]:
        assert each["weight"] == own[list(net.net_.feature_names).index(each["name"])]


def test_neighbors_paths_and_parts_are_the_library_s(client, classifier):
    net = classifier.text_net_
    for incoming in (False, True):
        answer = told(client.get("/v1/neighbors/Storm", params={"top": 3, "incoming": incoming}))
        schemas.Neighbors.model_validate(answer)
        edges = net.neighbors("storm", 3, incoming=incoming)
        assert answer["neighbors"] == json.loads(json.dumps([asdict(edge) for edge in edges]))
        assert answer["feature"] == "storm"
    path = told(client.get("/v1/path", params={"source": "rain", "target": "Goal"}))
    schemas.Path.model_validate(path)
    assert tuple(path["path"]["names"]) == net.path("rain", "goal").names
    assert np.prod(path["path"]["weights"]) == pytest.approx(net.path("rain", "goal").probability)
    part = told(client.get("/v1/graph", params={"around": ["storm", "oven"], "top": 2, "most": 5, "hops": 3}))
    schemas.Graph.model_validate(part)
    assert part["nodes"][0] == {"name": "storm", "frequency": net.net_.vertex_frequency("storm"), "distance": 0}
    assert len(part["nodes"]) == 5
    assert part["complete"] is False
    assert all(edge["weight"] == net.net_.weight(edge["source"], edge["target"]) for edge in part["edges"])


def test_a_path_that_does_not_exist_is_null(tmp_path, classifier):
    banned = load(saved(classifier, tmp_path)).ban("goal")
    with asking(save(banned, tmp_path / "banned")) as client:
        assert told(client.get("/v1/path", params={"source": "rain", "target": "goal"}))["path"] is None


def test_words_may_hold_anything(tmp_path):
    net = made_up_net()
    names = net.net_.graph.names
    odd = ["and/or", "new york", "100%", "café ☕", "a?b#c", "../up"]
    renamed = dict(zip(sorted(names), odd, strict=False))
    values = np.array([renamed.get(name, name) for name in net.net_.feature_names], dtype=object)
    graph = type(net.net_.graph)([renamed.get(n, n) for n in names], net.net_.graph.weights)
    from dataclasses import replace
    from urllib.parse import quote

    net.net_ = replace(net.net_, graph=graph, feature_names=values, predictor=None, labels=None)
    net.vectorizer_ = net.vectorizer_.with_vocabulary(list(values))
    with asking(saved(net, tmp_path)) as client:
        for name in odd:
            assert told(client.get(f"/v1/features/{quote(name, safe='')}"))["feature"]["name"] == name
            assert told(client.get(f"/v1/neighbors/{quote(name, safe='')}"))["feature"] == name
            assert told(client.get("/v1/graph", params={"around": name}))["nodes"][0]["name"] == name


def test_unknown_words_are_named_with_near_ones(client):
    for address in (
        "/v1/features/strm",
        "/v1/neighbors/strm",
        "/v1/path?source=strm&target=rain",
        "/v1/graph?around=strm",
    ):
        assert "did you mean 'storm'" in told(client.get(address), "unknown-feature")["detail"]


def test_the_model_describes_itself(client, classifier, model):
    answer = told(client.get("/v1/model"))
    schemas.About.model_validate(answer)
    assert (answer["name"], answer["kind"], answer["classes"]) == (model.name, "classifier", sorted(LABELS))
    assert answer["n_edges"] == classifier.text_net_.net_.graph.n_edges
    assert answer["settings"] == classifier.settings_
    assert answer["limits"] == asdict(Limits())
    assert answer["methods"] == ["global", "spectral", "all-neighbors", "mutual-neighbors", "independent", "local-path"]
    assert answer["has_examples"]


def test_a_net_alone_expands_but_does_not_judge(net_alone):
    with asking(net_alone) as client:
        answer = told(client.get("/v1/model"))
        assert (answer["kind"], answer["classes"], answer["settings"]) == ("net", None, None)
        assert answer["methods"] == ["global", "spectral", "all-neighbors", "mutual-neighbors"]
        for path in ("/v1/predict", "/v1/explain"):
            assert "classinet train" in asked(client, path, "no-classifier", text="snow")["detail"]
        assert asked(client, "/v1/expand", text="snow")["expansions"][0]["features"]
        assert "without them" in asked(client, "/v1/expand", "invalid", text="snow", method="independent")["detail"]
        feature = told(client.get("/v1/features/storm"))["feature"]
        assert feature["fires"] is feature["predictor"] is feature["examples"] is None


# ------------------------------------------------------------------------------------------------ wrong requests


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, ""),
        ({"text": "a", "texts": ["b"]}, ""),
        ({"texts": []}, "texts"),
        ({"text": 1}, "text"),
        ({"text": None}, ""),
        ({"texts": ["a", 2]}, "texts[1]"),
        ({"text": "a", "probabilities": "yes"}, "probabilities"),
        ({"text": "a", "probabilities": 1}, "probabilities"),
        ({"text": "a", "unknown": 1}, "unknown"),
        ({"text": "a", "edits": {}}, "edits"),
        ({"text": "a", "edits": [{"ban": ["rain"]}]}, "edits[0]"),
        ({"text": "a", "edits": [{"ban": "rain", "pin": ["a", "b"]}]}, "edits[0]"),
        ({"text": "a", "edits": [{"pin": ["rain", "snow"]}]}, "edits[0]"),
        ({"text": "a", "edits": [{"pin": ["rain", "snow"], "weight": 1.5}]}, "edits[0]"),
        ({"text": "a", "edits": [{"ban": ""}]}, "edits[0]"),
        ({"text": "a", "edits": [{"ban": "rain"}, {"ban": "rian"}]}, "edits[1]"),
        ({"text": "a", "edits": [{"ban": ["rain", "Rain"]}]}, "edits[0]"),
        ({"text": "a", "edits": [{"ban": ["rain", "rain"]}]}, "edits"),
        ([], ""),
        ("text", ""),
        (None, ""),
        (10**400, ""),
    ],
)
def test_wrong_requests_are_told_what_is_wrong_where(client, body, where):
    problem = told(client.post("/v1/predict", content=json.dumps(body), headers=JSON), "invalid")
    assert problem["errors"][0]["where"].startswith(where)
    assert problem["errors"][0]["what"]


@pytest.mark.parametrize(
    "query",
    ["top=0", "top=201", "top=x", "top=1e9", "top=99999999999999999999999", "incoming=maybe", "top="],
)
def test_wrong_queries_are_told_too(client, query):
    problem = told(client.get(f"/v1/neighbors/storm?{query}"), "invalid")
    assert problem["errors"][0]["where"] == query.partition("=")[0]


@pytest.mark.parametrize("query", ["", "around=", "around=storm&hops=4", "around=storm&most=501", "around=a&" * 21])
def test_wrong_parts_of_the_graph_are_refused(client, query):
    assert client.get(f"/v1/graph?{query}").status_code in (404, 422)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"text": "a"} x',
        b"{'text': 'a'}",
        b'{"text": NaN}',
        b'{"text": Infinity}',
        b'{"text": "\\ud800"}',
        b'{"text": "\xff"}',
        b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"text": "a", "top": ' + b"9" * 5000 + b"}",
    ],
    ids=lambda body: body[:20].decode("latin-1"),
)
def test_what_is_no_json_is_refused(client, body):
    response = client.post("/v1/explain", content=body, headers=JSON)
    assert response.status_code in (400, 422)
    told(response, "not-json" if response.status_code == 400 else "invalid")


@pytest.mark.parametrize(
    "text", ["\x00", "a\x00b", "\u202e", "😀" * 50, "\ud7ff\ue000", "’" * 9000, "\n\t ", "a" * 10_000]
)
def test_any_unicode_is_a_text(client, text):
    assert asked(client, "/v1/expand", text=text)["expansions"][0]["text"] == text
    asked(client, "/v1/explain", text=text)
    asked(client, "/v1/predict", text=text)


@pytest.mark.parametrize(
    "path",
    ["/v2", "/v1", "/v1/", "/v1/predict/", "/V1/model", "//v1/model", "/static/", "/static/nothing.js",
     "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/etc/passwd", "/%00",
     "/static/%00", "/docs", "/redoc"],
)  # fmt: skip
def test_other_addresses_are_not_found(client, path):
    told(client.get(path), "not-found")


def test_other_methods_are_refused(client):
    for method, path in (("GET", "/v1/predict"), ("DELETE", "/v1/model"), ("PUT", "/v1/reload"), ("HEAD", "/v1/model")):
        response = client.request(method, path, headers=JSON)
        assert response.status_code == 405
        assert response.headers["allow"] in ("GET", "POST")
    told(client.patch("/v1/model", json={}), "method-not-allowed")


def test_only_json_is_read(client):
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "",
    ):
        told(
            client.post("/v1/predict", content=b'{"text": "a"}', headers={"content-type": kind}),
            "unsupported-media-type",
        )
    assert client.post(
        "/v1/predict", content=b'{"text": "a"}', headers={"content-type": "Application/JSON; charset=utf-8"}
    ).is_success


# ------------------------------------------------------------------------------------------------------- limits


def test_limits_are_kept_and_named(model):
    with asking(model, body_bytes=2000, batch=3, explained=2, text_length=50) as client:
        assert "2,000 bytes" in asked(client, "/v1/predict", "too-large", text="a" * 2000)["detail"]
        assert asked(client, "/v1/predict", texts=["a"] * 3)["predictions"]
        assert "a request may hold 3" in asked(client, "/v1/predict", "too-large", texts=["a"] * 4)["detail"]
        assert "a request may hold 2" in asked(client, "/v1/explain", "too-large", texts=["a"] * 3)["detail"]
        assert "texts[1] has 51" in asked(client, "/v1/expand", "too-large", texts=["a", "a" * 51])["detail"]

        def endless():
            for _ in range(100):
                yield b" " * 1000

        told(client.post("/v1/predict", content=endless(), headers=JSON), "too-large")
        assert told(client.get("/v1/model"))["limits"]["batch"] == 3


def test_what_takes_too_long_stops(model, monkeypatch):
    seen = []

    def slow(loaded, texts, deadline, **_):
        for part in deadline.slices(texts, 1):
            time.sleep(0.05)
            seen.append(part)
        return {}

    monkeypatch.setattr(answers, "predict", slow)
    with asking(model, seconds=0.2) as client:
        started = time.monotonic()
        problem = asked(client, "/v1/predict", "out-of-time", texts=["a"] * 1000)
        assert "0.2 seconds" in problem["detail"]
        assert time.monotonic() - started < 5
        time.sleep(0.2)
        assert len(seen) < 100
        assert told(client.get("/v1/model"))


def test_the_deadline_is_looked_at_between_slices():
    slices = Deadline(0.05).slices(range(1000), 1)
    with pytest.raises(Problem, match="not ready within"):
        deque(time.sleep(0.02) for _ in slices)


def test_too_many_requests_at_once_are_told_to_come_back(model, monkeypatch):
    import threading

    release, begun = threading.Event(), threading.Event()

    def waiting(*_, **__):
        begun.set()
        assert release.wait(20)
        return {}

    monkeypatch.setattr(answers, "about_model", waiting)
    with asking(model, in_flight=1) as client:
        first = threading.Thread(target=client.get, args=("/v1/model",))
        first.start()
        assert begun.wait(20)
        told(client.get("/v1/features"), "too-busy")
        assert client.get("/healthz").is_success
        release.set()
        first.join()
        told(client.get("/v1/features"))


def test_a_long_text_is_not_searched_for_paths_from_every_word(model, monkeypatch):
    monkeypatch.setattr("classinet.server.answers.judging.MOST_SEARCHES", 2)
    with asking(model) as client:
        assert (
            "different words"
            in asked(client, "/v1/expand", "too-large", text="rain snow oven", method="local-path")["detail"]
        )
        asked(client, "/v1/expand", text="rain snow", method="local-path")


@pytest.mark.parametrize("name", list(Limits.__dataclass_fields__))
def test_limits_are_checked(name):
    with pytest.raises(ParameterError, match=name):
        Limits(**{name: 0})


@pytest.mark.parametrize(
    "wrong",
    [
        {"token": "short"},
        {"token": "with spaces in between it"},
        {"port": 70000},
        {"workers": 0},
        {"allow_origins": ("https://a.org/",)},
        {"allow_origins": ("*",)},
    ],
)
def test_settings_are_checked(wrong):
    with pytest.raises(ParameterError):
        Settings(Path("model"), **wrong)
    assert TOKEN not in repr(Settings(Path("model"), token=TOKEN))


# ------------------------------------------------------------------------------------------ tokens and origins


def test_the_token_opens_the_api_and_nothing_else_needs_it(model):
    with asking(model, token=TOKEN) as client:
        for given in (None, TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer ", "Bearer é"):
            for path in ("/v1/model", "/metrics", "/v1/nothing"):
                headers = {} if given is None else {"authorization": given.encode("utf-8")}
                response = client.get(path, headers=headers)
                told(response, "unauthorized")
                assert response.headers["www-authenticate"].startswith("Bearer")
                assert TOKEN not in response.text
        for path in ("/v1/model", "/metrics"):
            assert client.get(path, headers={"authorization": f"bearer {TOKEN}"}).is_success
        for path in ("/", "/healthz", "/readyz", "/openapi.json"):
            assert client.get(path).is_success
        assert told(client.get("/openapi.json"))["paths"]["/v1/model"]["get"]["security"] == [{"token": []}]


def test_other_origins_are_refused(client):
    for origin in ("https://evil.example", "null", "http://localhost:1", "http://[", "file://"):
        for method, path in (
            ("POST", "/v1/predict"),
            ("POST", "/v1/reload"),
            ("GET", "/v1/model"),
            ("GET", "/metrics"),
        ):
            response = client.request(method, path, headers={"origin": origin, **JSON}, content=b'{"text": "a"}')
            told(response, "origin-not-allowed")
            assert "access-control-allow-origin" not in response.headers
    told(client.get("/v1/model", headers={"sec-fetch-site": "cross-site"}), "origin-not-allowed")
    before = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    told(client.options("/v1/predict", headers=before), "origin-not-allowed")
    assert client.get("/v1/model", headers={"origin": "http://localhost", "sec-fetch-site": "same-origin"}).is_success


def test_an_allowed_origin_may_ask(model):
    origin = "https://words.example.org"
    with asking(model, allow_origins=(origin,)) as client:
        before = {"origin": origin, "access-control-request-method": "POST"}
        response = client.options("/v1/predict", headers=before)
        assert response.status_code == 204
        assert response.headers["access-control-allow-origin"] == origin
        assert "content-type" in response.headers["access-control-allow-headers"]
        response = client.post(
            "/v1/predict", json={"text": "snow"}, headers={"origin": origin, "sec-fetch-site": "cross-site"}
        )
        assert told(response)
        assert response.headers["access-control-allow-origin"] == origin
        assert response.headers["vary"] == "origin"
        told(client.get("/v1/model", headers={"origin": "https://evil.example"}), "origin-not-allowed")
        assert client.get("/v1/model", headers={"host": "words.example.org"}).is_success


def test_a_name_that_points_here_from_elsewhere_is_refused(client, model):
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[", "[::1"):
        told(client.get("/v1/model", headers={"host": host}), "host-not-allowed")
    for host in ("localhost:8000", "127.0.0.1", "[::1]:9", "LOCALHOST"):
        assert client.get("/healthz", headers={"host": host}).is_success
    with asking(model, host="0.0.0.0") as everywhere:
        assert everywhere.get("/v1/model", headers={"host": "words.example.org"}).is_success


def test_every_answer_says_which_request_it_is_and_how_long_to_keep_it(client):
    ids = {client.get(path).headers["x-request-id"] for path in ("/", "/v1/model", "/nothing", "/healthz")}
    assert len(ids) == 4
    assert client.get("/v1/model").headers["cache-control"] == "no-store"
    assert client.get("/v1/nothing").headers["cache-control"] == "no-store"
    assert client.get("/").headers["content-type"].startswith("text/html")


# --------------------------------------------------------------------------------------- failures, logs, metrics


def test_a_fault_of_the_server_shows_in_its_log_and_not_in_the_answer(model, monkeypatch, caplog):
    def fail(*_, **__):
        raise ZeroDivisionError("a secret of the inside")

    monkeypatch.setattr(answers, "about_model", fail)
    with asking(model) as client:
        response = client.get("/v1/model")
        told(response, "internal-error")
    assert "secret" not in response.text
    assert response.headers["x-request-id"] in caplog.text
    assert "a secret of the inside" in caplog.text


def test_logs_hold_neither_texts_nor_tokens(model, caplog):
    caplog.set_level("DEBUG")
    with asking(model, token=TOKEN, log_requests=True) as client:
        client.post("/v1/predict", json={"text": "my private words"}, headers={"authorization": f"Bearer {TOKEN}"})
        client.get("/v1/features/private", headers={"authorization": "Bearer wrong-private-token"})
    lines = [record.getMessage() for record in caplog.records if record.name == "classinet.server"]
    assert any("POST /v1/predict 200" in line for line in lines)
    assert any("GET other 401" in line for line in lines)
    assert not any("private" in line or TOKEN in line for line in lines)


def test_metrics_count_requests_and_texts_without_letting_clients_name_anything(model):
    with asking(model) as client:
        asked(client, "/v1/predict", texts=["a", "b", "c"])
        told(client.get("/v1/features/storm"))
        for path in ("/nothing-1", "/nothing-2"):
            client.get(path)
        client.request("BREW", "/v1/model")
        text = client.get("/metrics").text
    assert 'classinet_requests_total{method="POST",route="/v1/predict",status="200"} 1.0' in text
    assert 'route="/v1/features/{feature:path}",status="200"} 1.0' in text
    assert 'classinet_requests_total{method="GET",route="other",status="404"} 2.0' in text
    assert 'method="other"' in text
    assert "nothing-1" not in text
    assert "BREW" not in text
    assert "classinet_texts_total 3.0" in text
    assert "classinet_model_version 1.0" in text
    assert 'classinet_request_seconds_count{route="/v1/predict"} 1.0' in text


# ------------------------------------------------------------------------------------------------------ reloading


def test_a_new_version_is_followed_and_a_broken_one_is_not(tmp_path, classifier, monkeypatch):
    monkeypatch.setattr(service, "POLL_SECONDS", 0.02)
    path = saved(classifier, tmp_path)
    with asking(path) as client:
        other = made_up_classifier(classifier.text_net_, ["a", "b", "c"])
        save(other, path, replace=True)
        _until(lambda: told(client.get("/v1/model"))["version"] == "v0002")
        assert asked(client, "/v1/predict", text="snow")["predictions"][0]["label"] == "a"
        # Broken before it is the current one: the server looks every few milliseconds.
        shutil.copytree(path / "v0002", path / "v0003")
        (path / "v0003" / "config.json").write_text("{}", encoding="utf-8")
        pointer = (path / "CURRENT").read_text(encoding="utf-8")
        (tmp_path / "next").write_text(pointer.replace("v0002", "v0003"), encoding="utf-8")
        (tmp_path / "next").replace(path / "CURRENT")
        problem = told(client.post("/v1/reload"), "broken-version")
        assert "v0003" in problem["detail"]
        assert "goes on being served" in problem["detail"]
        assert told(client.get("/v1/model"))["version"] == "v0002"
        assert "v0003" in told(client.get("/readyz"))["detail"]
        metrics = client.get("/metrics").text
        assert "classinet_model_broken 1.0" in metrics
        assert "classinet_reload_errors_total 0.0" not in metrics
        save(classifier, path, replace=True)
        assert told(client.post("/v1/reload")) == {"version": "v0004", "workers": 1}
        assert told(client.get("/readyz")) == {"status": "ok"}
        assert asked(client, "/v1/predict", text="snow")["predictions"][0]["label"] == "weather"


def test_edits_that_change_in_place_are_followed(tmp_path, classifier):
    path = saved(classifier, tmp_path)
    with asking(path) as client:
        assert told(client.get("/v1/model"))["edits"] == 0
        save_edits(path, Edits().ban("thunder"))
        assert told(client.post("/v1/reload"))["version"] == "v0001"
        assert told(client.get("/v1/model"))["edits"] == 1
        kinds = {each["kind"] for each in asked(client, "/v1/expand", text="thunder")["expansions"][0]["features"]}
        assert kinds == {"text", "phrase"}, "nothing follows from a banned word, nor from its pieces"
        (path / "v0001.edits.jsonl").write_text('{"ban": "nonsense-word"}\n', encoding="utf-8")
        assert "nonsense-word" in told(client.post("/v1/reload"), "broken-version")["detail"]
        assert told(client.get("/v1/model"))["edits"] == 1


def test_requests_under_way_finish_on_the_model_they_began_with(tmp_path, classifier):
    path = saved(classifier, tmp_path)
    holder = Holder(path)
    holder.refresh()
    first = holder.loaded
    save(made_up_classifier(classifier.text_net_, ["a", "b", "c"]), path, replace=True)
    assert holder.refresh().model.startswith("v0002")
    assert holder.loaded.version == "v0002"
    assert answers.predict(first, ["snow"], Deadline(10))["predictions"][0]["label"] == "weather"
    assert holder.loads == 2
    holder.refresh()
    assert holder.loads == 2, "nothing has changed"


def test_without_a_model_the_server_is_alive_and_not_ready(tmp_path, classifier, monkeypatch):
    monkeypatch.setattr(service, "POLL_SECONDS", 0.02)
    path = tmp_path / "model"
    with asking(path) as client:
        told(client.get("/healthz"))
        assert "no such folder" in told(client.get("/readyz"), "not-ready")["detail"]
        asked(client, "/v1/predict", "not-ready", text="a")
        told(client.post("/v1/reload"), "broken-version")
        saved(classifier, tmp_path)
        _until(lambda: client.get("/readyz").is_success)
        asked(client, "/v1/predict", text="a")


def test_a_server_that_is_stopping_is_not_ready(model):
    with asking(model) as client:
        told(client.get("/readyz"))
        client.app.service.stopping = True
        assert "stopping" in told(client.get("/readyz"), "not-ready")["detail"]
        told(client.get("/healthz"))


def _until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


# ------------------------------------------------------------------------------------------- on a real connection


@pytest.fixture(scope="module")
def port(model):
    with listening(model, read_seconds=0.3, connections=30) as port:
        yield port


def problem_of(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    assert b"content-security-policy" in head.lower()
    members = json.loads(body)
    assert int(head.split()[1]) == members["status"]
    return members["type"].removeprefix("/problems/")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"hello\r\n\r\n", "bad-request"),
        (b"GET /v1/model\x00 HTTP/1.1\r\nhost: localhost\r\n\r\n", "bad-request"),
        (b"GET /\xff HTTP/1.1\r\nhost: localhost\r\n\r\n", "bad-request"),
        (b"\x16\x03\x01\x02\x00\x01\x00", "bad-request"),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\n" + b"a: b\r\n" * 60_000, "head-too-large"),
        (b"GET /" + b"a" * 300_000, "head-too-large"),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\n", "too-slow"),
        (b"", "too-slow"),
        (post("/v1/predict", b'{"text"', content_length="100"), "too-slow"),
        (post("/v1/predict", b"", content_length=10**12), "too-large"),
        (post("/v1/predict", b"", content_length=10**20), "bad-request"),
        (post("/v1/predict", b"", content_length="-1"), "bad-request"),
        (post("/v1/predict", b"{}", host="evil.example"), "host-not-allowed"),
        (b"GET /v1/model HTTP/1.1\r\nconnection: close\r\n\r\n", "host-not-allowed"),
        (post("/v1/predict", b"zz\r\n", content_length=None, transfer_encoding="chunked"), "bad-request"),
    ],
)  # fmt: skip
def test_what_hardly_is_http_gets_a_problem(port, data, kind):
    assert problem_of(exchange(port, data)) == kind


def test_clients_that_leave_early_do_no_harm(port):
    import socket

    body = json.dumps({"texts": ["rain"] * 1000}).encode()
    for cut in (10, 60, len(post("/v1/predict", body)) - 5, None):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(post("/v1/predict", body)[:cut])
    assert b" 200 " in exchange(port, post("/v1/predict", b'{"text": "snow"}'))


def test_there_are_only_so_many_connections(port):
    import socket
    from contextlib import ExitStack

    with ExitStack() as stack:
        for _ in range(30):
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        answers_got = [exchange(port, b"") for _ in range(2)]
    assert "too-busy" in {problem_of(answer) for answer in answers_got}
    _until(lambda: b" 200 " in exchange(port, post("/v1/predict", b'{"text": "snow"}')))


def test_a_connection_serves_many_requests(port):
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for number in range(5):
        connection.request("POST", "/v1/predict", json.dumps({"text": f"snow {number}"}), JSON)
        response = connection.getresponse()
        assert response.status == 200
        response.read()
    time.sleep(0.6)  # longer than a head may take: an idle connection is no slow request
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200
    connection.close()


# --------------------------------------------------------------------------------------------- the document


def test_the_document_lists_every_address_with_examples_and_problems(client):
    document = told(client.get("/openapi.json"))
    assert set(document["paths"]) == {
        "/v1/predict", "/v1/expand", "/v1/explain", "/v1/features", "/v1/features/{feature}", "/v1/neighbors/{feature}",
        "/v1/path", "/v1/graph", "/v1/model", "/v1/reload", "/healthz", "/readyz", "/metrics",
    }  # fmt: skip
    for path, methods in document["paths"].items():
        for operation in methods.values():
            assert operation["summary"]
            assert {"200", "403", "500"} <= set(operation["responses"]), path
            for status, response in operation["responses"].items():
                assert (MEDIA_TYPE in response["content"]) == (status != "200")
    for name in ("PredictRequest", "ExpandRequest", "ExplainRequest"):
        for example in document["components"]["schemas"][name]["examples"]:
            path = f"/v1/{name.removesuffix('Request').lower()}"
            asked(client, path, **example)


def test_no_request_that_the_document_describes_fails(model):
    statuses = tried(model, examples=25)
    assert sum(statuses.values()) >= 200
    assert {200, 422} <= set(statuses)
    assert max(statuses) < 500


@pytest.mark.soak
def test_no_request_of_thousands_fails(model, record):
    statuses = tried(model, examples=800)
    record(cases=sum(statuses.values()), statuses={str(status): count for status, count in sorted(statuses.items())})
    assert sum(statuses.values()) >= 5000
    assert max(statuses) < 500


def test_examples_of_labelled_texts_are_known(client):
    predictions = asked(client, "/v1/predict", texts=LABELLED)["predictions"]
    assert [each["label"] for each in predictions] == LABELS
