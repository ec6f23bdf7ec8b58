"""Share links: a whole run in the part of an address after `#`, which no server ever logs.

A fragment is `s1.` and base64url of raw deflate of canonical JSON, with a checksum at the end:

    {"s": scenario without its defaults, "e": engine version, "d": digest, "t": virtual time of the digest}

Format 1 includes the deflate dictionary below: changing one byte of it breaks every link ever made, so a
better one means `s2.`. Every alteration of a character, every cut and every bomb is refused with a remedy.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from engine.core.errors import ScenarioError
from engine.world.fields import Name, Part, Time
from engine.world.jsonfile import parse_json
from engine.world.limits import MAX_DOCUMENT
from engine.world.refusals import explain
from engine.world.scenario import Scenario, canonical_tree, dump, load_scenario

PREFIX = "s1."
WHOLE = "the whole link as it was shared; ask for it again"

# What documents are made of, the most frequent last, where deflate reaches it with the shortest codes.
_DICTIONARY = (
    b'"allow_disconnected":true"range_m":"side_m":"mean_degree":"kind":"geometric","kind":"gnp","kind":"grid"'
    b'"rows":"cols":"kind":"zones","clients":"kind":"line","kind":"ring","kind":"star","kind":"explicit","links":'
    b'"quality":"nodes":[{"id":"name":"x":"y":"kind":"builtin","name":"iotlab-grenoble","name":"bremen"'
    b'"name":"munich"},"name":"mesh-17"},"name":"psvr-fig4"},"name":"psvr-fig5"},"name":"leipzig"},"radio":'
    b'{"delay_s":0.0"loss":0."name":"protocol":{"name":"psvr","params":{"lease_s":10,"root":"rule":"as-printed"'
    b'"shortcuts":"non-tree"}},"seed":"topology":{"events":[{"do":"inject","fields":{"from":"message":"to":'
    b'{"do":"corrupt-messages","share":{"do":"move-node","do":"add-node","id":"do":"partition","nodes":["'
    b'{"do":"restore-all","t":{"do":"set-loss","loss":0.{"do":"restore-link","link":["oneway":true{"do":'
    b'"restore-node","node":"{"do":"fail-link","link":["{"do":"corrupt","field":"layer":"*","node":"*","t":'
    b'{"do":"fail-node","node":"{"channel":"c","do":"unsubscribe","node":"{"channel":"weather","data":"do":'
    b'"publish","node":"","t":{"channel":"weather","do":"subscribe","node":"","t":0},{"d":"e":"1.0.0","s":'
    b'{"duration_s":"t":'
)


@dataclass(frozen=True)
class Shared:
    """What a link holds: a scenario, who made it, and what the run had become at `end_s`."""

    scenario: Scenario
    engine: str
    digest: str | None
    end_s: float | None


class _Rest(Part):
    """A link's fields beside the scenario."""

    e: Name
    d: Name | None = None
    t: Time | None = None


def encode(scenario: Scenario, *, engine: str, digest: str | None = None, end_s: float | None = None) -> str:
    """The fragment of a scenario and of the digest its run has at `end_s`; without the `#`."""
    tree: dict[str, Any] = canonical_tree(scenario)
    del tree["version"]
    packet = {"s": tree, "e": engine, "d": digest, "t": end_s}
    text = dump({k: v for k, v in packet.items() if v is not None})
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
    body = squeeze.compress(text) + squeeze.flush()
    return PREFIX + base64.urlsafe_b64encode(body + _checksum(body)).rstrip(b"=").decode()


def decode(fragment: str) -> Shared:
    """What a fragment holds; a leading `#` or the address before it is skipped.

    Raises: ScenarioError when it was cut, altered, made by a newer Ringcast, or never was a share link.
    """
    fragment = normal(fragment)
    body = _body(fragment)
    loosen = zlib.decompressobj(-15, _DICTIONARY)
    try:
        text = loosen.decompress(body, MAX_DOCUMENT + 1)
    except zlib.error:
        raise _damaged(fragment) from None
    if len(text) > MAX_DOCUMENT:
        raise ScenarioError(
            "link", _cut(fragment), f"links to documents of at most {MAX_DOCUMENT:,} bytes", "too big"
        )
    if not loosen.eof or loosen.unused_data:
        raise _damaged(fragment)
    packet = parse_json(text, "link")
    if not isinstance(packet, dict) or not isinstance(packet.get("s"), dict):
        raise ScenarioError("link", _cut(fragment), "a share link of a scenario", "no scenario inside")
    rest = {k: v for k, v in packet.items() if k != "s"}
    try:
        about = _Rest.model_validate(rest)
    except ValidationError as e:
        raise explain(e, rest, _Rest, ("link",)) from None
    return Shared(load_scenario({"version": 1, **packet["s"]}, "link"), about.e, about.d, about.t)


def content_id(fragment: str) -> str:
    """A short name for a fragment, 16 characters fit for an address: equal fragments, equal names."""
    digest = hashlib.sha256(normal(fragment).encode()).digest()
    return base64.urlsafe_b64encode(digest[:12]).decode()


def normal(fragment: str) -> str:
    """The fragment alone: without blanks around, without `#` and the address before it."""
    return fragment.strip().rpartition("#")[2]


def _body(fragment: str) -> bytes:
    """The deflated bytes, after their checksum was right."""
    found = re.match(r"s(\d{1,9})\.", fragment, re.ASCII)
    if found is None:
        raise ScenarioError("link", _cut(fragment), f"a share link: #{PREFIX}…", "not a share link")
    if found[0] != PREFIX:
        newer = int(found[1]) > 1
        remedy = "open it with that version, or ask for a link made with this one" if newer else f"{PREFIX}…"
        problem = "made by a newer Ringcast" if newer else "unknown link format"
        raise ScenarioError("link", found[0], f"{PREFIX}… ({remedy})" if newer else remedy, problem)
    payload = fragment[len(PREFIX) :]
    odd = re.search(r"[^A-Za-z0-9_-]", payload)
    if odd is not None:
        place = f"link, character {len(PREFIX) + odd.start() + 1}"
        raise ScenarioError(
            place, odd[0], "letters, digits, - and _; " + WHOLE, "a character that no link has"
        )
    try:
        data = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    except (binascii.Error, ValueError):
        raise _damaged(fragment) from None
    # The last character may carry bits that mean nothing: only the spelling that encode uses is right.
    spelt = base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    if len(data) < 5 or spelt != payload or _checksum(data[:-4]) != data[-4:]:
        raise _damaged(fragment)
    return data[:-4]


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(4, "big")


def _damaged(fragment: str) -> ScenarioError:
    return ScenarioError(
        "link", _cut(fragment), WHOLE, f"cut or altered ({len(fragment):,} characters arrived)"
    )


def _cut(fragment: str) -> str:
    """The two ends of a fragment, by which a person recognises it."""
    return fragment if len(fragment) <= 40 else f"{fragment[:20]}…{fragment[-12:]}"
