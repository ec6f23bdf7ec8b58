"""Who hands the jobs to the batch process and hears from it, starts it, and ends it.

Theory of operation. Everything here happens on the event loop, so nothing needs a lock. A job is *queued* until the batch
process takes it, *running* until that says it has ended, and then *done*, *failed* or *cancelled*. After each change, and
twice a second, `turn` looks at what there is to do: it starts the process when somebody waits (or soon will: an
estimate was asked for), hands out jobs, and ends a process that is idle or silent.

When the process dies, its jobs go back to the queue: what is finished is on disk and is not done again. A job under
which it died is a suspect and runs alone from then on, so that one that kills it takes no other along; after a few
deaths it has failed, with the process's last words. What the process itself calls trouble (no Java, a master that does
not answer) fails every job that waits, since the next try would end the same.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from backend.settings import Settings
from backend.sweeps import worker
from backend.sweeps.bodies import SweepState
from backend.sweeps.folders import MB
from backend.sweeps.live import Live
from backend.sweeps.worker import Worker
from engine.sweeps import Sweep

log = logging.getLogger("ringcast")

CANCEL_S = 1.7
"""How long the batch process has for a cancel before it is killed."""
START_S = 120.0
SILENCE_S = 90.0
"""A process with jobs speaks each second; after so long without a word it hangs."""
MOST_TRIES = 3
AGAIN_S = 60.0
"""Until a process that could not start is tried again without a job that needs it."""
DISK_S = 5.0


class Foreman:
    """Looks after the batch process. `lives`: all sweeps by id, which others add and remove."""

    def __init__(
        self, settings: Settings, root: Path, lives: dict[str, Live], command: Sequence[str] | None = None
    ) -> None:
        self.settings, self.root, self.lives = settings, root, lives
        self.trouble: str | None = None  # why Spark could not be used the last time
        self.closing = False
        self.blocked = False  # the batch process of another server is still there
        self.wake = asyncio.Event()
        self.worker = Worker(command or worker.command_of(settings.master), root, self._heard, self._over)
        self._wanted_until = 0.0  # monotonic: somebody is about to start a sweep
        self._looked_at = 0.0  # at the disk
        self._to_warm: Sweep | None = None
        self._warmed: set[str] = set()  # what the process has loaded, as far as this matters
        self._bad_starts = 0
        self._retry_at = 0.0
        self._blamed = True  # whether the death of the process speaks against its jobs

    # --- what is known of the jobs

    def of(self, state: SweepState) -> list[Live]:
        """All sweeps in this state."""
        return [live for live in self.lives.values() if live.entry.state == state]

    def waiting(self) -> list[Live]:
        """The queue."""
        return sorted(self.of("queued"), key=lambda x: (x.entry.queued, x.entry.id))

    def waits_for(self, live: Live) -> str | None:
        """Why a queued sweep does not run yet, in words."""
        if not self.worker.ready:
            return "another server works in the same folder" if self.blocked else "Spark is starting"
        if live.entry.tries:
            return "it runs alone, since the batch process died under it"
        return "other sweeps run" if self.of("running") else None

    def set(self, live: Live, state: SweepState, reason: str | None = None) -> None:
        """Put a sweep into a state, and tell everybody."""
        live.entry.state, live.entry.reason = state, reason
        if state != "running":
            live.stop, live.cancelling = None, False
        live.dirty = True
        live.tell()
        self.all_changed()

    def all_changed(self) -> None:
        """Places in the queue may be others now, and there may be something to do."""
        for live in self.of("queued"):
            live.tell()
        self.wake.set()

    # --- what others want

    def warm(self, sweep: Sweep) -> None:
        """Somebody is about to start this sweep: have the batch process ready by then, with its code loaded."""
        self._wanted_until = time.monotonic() + self.settings.sweeps_idle_s
        self._to_warm = sweep
        self.wake.set()

    def try_again(self) -> None:
        """What kept the process from starting may be over."""
        self._retry_at = 0.0

    async def cancel(self, live: Live) -> None:
        """Stop a sweep that runs. Returns when nothing of it is being worked on any more."""
        live.cancelling = True
        self.worker.say(do="cancel", job=live.entry.id)
        if not await live.over(CANCEL_S):
            log.warning("the batch process did not cancel sweep %s: it is started again", live.entry.id)
            self._blamed = False
            self.worker.kill()
            await live.over(CANCEL_S)

    async def close(self) -> None:
        """End the batch process; what runs goes back to the queue."""
        self.closing = True
        await self.worker.stop()

    # --- what the batch process says

    def _heard(self, said: worker.Line) -> None:
        if isinstance(said, worker.Trouble):
            self.trouble = said.reason
            return
        if isinstance(said, worker.Ready):
            self.trouble = None
            self._bad_starts = 0
            self.all_changed()
            return
        live = self.lives.get(said.job)
        if live is None or live.entry.state != "running":
            return  # deleted or cancelled meanwhile
        if isinstance(said, worker.Ended):
            self._end(live, said)
            return
        if isinstance(said, worker.Progress):
            live.progress(said)
        else:
            live.entry.summary_version += 1
        live.dirty = True
        live.tell()

    def _end(self, live: Live, said: worker.Ended) -> None:
        live.entry.summary_version += 1
        if said.state == "done":
            live.entry.done = live.entry.runs
        if said.state != "cancelled":
            self.set(live, said.state, said.reason)
        elif live.cancelling:
            self._stopped(live)
        else:
            self.set(live, "queued")  # the process was told to stop

    def _stopped(self, live: Live) -> None:
        """It was cancelled: by somebody, or by the server for a reason."""
        if live.stop is None:
            self.set(live, "cancelled")
        else:
            self.set(live, "failed", live.stop)

    def _over(self) -> None:
        """The process is gone."""
        asked, words = self.worker.stopping or self.closing, self.worker.last_words()
        for live in self.of("running"):
            if live.cancelling:
                self._stopped(live)
            elif asked or not self._blamed:
                self.set(live, "queued")
            else:
                self._died_under(live, words)
        self._wanted_until, self._blamed = 0.0, True
        self._warmed.clear()
        if not asked:
            self._find_trouble(words)
        self.wake.set()

    def _died_under(self, live: Live, words: str) -> None:
        live.entry.tries += 1
        log.warning("the batch process died (%s) under sweep %s", words, live.entry.id)
        if live.entry.tries >= MOST_TRIES:
            why = f"the batch process died {live.entry.tries} times under this sweep; its last words: {words}"
            self.set(live, "failed", why)
        else:
            self.set(live, "queued")

    def _find_trouble(self, words: str) -> None:
        if self.trouble is None and not self.worker.came_up:
            self._bad_starts += 1
            if self._bad_starts >= MOST_TRIES:
                self.trouble = f"the batch process cannot be started; its last words: {words}"
        if self.trouble is not None:
            self._bad_starts = 0
            self._retry_at = time.monotonic() + AGAIN_S
            for live in self.of("queued"):
                self.set(live, "failed", self.trouble)

    # --- turns

    def turn(self, now: float) -> None:
        """Do what there is to do."""
        if not self.worker.on:
            if self.of("queued") or (self._retry_at <= now < self._wanted_until):
                self.blocked = not self.worker.start()
        elif self.worker.ready:
            self._warm_up()
            self._hand_out()
            self._look_at(self.of("running"), now)
        elif now - max(self.worker.started_at, self.worker.heard_at) > START_S:
            log.error("the batch process does not %s: killed", "stop" if self.worker.stopping else "start")
            self.worker.kill()

    def _warm_up(self) -> None:
        """Have the code of the sweep that is looked at loaded, once."""
        sweep, self._to_warm = self._to_warm, None
        if sweep is None:
            return
        kind = f"{sweep.method} {[spec.name for spec in sweep.protocols]}"
        if kind not in self._warmed:
            self._warmed.add(kind)
            self.worker.say(do="warm", sweep=sweep.plain)

    def _hand_out(self) -> None:
        running = self.of("running")
        for live in self.waiting():
            if not live.ready:
                continue
            alone = live.entry.tries > 0 or any(x.entry.tries for x in running)
            if len(running) >= (1 if alone else self.settings.sweeps_at_once):
                return  # nobody overtakes
            live.given_at = time.monotonic()
            self.set(live, "running")
            self.worker.say(do="run", job=live.entry.id, out=str(self.root / live.entry.id))
            running.append(live)

    def _look_at(self, running: list[Live], now: float) -> None:
        heard_at = max([self.worker.heard_at, *(live.given_at for live in running)])
        if not running:
            idle_since = max(heard_at, self._wanted_until - self.settings.sweeps_idle_s)
            if now - idle_since > self.settings.sweeps_idle_s:
                self.worker.ask_to_stop()
        elif now - heard_at > SILENCE_S:
            log.error("the batch process has not said a word for %g s: killed", SILENCE_S)
            self.worker.kill()
        elif now - self._looked_at > DISK_S:
            self._looked_at = now
            self._look_at_disk(running)

    def _look_at_disk(self, running: list[Live]) -> None:
        """Sweeps must not take the room that sessions need: at half of what is to stay free they end."""
        free = shutil.disk_usage(self.root).free / MB
        if free >= self.settings.min_free_mb / 2:
            return
        for live in running:
            if not live.cancelling:
                live.cancelling = True
                live.stop = f"the disk is nearly full: {free:,.0f} MB are left; make room, then resume"
                self.worker.say(do="cancel", job=live.entry.id)
