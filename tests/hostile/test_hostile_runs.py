"""The runs of hostile tries themselves: faults are seen, counted, and repeated by seed, surface and number."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mutating import mutated
from running import attempted, table, tried
from trying import Fault, Surface, forked, held

pytestmark = pytest.mark.whole


class Sevens(Surface):
    """A surface whose tries fail if they draw a 7."""

    tries = 40

    def attempt(self, draw: random.Random, work: Path) -> str:
        (work / "file").write_text("left behind")
        if (number := draw.randrange(10)) == 7:
            raise Fault(f"a {number}")
        return "good"


def test_a_fault_is_repeated_by_seed_surface_and_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAPHBRICK_CACHE", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "")  # set back at the end
    tally = tried("sevens", Sevens, 3, range(40), 0.0, 2)
    numbers = sorted(number for number, _ in tally.faults if number is not None)
    assert tally.tries == 40
    assert numbers
    assert tally.outcomes == {"good": 40 - len(numbers), "fault": len(numbers)}
    surface = Sevens("sevens", tmp_path)
    again = [n for n in range(40) if attempted(surface, 3, n, tmp_path / "work") == ("fault", "a 7")]
    assert again == numbers
    assert not (tmp_path / "work").exists()
    lines = table([("sevens", tally)], 3).splitlines()
    assert lines[1].split()[:3] == ["sevens", "40", str(len(numbers))]
    assert f"make hostile SEED=3 SURFACE=sevens TRY={numbers[0]}: a 7" in lines


def _crash() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def _several_lines() -> None:
    sys.stderr.write("error: one\nerror: two\n")
    sys.exit(1)


def _busy() -> None:
    while True:
        time.process_time()


def _good_error() -> None:
    sys.stderr.write("error: one line\n")
    sys.exit(1)


@pytest.mark.parametrize(
    ("work", "part"),
    [
        (_crash, "SIGTERM"),
        (lambda: 1 / 0, "ZeroDivisionError"),
        (_several_lines, "2 lines"),
        (_busy, "processor time"),
        (lambda: 5, "exit code 5"),
    ],
)
def test_what_a_process_must_not_do_is_a_fault(work: Callable[[], object], part: str) -> None:
    with pytest.raises(Fault, match=part):
        held(forked(work, cpu=1), memory=100_000)


def test_one_line_of_an_error_is_none() -> None:
    assert held(forked(_good_error), memory=100_000).line == "error: one line"
    with pytest.raises(Fault, match="it took"):
        held(forked(_good_error), memory=1)


def test_changes_are_drawn() -> None:
    changed = [mutated(random.Random(seed), b"a good text of some length") for seed in range(50)]
    assert changed == [mutated(random.Random(seed), b"a good text of some length") for seed in range(50)]
    assert len(set(changed)) > 40
