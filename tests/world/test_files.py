"""Network files: round trips through every format, real files' quirks, and everything hostile."""

from __future__ import annotations

import json
import math
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.errors import ScenarioError
from engine.world.builtin import build
from engine.world.explicit import from_explicit
from engine.world.network import Network, sorted_links
from engine.world.readers import read_network, read_network_file, read_scenario_or_network
from engine.world.scenario import Scenario
from engine.world.topologies import Builtin
from engine.world.writers import FORMATS, write_network

READ_AS = {"json": "json", "graphml": "graphml", "gml": "gml", "edgelist": "edgelist", "netjson": "netjson"}

ids = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=8
).filter(lambda s: s.isprintable() and s.strip() == s and s not in ("", "*"))
numbers = st.floats(-1000, 1000).map(lambda v: round(v, 3))


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Any small network with links of its own, ids as awkward as they may be."""
    names = draw(st.lists(ids, min_size=1, max_size=7, unique=True))
    n = len(names)
    pairs = [(i, j) for j in range(n) for i in range(j)]
    links = sorted_links(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])
    share = st.floats(0, 1).map(lambda v: round(v, 3))
    known: bool = bool(links) and draw(st.booleans())
    quality = tuple((draw(share), draw(share)) for _ in links) if known else None
    return Network(
        tuple(names),
        tuple(draw(ids) if draw(st.booleans()) else name for name in names),
        tuple(draw(numbers) for _ in names),
        tuple(draw(numbers) for _ in names),
        links,
        quality,
    )


@settings(max_examples=120, deadline=None)
@given(networks(), st.sampled_from(sorted(READ_AS)))
def test_a_network_survives_every_format(network: Network, form: str) -> None:
    text = write_network(network, form)
    found = read_network_file(text.encode(), "net." + form)
    assert found.format in (READ_AS[form], "freifunk")
    back = from_explicit(found.topology)
    assert (back.ids, back.links) == (network.ids, network.links)
    if form == "edgelist":
        return
    assert back.names == network.names
    if found.format != "freifunk":
        assert (back.x, back.y) == (network.x, network.y)
    assert back.quality == network.quality


@pytest.mark.parametrize("form", FORMATS)
def test_a_testbed_survives_every_format_and_its_range_where_the_format_can(form: str) -> None:
    network = build(Builtin(kind="builtin", name="iotlab-lille", range_m=2))
    found = read_network_file(write_network(network, form).encode())
    if form == "csv":
        assert found.needs_range
        found_again = found.topology.model_copy(update={"range_m": 2.0})
        assert from_explicit(found_again) == network
    elif form == "json":
        assert from_explicit(found.topology) == network
    else:
        assert from_explicit(found.topology).links == network.links


def test_an_unknown_format_and_positions_without_a_range_are_refused() -> None:
    network = build(Builtin(kind="builtin", name="mesh-17"))
    with pytest.raises(ScenarioError, match="did you mean 'graphml'"):
        write_network(network, "grafml")
    with pytest.raises(ScenarioError, match="follow from no range"):
        write_network(network, "csv")


def test_other_programs_read_what_is_written_and_the_other_way_round(tmp_path: Any) -> None:
    network = build(Builtin(kind="builtin", name="mesh-17"))
    graph = network.to_networkx()
    for form, read, write in (
        ("graphml", nx.read_graphml, nx.write_graphml),
        ("gml", nx.read_gml, nx.write_gml),
        ("edgelist", nx.read_edgelist, nx.write_edgelist),
    ):
        path = tmp_path / f"net.{form}"
        path.write_text(write_network(network, form), "utf-8")
        assert nx.utils.graphs_equal(nx.Graph(read(path).edges), nx.Graph(graph.edges)), form
        write(graph, path)
        theirs = read_network_file(path.read_bytes(), path.name)
        assert theirs.format == form
        back = from_explicit(theirs.topology)
        assert set(back.ids) == set(network.ids)
        assert {frozenset((back.ids[i], back.ids[j])) for i, j in back.links} == {
            frozenset((network.ids[i], network.ids[j])) for i, j in network.links
        }


def test_freifunk_maps_are_read_with_names_and_qualities() -> None:
    data = {
        "nodes": [{"id": 0, "name": "roof", "x": 51.3, "y": 12.3}, {"id": 1, "name": " hall "}, {"id": 2}],
        "links": [
            {"source": 1, "source_tq": 0.5, "target": 0, "target_tq": 1, "type": "wifi"},
            {"source": 0, "target": 2, "type": "vpn"},
            {"source": "ic-0", "target": "1", "type": "vpn"},
        ],
    }
    found = read_network_file(json.dumps(data).encode(), "freifunk-x.json")
    assert (found.format, len(found.notes)) == ("freifunk", 2)
    network = from_explicit(found.topology)
    assert (network.ids, network.names) == (("0", "1", "2"), ("roof", "hall", "2"))
    assert (network.links, network.quality) == (((0, 1), (0, 2)), ((1.0, 0.5), (0.0, 0.0)))
    assert max(network.x) - min(network.x) > 50


def test_netjson_and_gephi_quirks() -> None:
    netjson = {
        "type": "NetworkGraph",
        "protocol": "OLSR",
        "nodes": [{"id": "10.0.0.1", "label": "gw", "properties": {"x": 1, "y": 2}}, {"id": "10.0.0.2"}],
        "links": [
            {"source": "10.0.0.1", "target": "10.0.0.2", "cost": 1.0},
            {"source": "10.0.0.2", "target": "10.0.0.1", "cost": 1.2},
        ],
    }
    found = read_network_file(json.dumps(netjson).encode())
    assert (found.format, found.notes) == ("netjson", ("1 repeated links were merged",))
    assert (found.topology.nodes[0].name, found.topology.nodes[0].x) == ("gw", 1)
    graphml = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
        <graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key attr.name="Label" id="d0" for="node"/>
        <graph edgedefault="directed"><edge source="n0" target="n1"/><node id="n0"><data key="d0">Caf\xe9</data></node>
        <node id="n1"/></graph></graphml>"""
    topology = read_network(graphml, "x.graphml")
    assert [(node.id, node.name) for node in topology.nodes] == [("n0", "Café"), ("n1", None)]
    assert topology.links == (("n0", "n1"),)
    gml = b"""Creator "x"
        graph [ directed 1
          node [ id 5 label "M&#252;hle" graphics [ x 1.5 y -2 ] ] node [ id 6 label "b" ]
          edge [ source 5 target 6 value 3.0e0 ] ]"""
    topology = read_network(gml)
    assert [(node.id, node.x, node.y) for node in topology.nodes] == [("Mühle", 1.5, -2), ("b", None, None)]


def test_edge_lists_with_comments_weights_quotes_and_lonely_nodes() -> None:
    text = b"# a comment\na b 0.5\n\"b x\";c # another\n\nlonely\nd\te {'weight': 2}\n"
    found = read_network_file(text)
    assert [node.id for node in found.topology.nodes] == ["a", "b", "b x", "c", "lonely", "d", "e"]
    assert found.topology.links == (("a", "b"), ("b x", "c"), ("d", "e"))
    assert found.notes == ("weights were left out (2 lines)",)
    headed = read_network(b"source,target\n1,2\n2,3\n", "edges.csv")
    assert [node.id for node in headed.nodes] == ["1", "2", "3"]


def test_positions_come_with_the_offer_of_a_range_that_joins_them() -> None:
    rows = [f"m{k};{k * 4.0};{(k % 2) * 3.0}" for k in range(9)]
    found = read_network_file("\n".join(["id;x_m;y_m", *rows]).encode(), "motes.csv")
    assert (found.format, found.needs_range) == ("csv", True)
    assert found.topology.range_m is not None
    assert 5 * 1.2 <= found.topology.range_m <= 5 * 1.2 * 1.1
    network = from_explicit(found.topology)
    assert network.metric
    assert len(network.components()) == 1
    assert "a fifth more" in found.notes[0]


def test_where_no_sensible_range_joins_all_the_offer_says_so() -> None:
    heap = [(k % 5, k // 500 * 10**6) for k in range(1000)]
    for spots in (heap, [(k // 100 * 0.001, k // 500 * 10**6) for k in range(1000)]):
        text = b"id,x,y\n" + b"".join(b"%d,%g,%g\n" % (k, *spot) for k, spot in enumerate(spots))
        found = read_network_file(text)
        assert "too many links" in found.notes[0]
        assert found.topology.range_m is not None
        assert 0 < found.topology.range_m < 10**6
        assert len(from_explicit(found.topology).components()) >= 2


def test_a_scenario_is_recognised_and_gives_the_network_it_starts_on() -> None:
    scenario = {
        "version": 1,
        "topology": {"kind": "ring", "n": 5},
        "protocol": {"name": "psvr"},
        "duration_s": 9,
    }
    data = json.dumps(scenario).encode()
    assert isinstance(read_scenario_or_network(data), Scenario)
    found = read_network_file(data)
    assert (found.format, len(found.topology.links)) == ("scenario", 5)
    assert len(read_network(b'{"kind": "grid", "n": 9}').links) == 12


XML = b'<?xml version="1.0"?>'
BOMB = b'<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
HOSTILE: list[tuple[bytes, str, str]] = [
    (b"", "x", "content"),
    (b"\n \n", "x", "content"),
    (b"\x00\x01\x02", "x", "text"),
    (b"\x89PNG\r\n\x1a\n\x00", "x, byte 0", "UTF-8"),
    (b"\x1f\x8b\x08\x00abc", "x", "unpacked"),
    (b"PK\x03\x04abc", "x", "unpacked"),
    ("a b\nä ö\n".encode("latin-1"), "x, byte 4", "UTF-8"),
    ("a b\n".encode("utf-16"), "x, byte 0", "UTF-8"),
    (b"x" * 50_000_000, "x", "5,000,000"),
    (XML + BOMB + b'<graphml><graph><node id="&b;"/></graph></graphml>', "x", "without entities"),
    (XML + b'<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/hostname">]><graphml>&a;</graphml>', "x", "without entities"),
    (XML + b"<gexf/>", "x", "GraphML"),
    (b"<svg", "x, line 1, column 1", "well-formed"),
    (b"<graphml>\n<graph>\n</graphml>", "x, line 3, column 3", "well-formed"),
    (b"<graphml>" * 100_000, "x", "32 levels"),
    (b'<?xml version="1.0" encoding="klingon"?><graphml/>', "x", "UTF-8"),
    (b"<graphml><graph/></graphml>", "x", "one node"),
    (b'<graphml><node id="a"/><node id="a"/></graphml>', "x, node 2", "differ"),
    (b"<graphml><node/></graphml>", "x, node 1", "an id"),
    (b'<graphml><node id="a"/><edge source="a" target="a"/></graphml>', "x, edge 1", "two different"),
    (b'<graphml><node id="abc"/><edge source="abc" target="abd"/></graphml>', "x, edge 1, target", "did you mean 'abc'"),
    (b'<graphml><node id="a"><data key="x">1</data><data key="y">n/a</data></node></graphml>', "x, node 1, y", "number"),
    (b'<graphml><node id="a"><data key="x">1</data><data key="y">nan</data></node></graphml>', "x, node 1", "within"),
    (b"graph [", "x, line 1", "closed"),
    (b"graph [\n@", "x, line 2", "a key"),
    (b"graph [ ] ]", "x, line 1", "a key"),
    (b"graph [ node ]", "x, line 1", "a value for node"),
    (b"graph [ node 7 ]", "x, line 1", "block"),
    (b"graph " + b"[ a " * 100_000, "x, line 1", "32 levels"),
    (b"graph [ node [ id 1 ]\n node [ id 1 ] ]", "x, line 2", "differ"),
    (b"graph [ node [ id 1 ]\n edge [ source 1 target 1 ] ]", "x, line 2", "two different"),
    (b"graph [ node [ id 1 ]\n edge [ source 1 target 2 ] ]", "x, line 2, target", "one of: 1"),
    (b"graph [ node [ id " + b"1" * 5000 + b" ] ]", "x, line 1", "40 characters"),
    (b"a b\nc c\n", "x, line 2", "two different"),
    (b"a b\nThis is prose, is it not\n", "x, line 2", "two ids"),
    (b"nothing\nhere\n", "x, line 1", "GraphML"),
    (b'a "b\n', "x, line 1", "double quotes"),
    (b'"' * 9_999, "x, line 1", "double quotes"),
    (b'"\\' * 4_999, "x, line 1", "double quotes"),
    (b"a " * 9_999, "x, line 1", "10,000 characters"),
    (b"a " + b"b" * 65, "x, line 1", "1 to 64"),
    (b"id,x_m,y_m\na,1\n", "x, line 2", "3 fields"),
    (b"id,x_m,y_m\na,1,two\n", "x, line 2, y_m", "metres"),
    (b"id,x_m,y_m\na,1,inf\n", "x, line 2, y_m", "metres"),
    (b"id,x_m,y_m\na,1,1e300\n", "x, line 2", "within"),
    (b"id,x_m,y_m\na,1,2\na,2,3\n", "x, line 3", "differ"),
    (b"id,x_m,y_m\n,1,2\n", "x, line 2", "1 to 64"),
    (b"id,x_m,y_m\n", "x", "one node"),
    (b"{", "x, line 1, column 2", "JSON"),
    (b"[" * 200_000, "x", "nesting"),
    (b"[]", "x", '"nodes" and "links"'),
    (b'{"nodes": 1, "links": []}', "x", '"nodes" and "links"'),
    (b'{"nodes": [], "links": []}', "x", "one node"),
    (b'{"nodes": [null], "links": []}', "x, nodes[0]", '"id"'),
    (b'{"nodes": [{}], "links": []}', "x, nodes[0].id", "an id"),
    (b'{"nodes": [{"id": true}], "links": []}', "x, nodes[0].id", "1 to 64"),
    (b'{"nodes": [{"id": 1}, {"id": "1"}], "links": []}', "x, nodes[1].id", "differ"),
    (b'{"nodes": [{"id": 1, "x": "a", "y": 0}], "links": []}', "x, nodes[0]", "within"),
    (b'{"nodes": [{"id": 1}], "links": [3]}', "x, links[0]", '"source"'),
    (b'{"nodes": [{"id": 1}], "links": [{"source": 1}]}', "x, links[0].target", "an id"),
    (b'{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 1}]}', "x, links[0]", "two different"),
    (b'{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}', "x, links[0].target", "one of: 1"),
    (b'{"nodes": [1, 2], "links": [{"source": 1, "target": 2, "source_tq": 2}]}', "x, links[0].source_tq", "0 to 1"),
    (b'{"nodes": [1, 2], "nodes": [1], "links": []}', "nodes", "once"),
    (b'{"kind": "explicit", "nodes": [{"id": "a"}, {"id": "a"}]}', "topology.nodes[1].id", "nodes[0]"),
    (b'{"nodes": ' + json.dumps(list(range(20_001))).encode() + b', "links": []}', "x, nodes[20000]", "20,000"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "place", "remedy"), HOSTILE, ids=[f"{h[0][:24]!r}" for h in HOSTILE])
def test_a_hostile_or_broken_file_is_answered_with_place_and_remedy(
    data: bytes, place: str, remedy: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        read_network(data, "/some/where/x")
    assert caught.value.path == place
    assert remedy in caught.value.allowed
    assert caught.value.problem
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


def told(answer: dict[str, Any]) -> None:
    """A refusal names the place and the remedy."""
    assert answer["path"]
    assert answer["allowed"]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_file_gives_a_network_or_a_refusal(data: st.DataObject) -> None:
    network = build(Builtin(kind="builtin", name="psvr-fig4"))
    raw = bytearray(write_network(network, data.draw(st.sampled_from(sorted(READ_AS)))).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(raw) - 1))
        raw[start : start + data.draw(st.integers(0, 30))] = data.draw(
            st.binary(max_size=4) | st.just(b'"[{<,]>}')
        )
    try:
        back = from_explicit(read_network(bytes(raw)))
    except ScenarioError as refused:
        told(refused.as_dict())
        return
    assert back.n >= 1
    assert all(math.isfinite(v) for v in (*back.x, *back.y))
