"""A fuzzer of damage: each file of a folder is damaged in turn, and commands must give the same answer or one error.

A case is a file and a way to damage it; a seed makes the same cases again. Commands run in a forked process, so that a
crash ends that process only.
"""

from __future__ import annotations

import multiprocessing
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError

FORK = multiprocessing.get_context("fork")
_SECONDS = 60

Command = Callable[[Path], Any]


@dataclass(frozen=True)
class Damage:
    """One way to damage one file.

    Attributes:
        file: Its path in the folder.
        kind: "flip", "truncate", "delete" or "zero".
        place: The bit that is flipped, the new size, or the begin of the block of zeros.
    """

    file: str
    kind: str
    place: int

    def apply(self, folder: Path) -> bool:
        """Damage the file; return whether its contents differ now."""
        file = folder / self.file
        before = file.read_bytes()
        if self.kind == "delete":
            file.unlink()
            return True
        data = bytearray(before)
        if self.kind == "flip":
            data[self.place // 8] ^= 1 << self.place % 8
        elif self.kind == "truncate":
            del data[self.place :]
        else:
            data[self.place : self.place + 512] = bytes(len(data[self.place : self.place + 512]))
        file.write_bytes(data)
        return bytes(data) != before


@dataclass
class Report:
    """What came of the cases.

    Attributes:
        tries: Number of cases by kind of damage.
        errors: Number of cases with an error for the user, by its code.
        faults: Cases that crashed, gave a traceback, or another answer without an error.
    """

    tries: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def damages(folder: Path, seed: int, flips: int = 1) -> Iterator[Damage]:
    """Yield cases for every file of a folder: bits flipped, cut short, deleted, and with a block of zeros."""
    chance = random.Random(seed)
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name, size = file.relative_to(folder).as_posix(), file.stat().st_size
        yield Damage(name, "delete", 0)
        if size:
            for _ in range(flips):
                yield Damage(name, "flip", chance.randrange(8 * size))
            yield Damage(name, "truncate", chance.randrange(size))
            yield Damage(name, "zero", chance.randrange(size))


def fuzz(
    pristine: Path, work: Path, cases: Sequence[Damage], commands: Sequence[Command], check: Command | None = None
) -> Report:
    """Damage copies of a folder, run commands on each, and compare their results with those of the whole folder.

    Args:
        pristine: The folder, with the graph and what is beside it.
        work: A folder for the copies.
        cases: The damages.
        commands: Functions of a copy; what they return is compared.
        check: Raises `GraphbrickError` if the copy is damaged. A result that differs is no fault where it does.
    """
    report = Report()
    expected = [_outcome(command, pristine) for command in commands]
    for case in cases:
        copy = work / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(pristine, copy)
        if not case.apply(copy):
            continue
        report.tries[case.kind] += 1
        for command, right in zip(commands, expected, strict=True):
            kind, value = _outcome(command, copy)
            if kind == "error":
                report.errors[value] += 1
            elif kind != "value" or value != right[1]:
                is_found = kind == "value" and check is not None and _outcome(check, copy)[0] == "error"
                if not is_found:
                    report.faults.append(f"{case}: {kind} {value!r:.200}")
    return report


def _outcome(command: Command, folder: Path) -> tuple[str, Any]:
    """Run a command in a forked process and return a value, the code of an error, a traceback, or a crash."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_run, args=(command, folder, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(_SECONDS) else ("hangs", "")
    except EOFError:
        process.join(_SECONDS)
        return "crash", process.exitcode
    finally:
        process.kill()
        process.join()
        receiver.close()


def _run(command: Command, folder: Path, sender: Any) -> None:
    try:
        sender.send(("value", command(folder)))
    except GraphbrickError as error:
        sender.send(("error" if error.code and "\n" not in str(error) else "traceback", error.code or str(error)))
    except BaseException as error:  # noqa: BLE001 - what a user would see
        sender.send(("traceback", repr(error)))
