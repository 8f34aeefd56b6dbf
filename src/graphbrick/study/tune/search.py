"""The search for the best pipeline of a graph: draw, ask, go on with the best, measure."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.files.writing import naming
from graphbrick.graphs.graph import Graph
from graphbrick.learn.writing.written_questions import written_questions
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending
from graphbrick.pipeline.parsing import parse
from graphbrick.questions.question import Question
from graphbrick.study.runs.stored_questions import digest_of
from graphbrick.study.store.identity import content_of
from graphbrick.study.tune.asking import Asking
from graphbrick.study.tune.clock import Clock, Step, alone
from graphbrick.study.tune.drawing import Choices, draw, first
from graphbrick.study.tune.finals import FINAL, explain, measure
from graphbrick.study.tune.measuring import Measurer
from graphbrick.study.tune.questions import split
from graphbrick.study.tune.race import Candidate, Race, Why, cautious, rungs
from graphbrick.study.tune.result.reading import is_search
from graphbrick.study.tune.result.result import SearchFacts, Tuned, tuned
from graphbrick.study.tune.result.writing import write_files
from graphbrick.study.tune.settings import Settings
from graphbrick.study.tune.space.default_space import default_space
from graphbrick.study.tune.space.space import Space

STUDY, JOURNAL, TIMES = "study.sqlite", "steps.jsonl", "times.sqlite"
SEARCHING = "searching"
"""Name of the step that is reported to ``progress``."""

# Shares of the time after which each part ends: pipelines that were not drawn, drawing, and asking the winners all
# questions to choose by.
_STARTS, _SEARCH, _WINNERS = 0.3, 0.6, 0.72
_BATCH = 12  # pipelines drawn and asked together
_WRITTEN = 400  # questions that the graph writes where there are none
_BUDGET = "the part of the budget that is for searching was used up before the time"
_KEPT = (
    "The files of this folder are those of an earlier call, which measured pipelines on other questions; this call did "
    "not, and did not replace them."
)
_TOO_SHORT = "the time was too short; try --time 5m"
_FINALISTS = 6  # pipelines of the front that are measured on the other questions
_SORTING = 1 / 3  # of the time at most goes to the second rung, which all that run may reach
_TOGETHER = 0.02  # of the time at most is what candidates that are asked together are likely to take
_AGAINST = 5.0  # times as slow as the first pipeline is tolerated in any case, as the machine may be busy
# Seconds a question that are tolerated: at most, and as a share of the time; without and with a language model.
_SLOWEST = {False: (2.0, 1 / 600), True: (60.0, 1 / 60)}

_DEFAULTS = Settings()


def tune(
    graph: Graph,
    questions: Sequence[Question] | None,
    out: str | os.PathLike[str],
    *,
    known: Mapping[str, str],
    space: Space | None = None,
    settings: Settings = _DEFAULTS,
    progress: Progress = silent,
) -> Tuned:
    """Search for the best pipelines of a graph, and write recipes, figures and a page.

    Half of the questions choose, the other half gives the final figures. All results are kept in ``out``: the same call
    goes on after a kill or the end of a budget, and asks nothing twice. The current budget (`pipeline.budget`) is kept
    over all calls together.

    Args:
        graph: The graph.
        questions: Questions with answers; None for questions that the graph writes itself.
        out: The folder to write to, or to go on with.
        known: Recipe texts that the search begins with, by name; the first is what the winners are compared with.
        space: Space of the search; None for every brick that runs on the graph (`default_space`).
        settings: Aims, measure, time and so on.
        progress: Called with (step, done, total); the total is in seconds for the search, else in pipelines.

    Returns:
        The front, a pipeline for each aim, and what each choice brings.

    Raises:
        InputError: There are too few questions, the space cannot be searched, or ``out`` holds something else.
        PipelineError: A recipe text of ``known`` cannot be read.
        StoppedError: The budget ended before anything was measured.
    """
    place = Path(out)
    chosen = space or default_space(graph, link=settings.link)
    chosen.check()
    every = written_questions(graph, _WRITTEN, seed=settings.seed) if questions is None else tuple(questions)
    halves = split(every, seed=settings.seed, written=questions is None)
    _check_place(place)
    with naming(place):
        place.mkdir(parents=True, exist_ok=True)
    budget = current_budget() or Budget()  # one without limits counts what is spent
    settings = replace(settings, seconds=min(settings.seconds, budget.seconds or settings.seconds))
    with alone(place), spending(budget):
        result = _tune(graph, place, chosen, halves, known, settings, progress, written=questions is None)
        written = write_files(result, place, graph=graph.place.stem)
    return result if written else replace(result, notes=(*result.notes, _KEPT))


def _check_place(place: Path) -> None:
    """Raise InputError if the place is a file, or a folder of something else than a search."""
    if place.is_dir():
        foreign = sorted(file.name for file in place.iterdir() if not file.name.startswith((".", STUDY, TIMES)))
        if foreign and not (place / JOURNAL).exists() and not is_search(place):
            raise InputError(
                f"holds {foreign[0]} and no search to go on with; name another folder",
                place,
                code="tune.foreign_file",
                name=foreign[0],
            )
    elif place.exists():
        raise InputError(
            "is a file, and a search is kept in a folder; name another place", place, code="tune.is_a_file"
        )


def _tune(
    graph: Graph,
    place: Path,
    chosen: Space,
    halves: tuple[Sequence[Question], Sequence[Question]],
    known: Mapping[str, str],
    settings: Settings,
    progress: Progress,
    *,
    written: bool,
) -> Tuned:
    choosing, final = halves
    slowest, asking = (min(most, share * settings.seconds) for most, share in (_SLOWEST[False], _SLOWEST[True]))
    race = Race(settings.aims, rungs(len(choosing)), slowest, asking=asking)
    digests = " ".join(digest_of(question) for question in (*choosing, *final))
    about = {
        "graph": content_of(graph),
        "questions": hashlib.blake2b(digests.encode(), digest_size=16).hexdigest(),
        "--link": str(settings.link),
    }
    clock = Clock(place / JOURNAL, settings.seconds, about)
    measurer = Measurer(
        graph, place / STUDY, metric=settings.metric, link=settings.link, workers=settings.workers,
        earlier=lambda: clock.earlier,
    )  # fmt: skip
    search = _Search(measurer, clock, race, chosen, choosing, settings, progress)
    search.begin(known)
    search.run()
    over = clock.share >= _SEARCH > clock.used / settings.seconds
    compared = search.winners()
    finals = measure(search.asking, race, compared, final, seed=settings.seed)
    best = list(zip(settings.aims, compared, strict=False))
    names = {one.name for _, one in best}
    times = Measurer(graph, place / TIMES, metric=settings.metric, link=settings.link, workers=1)
    timing = Asking(times, clock, race, settings.seconds, progress)
    changes = explain(search.asking, timing, race, chosen, [one for one in finals if one.name in names], final)
    facts = SearchFacts(
        settings.metric, chosen.size, chosen.advice, len(choosing), written, clock.used, measurer.alone, measurer.ran,
        search.asking.stopped or over * _BUDGET,
    )  # fmt: skip
    return tuned(race, best, finals, changes, facts)


class _Search:
    """A search in progress."""

    def __init__(
        self,
        measurer: Measurer,
        clock: Clock,
        race: Race,
        space: Space,
        questions: Sequence[Question],
        settings: Settings,
        progress: Progress,
    ) -> None:
        self.clock, self.race, self._space = clock, race, space
        self._questions, self._settings = questions, settings
        self.asking = Asking(measurer, clock, race, settings.seconds, progress)

    def begin(self, known: Mapping[str, str]) -> None:
        """Add the known pipelines, and one for each option of each stage, and ask each the first question.

        Args:
            known: Recipe texts by name; the others are compared with the first.
        """
        for name, text in known.items():
            identity = parse(text).identity()
            if all(one.identity != identity for one in self.race.candidates):
                self.race.candidates.append(Candidate(name, text, identity))
        for text, identity, choices in first(self._space, {one.identity for one in self.race.candidates}):
            self._add(text, identity, choices)
        if self._settings.pipelines is not None:
            del self.race.candidates[self._settings.pipelines :]
        default, *others = self.race.candidates
        default.only_compared = self._settings.only_compared
        # Without its first answer there is nothing to compare with, so that one may take most of the time.
        for share in (FINAL, _STARTS)[: len(self.race.sizes)]:
            if self.asking.goes_on(share) and not default.given_up:
                self._step([default], share)
        if default.scores:
            self.race.tolerate(_AGAINST * default.figures.seconds)
        for one in others:
            if self.asking.goes_on(_STARTS):
                self._step([one], _STARTS)

    def run(self) -> None:
        """Draw and ask until the share of the time is over, or everything is tried."""
        sorting = 0.0
        while self.asking.goes_on(_SEARCH):
            batch, before = self.race.promotable(), self.clock.used
            if not batch or (batch[0].rung == 1 and sorting > _SORTING * before):
                batch = self._drawn() or batch or self.race.promotable(eager=True)
            if not batch:
                break
            rung = batch[0].rung
            for there in [[one] for one in batch] if rung == 0 else [self._together(batch)]:
                if self.asking.goes_on(_SEARCH):
                    self._step(there, _SEARCH)
            sorting += self.clock.used - before if rung == 1 else 0.0

    def _together(self, batch: Sequence[Candidate]) -> list[Candidate]:
        """Return the first candidates of a batch, as many as are likely to take a small share of the time."""
        taken: list[Candidate] = []
        left = _TOGETHER * self._settings.seconds
        for one in batch[:_BATCH]:
            mean = fmean(score.seconds for score in one.scores.values())
            left -= (self.race.sizes[one.rung] - len(one.scores)) * mean
            if taken and left < 0:
                break
            taken.append(one)
        return taken

    def winners(self) -> list[Candidate]:
        """Return the best pipeline for each aim, then the one compared with, and others of the front.

        All of them have answered all questions to choose by, as far as the time allows. The best of several aims may be
        one pipeline, which is then there several times.
        """
        while True:
            chosen = self._winners()
            behind = [one for one in chosen if one.rung < len(self.race.sizes) and not one.given_up]
            if not behind or not self.asking.goes_on(_WINNERS):
                return chosen
            # The best, and what they are compared with, before others of the front; those with few questions first.
            first = [one for one in behind if one in chosen[: len(self.race.aims)] or one is self.race.candidates[0]]
            self._step([min(first or behind, key=lambda one: one.rung)], _WINNERS)

    def _winners(self) -> list[Candidate]:
        able = [one for one in self.race.candidates if one.scores and not one.only_compared]
        # Those that were given up are better than nothing, such as one that was slow where the time was short.
        there = [one for one in able if not one.given_up] or [one for one in able if one.given_up is not Why.FAILS]
        if not there:
            reasons = "; ".join(f"{one.name}: {one.reason}" for one in self.race.candidates[:3] if one.given_up)
            which = f"pipeline but {default.name}" if (default := self.race.candidates[0]).only_compared else "pipeline"
            raise StoppedError(
                f"no {which} was measured: {self.asking.stopped or reasons or _TOO_SHORT}",
                code="tune.nothing_measured",
                which=which,
                why=str(self.asking.stopped or reasons or _TOO_SHORT),
            )
        best = [min(there, key=lambda one, aim=aim: aim.order(cautious(one.figures))) for aim in self.race.aims]  # type: ignore[misc]
        front = sorted(self.race.leaders(), key=lambda one: one.figures.seconds)
        few = min(_FINALISTS, len(front))
        spread = [front[round(i * (len(front) - 1) / max(1, few - 1))] for i in range(few)]
        others = {one.name: one for one in [self.race.candidates[0], *spread] if one not in best and one.scores}
        return [*best, *others.values()]

    def _drawn(self) -> list[Candidate]:
        limit, tried = self._settings.pipelines, len(self.race.candidates)
        n = _BATCH if limit is None else min(_BATCH, limit - tried)
        if n <= 0:
            return []
        fresh: list[Candidate] = []

        def work(known: Step | None) -> Step | None:
            seed = self._settings.seed + 7 * tried + 1
            drawn = draw(self._space, self.race.candidates, n, seed=seed, at_random=self._settings.at_random)
            fresh.extend([self._add(text, identity, choices) for text, identity, choices in drawn])
            return None if known else Step()

        self.clock.step(f"draw after {tried}", work)
        return fresh

    def _add(self, text: str, identity: str, choices: Choices) -> Candidate:
        one = Candidate(f"#{len(self.race.candidates) + 1}", text, identity, choices)
        self.race.candidates.append(one)
        return one

    def _step(self, batch: Sequence[Candidate], share: float) -> None:
        """Ask candidates the questions of their next rungs, and give up those that cannot win any more."""
        # Those that ask a language model may take longer, so they are asked apart.
        for rung, asks in sorted({(one.rung, one.asks_model) for one in batch}):
            there = [one for one in batch if (one.rung, one.asks_model) == (rung, asks)]
            questions = self._questions[: self.race.sizes[rung]]
            self.asking.ask(there, questions, SEARCHING, share)
            loaded = [one for one in there if rung == 0 and one.given_up is Why.SLOW and self.asking.goes_on(share)]
            for one in loaded:
                one.given_up, one.reason = None, ""
                self.asking.ask([one], questions, SEARCHING, share)
            done = [one for one in there if len(one.scores) >= self.race.sizes[rung]]
            for one in done:
                one.rung = rung + 1
            self.race.judge(done)
