"""The event log in words: trace records, commands, layers and publications as lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backend.wire import Line
from engine.core.declare import Message
from engine.core.trace import DELIVER, DROP, REASONS, RECV, SEND, Record

Name = Callable[[int], str]


def of_record(record: Record, kinds: Sequence[Message], name: Name) -> Line | None:
    """A send, receipt, drop or delivery as a line of the node it happened at; None for what has no line."""
    code = record[0]
    if code == SEND:
        _, t, _, _, v, to, kind, message = record
        kind = kinds[kind]
        target = name(to) if to >= 0 else f"its {kind.over} neighbours".replace("its  ", "all ")
        shown = ", ".join(f"{field.replace('_', ' ')} {getattr(message, field)}" for field in kind.shown)
        text = f"{kind.name} to {target}" + (f": {shown}" if shown else "")
        return Line(t=t, node=v, kind="send", message=kind.name, text=text)
    if code == RECV:
        _, t, _, w, v, kind = record
        return Line(
            t=t, node=w, kind="receive", message=kinds[kind].name, text=f"{kinds[kind].name} from {name(v)}"
        )
    if code == DROP:
        _, t, _, w, v, kind, reason = record
        why = REASONS[reason].replace("-", " ")
        text = f"{kinds[kind].name} from {name(v)} to {name(w)} lost: {why}"
        return Line(t=t, node=w, kind="drop", message=kinds[kind].name, text=text)
    if code == DELIVER:
        _, t, _, v, _, number = record
        return Line(t=t, node=v, kind="deliver", message=None, text=f"p{number} delivered to {name(v)}")
    return None


def of_layer(t: float, layer: str, wrong: int, after: float | None) -> Line:
    """A layer, by its title, became legitimate, or stopped being so."""
    if wrong:
        text = f"{layer}: {wrong:,} {'variable' if wrong == 1 else 'variables'} wrong"
    else:
        text = f"{layer} is legitimate" + (f", after {after:.1f} s" if after is not None else "")
    return Line(t=t, node=-1, kind="layer", message=None, text=text)


def of_command(t: float, node: int, event: Mapping[str, Any], called: Callable[[str], str]) -> Line:
    """A command took effect."""
    return Line(t=t, node=node, kind="command", message=None, text=command_words(event, called))


def command_words(event: Mapping[str, Any], called: Callable[[str], str]) -> str:
    """A scenario event as a sentence, such as `link c – d fails`; `called` turns a node's id into its name."""
    ends = [called(end) for end in event.get("link") or ()]
    link = " – ".join(ends)
    node, channel = called(event.get("node", "")), event.get("channel", "")
    way = f" from {ends[0]} to {ends[1]} only" if event.get("oneway") else ""
    match event["do"]:
        case "subscribe":
            return f"{node} subscribes to {channel}"
        case "unsubscribe":
            return f"{node} unsubscribes from {channel}"
        case "publish":
            return f"{node} publishes on {channel}"
        case "fail-node":
            return f"{node} fails"
        case "restore-node":
            return f"{node} returns"
        case "fail-link":
            return f"link {link} fails{way}"
        case "restore-link":
            return f"link {link} returns{way}"
        case "set-loss":
            return f"{event['loss']:.0%} of messages are lost" + (f" on link {link}" if link else "")
        case "move-node":
            return f"{node} moves"
        case "add-node":
            return f"{called(event['id'])} joins"
        case "corrupt":
            what = event.get("field") or (
                "every variable" if event["layer"] == "*" else f"the {event['layer']} layer"
            )
            return f"a fault corrupts {what} of {'every node' if node == '*' else node}"
        case "storm":
            return f"a storm begins, for {event['duration_s']:g} s"
        case "loss-burst":
            nodes = ", ".join(map(called, event.get("nodes", ())))
            where = f" on link {link}" if link else f" at {nodes}" if nodes else ""
            return f"{event['loss']:.0%} of messages are lost{where}, for {event['duration_s']:g} s"
        case "loss-burst-over":
            return "a burst of losses is over"
        case other:
            return str(other).replace("-", " ")


def of_publication(p: Any, name: Name, channel: str) -> Line:
    """Something was published."""
    text = f"{name(p.node)} published {p.id} on {channel}: {len(p.expected)} expected"
    return Line(t=p.t, node=p.node, kind="publication", message=None, text=text)


def of_completion(p: Any) -> Line:
    """Everybody expected got it."""
    last = max(t for t, _ in p.delivered.values())
    times = f", {p.duplicates} duplicates" if p.duplicates else ""
    text = f"{p.id} reached all {len(p.expected)} after {last - p.t:.2f} s, {p.messages} messages{times}"
    return Line(t=last, node=p.node, kind="publication", message=None, text=text)
