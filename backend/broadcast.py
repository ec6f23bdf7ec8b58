"""What the viewers of a session are told: frames, log lines, publications and inspections, built once for all of them.

State sections are the same for everybody and encoded once a frame. Messages in flight depend on what a viewer asked to
see, so they are encoded once for each set of wishes, of which there are few. The first frame a viewer gets is full, and so
is the first after it lagged; both tell of state only, with what is still in the air, since what happened before is
history.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backend import frames, lines
from backend.inspection import inspection
from backend.news import News, Reporter, news_sections
from backend.picture import Columns, Curves, event_of, world_message
from backend.viewer import Viewer
from backend.wire import MAX_LINES, By, Delivered, EventMessage, History, Log, Publication, RunState, World
from engine.api import Run

RUN_S = 0.25
INSPECT_S = 0.25
BIG_PUBLICATION_S = 0.25
LATEST_PUBLICATIONS = 200
MAX_EVENTS = 200
MAX_SAMPLES = 500


class Broadcast:
    """The viewers, and what they know. `owns(k)` says whether event k of the document is the owner's doing."""

    def __init__(self, run: Run, state: Callable[[], RunState], owns: Callable[[int], bool]) -> None:
        self.viewers: list[Viewer] = []
        self.state, self.owns = state, owns
        self.frame = 0
        self.epoch = 0
        self.run_due = 0.0
        self.adopt(run, Curves())

    def adopt(self, run: Run, curves: Curves) -> None:
        """Tell of this run from now on; call `resync` after."""
        self.run, self.curves = run, curves
        self.reporter = Reporter(run)
        self.columns: Columns | None = None
        self.t = run.now
        self.epoch += 1
        self._run_epoch = (0, 0)  # the world goes out with the next frame
        self._known = {p.number: _stamp(p) for p in run.publications}
        self._due: dict[int, float] = {}
        self._full: bytes | None = None

    # --- everything, for one viewer or all

    def columns_now(self) -> list[str]:
        """Names of the node columns in the order of their numbers."""
        return list(self._columns().nodes)

    def _columns(self) -> Columns:
        if self.columns is None:
            self.columns = Columns(self.run)
            self.t = self.run.now
        return self.columns

    def world(self) -> World:
        return world_message(self.run, self.epoch)

    def history(self) -> History:
        return self.curves.message(self.run)

    def publications(self) -> list[Publication]:
        return [self._publication(p) for p in self.run.publications[-LATEST_PUBLICATIONS:]]

    def send_full(self, viewer: Viewer) -> None:
        """The state as of the last frame."""
        if self._full is None:
            columns = self._columns()
            sections = columns.full()
            flying = self.reporter.flying(self.t)
            if flying:
                sections.append(frames.sends(flying))
            self._full = self._encode(frames.FULL, columns, sections, 0)
        viewer.send_frame(self._full, full=True)

    def caught_up(self, viewer: Viewer) -> None:
        """A viewer that lagged can take more: tell it what it missed."""
        viewer.send(self.history(), "history")
        self.send_full(viewer)

    def resync(self, now: float) -> None:
        """Everybody anew, after a jump in time."""
        self.columns, self._full = None, None
        self._run_epoch = _epoch(self.run)
        self.frame += 1
        parts = [self.world(), self.history(), *self.publications()]
        texts = [part.model_dump_json() for part in parts]
        for viewer in self.viewers:
            for text in texts:
                viewer.send(text)
            viewer.wants_full = True
            if not viewer.lagging:
                self.send_full(viewer)
        self.tell_run(now)
        self._inspections(now, at_once=True)

    def tell_run(self, now: float) -> None:
        """How the run stands, to everybody."""
        text = self.state().model_dump_json()
        for viewer in self.viewers:
            viewer.send(text, "run")
        self.run_due = now + RUN_S

    # --- what is new

    def emit(self, now: float, *, replaying: bool = False, at_once: bool = False) -> None:
        """A frame to everybody, with all that happened since the last one. `at_once`: after a command or a step."""
        news = self.reporter.read()
        for t, wrong in news.samples:
            self.curves.add(t, wrong)
        self._full = None
        if not self.viewers:
            self.columns = None
            self._known = {p.number: _stamp(p) for p in self.run.publications[-LATEST_PUBLICATIONS:]}
            return
        self._events(news)
        self._frames(news, replaying)
        if replaying:
            self._known = {p.number: _stamp(p) for p in self.run.publications[-LATEST_PUBLICATIONS:]}
        else:
            self._publications(news, now, at_once)
            self._log(news)
        if at_once or now >= self.run_due:
            self.tell_run(now)
        self._inspections(now, at_once)

    def _events(self, news: News) -> None:
        for index in news.commands[-MAX_EVENTS:]:
            of, event = event_of(self.run, index)
            by: By = "workload" if of is None else "event"
            if index >= 0:
                by = "owner" if self.owns(index) else "scenario"
            message = EventMessage(index=of, event=event, by=by).model_dump_json()
            for viewer in self.viewers:
                viewer.send(message)
            node = event.get("node", event.get("id"))
            at = self.run.network.index(node) if isinstance(node, str) and node != "*" else -1
            news.lines.append(lines.of_command(event["t"], at, event, self.reporter.called))

    def _frames(self, news: News, replaying: bool) -> None:
        before, self.columns = self.columns, Columns(self.run)
        self.t = self.run.now
        self.frame += 1
        grown = _epoch(self.run) != self._run_epoch
        if grown:
            if self._run_epoch != (0, 0):
                self.epoch += 1
            self._run_epoch = _epoch(self.run)
            world = self.world().model_dump_json()
            for viewer in self.viewers:
                viewer.send(world)
        if replaying:
            news.traffic, news.deliveries, news.samples = [], [], _thinned(news.samples)
        kind = frames.FULL if grown or before is None else frames.DELTA
        state = self.columns.full() if grown or before is None else self.columns.since(before)
        encoded: dict[frozenset[int], bytes] = {}
        traffic: set[frozenset[int]] = {frozenset()}  # always, since viewers who come in between get it
        for show in traffic | {viewer.show for viewer in self.viewers if not viewer.wants_full}:
            sends, drops, left_out = self.reporter.flights(news, show)
            if not show:
                self.reporter.remember_flights(sends, self.t)
            sections = [*state, *news_sections(len(self.run.layers), news, sends, drops)]
            encoded[show] = self._encode(kind, self.columns, sections, left_out)
        for viewer in self.viewers:
            if not viewer.wants_full:
                viewer.send_frame(encoded[viewer.show], full=kind == frames.FULL)
            elif not viewer.lagging:
                self.send_full(viewer)

    def _encode(self, kind: int, columns: Columns, sections: list[bytes], left_out: int) -> bytes:
        n, m = len(columns.positions), len(columns.links)
        return frames.frame(kind, self.frame, self.t, n, m, self.epoch, sections, left_out)

    def _publications(self, news: News, now: float, at_once: bool) -> None:
        for p in self.run.publications[-LATEST_PUBLICATIONS:]:
            known, stamp = self._known.get(p.number), _stamp(p)
            if stamp == known:
                continue
            done = p.expected <= p.delivered.keys()
            if known is None:
                news.lines.append(lines.of_publication(p, self.reporter.name, self.run.channels[p.channel]))
            elif len(p.delivered) > 100 and now < self._due.get(p.number, 0.0) and not (at_once or done):
                continue
            if done and p.expected and (known is None or known[0] < stamp[0]) and not _was_done(p, known):
                news.lines.append(lines.of_completion(p))
            self._known[p.number] = stamp
            self._due[p.number] = now + BIG_PUBLICATION_S
            text = self._publication(p).model_dump_json()
            for viewer in self.viewers:
                viewer.send(text, p.id)
        while len(self._known) > 2 * LATEST_PUBLICATIONS:
            oldest = min(self._known)
            del self._known[oldest]
            self._due.pop(oldest, None)

    def _publication(self, p: Any) -> Publication:
        ids = self.run.network.ids
        return Publication(
            id=p.id,
            number=p.number,
            t=p.t,
            node=ids[p.node],
            channel=self.run.channels[p.channel],
            data=p.data,
            expected=[ids[v] for v in sorted(p.expected)],
            delivered={ids[v]: Delivered(t=t, hops=hops) for v, (t, hops) in p.delivered.items()},
            duplicates=p.duplicates,
            messages=p.messages,
            done=p.expected <= p.delivered.keys(),
        )

    def _log(self, news: News) -> None:
        chosen = sorted(news.lines, key=lambda line: line.t)[: 2 * MAX_LINES]
        text = Log(lines=chosen).model_dump_json() if chosen else ""
        extra: dict[int, str] = {}
        for viewer in self.viewers:
            if text:
                viewer.send_log(text)
            v = viewer.selected
            if v is not None:
                if v not in extra:
                    more = self.reporter.structure_lines(news, v)
                    extra[v] = Log(lines=more).model_dump_json() if more else ""
                if extra[v]:
                    viewer.send_log(extra[v])

    def _inspections(self, now: float, at_once: bool) -> None:
        asking = [viewer for viewer in self.viewers if viewer.selected is not None]
        pause = 0.0 if at_once else INSPECT_S * max(1.0, len(asking) / 16)
        made: dict[tuple[int, str | None], str] = {}
        for viewer in asking:
            if viewer.selected is not None and now >= viewer.inspected + pause:
                wish = (viewer.selected, viewer.channel)
                if wish not in made:
                    made[wish] = self.inspection(*wish)
                viewer.inspected = now
                viewer.send(made[wish], "inspect")

    def inspection(self, v: int, channel: str | None) -> str:
        """The `inspect` message about node v."""
        found = inspection(self.run, v, channel)
        return found.model_copy(update={"messages": self.reporter.node_lines(v)}).model_dump_json()


def _epoch(run: Run) -> tuple[int, int]:
    """Changes whenever the world message would."""
    return run.network.epoch, len(run.channels)


def _stamp(p: Any) -> tuple[int, int, int]:
    return len(p.delivered), p.duplicates, p.messages


def _was_done(p: Any, known: tuple[int, int, int] | None) -> bool:
    return known is not None and known[0] >= len(p.delivered)


def _thinned(samples: list[tuple[float, tuple[int, ...]]]) -> list[tuple[float, tuple[int, ...]]]:
    if len(samples) <= MAX_SAMPLES:
        return samples
    curves = Curves(MAX_SAMPLES)
    for t, wrong in samples:
        curves.add(t, wrong)
    return curves.rows
