"""Write the built-in networks' JSON from their sources: `python -m engine.world.data.bake SOURCES`.

SOURCES is a folder with `freifunk-leipzig.json`, `freifunk-bremen.json`, `freifunk-munich.json` (from
mwarning/meshnet-lab, data/freifunk), `meshnet-17.json` (the same, data/basics/17_node_mesh_network.json),
`iotlab-grenoble-m3.csv` and `iotlab-lille-m3.csv` (id, x_m, y_m, z_m of the motes, from
openwsn-berkeley/mercator). Run by hand; the result is committed.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from pathlib import Path
from typing import Any

from engine.world.data.mapped import draw_mapped
from engine.world.layout import place
from engine.world.network import components, sorted_links
from engine.world.packing import pack

HERE = Path(__file__).parent
SCALE = 40.0


def freifunk(source: Path) -> dict[str, Any]:
    """A city: ids, names, places on the map, drawing, links with transmit qualities.

    `ic-0`, which meshnet-lab adds to join separate segments, is not a router and is left out.
    """
    data = json.loads(source.read_text("utf-8"))
    ids = [str(node["id"]) for node in data["nodes"]]
    index = {name: i for i, name in enumerate(ids)}
    rows = {}
    for link in data["links"]:
        a, b = index.get(str(link["source"])), index.get(str(link["target"]))
        if a is None or b is None:
            continue
        there, back = (round(float(link.get(k) or 0.0), 3) for k in ("source_tq", "target_tq"))
        rows[min(a, b), max(a, b)] = (there, back) if a < b else (back, there)
    links = sorted(rows)
    where = [(node["y"], node["x"]) if "x" in node else None for node in data["nodes"]]
    x, y = _draw_city(len(ids), links, where)
    return {
        "nodes": ids,
        "names": [str(node.get("name", i)).strip() for i, node in zip(ids, data["nodes"], strict=True)],
        "x": x,
        "y": y,
        "lat": [None if p is None else round(p[1], 4) for p in where],
        "lon": [None if p is None else round(p[0], 4) for p in where],
        "links": links,
        "quality": [rows[link] for link in links],
    }


def _draw_city(
    n: int, links: list[tuple[int, int]], where: list[tuple[float, float] | None]
) -> tuple[list[float], list[float]]:
    adjacency: list[list[int]] = [[] for _ in range(n)]
    for i, j in links:
        adjacency[i].append(j)
        adjacency[j].append(i)
    latitudes = sorted(p[1] for p in where if p is not None)
    shrink = math.cos(math.radians(latitudes[len(latitudes) // 2]))
    parts = components(n, adjacency)
    drawn = []
    for part in parts:
        place = {v: k for k, v in enumerate(part)}
        inner = [[place[w] for w in adjacency[v]] for v in part]
        drawn.append(draw_mapped(inner, [(p[0] * shrink, p[1]) if (p := where[v]) else None for v in part]))
    x, y = [0.0] * n, [0.0] * n
    for part, spots, (ox, oy) in zip(parts, drawn, pack(drawn), strict=True):
        for v, (px, py) in zip(part, spots, strict=True):
            x[v], y[v] = round((px + ox) * SCALE, 1), round((py + oy) * SCALE, 1)
    return x, y


def mesh17(source: Path) -> dict[str, Any]:
    """The 17-node mesh, its nodes called A … Q.

    The file lists its nodes from 0000 and links them from 0001: a link's 0001 is the first node, A. Read that
    way it has every link of the drawing it was made from; read literally, A is alone and 0011 does not exist.
    """
    data = json.loads(source.read_text("utf-8"))
    ends = ((int(link["source"], 16) - 1, int(link["target"], 16) - 1) for link in data["links"])
    links = sorted_links(ends)
    x, y = place(len(data["nodes"]), links)
    return {"nodes": [node["name"] for node in data["nodes"]], "x": x, "y": y, "links": links}


def iotlab(source: Path) -> dict[str, Any]:
    """A testbed, in metres. Motes above one another are drawn 0.3 m apart so that both can be clicked."""
    with source.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    taken: dict[tuple[float, float], int] = {}
    x = []
    for row in rows:
        spot = (float(row["x_m"]), float(row["y_m"]))
        x.append(round(spot[0] + 0.3 * taken.get(spot, 0), 3))
        taken[spot] = taken.get(spot, 0) + 1
    top = max(float(row["y_m"]) for row in rows)
    return {
        "nodes": [row["id"] for row in rows],
        "x": x,
        # Drawn y grows downwards, the testbed's upwards.
        "y": [round(top - float(row["y_m"]), 3) for row in rows],
        "z": [float(row["z_m"]) for row in rows],
    }


def main(sources: Path) -> None:
    """Write every network."""
    for name in ("leipzig", "bremen", "munich"):
        _write(name, freifunk(sources / f"freifunk-{name}.json"))
    _write("mesh-17", mesh17(sources / "meshnet-17.json"))
    for name in ("grenoble", "lille"):
        _write(f"iotlab-{name}", iotlab(sources / f"iotlab-{name}-m3.csv"))


def _write(name: str, data: dict[str, Any]) -> None:
    """One column a line: compact, and a change shows which column changed."""
    columns = [
        f"{json.dumps(k)}:{json.dumps(v, ensure_ascii=False, separators=(',', ':'))}" for k, v in data.items()
    ]
    (HERE / f"{name}.json").write_text("{\n" + ",\n".join(columns) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
