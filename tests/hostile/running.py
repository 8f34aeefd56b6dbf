"""Runs of hostile tries: the tries of each surface in processes, and the table of tries and faults."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from trying import Fault, Surface

FOREVER = 1 << 40
_LONGEST = 600  # characters of a fault; a line of them is written at once
_SHOWN = 20  # faults of a surface that the table repeats


@dataclass
class Tally:
    """The tries on one surface: how they ended, and the faults by number."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int | None, str]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def tries(self) -> int:
        """Return the number of tries."""
        return sum(self.outcomes.values())


def attempted(surface: Surface, seed: int, number: int, work: Path) -> tuple[str, str]:
    """Make one try; return how it ended, and the fault, if there is one."""
    work.mkdir(parents=True)
    try:
        return surface.attempt(random.Random(f"{seed}/{surface.name}/{number}"), work), ""
    except Fault as fault:
        return "fault", str(fault)
    except Exception:  # noqa: BLE001 - what the tries themselves do not expect is a fault of the code or of the try
        return "fault", traceback.format_exc().strip().replace("\n", " / ")[-600:]
    finally:
        shutil.rmtree(work, ignore_errors=True)


def shares(surface: Surface, seed: int, chosen: range, until: float, workers: int) -> Iterator[tuple[int, str, str]]:
    """Make the tries in processes, each its share of the numbers; yield number, outcome and fault of each."""
    reader, writer = os.pipe()
    children = []
    for share in range(workers):
        child = os.fork()
        if not child:
            code = 1
            try:
                os.close(reader)
                _work(surface, seed, range(chosen.start + share, FOREVER, workers), chosen.stop, until, writer)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    os.close(writer)
    with os.fdopen(reader) as lines:
        for line in lines:
            number, outcome, fault = json.loads(line)
            yield number, outcome, fault
    for child in children:
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            raise RuntimeError(f"a process that made tries on {surface.name} ended early")


def _work(surface: Surface, seed: int, numbers: range, stop: int, until: float, writer: int) -> None:
    """Make the tries of one process, and write a line for each."""
    for number in numbers:
        if number >= stop and time.monotonic() >= until:
            return
        ended = attempted(surface, seed, number, surface.folder.with_name(f"work-{numbers.start}") / "try")
        os.write(writer, json.dumps([number, *(text[:_LONGEST] for text in ended)]).encode() + b"\n")


def tried(name: str, kind: type[Surface], seed: int, chosen: range, seconds: float, workers: int) -> Tally:
    """Make tries on a surface; the numbers of `chosen`, and more until the seconds are over."""
    tally, start = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as scratch:
        os.environ |= {"GRAPHBRICK_CACHE": str(Path(scratch) / "cache"), "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
        tempfile.tempdir = scratch
        surface = kind(name, Path(scratch).resolve() / name)
        surface.folder.mkdir()
        try:
            surface.prepare()
            for number, outcome, fault in shares(surface, seed, chosen, time.monotonic() + seconds, workers):
                tally.outcomes[outcome] += 1
                if fault:
                    tally.faults.append((number, fault))
                    print(f"FAULT {surface.name} {number}: {fault}", flush=True)
        finally:
            for fault in surface.finish():
                tally.faults.append((None, fault))
                print(f"FAULT {surface.name}, at the end: {fault}", flush=True)
        tempfile.tempdir = None
    tally.seconds = time.monotonic() - start
    return tally


def table(tallies: Iterable[tuple[str, Tally]], seed: int) -> str:
    """Return the table of tries and faults, and how to repeat each fault."""
    rows = list(tallies)
    lines = [f"{'surface':12} {'tries':>6} {'faults':>6} {'s':>5}  how they ended"]
    for name, tally in rows:
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in tally.outcomes.most_common(6))
        lines.append(f"{name:12} {tally.tries:6,} {len(tally.faults):6} {tally.seconds:5.0f}  {outcomes}")
    tries, faults = sum(tally.tries for _, tally in rows), sum(len(tally.faults) for _, tally in rows)
    lines.append(f"{'all':12} {tries:6,} {faults:6} {sum(tally.seconds for _, tally in rows):5.0f}  seed {seed}")
    for name, tally in rows:
        for number, fault in tally.faults[:_SHOWN]:
            repeat = f"SURFACE={name}" + (f" TRY={number}" if number is not None else "")
            lines.append(f"make hostile SEED={seed} {repeat}: {fault}")
        if len(tally.faults) > _SHOWN:
            lines.append(f"and {len(tally.faults) - _SHOWN} more faults of {name}, printed above")
    return "\n".join(lines)


def main(description: str) -> int:
    """Make the tries and print the table."""
    from surfaces import SURFACES  # with all that the surfaces need, which takes seconds

    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--surface", action="append", choices=list(SURFACES), help="may be repeated; all by default")
    parser.add_argument("--try", type=int, dest="number", help="only this try")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the tries of a full run")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    tallies = {}
    with contextlib.suppress(KeyboardInterrupt):
        for name in options.surface or SURFACES:
            chosen = range(max(1, round(SURFACES[name].tries * options.scale)))
            seconds, workers = SURFACES[name].seconds * options.scale, options.workers
            if options.number is not None:
                chosen, seconds, workers = range(options.number, options.number + 1), 0.0, 1
            tallies[name] = tried(name, SURFACES[name], options.seed, chosen, seconds, workers)
            print(f"{name}: {tallies[name].tries:,} tries, {len(tallies[name].faults)} faults", flush=True)
    print(table(tallies.items(), options.seed))
    return int(any(tally.faults for tally in tallies.values()))
