"""A file of JSON lines that keeps every result at once, so that no call is paid twice."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from graphbrick.core.compute import Progress
from graphbrick.core.errors import InputError
from graphbrick.core.files.locks import claim
from graphbrick.core.trace import Trace, record
from graphbrick.judge.resuming import DONE, Pending
from graphbrick.judge.verdicts import Case
from graphbrick.models.llm.conversations import Usage

T = TypeVar("T")
_BLOCK = 1 << 16  # bytes that are looked at together for the end of a line


class KeptLines:
    """JSON values by keys of several texts, in a file.

    A subclass may have lines of another form.

    Args:
        file: The file; made with the first value.

    Raises:
        InputError: The file is damaged elsewhere than in half a last line, or is another kind of file, or there is no
            folder for it. `keep` raises it if the file cannot be written.
    """

    damaged = "the line holds no verdict of a judge ({error!r}); name another file with --out"

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[tuple[str, ...], Any] = {}
        if file.is_dir() or not file.parent.is_dir():  # not only after the first verdict was paid for
            reason = os.strerror(errno.EISDIR if file.is_dir() else errno.ENOENT)
            raise InputError(f"verdicts cannot be kept: {reason}", file, code="kept_lines.no_place")
        lines = file.read_bytes().splitlines(keepends=True) if file.is_file() else []
        for number, line in enumerate(lines, 1):
            try:
                key, value = self.read(json.loads(line))
                self._known[key] = value
            except (ValueError, TypeError, KeyError) as error:
                if number < len(lines) or line.endswith(b"\n"):  # a process that was killed leaves half a line
                    reason = self.damaged.format(error=error)
                    raise InputError(reason, file, number, code="kept_lines.bad_line") from error

    @staticmethod
    def read(entry: Any) -> tuple[tuple[str, ...], Any]:
        """Return the key and the value of a line."""
        return tuple(entry["key"]), entry["value"]

    @staticmethod
    def written(key: tuple[str, ...], value: Any) -> Any:
        """Return a key and its value as a line."""
        return {"key": key, "value": value}

    def find(self, *key: str) -> Any:
        """Return the value of a key; None if there is none."""
        return self._known.get(key)

    def keep(self, values: Mapping[tuple[str, ...], Any]) -> None:
        """Add values, or replace them."""
        text = "".join(f"{json.dumps(self.written(key, value))}\n" for key, value in values.items()).encode()
        try:
            lock_file = self._file.with_name(f".{self._file.name}.lock")
            with claim(lock_file, wait=True), self._file.open("ab+") as out:
                _end_last_line(out)
                out.write(text)
        except OSError as error:
            raise InputError(
                f"verdicts cannot be kept: {error.strerror or error}", self._file, code="kept_lines.not_written"
            ) from error
        self._known |= values


def kept_or_asked(
    lines: KeptLines,
    keys: Mapping[T, tuple[str, ...]],
    ask: Callable[[Sequence[T], Usage], Iterator[tuple[int, Any]]],
    usage: Usage,
    *,
    what: str,
    retry: bool,
    progress: Progress,
) -> dict[T, Any]:
    """Return the values of items, after asking about those that have none in the file (`Pending.ask`).

    Args:
        lines: The file.
        keys: The key of each item.
        ask: Asks about items and yields the place and the value of each.
        usage: Takes calls and events.
        what: What the items are called in messages: "pairs".
        retry: Ask again where the first entry of the value is None, even if replies are recorded.
        progress: Called before the first value and after each.
    """
    known = ((item, lines.find(*key)) for item, key in keys.items())
    missing = [item for item, value in known if value is None or (retry and value[0] is None)]
    pending = Pending[T, Any](
        lambda item, value: lines.keep({keys[item]: value}), missing, total=len(keys), says=DONE.format(what)
    )
    progress("", pending.done, len(keys))
    with record(Trace(), "judging", "judge") as entry:
        pending.ask(ask(missing, usage), retry=retry, progress=progress)
    usage.events.update(entry.events)
    return {item: lines.find(*key) for item, key in keys.items()}


def _end_last_line(file: BinaryIO) -> None:
    """Let a file end with a whole line: end a last one that is JSON, and else remove it."""
    end = file.seek(0, os.SEEK_END)
    start = end
    tail = b""
    while start and b"\n" not in tail:
        start = file.seek(max(0, start - _BLOCK))
        tail = file.read(end - start)
    last = tail.rpartition(b"\n")[2]
    try:
        if last:
            json.loads(last)
            file.write(b"\n")
    except ValueError:
        file.truncate(end - len(last))


def digest(texts: Iterable[object]) -> str:
    """Return a checksum of texts and lists of texts."""
    return hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()[:16]


def digest_of(case: Case) -> str:
    """Return a checksum of the texts of a case."""
    return digest([case.question, case.evidence, case.answer, case.gold])
