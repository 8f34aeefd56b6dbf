"""The time of a search over all its sessions, from a journal of its steps."""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.files.locks import claim
from graphbrick.files.writing import naming
from graphbrick.pipeline.budget import current_budget


@contextmanager
def alone(place: Path) -> Iterator[None]:
    """Keep other searches out of a folder."""
    try:
        lock = claim(place / ".tune.lock")
    except BlockingIOError as error:
        raise InputError(
            "another search writes this folder now; wait until it is done, or name another folder with --out", place
        ) from error
    except OSError as error:
        raise InputError(f"the folder cannot be written: {error.strerror or error}", place) from error
    with lock:
        yield


class Clock:
    """The time that a search has used, over all its sessions.

    Every step of a search leaves a line with its name and its seconds, those before it since the last step included. A
    search that goes on after a kill reads them, and so makes the same decisions in the same order.

    Args:
        journal: The file of these lines.
        seconds: Seconds for the whole search.
        about: What the times are of, by name, such as the graph; the same in all sessions.

    Attributes:
        used: Seconds used so far.

    Raises:
        InputError: The journal cannot be read, or is about something else.
    """

    def __init__(self, journal: Path, seconds: float, about: Mapping[str, str]) -> None:
        self._journal, self._seconds, self.used = journal, seconds, 0.0
        self._known: dict[str, deque[float]] = defaultdict(deque)
        self._mark = time.monotonic()
        with naming(journal):
            text = journal.read_text("utf-8", errors="replace") if journal.exists() else ""
        for line in text.splitlines():
            with suppress(json.JSONDecodeError):  # a line that a kill or a full disk has cut
                self._read(json.loads(line), about)
        if not text:
            self._write({"about": dict(about)})
        elif not text.endswith("\n"):
            with naming(journal), journal.open("a", encoding="utf-8") as file:
                file.write("\n")

    def _read(self, entry: object, about: Mapping[str, str]) -> None:
        match entry:
            case {"about": dict(before)}:
                other = [name for name, value in about.items() if before.get(name) != value]
                if other:
                    raise InputError(
                        f"the folder holds a search that differs in {' and '.join(other)}; name another folder with "
                        "--out, or remove this one",
                        self._journal.parent,
                    )
            case {"step": str(step), "seconds": float(seconds) | int(seconds)}:
                self._known[step].append(float(seconds))

    def _write(self, entry: Mapping[str, object]) -> None:
        with naming(self._journal), self._journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def step(self, name: str, work: Callable[[], float]) -> None:
        """Do a step, and count its time: as the journal has it, else as it is.

        Args:
            name: Tells it from other steps.
            work: Does it; returns seconds that it took at least, of results that a killed session has left.
        """
        least = work()
        now = time.monotonic()
        seconds, self._mark = round(max(now - self._mark, least), 3), now
        name = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
        if self._known[name]:
            seconds = self._known[name].popleft()
        else:
            self._write({"step": name, "seconds": seconds})
        self.used += seconds

    @property
    def share(self) -> float:
        """The share of time, tokens or dollars that is used, whichever is highest."""
        shares = [self.used / self._seconds]
        budget = current_budget()
        if budget is not None:
            shares += [spent / limit for spent, limit in ((budget.spent_tokens, budget.tokens),
                                                          (budget.spent_usd, budget.usd)) if limit]  # fmt: skip
        return max(shares)
