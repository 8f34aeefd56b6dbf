"""Time, tokens and dollars that a search has used over all its sessions, from a journal of its steps."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.core.files.locks import claim
from graphbrick.core.files.writing import naming
from graphbrick.pipeline.budget import current_budget
from graphbrick.study.tune.race import Why


@contextmanager
def alone(place: Path) -> Iterator[None]:
    """Keep other searches out of a folder."""
    try:
        lock = claim(place / ".tune.lock")
    except BlockingIOError as error:
        raise InputError(
            "another search writes this folder now; wait until it is done, or name another folder with --out",
            place,
            code="tune.in_use",
        ) from error
    except OSError as error:
        raise InputError(
            f"the folder cannot be written: {error.strerror or error}", place, code="tune.not_writable"
        ) from error
    with lock:
        yield


@dataclass(frozen=True)
class Step:
    """Cost and decisions of one step of a search: a line of the journal.

    Attributes:
        seconds: Time, that since the step before included.
        tokens: Tokens of language models.
        usd: Dollars.
        given_up: By `short` of a candidate's identity: why it was given up while it was asked, and the same in words.
        each: Seconds that each candidate was allowed to take.
    """

    seconds: float = 0.0
    tokens: int = 0
    usd: float = 0.0
    given_up: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    each: float = 0.0

    def __add__(self, later: Step) -> Step:
        return Step(
            self.seconds + later.seconds, self.tokens + later.tokens, self.usd + later.usd,
            {**self.given_up, **later.given_up}, max(self.each, later.each),
        )  # fmt: skip


class Clock:
    """The time, tokens and dollars that a search has used, over all its sessions.

    Every step of a search leaves a line with its name and what it took. A search that goes on after a kill reads them,
    and so makes the same decisions in the same order, within what is left of time and budget.

    Args:
        journal: The file of these lines.
        seconds: Seconds for the whole search.
        about: Subject of the times, by name, such as the graph; the same in all sessions.

    Attributes:
        used: Seconds used so far.

    Raises:
        InputError: The journal cannot be read, or is about something else.
    """

    def __init__(self, journal: Path, seconds: float, about: Mapping[str, str]) -> None:
        self._journal, self._seconds, self.used = journal, seconds, 0.0
        self._known: dict[str, Step] = {}
        self._done = Counter[str]()
        self._tokens, self._usd = 0, 0.0
        self._mark, self._spent = time.monotonic(), _spent()
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
                        code="tune.other_search",
                        differs_in=other,
                    )
            case {"step": str(key), "seconds": float(seconds) | int(seconds), **others}:
                with suppress(TypeError, ValueError):  # a damaged line
                    self._known[key] = self._known.get(key, Step()) + _step(seconds, others)

    def _write(self, entry: Mapping[str, object]) -> None:
        with naming(self._journal), self._journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def step(self, name: str, work: Callable[[Step | None], Step | None]) -> None:
        """Do a step, and count what it takes.

        A step that the journal has counts before it is done again, so that no more is left for it than there was.

        Args:
            name: Tells it from other steps; the second step of a name is another one than the first.
            work: Does it, given the step as the journal has it. Returns what it decided, and what results that a killed
                session has left took at least; None if the journal has all of it.
        """
        key = short(name) + (f" {self._done[name]}" if self._done[name] else "")
        self._done[name] += 1
        known = self._known.get(key)
        self._count(known or Step())
        done = work(known)
        now, (tokens, usd) = time.monotonic(), _spent()
        if done is not None:
            # More work on a known step, as there is more time now, is a further line of that step.
            seconds = round(max(now - self._mark, done.seconds), 3)
            spent = done.tokens + tokens - self._spent[0], done.usd + usd - self._spent[1]
            done = replace(done, seconds=seconds, tokens=spent[0], usd=spent[1])
            self._known[key] = (known or Step()) + done
            self._write(
                {"step": key} | {name: value for name, value in asdict(done).items() if value or name == "seconds"}
            )
            self._count(done)
        self._mark, self._spent = now, (tokens, usd)

    def _count(self, step: Step) -> None:
        self.used += step.seconds
        self._tokens += step.tokens
        self._usd += step.usd

    @property
    def earlier(self) -> tuple[int, float]:
        """Tokens and dollars of earlier sessions of the search, outside the current budget."""
        return max(0, self._tokens - self._spent[0]), max(0.0, self._usd - self._spent[1])

    @property
    def spent(self) -> tuple[int, float]:
        """Tokens and dollars that count against the current budget, those of earlier sessions included."""
        (tokens, usd), before = _spent(), self.earlier
        return tokens + before[0], usd + before[1]

    @property
    def share(self) -> float:
        """The share of time, tokens or dollars that is used, whichever is highest."""
        budget = current_budget()
        limits = (budget.tokens, budget.usd) if budget is not None else ()
        return max(
            self.used / self._seconds, *(s / limit for s, limit in zip(self.spent, limits, strict=False) if limit), 0
        )


def short(text: str) -> str:
    """Return a short hash of a text, by which the journal names it."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _step(seconds: float, entry: Mapping[Any, Any]) -> Step:
    reasons = dict(entry.get("given_up", {}))
    given_up = {str(one): (str(Why(why)), str(reason)) for one, (why, reason) in reasons.items()}
    return Step(
        float(seconds), int(entry.get("tokens", 0)), float(entry.get("usd", 0.0)), given_up,
        float(entry.get("each", 0.0)),
    )  # fmt: skip


def _spent() -> tuple[int, float]:
    """Return the tokens and dollars that the current budget has counted."""
    budget = current_budget()
    return (budget.spent_tokens, budget.spent_usd) if budget is not None else (0, 0.0)
