"""The decisions of `graphbrick tune` over made-up pipelines: is the best one dropped, and how good is what wins?

    python benchmarks/tune_simulated.py [--runs 20] [--questions 400] [--time 300]

Every brick and every value of a parameter changes the quality and the time of a made-up pipeline by an amount of its
own, so that the sampler has something to learn. Whether pipeline and question go together is a matter of chance, but
hard questions are hard for all pipelines (`_SHARED`). Time is counted, not used. Three ways to search are compared:
«searched» as `graphbrick tune` does, «even draws» without optuna, and «random», which asks each pipeline drawn evenly
100 questions and takes the best mean. Printed are means over runs with other amounts, such as the true quality of the
winner and of the best pipeline tried, and how often that one was given up. Before that: how often one of many equally
good pipelines is given up as beaten.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import tempfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import NormalDist, fmean, stdev

import numpy as np

from graphbrick.questions.question import Question
from graphbrick.study.tune.aims import Aim
from graphbrick.study.tune.clock import Clock, Step
from graphbrick.study.tune.measuring import key_of
from graphbrick.study.tune.race import Candidate, Race, Scored, Why, rungs
from graphbrick.study.tune.search import _Search
from graphbrick.study.tune.settings import Settings
from graphbrick.study.tune.space.default_space import default_space
from graphbrick.study.tune.space.space import readable
from graphbrick.testing import tiny_graph

_SHARED = 0.6  # of the variance of an answer that is the question's, not the pipeline's
_RANDOM = 100  # questions that random search asks each pipeline
_OVERHEAD = 0.05  # seconds of a call of evaluate
_NORMAL = NormalDist()


class MadeUp:
    """Pipelines of known quality, in the place of `graphbrick.study.tune.measuring.Measurer`."""

    def __init__(self, seed: int, n: int) -> None:
        self._seed, self.spent, self.ran, self.workers = seed, 0.0, 0.0, 1
        self.calls, self.left_tokens, self.left_usd = 0, 0, 0.0
        self._hard = np.random.default_rng(seed).normal(size=n)
        self._place: dict[tuple[str, str], int] = {("", str(i)): i for i in range(n)}

    def _amount(self, name: str) -> float:
        digest = hashlib.blake2b(f"{self._seed} {name}".encode(), digest_size=8).digest()
        return _NORMAL.inv_cdf((int.from_bytes(digest, "big") + 1) / (2**64 + 2))

    def truth(self, text: str) -> tuple[float, float]:
        """Return the true quality and the seconds of a question."""
        bricks = re.findall(r"[A-Z]\w+", text)
        values = re.findall(r"\w+=[^,()]+", text)
        quality = -0.5 + 0.35 * sum(map(self._amount, bricks)) + 0.12 * sum(map(self._amount, values))
        seconds = 0.02 * np.exp(0.6 * sum(self._amount(f"time {one}") for one in bricks))
        return _NORMAL.cdf(quality), float(np.clip(seconds, 0.001, 20))

    def ask(
        self, candidates: Sequence[Candidate], questions: Sequence[Question], *, each: float, deadline: float
    ) -> None:
        """Answer the questions, and count their time."""
        for one in candidates:
            quality, seconds = self.truth(one.text)
            self.spent += _OVERHEAD
            new = [question for question in questions if key_of(question) not in one.scores]
            if len(new) * seconds > each:
                self.spent += each
                one.give_up(Why.SLOW, "slow")
                continue
            own = np.random.default_rng(zlib.crc32(f"{self._seed} {one.text}".encode())).normal(size=len(self._hard))
            level = np.sqrt(_SHARED) * self._hard + np.sqrt(1 - _SHARED) * own
            for question in new:
                right = _NORMAL.inv_cdf(quality) > level[self._place[key_of(question)]]
                one.scores[key_of(question)] = Scored(float(right), seconds, 0.0, 0.0)
                self.spent += seconds


class CountedClock(Clock):
    """A clock that is moved by what the made-up pipelines took."""

    def __init__(self, made_up: MadeUp, seconds: float, journal: Path) -> None:
        super().__init__(journal, seconds, {})
        self._made_up = made_up

    def step(self, name: str, work: Callable[[Step | None], Step | None]) -> None:
        """Do a step."""
        before = self._made_up.spent
        work(None)
        self.used += self._made_up.spent - before + 0.02


def run(seed: int, n: int, seconds: float, *, even: bool) -> dict[str, float]:
    """Search once, and return true qualities."""
    graph = tiny_graph()
    made_up = MadeUp(seed, n)
    settings = Settings(aims=(Aim.parse("quality"),), seconds=seconds, seed=seed, at_random=even)
    questions = [Question(str(i), "?", ("a",), ("b",)) for i in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        clock = CountedClock(made_up, seconds, Path(folder) / "steps.jsonl")
        race = Race(settings.aims, rungs(n), min(2.0, seconds / 600))
        search = _Search(made_up, clock, race, default_space(graph), questions, settings, lambda *_: None)  # type: ignore[arg-type]
        search.begin({"default": "PPR() >> ShortestPaths() >> Rerank(MiniLM()) >> PathAnswer()"})
        search.run()
        winner = search.winners()[0]
    tried = [one for one in race.candidates if one.scores and one.given_up is not Why.SLOW]
    best = max(tried, key=lambda one: made_up.truth(one.text)[0])
    beaten = [one for one in tried if one.given_up is Why.BEATEN]
    # A pipeline that beat a better one, beyond chance as it seemed.
    names = {one.name: one for one in tried}
    wrong = [
        one for one in beaten
        if made_up.truth(names[one.reason.split()[2]].text)[0] < made_up.truth(one.text)[0]
    ]  # fmt: skip
    return {
        "winner": made_up.truth(winner.text)[0], "best tried": made_up.truth(best.text)[0],
        "default": made_up.truth(race.candidates[0].text)[0], "tried": len(tried),
        "questions of the winner": len(winner.scores), "full": sum(len(one.scores) >= n for one in tried),
        "best given up": float(best.given_up is not None), "best asked": len(best.scores),
        "given up as beaten": len(beaten), "of these wrongly": len(wrong),
    }  # fmt: skip


def plain(seed: int, n: int, seconds: float) -> dict[str, float]:
    """Search at random, and return true qualities."""
    made_up, space, rng = MadeUp(seed, n), default_space(tiny_graph()), random.Random(seed)
    questions = [Question(str(i), "?", ("a",), ("b",)) for i in range(n)]
    tried: list[Candidate] = []
    while made_up.spent < seconds:
        text = space.draw(lambda _, texts: rng.choice(list(texts)))
        if readable(text) is not None:
            tried.append(Candidate(text, text, text))
            made_up.ask(tried[-1:], questions[:_RANDOM], each=2.0 * _RANDOM, deadline=0)
    there = [one for one in tried if one.scores]
    winner = max(there, key=lambda one: one.figures.quality)
    best = max(made_up.truth(one.text)[0] for one in there)
    return {"winner": made_up.truth(winner.text)[0], "best tried": best, "tried": len(there)}


def equal(n: int, runs: int) -> float:
    """Return how often one of ``n`` equally good candidates is given up; the race promises less than 5 %."""
    sizes, given_up = rungs(400), 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        hard, own = rng.normal(size=400), rng.normal(size=(n, 400))
        right = np.sqrt(_SHARED) * hard + np.sqrt(1 - _SHARED) * own < 0
        race = Race([Aim.parse("quality")], sizes, 1.0, [Candidate(str(i), "", "") for i in range(n)])
        for rung, size in enumerate(sizes, 1):
            there = [(i, one) for i, one in enumerate(race.candidates) if not one.given_up]
            for i, one in there:
                one.scores = {("", str(j)): Scored(float(right[i, j]), 0.01, 0, 0) for j in range(size)}
                one.rung = rung
            race.judge([one for _, one in there])
        given_up += sum(one.given_up is not None for one in race.candidates)
    return given_up / (runs * n)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=20)
    arguments.add_argument("--questions", type=int, default=400)
    arguments.add_argument("--time", type=float, default=300.0)
    given = arguments.parse_args()
    for n in (5, 30, 100):
        share = equal(n, given.runs)
        print(f"{n} equally good pipelines in {given.runs} searches: {share:.1%} given up as beaten", flush=True)
    kinds: dict[str, Callable[[int], dict[str, float]]] = {
        "random": lambda seed: plain(seed, given.questions, given.time),
        "even draws": lambda seed: run(seed, given.questions, given.time, even=True),
        "searched": lambda seed: run(seed, given.questions, given.time, even=False),
    }
    for kind, search in kinds.items():
        rows = [search(seed) for seed in range(given.runs)]
        print(kind)
        for name in rows[0]:
            values = [row[name] for row in rows]
            print(f"  {name}: {fmean(values):.3f} ± {stdev(values) / len(values) ** 0.5:.3f}")
        lost = [row["best tried"] - row["winner"] for row in rows]
        print(f"  lost: {fmean(lost):.3f} ± {stdev(lost) / len(lost) ** 0.5:.3f}", flush=True)


if __name__ == "__main__":
    main()
