"""Drawing new pipelines: optuna's multi-objective TPE with the scores of all candidates so far.

The sampler is made anew for every draw from the candidates and a seed, so that a search that goes on after a kill draws
the same pipelines. Ozaki et al., Multiobjective Tree-Structured Parzen Estimator, JAIR 2022.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.study.tune.race import Candidate
from graphbrick.study.tune.space.space import Choose, Space, readable

_PRIOR = 2.0  # questions with a quality of a half, so that one right answer is not taken for perfection
_RANDOM = 12  # drawn pipelines before the sampler learns from them
_TRIES = 30  # draws for one pipeline that is new

Choices = dict[str, tuple[str, tuple[str, ...]]]


def draw(
    space: Space, candidates: Sequence[Candidate], n: int, *, seed: int, at_random: bool = False
) -> Iterator[tuple[str, str, Choices]]:
    """Yield up to ``n`` pipelines that are not among the candidates: recipe text, identity, and choices.

    Args:
        space: The space.
        candidates: The candidates so far, with their scores.
        n: Pipelines.
        seed: Seed of the random numbers; another one for each call.
        at_random: Whether to draw evenly, without regard to scores.
    """
    known = {one.identity for one in candidates}
    rng = random.Random(seed)
    study = None if at_random else _study([one for one in candidates if one.choices and one.scores], seed)
    for _ in range(n):
        for tries in range(_TRIES):
            choices: Choices = {}
            # A sampler that repeats itself has found its optimum; what is new is then drawn at random.
            chooser = _at_random(rng) if at_random or tries > _TRIES // 2 else _by_sampler(study)
            text = space.draw(_noting(chooser, choices))
            pipeline = readable(text)
            if pipeline is None or pipeline.identity() in known:
                continue
            known.add(pipeline.identity())
            yield text, pipeline.identity(), choices
            break


def first(space: Space, known: set[str]) -> Iterator[tuple[str, str, Choices]]:
    """Yield each option of each stage once, beside the first options elsewhere; see `Space.one_by_one`."""
    for choose in space.one_by_one():
        choices: Choices = {}
        text = space.draw(_noting(choose, choices))
        pipeline = readable(text)
        if pipeline is not None and pipeline.identity() not in known:
            known.add(pipeline.identity())
            yield text, pipeline.identity(), choices


def _noting(choose: Choose, choices: Choices) -> Choose:
    def note(name: str, texts: Sequence[str]) -> str:
        chosen = choose(name, texts)
        choices[name] = chosen, tuple(texts)
        return chosen

    return note


def _at_random(rng: random.Random) -> Choose:
    return lambda name, texts: rng.choice(list(texts))


def _by_sampler(study: Any) -> Choose:
    trial = study.ask()
    return lambda name, texts: str(trial.suggest_categorical(name, list(texts)))


def _study(candidates: Sequence[Candidate], seed: int) -> Any:
    """Return the study of optuna with all candidates and their scores."""
    try:
        import optuna
    except ImportError as error:
        raise InputError("graphbrick tune needs optuna; install it: pip install 'graphbrick[tune]'") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(
            seed=seed, n_startup_trials=_RANDOM, multivariate=True, group=True, constant_liar=True
        )
    study = optuna.create_study(directions=["maximize", "minimize", "minimize"], sampler=sampler)
    for one in candidates:
        figures = one.figures
        quality = (figures.quality * figures.n + _PRIOR / 2) / (figures.n + _PRIOR)
        values = [quality, math.log10(max(figures.seconds, 1e-6)), figures.tokens]
        study.add_trial(
            optuna.trial.create_trial(
                params={name: value for name, (value, _) in one.choices.items()},
                distributions={
                    name: optuna.distributions.CategoricalDistribution(texts)
                    for name, (_, texts) in one.choices.items()
                },
                values=values,
            )
        )
    return study
