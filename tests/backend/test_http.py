"""The HTTP API: what it answers, what it refuses and how, and that its description is true."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from backend.refusal import ErrorBody
from backend.report import Report
from backend.settings import ROOT
from engine.registry import protocols
from tests.backend.decode import Frame
from tests.backend.support import Serving, scenario

LEIPZIG = {
    "version": 1,
    "topology": {"kind": "builtin", "name": "leipzig"},
    "protocol": {"name": "psvr"},
    "duration_s": 10,
}


def refused(response: Any, status: int) -> dict[str, str]:
    """The problem in an answer that must be a refusal in the one form."""
    assert response.status_code == status, response.text
    assert "Traceback" not in response.text
    problem = ErrorBody.model_validate(response.json()).error
    assert problem.message
    assert problem.allowed
    return problem.model_dump()


def test_health(server: Serving) -> None:
    health = server.http.get("/api/health").json()
    assert health["ok"] is True
    assert re.fullmatch(r"\d+\.\d+\.\d+", health["version"])


def test_every_example_can_be_played(server: Serving) -> None:
    examples = server.http.get("/api/examples").json()
    assert examples[0]["name"] == "first-visit"
    assert len(examples) >= 4
    for example in examples:
        assert example["title"]
        assert example["summary"].endswith(".")
        document = server.http.get(f"/api/examples/{example['name']}").json()
        assert server.http.post("/api/scenarios/check", json=document).json()["ok"] is True


def test_the_catalogue_lists_networks_that_can_be_had(server: Serving) -> None:
    networks = server.http.get("/api/networks").json()
    assert {"leipzig", "bremen", "munich", "psvr-fig5", "psvr-fig4", "mesh-17"} <= {
        n["name"] for n in networks
    }
    leipzig = server.http.get("/api/networks/leipzig").json()
    assert leipzig["facts"]["nodes"] == 210
    assert leipzig["facts"]["components"] == [210]
    check = server.http.post("/api/scenarios/check", json={**LEIPZIG, "topology": leipzig["topology"]})
    assert check.json() == {"ok": True, "nodes": 210, "links": 413, "events": 0}
    ranged = next(n for n in networks if n["range_m"] is not None)
    near = server.http.get(f"/api/networks/{ranged['name']}").json()["facts"]["links"]
    far = server.http.get(f"/api/networks/{ranged['name']}?range_m={ranged['range_m'] * 2}").json()["facts"][
        "links"
    ]
    assert far > near
    assert "did you mean 'leipzig'" in refused(server.http.get("/api/networks/leipsig"), 404)["allowed"]
    refused(server.http.get("/api/networks/leipzig?range_m=5"), 422)
    refused(server.http.get("/api/networks/leipzig?range_m=nan"), 422)


def test_protocols_and_schemas(server: Serving) -> None:
    listed = server.http.get("/api/protocols").json()
    assert [p["name"] for p in listed] == list(protocols())
    refused(server.http.post("/api/protocols/psvrr/check", json={"params": {}}), 404)
    for name in ("scenario", "topology", "event", "run-report", "protocols", "sweep"):
        schema = server.http.get(f"/api/schemas/{name}").json()
        assert schema["$schema"].startswith("https://json-schema.org/")
    refused(server.http.get("/api/schemas/sweeps"), 404)


def test_a_network_file_is_read(server: Serving) -> None:
    response = server.http.post("/api/networks?filename=edges.txt", content=b"a b\nb c\n")
    found = response.json()
    assert found["facts"] | {"diameter": 2} == found["facts"]
    assert [n["id"] for n in found["topology"]["nodes"]] == ["a", "b", "c"]
    check = server.http.post("/api/scenarios/check", json={**LEIPZIG, "topology": found["topology"]})
    assert check.json()["nodes"] == 3


BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "'
    + b"x" * 1000
    + b'"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><graphml>&b;</graphml>'
)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\x01\x02\xff" * 100,
        BOMB,
        b"\xff\xfe",
        b"{",
        b"[" * 100_000,
        b'{"nodes": 3}',
        b"PK\x03\x04zip",
        b"\x1f\x8bgz",
    ],
)
def test_a_file_that_is_no_network_gets_words(server: Serving, data: bytes) -> None:
    refused(server.http.post("/api/networks?filename=<b>x</b>", content=data), 422)


BAD_BODIES: list[bytes] = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"text"',
    b"\xff\xfe\x00",
    b'{"scenario": 3}',
    b'{"scenario": null}',
    b'{"scenario": {}, "link": "s1.x"}',
    b'{"example": 7}',
    b'{"unknown": true}',
    b'{"scenario": ' * 3_000,
    b"[" * 200_000,
    b'{"scenario": {"version": NaN}}',
    b'{"scenario": {"version": 1, "duration_s": 1e999}}',
    b'{"scenario": {"version": ' + b"9" * 5_000 + b"}}",
]


@pytest.mark.parametrize("body", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_a_body_that_makes_no_sense_gets_words(server: Serving, body: bytes) -> None:
    response = server.http.post("/api/sessions", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422), response.text
    refused(response, response.status_code)


def wrong_scenarios() -> Iterator[tuple[str, dict[str, Any]]]:
    """(the place that must be named, a document wrong there)."""
    yield "version", scenario(version=2)
    yield "version", {k: v for k, v in scenario().items() if k != "version"}
    yield "sed", scenario(sed=1)
    yield "seed", scenario(seed=-1)
    yield "duration_s", scenario(duration_s=0)
    yield "duration_s", scenario(duration_s="long")
    yield "topology.kind", scenario(topology={"kind": "torus"})
    yield "topology.n", scenario(topology={"kind": "line", "n": 10**9})
    yield "topology.name", scenario(topology={"kind": "builtin", "name": "atlantis"})
    yield (
        "topology.links[0]",
        scenario(topology={"kind": "explicit", "nodes": [{"id": "a"}], "links": [["a", "a"]]}),
    )
    yield (
        "topology.links[0]",
        scenario(topology={"kind": "explicit", "nodes": [{"id": "a"}], "links": [["a", "z"]]}),
    )
    yield "topology.nodes[1].id", scenario(topology={"kind": "explicit", "nodes": [{"id": "a"}, {"id": "a"}]})
    yield "radio.loss", scenario(radio={"kind": "ideal", "loss": 2})
    yield "protocol.name", scenario(protocol={"name": "pigeon"})
    yield "protocol.params.root", scenario(protocol={"name": "psvr", "params": {"root": "nobody"}})
    yield "protocol.params.speed", scenario(protocol={"name": "psvr", "params": {"speed": 3}})
    yield "events[0].node", scenario(events=[{"t": 1, "do": "publish", "node": "nobody", "channel": "c"}])
    yield "events[0].do", scenario(events=[{"t": 1, "do": "dance", "node": "1"}])
    yield "events[0].t", scenario(events=[{"t": -1, "do": "fail-node", "node": "1"}])
    yield (
        "events[1].link",
        scenario(events=[{"t": 0, "do": "restore-all"}, {"t": 1, "do": "fail-link", "link": ["0", "4"]}]),
    )


@pytest.mark.parametrize(
    ("path", "document"), list(wrong_scenarios()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_wrong_scenario_is_refused_by_its_place(
    server: Serving, path: str, document: dict[str, Any]
) -> None:
    for address, body in (("/api/sessions", {"scenario": document}), ("/api/scenarios/check", document)):
        problem = refused(server.http.post(address, json=body), 422)
        assert problem["path"].startswith(path), problem


def test_a_body_that_is_too_big_is_refused_without_being_read(own_server: Callable[..., Serving]) -> None:
    server = own_server(max_body=10_000)
    problem = refused(server.http.post("/api/networks", content=b"x" * 2_000_000), 413)
    assert problem["allowed"] == "at most 10,000 bytes"

    def trickle() -> Iterator[bytes]:
        for _ in range(100):
            yield b"y" * 1_000

    refused(server.http.post("/api/networks", content=trickle()), 413)
    assert server.http.get("/api/health").status_code == 200


def test_a_body_announced_as_huge_is_refused_at_once(server: Serving) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 10) as raw:
        raw.sendall(
            b"POST /api/networks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 52428800\r\n\r\nstart"
        )
        answer = raw.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 413")


def test_unknown_things_are_404(server: Serving) -> None:
    for path in ("", "/scenario", "/report", "/link"):
        assert refused(server.http.get(f"/api/sessions/nothing{path}"), 404)["path"] == "session"
    refused(server.http.get("/api/nowhere"), 404)
    refused(server.http.get("/api/links/unknown"), 404)
    refused(server.http.get("/nowhere.js"), 404)
    refused(server.http.get("/%2e%2e/%2e%2e/etc/passwd"), 404)
    refused(server.http.get("/assets/..%2f..%2f..%2fetc%2fpasswd"), 404)
    refused(server.http.get("/a%00b"), 404)
    assert server.http.delete("/api/sessions").status_code == 405


def test_too_many_requests_from_one_address(own_server: Callable[..., Serving]) -> None:
    server = own_server(create_rate=0.001, create_burst=2)
    server.create()
    server.create()
    response = server.http.post("/api/sessions", json={"scenario": scenario()})
    assert "2 at once" in refused(response, 429)["allowed"]
    assert int(response.headers["Retry-After"]) >= 1


def test_a_network_too_big_for_this_server(own_server: Callable[..., Serving]) -> None:
    server = own_server(max_nodes=100)
    for address, body in (("/api/sessions", {"scenario": LEIPZIG}), ("/api/scenarios/check", LEIPZIG)):
        assert "100 nodes" in refused(server.http.post(address, json=body), 422)["allowed"]
    edges = "\n".join(f"{k} {k + 1}" for k in range(200)).encode()
    assert "100 nodes" in refused(server.http.post("/api/networks", content=edges), 422)["allowed"]


def test_a_report_is_what_its_schema_says(server: Serving) -> None:
    session = server.create({"example": "psvr-fig5"})
    with server.viewer(session) as viewer:
        viewer.send(type="speed", value=100)
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 60)
        viewer.send(type="pause")
        viewer.until(lambda m: m["type"] == "run" and not m["playing"] if isinstance(m, dict) else False)
        report = server.http.get(f"/api/sessions/{session['id']}/report").json()
    assert Report.model_validate(report).model_dump(mode="json", by_alias=True) == report
    first = report["publications"][0]
    assert (first["id"], first["messages"], sorted(first["delivered"])) == ("p1", 3, ["a", "b"])
    assert report["publications"][0]["sends"][0]["fields"] == {"from_pos": 6, "goal": 7, "ep": 8}
    assert report["ring"]["length"] == 10


def test_information_about_a_session(server: Serving) -> None:
    session = server.create()
    info = server.http.get(f"/api/sessions/{session['id']}").json()
    assert (
        info | {"name": "a line of five", "nodes": 5, "t": 0.0, "parked": False, "protocol": "psvr"} == info
    )
    assert session["token"] not in json.dumps(info)
    document = server.http.get(f"/api/sessions/{session['id']}/scenario").json()
    assert document["topology"] == {"kind": "line", "n": 5}


# --- who may ask


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[::2]"])
def test_another_host_name_is_refused(server: Serving, host: str) -> None:
    refused(server.http.get("/api/health", headers={"Host": host}), 421)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1:80", "[::1]:8000"])
def test_names_of_this_machine_are_accepted(server: Serving, host: str) -> None:
    assert server.http.get("/api/health", headers={"Host": host}).status_code == 200


def test_pages_of_other_sites_cannot_post(server: Serving) -> None:
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1", "http://["):
        response = server.http.post(
            "/api/sessions", json={"example": "psvr-fig5"}, headers={"Origin": origin}
        )
        assert refused(response, 403)["path"] == "Origin"
    own = f"http://127.0.0.1:{server.port}"
    assert (
        server.http.post("/api/sessions", json={"example": "psvr-fig5"}, headers={"Origin": own}).status_code
        == 201
    )


def test_half_a_character_is_refused_like_anything_else(server: Serving) -> None:
    headers = {"Content-Type": "application/json"}
    for path in ("/api/scenarios/check", "/api/sweeps/estimate", "/api/sessions"):
        response = server.http.post(path, content=b'"\\ud800"', headers=headers)
        assert "ud800" in refused(response, 422)["value"]


@pytest.mark.parametrize("range_m", ["inf", "1e300", "nan", "0"])
def test_a_range_out_of_bounds_is_refused(server: Serving, range_m: str) -> None:
    for name in ("leipzig", "grenoble"):
        response = server.http.get(f"/api/networks/{name}", params={"range_m": range_m})
        assert refused(response, 422)["path"] == "range_m"


def test_origins_and_hosts_can_be_allowed(own_server: Callable[..., Serving]) -> None:
    server = own_server(hosts="play.example,127.0.0.1", origins="https://other.example")
    assert server.http.get("/api/health", headers={"Host": "play.example"}).status_code == 200
    body, headers = {"example": "psvr-fig5"}, {"Origin": "https://other.example"}
    assert server.http.post("/api/sessions", json=body, headers=headers).status_code == 201


def test_every_answer_carries_the_security_headers(server: Serving) -> None:
    for path in ("/", "/api/health", "/api/nowhere", "/nowhere"):
        headers = server.http.get(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "server" not in headers


# --- the page


def test_the_page_and_its_files(own_server: Callable[..., Serving], tmp_path: Any) -> None:
    dist = tmp_path / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_text("<!doctype html><script>let a = 1</script><title>Ringcast</title>")
    (dist / "assets" / "index-abc123.js").write_text("export {}")
    (dist / "icon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("secret")
    server = own_server(dist=dist)
    for path in ("/", "/s/abcdef"):
        page = server.http.get(path)
        assert "<title>Ringcast</title>" in page.text
        assert page.headers["Cache-Control"] == "no-cache"
        assert re.search(r"script-src 'self' 'sha256-[\w+/=]+'", page.headers["Content-Security-Policy"])
    script = server.http.get("/assets/index-abc123.js")
    assert "immutable" in script.headers["Cache-Control"]
    assert script.headers["Content-Type"].startswith("text/javascript")
    assert server.http.head("/").headers["Content-Length"] == str(len(server.http.get("/").content))
    assert server.http.get("/icon.svg").headers["Cache-Control"] == "no-cache"
    again = server.http.get(
        "/icon.svg", headers={"If-None-Match": server.http.get("/icon.svg").headers["ETag"]}
    )
    assert again.status_code in (200, 304)
    refused(server.http.get("/..%2fsecret.txt"), 404)
    refused(server.http.get("/assets"), 404)


def test_without_a_built_page_there_are_instructions(
    own_server: Callable[..., Serving], tmp_path: Any
) -> None:
    server = own_server(dist=tmp_path / "nothing")
    page = server.http.get("/")
    assert page.status_code == 503
    assert "./run" in page.text


# --- the description


def test_the_description_is_complete_and_true(server: Serving) -> None:
    spec = server.http.get("/api/openapi.json").json()
    assert "HTTPValidationError" not in json.dumps(spec), "refusals have another form here"
    for path, methods in spec["paths"].items():
        for method, route in methods.items():
            where = f"{method} {path}"
            assert route["description"], where
            assert route["tags"], where
            answers = route["responses"]
            good = [code for code in answers if code.startswith("2")]
            assert good, where
            for code in good:
                content = answers[code]["content"]
                assert len(content) == 1, where
                assert all(each["schema"] for each in content.values()), where
            for code, answer in answers.items():
                if not code.startswith("2"):
                    assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorBody"), (
                        where
                    )
            if "{" in path:
                assert "404" in answers, where
            if method == "post" and not path.endswith(("/cancel", "/resume")):  # which need no words
                assert "413" in answers, where
                assert route["requestBody"]["required"], where


def test_answers_have_the_fields_the_description_promises(server: Serving) -> None:
    session = server.create({"example": "psvr-fig5", "play": False})
    link = server.http.get(f"/api/sessions/{session['id']}/link").json()
    short = server.http.post("/api/links", json={"fragment": link["fragment"]}).json()
    values = {"id": session["id"], "hash": short["hash"]}
    names = {
        "/api/networks/{name}": "mesh-17",
        "/api/examples/{name}": "psvr-fig5",
        "/api/schemas/{name}": "scenario",
    }
    spec = server.http.get("/api/openapi.json").json()
    tried = 0
    for path, methods in spec["paths"].items():
        if "get" in methods and not path.startswith("/api/sweeps/"):  # these: test_sweeps_http
            address = path.format(**values, name=names.get(path, ""))
            response = server.http.get(address)
            assert response.status_code == 200, address
            schema = methods["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            _conforms(response.json(), schema, spec, address)
            tried += 1
    assert tried >= 12


def _conforms(value: Any, schema: dict[str, Any], spec: dict[str, Any], where: str) -> None:
    """A small check of types, required fields and unknown ones."""
    if "$ref" in schema:
        schema = spec["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        kinds = [s.get("type") for s in schema["anyOf"]]
        assert value is not None or "null" in kinds, where
        return
    match schema.get("type"):
        case "object":
            assert isinstance(value, dict), where
            if "properties" in schema:
                assert set(schema.get("required", ())) <= set(value), where
                assert set(value) <= set(schema["properties"]), where
                for name, inner in schema["properties"].items():
                    if name in value:
                        _conforms(value[name], inner, spec, f"{where}.{name}")
        case "array":
            assert isinstance(value, list), where
            for each in value[:5]:
                _conforms(each, schema["items"], spec, where)
        case "string":
            assert isinstance(value, str), where
        case "integer":
            assert isinstance(value, int), where
        case "number":
            assert isinstance(value, int | float), where
        case "boolean":
            assert isinstance(value, bool), where


def test_the_document_lists_every_request(server: Serving) -> None:
    doc = (ROOT / "docs" / "api.md").read_text("utf-8")
    spec = server.http.get("/api/openapi.json").json()
    listed = set(re.findall(r"^\| `(\w+ /api/[^`]*)`", doc, re.MULTILINE))
    assert listed == {
        f"{method.upper()} {path}" for path, methods in spec["paths"].items() for method in methods
    }
