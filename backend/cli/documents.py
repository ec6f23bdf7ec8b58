"""`ringcast topology`, `unlink`, `protocols`, `schema`: look at what there is."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from backend.cli.files import read
from engine.world.limits import MAX_DOCUMENT


def add_to(commands: Any) -> None:
    """The four commands."""
    text = "facts about a network, or the network in another format"
    topology = commands.add_parser("topology", help=text, description=text)
    topology.add_argument(
        "network", metavar="NAME_OR_FILE", help="a built-in network, or a file (- for standard input)"
    )
    topology.add_argument(
        "--to", metavar="FORMAT", help="write it as json, graphml, gml, edgelist, netjson or csv"
    )
    topology.set_defaults(do=_topology)

    text = "print the scenario in a share link"
    unlink = commands.add_parser("unlink", help=text, description=text)
    unlink.add_argument("fragment", help="the link, or its part after # (- for standard input)")
    unlink.set_defaults(do=_unlink)

    text = "list the protocols and their parameters"
    listing = commands.add_parser("protocols", help=text, description=text)
    listing.add_argument("--json", action="store_true", help="as a document")
    listing.set_defaults(do=_protocols)

    text = "print a document's JSON schema"
    schema = commands.add_parser("schema", help=text, description=text)
    schema.add_argument("name", help="scenario, topology, event, run-report or protocols")
    schema.set_defaults(do=_schema)


def _dump(document: Any) -> None:
    json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
    print()


# What a command needs is imported by it: models take a second to load, which the others should not wait for.


def _topology(args: argparse.Namespace) -> int:
    from backend import catalogue
    from engine.world.readers import read_network
    from engine.world.topology import build_network
    from engine.world.writers import write_network

    if args.network == "-" or Path(args.network).exists():
        name = "standard input" if args.network == "-" else Path(args.network).name
        network = build_network(read_network(read(args.network, MAX_DOCUMENT), name), 1)
    else:
        network = catalogue.built(args.network)
    if args.to is not None:
        sys.stdout.write(write_network(network, args.to))
        return 0
    facts = catalogue.facts(network)
    print(f"nodes       {facts.nodes:,}")
    print(f"links       {facts.links:,}")
    parts = ", ".join(f"{size:,}" for size in facts.components[:8]) + (
        ", …" if len(facts.components) > 8 else ""
    )
    print(f"components  {len(facts.components):,} ({parts} nodes)")
    print(f"degree      {facts.degree:.2f} on average, {facts.max_degree} at most")
    print(f"diameter    about {facts.diameter} hops")
    return 0


def _unlink(args: argparse.Namespace) -> int:
    from backend import sharing

    text = read("-", MAX_DOCUMENT).decode("utf-8", "replace") if args.fragment == "-" else args.fragment
    found = sharing.unlink(text.strip())
    _dump(found.scenario)
    if found.note is not None:
        print(f"ringcast: {found.note}", file=sys.stderr)
    return 0


def _protocols(args: argparse.Namespace) -> int:
    from engine.registry import describe, protocols

    found = [describe(spec) for spec in protocols().values()]
    if args.json:
        _dump(found)
        return 0
    for p in found:
        print(f"{p['name']}: {p['summary']}")
        for param in p["params"]:
            values = " | ".join(c["value"] for c in param["choices"])
            allowed = values or (
                f"{param['lo']:g} … {param['hi']:g} {param['unit']}".rstrip()
                if param["kind"] != "node"
                else ""
            )
            shown = json.dumps(param["default"])
            print(f"  {param['name']:<18} {shown:<12} {allowed:<24} {param['help']}")
    return 0


def _schema(args: argparse.Namespace) -> int:
    from backend import schemas

    _dump(schemas.schema(args.name))
    return 0
