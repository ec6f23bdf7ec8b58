"""What happened since the last frame: trace records sorted into what is drawn, what is logged, and what is dropped.

A busy network makes tens of thousands of records a second, so one pass looks at each of them once, and only the few
that are kept are put into words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from backend import frames, lines
from backend.frames import Delivery, Drop, Send
from backend.wire import MAX_LINES, MAX_SENDS, Line
from engine.api import Run
from engine.core.trace import (
    AIRBORNE,
    BUSY,
    COLLISION,
    COMMAND,
    DELIVER,
    DROP,
    FADING,
    FILTERED,
    LOSS,
    RECV,
    SEND,
    Record,
)
from engine.world.radio import IdealRadio, at_once

TRAFFIC = ("publication", "subscription")
EVERY_LOSS = -1  # among the kinds that a viewer wants to see: what the radio loses of any
BY_RADIO = (LOSS, FADING, COLLISION, BUSY)
REMEMBERED = 20_000
KEPT_SAMPLES = 100
LINES_OF_NODE = 30


@dataclass
class News:
    """Since the last frame. `records` are all of them, for viewers who want to see more than traffic."""

    records: list[Record] = field(default_factory=list)
    traffic: list[Record] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    commands: list[int] = field(default_factory=list)
    samples: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


class Reporter:
    """Reads a run's trace; one for each run that is played."""

    def __init__(self, run: Run) -> None:
        messages = run.protocol.messages
        self.run = run
        by_name = {layer.name: layer.title for layer in run.protocol.layers}
        self.titles = [by_name[name] for name in run.layers]
        self.kinds = messages
        self.spread = frozenset(k for k, m in enumerate(messages) if m.over)
        self.traffic = frozenset(k for k, m in enumerate(messages) if m.shape in TRAFFIC)
        self.publications = frozenset(k for k, m in enumerate(messages) if m.shape == "publication")
        self.local = frozenset(k for k, m in enumerate(messages) if m.shape == "local")
        self.remembered: deque[Record] = deque(maxlen=REMEMBERED)
        radio = run.scenario.radio
        self._takes_off = SEND if at_once(radio) else AIRBORNE  # what is sent may have to wait
        self._delay = radio.delay_s if isinstance(radio, IdealRadio) else 0.0
        self._flying: deque[tuple[float, Send]] = deque(maxlen=MAX_SENDS)
        self._sampled = len(run.samples)
        self._wrong: tuple[int, ...] | None = None
        self._wrong_since: list[float | None] = [None] * len(run.layers)

    def name(self, v: int) -> str:
        """What a line calls node v."""
        net = self.run.network
        return net.names[v] or net.ids[v]

    def called(self, id: str) -> str:
        """What a line calls the node of this id; what is the id of none stays as it is."""
        net = self.run.network
        return self.name(net.index(id)) if id in net else id

    def read(self) -> News:
        """Everything since the last call."""
        news = News(records=self.run.drain())
        self.remembered.extend(news.records[-REMEMBERED:])
        traffic = self.traffic
        for record in news.records:
            code = record[0]
            if code in (SEND, AIRBORNE):
                if record[6] in traffic:
                    news.traffic.append(record)
            elif code == DROP:
                # What spreads over an overlay reaches others too, who were not meant: no loss.
                if record[5] in traffic and not (record[6] == FILTERED and record[5] in self.spread):
                    news.traffic.append(record)
            elif code == DELIVER:
                news.traffic.append(record)
                news.deliveries.append((record[1], record[3], record[5]))
            elif code == COMMAND:
                news.commands.append(record[2])
        samples = self.run.samples
        news.samples = [(t, tuple(wrong)) for t, wrong in samples[self._sampled :]]
        self._sampled = len(samples)
        if self._sampled > KEPT_SAMPLES:  # the curves keep what viewers see; a run may last for days
            del samples[:-1]
            self._sampled = 1
        news.lines = [*self._layer_lines(news.samples), *self._traffic_lines(news.traffic)]
        return news

    def _layer_lines(self, samples: Iterable[tuple[float, tuple[int, ...]]]) -> list[Line]:
        """A line whenever a layer turns legitimate or stops being so; of a layer that flickers, the last change."""
        found: dict[int, Line] = {}
        for t, wrong in samples:
            for k, count in enumerate(wrong):
                if self._wrong is not None and (count > 0) == (self._wrong[k] > 0):
                    continue
                began = self._wrong_since[k]
                if count or self._wrong is not None:
                    after = t - began if began is not None else None
                    found[k] = lines.of_layer(t, self.titles[k], count, after)
                self._wrong_since[k] = t if count else None
            self._wrong = wrong
        return list(found.values())

    def _traffic_lines(self, records: list[Record]) -> list[Line]:
        """Lines of the most informative records: deliveries, then losses, publications, subscriptions."""
        if len(records) > MAX_LINES:
            order = sorted(range(len(records)), key=lambda i: (self._rank(records[i]), i))
            records = [records[i] for i in sorted(order[:MAX_LINES])]
        found = (lines.of_record(record, self.kinds, self.name) for record in records)
        return [line for line in found if line is not None]

    def _rank(self, record: Record) -> int:
        if record[0] == DELIVER:
            return 0
        kind = record[6] if record[0] in (SEND, AIRBORNE) else record[5]
        return (1 if record[0] == DROP else 2) + (0 if kind in self.publications else 2)

    def node_lines(self, v: int) -> list[Line]:
        """The latest lines of one node, of every kind, newest last."""
        found: list[Line] = []
        for record in reversed(self.remembered):
            if self._concerns(record, v):
                line = lines.of_record(record, self.kinds, self.name)
                if line is not None:
                    found.append(line)
                    if len(found) == LINES_OF_NODE:
                        break
        return found[::-1]

    def structure_lines(self, news: News, v: int) -> list[Line]:
        """What the selected node sent and missed apart from traffic, for its viewer's log."""
        chosen = [
            r
            for r in news.records
            if r[0] in (SEND, DROP)
            and (r[6] if r[0] == SEND else r[5]) not in self.traffic
            and self._concerns(r, v)
        ]
        found = (lines.of_record(r, self.kinds, self.name) for r in chosen[-MAX_LINES // 4 :])
        return [line for line in found if line is not None]

    def _concerns(self, record: Record, v: int) -> bool:
        code = record[0]
        if code == SEND:
            return bool(record[4] == v) and record[6] not in self.local
        return code in (RECV, DROP, DELIVER) and bool(record[3] == v)

    # --- what is drawn

    def flights(self, news: News, show: frozenset[int]) -> tuple[list[Send], list[Drop], int]:
        """Messages that took off and were lost: traffic and the kinds in `show`. Last: how many found no room."""
        records = news.traffic
        if show:  # traffic first: it must not be crowded out
            records = records + [r for r in news.records if self._structure(r, show)]
        rows: list[Send] = []
        drops: list[Drop] = []
        left_out = 0
        for record in records:
            if record[0] == self._takes_off:
                _, t, _, until, v, to, kind, m = record
                delay = until - t if record[0] == AIRBORNE else self._delay
                targets = (to,) if to >= 0 else self.run.receivers(v, kind)
                if len(rows) + len(targets) > MAX_SENDS:
                    left_out += len(targets)
                    continue
                places = (getattr(m, "from_pos", -1), getattr(m, "goal", -1), getattr(m, "publication", -1))
                rows += [(t, delay, v, w, *places, kind) for w in targets]
            elif record[0] == DROP and len(drops) < MAX_SENDS:
                drops.append((record[1], record[4], record[3], record[5], record[6]))
        return rows, drops, left_out

    def _structure(self, record: Record, show: frozenset[int]) -> bool:
        if record[0] == self._takes_off:
            return record[6] in show and record[6] not in self.traffic
        if record[0] != DROP or record[5] in self.traffic:
            return False
        return record[5] in show or (EVERY_LOSS in show and record[6] in BY_RADIO)

    def remember_flights(self, sends: Iterable[Send], now: float) -> None:
        """Keep what is still in the air, for viewers who come in between."""
        self._flying.extend((row[0] + row[1], row) for row in sends)
        while self._flying and self._flying[0][0] < now:
            self._flying.popleft()

    def flying(self, now: float) -> list[Send]:
        """Traffic in the air now."""
        return [row for end, row in self._flying if end >= now]


def news_sections(layers: int, news: News, sends: list[Send], drops: list[Drop]) -> list[bytes]:
    """The sections of a frame that tell what happened."""
    out = []
    if sends:
        out.append(frames.sends(sends))
    if drops:
        out.append(frames.drops(drops))
    if news.samples:
        out.append(frames.legitimacy(layers, news.samples))
    if news.deliveries:
        out.append(frames.deliveries(news.deliveries))
    return out
