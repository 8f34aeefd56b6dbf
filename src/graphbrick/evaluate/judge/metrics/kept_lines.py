"""What models said, in a file of JSON lines to which everything is added at once, so that no call is paid twice."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.evaluate.judge.verdicts import Case


class KeptLines:
    """JSON values by keys of several texts, in a file.

    Args:
        file: The file; made with the first value.

    Raises:
        InputError: The file is damaged elsewhere than in half a last line, or is another kind of file.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[tuple[str, ...], Any] = {}
        lines = file.read_bytes().splitlines(keepends=True) if file.is_file() else []
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line)
                self._known[tuple(entry["key"])] = entry["value"]
            except (ValueError, TypeError, KeyError) as error:
                if number < len(lines) or line.endswith(b"\n"):
                    raise InputError(
                        f"the line holds no verdict of a judge ({error!r}); name another file with --out", file, number
                    ) from error
                os.truncate(file, sum(map(len, lines[:-1])))  # a process that was killed left half of the last line

    def find(self, *key: str) -> Any:
        """Return the value of a key; None if there is none."""
        return self._known.get(key)

    def keep(self, values: Mapping[tuple[str, ...], Any]) -> None:
        """Add values, or replace them."""
        lines = [json.dumps({"key": key, "value": value}) for key, value in values.items()]
        with self._file.open("a", encoding="utf-8") as out:
            out.write("".join(f"{line}\n" for line in lines))
        self._known |= values


def digest(texts: Iterable[object]) -> str:
    """Return a checksum of texts and lists of texts."""
    return hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()[:16]


def digest_of(case: Case) -> str:
    """Return a checksum of the texts of a case."""
    return digest([case.question, case.evidence, case.answer, case.gold])
