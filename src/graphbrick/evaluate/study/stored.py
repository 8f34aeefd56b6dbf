"""What a study holds, as plain values; `graphbrick.evaluate.study.store` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Sitting:
    """One call of `evaluate`.

    Attributes:
        id: Its number.
        started: UTC, ISO 8601.
        finished: The same; None where it was killed, or still runs.
        ended: "done", "running" (also where it was killed), or why it stopped.
        options: limit, seed, link, workers and what else was given.
        versions: The versions of packages.
        machine: cpu, cores, memory (bytes), system, python.
    """

    id: int
    started: str
    finished: str | None
    ended: str
    options: Mapping[str, Any] = field(hash=False)
    versions: Mapping[str, str] = field(hash=False)
    machine: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """A file that questions came from.

    Attributes:
        id: Its number.
        path: Where it was.
        sha256: Its checksum.
        questions: How many questions it holds; fewer may have been asked.
    """

    id: int
    path: str
    sha256: str
    questions: int


@dataclass(frozen=True, slots=True)
class StudyRun:
    """One pipeline on one graph.

    Attributes:
        id: Its number, from 1.
        name: How tables call it; unique in the study.
        recipe: The text of the pipeline.
        graph_path: Where the graph was.
        graph_hash: Which graph it was.
        linked: Whether the seeds were looked for in the question, though the file gives them.
        started: UTC, ISO 8601.
        finished: The same; None while a question is left.
        asked: How many questions it is to answer.
        done: How many of them it is done with.
        files: The numbers of the files they came from.
        sittings: The numbers of the sittings that its results come from.
    """

    id: int
    name: str
    recipe: str
    graph_path: str
    graph_hash: str
    linked: bool
    started: str
    finished: str | None
    asked: int
    done: int
    files: tuple[int, ...]
    sittings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A gold answer.

    Attributes:
        answer: As the file has it.
        names: All texts it goes by; the first is the one to show.
        keys: The entities that it may mean; none where the graph does not have it.
    """

    answer: str
    names: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StudyQuestion:
    """A question with what one graph has of it.

    Attributes:
        id: Its number, in the order in which it was first asked.
        graph_hash: Which graph.
        dataset: Where it comes from.
        name: Its id in the file.
        text: The question.
        hops: As stated by the file; None where it states none.
        distance: Hops from a seed to the nearest answer; None where there is none within reach.
        answerable: Whether the graph has a gold answer.
        seeds: Key and label of the seeds that the graph has.
        missing_seeds: Those that it does not have.
        gold: The gold answers; none where the file keeps them secret.
        facts: What else the file says.
        file: The number of the file; None for questions that came from Python.
    """

    id: int
    graph_hash: str
    dataset: str
    name: str
    text: str
    hops: int | None
    distance: int | None
    answerable: bool
    seeds: tuple[tuple[str, str], ...]
    missing_seeds: tuple[str, ...]
    gold: tuple[GoldAnswer, ...]
    facts: Mapping[str, str] = field(hash=False)
    file: int | None = None

    def group(self, by: str) -> str:
        """What it is counted under: "hops", "dataset", "distance", or one of its facts; empty where unknown."""
        if by in ("hops", "distance"):
            value = self.hops if by == "hops" else self.distance
            return "" if value is None else str(value)
        return self.dataset if by == "dataset" else self.facts.get(by, "")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one question in one run, as figures.

    Attributes:
        run: The number of the run.
        question: The number of the question.
        sitting: The number of the sitting.
        error: Why the pipeline did not come to its end; None where it did.
        lost_at: Where the answer was lost (`graphbrick.evaluate.metrics.lost`); None without gold answers.
        seconds: Time of all stages together.
        metrics: Each measure by name (`evaluate.study.scoring`); None for what cannot be scored. A study with a
            judge has ``judge_at_1`` too. One begun with an older version of graphbrick may lack some.
        ledger: calls, tokens_in, tokens_out, estimated, waited, cost, cache_hits.
        stage_seconds: Stage, kind and seconds of each stage in the order they ran.
        n_answers: How many answers were given.
        n_paths: How many items the evidence has.
    """

    run: int
    question: int
    sitting: int
    error: str | None
    lost_at: str | None
    seconds: float
    metrics: Mapping[str, float | None] = field(hash=False)
    ledger: Mapping[str, float] = field(hash=False)
    stage_seconds: tuple[tuple[str, str, float], ...]
    n_answers: int
    n_paths: int


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer that was given.

    Attributes:
        text: What was answered.
        key: The entity; None where it names none of the evidence.
        right: Whether it is a gold answer, by its text; None without gold answers.
        support: The texts of the first paths that support it.
    """

    text: str
    key: str | None
    right: bool | None
    support: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredPath:
    """An item of the evidence.

    Attributes:
        text: What it says.
        score: What the last ranking stage gave.
        source: The stage that found it.
        right: Whether it meets a gold answer; None without gold answers.
    """

    text: str
    score: float
    source: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class StoredExchange:
    """What a language model was told and what it replied, word for word.

    Attributes:
        stage: The place of the stage that asked, among those of the trace; 0 for a judge.
        model: The model that replied.
        messages: Role and content of each message that it was told.
        reply: What it said.
        tokens_in: Tokens of the messages.
        tokens_out: Tokens of the reply.
        seconds: From the request to the end of the reply.
        cached: Whether the reply was a kept one, so that no call was made.
    """

    stage: int
    model: str
    messages: tuple[tuple[str, str], ...]
    reply: str
    tokens_in: int
    tokens_out: int
    seconds: float
    cached: bool


@dataclass(frozen=True, slots=True)
class StoredJudgement:
    """What a language model said of the first answer to one question in one run.

    Attributes:
        run: The number of the run.
        question: The number of the question.
        judge: The recipe text of the model.
        right: Whether the answer is right; None where the verdict could not be read, or the model failed.
        by: "no answer", "equality" or "model", as `graphbrick.evaluate.judge.judge.Judgement` has it.
        error: Why the model failed; None where it did not.
        seconds: Time it took.
        ledger: calls, tokens_in, tokens_out, estimated, waited, cost, cache_hits. One answer that several pipelines
            give to a question is judged once, and what that took stands in each of them.
        events: What a reader of the verdict should know.
        exchanges: What the judge was told and replied; none where exchanges are not kept.
    """

    run: int
    question: int
    judge: str
    right: bool | None
    by: str
    error: str | None
    seconds: float
    ledger: Mapping[str, float] = field(hash=False)
    events: tuple[str, ...] = ()
    exchanges: tuple[StoredExchange, ...] = ()

    @property
    def score(self) -> float | None:
        """Judge@1 of the question (`judge_score`)."""
        return judge_score(self.right, self.error)


def judge_score(right: bool | None, error: str | None) -> float | None:
    """Return Judge@1 of one answer: 1 or 0; None if the judge failed.

    A reply without a readable verdict counts 0. The judge was asked and did not say that the answer is right; leaving
    such answers out would make a pipeline look better the less clearly its judge replies.
    """
    return float(bool(right)) if error is None else None


@dataclass(frozen=True, slots=True)
class Detail:
    """What came of one question in one run, in words.

    Attributes:
        run: The number of the run.
        question: The number of the question.
        seeds: Key and label of the entities where the search started.
        answers: The first answers, best first (`graphbrick.evaluate.study.scoring.ANSWERS_KEPT`).
        paths: The first items of the evidence, best first (`graphbrick.evaluate.study.scoring.PATHS_KEPT`).
        stages: What each stage did, as in `core.trace.StageTrace`, but for what was said to language models.
        exchanges: What was said to language models and what they replied; none where exchanges are not kept.
    """

    run: int
    question: int
    seeds: tuple[tuple[str, str], ...]
    answers: tuple[StoredAnswer, ...]
    paths: tuple[StoredPath, ...]
    stages: tuple[Mapping[str, Any], ...] = field(hash=False)
    exchanges: tuple[StoredExchange, ...] = ()

    @property
    def events(self) -> list[str]:
        """The events of all stages, in order."""
        return [event for stage in self.stages for event in stage["events"]]
