"""The search for the best pipeline of a graph: draw, ask, go on with the best, and measure the winners."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from graphbrick.evaluate.datasets import Question, sample
from graphbrick.evaluate.study.identity import content_of
from graphbrick.evaluate.study.recorder import digest_of
from graphbrick.files.writing import naming
from graphbrick.graphs.graph import Graph
from graphbrick.learn.written_questions import written_questions
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending
from graphbrick.pipeline.parsing import parse
from graphbrick.tune.changes import Change, changes_of
from graphbrick.tune.clock import Clock, Step, alone, short
from graphbrick.tune.default_space import default_space
from graphbrick.tune.drawing import Choices, draw, first
from graphbrick.tune.measuring import Measurer, Watch, key_of
from graphbrick.tune.questions import LEAST, mixed, split
from graphbrick.tune.race import Candidate, Key, Race, Why, cautious, rungs
from graphbrick.tune.result import Tuned, tuned
from graphbrick.tune.settings import Settings
from graphbrick.tune.space import Space
from graphbrick.tune.writing import write_files

STUDY, JOURNAL = "study.sqlite", "steps.jsonl"
SEARCHING, MEASURING, EXPLAINING = "searching", "measuring the winners on other questions", "changing one choice"
"""Names of the steps that are reported to ``watch``."""

# Shares of the time after which each part ends: pipelines that were not drawn, drawing, asking the winners all
# questions to choose by, and the final figures.
_STARTS, _SEARCH, _WINNERS, _FINAL = 0.3, 0.6, 0.72, 0.88
_BATCH = 12  # pipelines drawn and asked together
_WRITTEN = 400  # questions that the graph writes where there are none
_BUDGET = "the part of the budget that is for searching was used up before the time"
_KEPT = (
    "The files of this folder are those of an earlier call, which measured pipelines on other questions; this call did "
    "not, and did not replace them."
)
_TOO_SHORT = "the time was too short; try --time 5m"
_CHANGES = 6  # changed pipelines that are asked together
_FINALISTS = 6  # pipelines of the front that are measured on the other questions
_FIRST = 3.0  # how much longer than tolerated the first question may take, and once more: models are loaded
_SORTING = 1 / 3  # of the time at most goes to the second rung, which all that run may reach
_TOGETHER = 0.02  # of the time at most is what candidates that are asked together are likely to take
_AGAINST = 5.0  # times as slow as the first pipeline is tolerated in any case, as the machine may be busy
_AS_PATIENT = 1.01  # times as long as before: what was too slow then is tried again only when it may take longer
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
    llm: str = "",
    settings: Settings = _DEFAULTS,
    watch: Watch = lambda step, done, total: None,
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
        space: What is searched; None for every brick that runs on the graph (`default_space`).
        llm: The language model of the default space as recipe text; empty for none.
        settings: Aims, measure, time and so on.
        watch: Called with (step, done, total); the total is in seconds for the search, else in pipelines.

    Returns:
        The front, a pipeline for each aim, and what each choice brings.

    Raises:
        InputError: There are too few questions, or the space cannot be searched.
        PipelineError: A recipe text of ``known`` cannot be read.
        StoppedError: The budget ended before anything was measured.
    """
    place = Path(out)
    chosen = space or default_space(graph, llm=llm, link=settings.link)
    chosen.check()
    every = written_questions(graph, _WRITTEN, seed=settings.seed) if questions is None else tuple(questions)
    choosing, final = split(every, seed=settings.seed)
    with naming(place):
        place.mkdir(parents=True, exist_ok=True)
    budget = current_budget() or Budget()  # one without limits counts what is spent
    settings = replace(settings, seconds=min(settings.seconds, budget.seconds or settings.seconds))
    with alone(place), spending(budget):
        result = _tune(graph, place, chosen, choosing, final, known, settings, watch, written=questions is None)
        written = write_files(result, place, graph=graph.place.stem)
    return result if written else replace(result, notes=(*result.notes, _KEPT))


def _tune(
    graph: Graph,
    place: Path,
    chosen: Space,
    choosing: tuple[Question, ...],
    final: tuple[Question, ...],
    known: Mapping[str, str],
    settings: Settings,
    watch: Watch,
    *,
    written: bool,
) -> Tuned:
    most, share = _SLOWEST[bool(chosen.models.get("llm"))]
    race = Race(settings.aims, rungs(len(choosing)), min(most, share * settings.seconds))
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
    search = _Search(measurer, clock, race, chosen, choosing, settings, watch)
    search.begin(known)
    search.run()
    over = clock.share >= _SEARCH > clock.used / settings.seconds
    compared = search.winners()
    finals = search.measure(compared, final)
    best = list(zip(settings.aims, compared, strict=False))
    changes = search.explain([one for _, one in best], finals, final)
    return tuned(
        race, best, finals, changes, metric=settings.metric, baseline=race.candidates[0].name,
        written=written, stopped=search.stopped or over * _BUDGET, seconds=search.clock.used, alone=measurer.alone,
        ran=measurer.ran, size=chosen.size, choosing=len(choosing),
    )  # fmt: skip


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
        watch: Callable[[str, int, int], None],
    ) -> None:
        self._measurer, self.clock, self.race, self._space = measurer, clock, race, space
        self._questions, self._settings, self._watch = questions, settings, watch
        self.stopped = ""

    def begin(self, known: Mapping[str, str]) -> None:
        """Add the known pipelines, and one for each option of each stage, and ask each the first question."""
        for name, text in known.items():
            identity = parse(text).identity()
            if all(one.identity != identity for one in self.race.candidates):
                self.race.candidates.append(Candidate(name, text, identity))
        for text, identity, choices in first(self._space, {one.identity for one in self.race.candidates}):
            self._add(text, identity, choices)
        if self._settings.pipelines is not None:
            del self.race.candidates[self._settings.pipelines :]
        default, *others = self.race.candidates
        # Without its first answer there is nothing to compare with, so that one may take most of the time.
        for share in (_FINAL, _STARTS)[: len(self.race.sizes)]:
            if self._goes_on(share) and not default.given_up:
                self._step([default], share)
        if default.scores:
            self.race.slowest = max(self.race.slowest, _AGAINST * default.figures.seconds)
        for one in others:
            if self._goes_on(_STARTS):
                self._step([one], _STARTS)

    def run(self) -> None:
        """Draw and ask until the share of the time is over, or everything is tried."""
        sorting = 0.0
        while self._goes_on(_SEARCH):
            batch, before = self.race.promotable(), self.clock.used
            if not batch or (batch[0].rung == 1 and sorting > _SORTING * before):
                batch = self._drawn() or batch or self.race.promotable(eager=True)
            if not batch:
                break
            rung = batch[0].rung
            for there in [[one] for one in batch] if rung == 0 else [self._together(batch)]:
                if self._goes_on(_SEARCH):
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
        """Return the best pipeline for each aim, then the one that they are compared with, and others of the front.

        All of them have answered all questions to choose by, as far as the time allows. The best of several aims may be
        one pipeline, which is then there several times.
        """
        while True:
            chosen = self._winners()
            behind = [one for one in chosen if one.rung < len(self.race.sizes) and not one.given_up]
            if not behind or not self._goes_on(_WINNERS):
                return chosen
            # The best, and what they are compared with, before others of the front; those with few questions first.
            first = [one for one in behind if one in chosen[: len(self.race.aims)] or one is self.race.candidates[0]]
            self._step([min(first or behind, key=lambda one: one.rung)], _WINNERS)

    def _winners(self) -> list[Candidate]:
        there = [one for one in self.race.candidates if one.scores and not one.given_up]
        # Those that were given up are better than nothing, such as one that was slow where the time was short.
        there = there or [one for one in self.race.candidates if one.scores and one.given_up is not Why.FAILS]
        if not there:
            reasons = "; ".join(f"{one.name}: {one.reason}" for one in self.race.candidates[:3] if one.given_up)
            raise StoppedError(f"no pipeline was measured: {self.stopped or reasons or _TOO_SHORT}")
        best = [min(there, key=lambda one, aim=aim: aim.order(cautious(one.figures))) for aim in self.race.aims]  # type: ignore[misc]
        front = sorted(self.race.leaders(), key=lambda one: one.figures.seconds)
        few = min(_FINALISTS, len(front))
        spread = [front[round(i * (len(front) - 1) / max(1, few - 1))] for i in range(few)]
        others = {one.name: one for one in [self.race.candidates[0], *spread] if one not in best and one.scores}
        return [*best, *others.values()]

    def measure(self, compared: Sequence[Candidate], questions: Sequence[Question]) -> list[Candidate]:
        """Return the compared pipelines with their scores on questions that chose nothing, as many as time allows."""
        able = {one.name: one for one in compared if one.given_up not in (Why.FAILS, Why.CANNOT_START) and one.scores}
        few = {one.name: one for one in [*compared[: len(self.race.aims)], self.race.candidates[0]] if one.name in able}
        # Where little of the budget is left, only the winners and what they are compared with.
        chosen = able if self._affordable(able.values()) >= LEAST else few
        size = min(len(questions), self._affordable(chosen.values()))
        if not size:
            return []
        fresh = [replace(one, scores={}, rung=0, given_up=None) for one in chosen.values()]
        self._ask(fresh, mixed(sample(questions, size, seed=self._settings.seed)), MEASURING, _FINAL)
        # Where the time ended early, the last questions were answered by some only.
        common = set[Key].intersection(*(set(one.scores) for one in fresh)) if fresh else set[Key]()
        for one in fresh:
            one.scores = {key: score for key, score in one.scores.items() if key in common}
        return fresh if common else []

    def _affordable(self, candidates: Collection[Candidate]) -> int:
        """Return how many questions can be asked until the share for the final figures is used; 0 for none."""

        def each(figure: str) -> float:
            means = (fmean(getattr(score, figure) for score in one.scores.values()) for one in candidates)
            return max(sum(means), 1e-9)

        budget, (tokens, usd) = current_budget(), self.clock.spent
        left = [max(LEAST, (self._settings.seconds * _FINAL - self.clock.used) / each("seconds"))]
        if budget is not None and budget.tokens is not None:
            left.append((budget.tokens * _FINAL - tokens) / each("tokens"))
        if budget is not None and budget.usd is not None:
            left.append((budget.usd * _FINAL - usd) / each("usd"))
        return max(0, int(min(left)))

    def explain(
        self, winners: Sequence[Candidate], finals: Sequence[Candidate], questions: Sequence[Question]
    ) -> list[Change]:
        """Return what each choice of the winners brings: the same pipeline with one choice changed.

        They are asked the questions that chose nothing. On those to choose by, the winner looks better than it is, and
        every change for the worse.

        Args:
            winners: The winners.
            finals: The same candidates with their scores on these questions.
            questions: The questions.
        """
        measured = {one.name: one for one in finals}
        found: list[Change] = []
        for winner in [measured[name] for name in dict.fromkeys(one.name for one in winners) if name in measured]:
            asked = mixed([question for question in questions if key_of(question) in winner.scores])
            changes = [self._named(change) for change in changes_of(winner, self._space)]
            for start in range(0, len(changes), _CHANGES):
                batch = [change for change in changes[start : start + _CHANGES] if not change.changed.given_up]
                if batch and self._goes_on(1.0):
                    self._ask([change.changed for change in batch], asked, EXPLAINING, 1.0)
                    found += [change for change in batch if len(change.changed.scores) >= min(LEAST, len(asked))]
        return found

    def _named(self, change: Change) -> Change:
        """Return a change whose pipeline has the name that the study knows it by, without scores."""
        for one in self.race.candidates:
            if one.identity == change.changed.identity:
                failed = one.given_up if one.given_up in (Why.FAILS, Why.CANNOT_START) else None
                return replace(change, changed=replace(one, scores={}, rung=0, given_up=failed))
        return change

    def _drawn(self) -> list[Candidate]:
        limit, tried = self._settings.pipelines, len(self.race.candidates)
        n = _BATCH if limit is None else min(_BATCH, limit - tried)
        if n <= 0:
            return []
        found: list[Candidate] = []

        def work(known: Step | None) -> Step | None:
            seed = self._settings.seed + 7 * tried + 1
            drawn = draw(self._space, self.race.candidates, n, seed=seed, at_random=self._settings.at_random)
            found.extend([self._add(text, identity, choices) for text, identity, choices in drawn])
            return None if known else Step()

        self.clock.step(f"draw after {tried}", work)
        return found

    def _add(self, text: str, identity: str, choices: Choices) -> Candidate:
        one = Candidate(f"#{len(self.race.candidates) + 1}", text, identity, choices)
        self.race.candidates.append(one)
        return one

    def _goes_on(self, share: float) -> bool:
        """Return whether a part of the search that ends with a share of the time goes on."""
        return self.clock.share < share and not self.stopped

    def _step(self, batch: Sequence[Candidate], share: float) -> None:
        """Ask candidates the questions of their next rungs, and give up those that cannot win any more."""
        for rung in sorted({one.rung for one in batch}):
            there = [one for one in batch if one.rung == rung]
            asked = self._questions[: self.race.sizes[rung]]
            self._ask(there, asked, SEARCHING, share)
            loaded = [one for one in there if rung == 0 and one.given_up is Why.SLOW and self._goes_on(share)]
            for one in loaded:
                one.given_up, one.reason = None, ""
                self._ask([one], asked, SEARCHING, share)
            done = [one for one in there if len(one.scores) >= self.race.sizes[rung]]
            for one in done:
                one.rung = rung + 1
            self.race.judge(done)

    def _ask(self, candidates: Sequence[Candidate], questions: Sequence[Question], what: str, share: float) -> None:
        """Ask candidates questions until a share of the time is used."""
        each = self.race.slowest * max(len(questions), _FIRST)
        if candidates[0] is self.race.candidates[0]:  # what the others are compared with takes as long as it takes
            each = self._settings.seconds

        def work(known: Step | None) -> Step | None:
            there = list(candidates)
            if known is not None:
                self._measurer.read(there, questions)
                there = _unfinished(there, len(questions), known, each)
                if not there:
                    return None
            before = self._measurer.ran, self._measurer.calls, self._measurer.left_tokens, self._measurer.left_usd
            deadline = time.monotonic() + max(0.0, share * self._settings.seconds - self.clock.used)
            try:
                self._measurer.ask(there, questions, each=each, deadline=deadline)
            except StoppedError as error:
                self.stopped = _spent(self.clock.spent) or str(error)
            if known is not None and self._measurer.calls == before[1]:
                return None
            given_up = {short(one.identity): (str(one.given_up), one.reason) for one in there if one.given_up}
            return Step(
                (self._measurer.ran - before[0]) / self._measurer.workers, self._measurer.left_tokens - before[2],
                self._measurer.left_usd - before[3], given_up, each,
            )  # fmt: skip

        self.clock.step(" ".join([str(len(questions)), what, *(one.identity for one in candidates)]), work)
        self._watch(what, round(self.clock.used), round(self._settings.seconds))


def _unfinished(candidates: Sequence[Candidate], questions: int, step: Step, each: float) -> list[Candidate]:
    """Return the candidates of a step in the journal that have questions left; those given up then are given up."""
    for one in candidates:
        why, reason = step.given_up.get(short(one.identity), ("", ""))
        if why and (why != Why.SLOW or each <= step.each * _AS_PATIENT):
            one.give_up(Why(why), reason)
    return [one for one in candidates if not one.given_up and len(one.scores) < questions]


def _spent(spent: tuple[int, float]) -> str:
    """Return what was spent of the user's budget of tokens or dollars; empty without one."""
    budget, (tokens, usd) = current_budget(), spent
    if budget is None or (budget.tokens is None and budget.usd is None):
        return ""
    parts = [f"{tokens:,} of {budget.tokens:,} tokens"] if budget.tokens is not None else []
    parts += [f"${usd:.4f} of ${budget.usd:g}"] if budget.usd is not None else []
    return f"the budget does not hold the next call, with {' and '.join(parts)} used"
