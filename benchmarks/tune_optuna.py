"""Whether optuna's storage and pruner could replace the journal and the race of `tune`; docs/adr/0073 has the answer.

    python benchmarks/tune_optuna.py

Prints how a journal that a kill has cut goes on, how long a step takes to write, and what the pruner does with
candidates that come one after another.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState, create_trial

from graphbrick.study.tune.clock import Clock, Step

STEPS = 200


def step(name: str) -> FrozenTrial:
    """Return a step of a search as a finished trial."""
    return create_trial(values=[0.0], user_attrs={"step": name, "seconds": 1.0, "tokens": 0, "usd": 0.0})


def outcome(call: Callable[[], Any]) -> str:
    """Return the value of a call, or its error, in words."""
    try:
        return str(call())
    except Exception as error:  # noqa: BLE001 - the errors are what is looked for
        return f"{type(error).__name__}: {error}"


def cut_journals(folder: Path) -> None:
    """Cut the last of three lines, write another step, and read all."""

    def open_theirs() -> optuna.Study:
        storage = JournalStorage(JournalFileBackend(str(folder / "theirs.log")))
        return optuna.create_study(storage=storage, study_name="search", load_if_exists=True)

    study, ours = open_theirs(), Clock(folder / "ours.jsonl", 100.0, {})
    for name in "abc":
        study.add_trial(step(name))
        ours.step(name, lambda known: Step(1.0))
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:-7])
    Clock(folder / "ours.jsonl", 100.0, {}).step("d", lambda known: Step(1.0))
    again = Clock(folder / "ours.jsonl", 100.0, {})
    for name in "abcd":
        again.step(name, lambda known: None)
    print(f"after a cut line: ours has {again.used:g} of the 3 s that whole lines tell")
    print(f"  optuna's journal, one more step: {outcome(lambda: open_theirs().add_trial(step('d')))}")
    print(
        f"  optuna's journal, steps read: {outcome(lambda: [one.user_attrs['step'] for one in open_theirs().trials])}"
    )


def times(folder: Path) -> None:
    """Write steps to each storage."""
    clock = Clock(folder / "timed.jsonl", 1e9, {})
    stores: dict[str, Callable[[int], Any]] = {"ours": lambda i: clock.step(f"{i}", lambda known: Step(1.0))}
    storages = {
        "optuna's journal": JournalStorage(JournalFileBackend(str(folder / "timed.log"))),
        "optuna's SQLite": RDBStorage(f"sqlite:///{folder / 'timed.sqlite'}"),
    }
    for name, storage in storages.items():
        study = optuna.create_study(storage=storage)
        stores[name] = lambda i, study=study: study.add_trial(step(f"{i}"))
    for name, write in stores.items():
        start = time.perf_counter()
        for i in range(STEPS):
            write(i)
        print(f"a step, {name}: {1000 * (time.perf_counter() - start) / STEPS:.2f} ms")


def pruner() -> None:
    """Let candidates of falling quality come to the pruner, and try to let one of them go on."""
    both = optuna.create_study(directions=["maximize", "minimize"], pruner=optuna.pruners.SuccessiveHalvingPruner())
    print(f"pruner, quality and time: {outcome(lambda: both.ask().report(1.0, 1))}")
    halving = optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3)
    study = optuna.create_study(direction="maximize", pruner=halving)
    for quality in (0.2, 0.3, 0.4, 0.5, 0.6, 0.55):
        trial = study.ask()
        trial.report(quality, 1)
        pruned = trial.should_prune()
        print(f"pruner, after one question with {quality}: {'ended' if pruned else 'goes on'}")
        study.tell(trial, None if pruned else quality, state=TrialState.PRUNED if pruned else TrialState.COMPLETE)
    print(f"pruner, the last one goes on later: {outcome(lambda: trial.report(0.9, 4))}")


def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cut").mkdir()
        cut_journals(Path(folder) / "cut")
        times(Path(folder))
    pruner()


if __name__ == "__main__":
    main()
