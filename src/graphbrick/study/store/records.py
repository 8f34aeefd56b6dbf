"""The contents of a study as plain values; `graphbrick.study.store.reader` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphbrick.questions.question import fact_or_group
from graphbrick.study.store.identity import Identity

FURTHER_JUDGE = "judge_at_1:"
"""What the measure of a further judge begins with; then its recipe text."""


@dataclass(frozen=True, slots=True)
class EvaluationSession:
    """One call of `evaluate` or `judge_study`.

    Attributes:
        id: Its number.
        started: UTC, ISO 8601.
        finished: The same; None if it was killed, or still runs.
        ended: "done", "running" (also if it was killed), or why it stopped.
        options: limit, seed, link, workers and other parameters.
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
        path: Its path at that time.
        sha256: Its checksum.
        questions: Number of questions in it; fewer may have been asked.
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
        name: Its name in tables; unique in the study.
        recipe: The recipe text of the pipeline.
        graph_path: The path of the graph at that time.
        graph_hash: The hash of the graph, and of its passages if it has some.
        linked: Whether seeds were linked although the file gives them.
        started: UTC, ISO 8601.
        finished: The same; None until all questions are done.
        questions: Number of questions it has to answer.
        done: Number of questions it has answered.
        files: The numbers of the files they came from.
        sessions: The numbers of the evaluation sessions that its results come from.
        identity: Everything that changes its results; None for a run of an older version that was not continued.
    """

    id: int
    name: str
    recipe: str
    graph_path: str
    graph_hash: str
    linked: bool
    started: str
    finished: str | None
    questions: int
    done: int
    files: tuple[int, ...]
    sessions: tuple[int, ...]
    identity: Identity | None = None


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A gold answer.

    Attributes:
        answer: As in the file.
        names: Its name, then aliases.
        keys: The entities that it may mean; none if the graph does not have it.
    """

    answer: str
    names: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StudyQuestion:
    """A question with its seeds and answers in one graph.

    Attributes:
        id: Its number, in the order of first asking.
        graph_hash: The hash of the graph.
        dataset: Its data set.
        name: Its id in the file.
        text: The question.
        hops: As stated by the file; None if it states none.
        distance: Hops from a seed to the nearest answer; None if none is within reach.
        answerable: Whether the graph has a gold answer.
        seeds: Key and label of the seeds that the graph has.
        missing_seeds: Seeds that it does not have.
        gold: The gold answers; none if the file keeps them secret.
        facts: Other fields of the file.
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
        """Return its group, empty if unknown; see `graphbrick.questions.question.Question.group`, or by "distance"."""
        if by in ("hops", "distance"):
            value = self.hops if by == "hops" else self.distance
            return "" if value is None else str(value)
        return self.dataset if by == "dataset" else fact_or_group(self.facts, self.hops, by)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one question in one run, in figures.

    Attributes:
        run: The number of the run.
        question: The number of the question.
        session: The number of the evaluation session.
        error: Why the pipeline failed; None if it did not.
        lost_at: The stage that lost the answer (`graphbrick.study.runs.lost`); None without gold answers.
        seconds: Time of all stages together.
        metrics: Each measure by name (`evaluate.study.scoring`); None if it cannot be scored. A study with a judge
            also has ``judge_at_1``, one with further judges ``judge_at_1:LLM(...)`` for each. A study begun with an
            older version of graphbrick may lack some.
        ledger: calls, tokens_in, tokens_out, estimated, waited, cost, cache_hits, embedding_calls,
            embedding_tokens. Studies of older versions lack the last two.
        stage_seconds: Stage, kind and seconds of each stage in the order they ran.
        n_answers: Number of answers.
        n_paths: Number of evidence items.
    """

    run: int
    question: int
    session: int
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
    """An answer of a pipeline.

    Attributes:
        text: Its text.
        key: The entity; None if it is not an entity of the evidence.
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
        text: Its text.
        score: The score of the last ranking stage.
        source: The stage that found it.
        right: Whether it contains a gold answer; None without gold answers.
    """

    text: str
    score: float
    source: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class StoredExchange:
    """A prompt to a language model and its reply, word for word.

    Attributes:
        stage: Index in the trace of the stage that asked; 0 for a judge.
        model: The model that replied.
        messages: Role and content of each message of the prompt.
        reply: The reply.
        tokens_in: Tokens of the messages.
        tokens_out: Tokens of the reply.
        seconds: From the request to the end of the reply.
        cached: Whether the reply came from the cache, without a call.
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
class Unjudged:
    """An answer to be judged.

    Attributes:
        run: The number of the run that gave it.
        question: The number of the question.
        text: The question.
        answer: The first answer; empty if there is none.
        gold: For each gold answer its names.
    """

    run: int
    question: int
    text: str
    answer: str
    gold: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class StoredJudgement:
    """The judgement of the first answer to one question in one run.

    Attributes:
        run: The number of the run.
        question: The number of the question.
        judge: The recipe text of the model.
        right: Whether the answer is right; None if the verdict could not be read, or the model failed.
        by: "no answer", "equality" or "model", as `graphbrick.judge.gold_answers.judgement.Judgement` has it.
        error: Why the model failed; None if it did not.
        seconds: Time it took.
        ledger: calls, tokens_in, tokens_out, estimated, waited, cost, cache_hits. The same answer of several pipelines
            is judged once; each of them has the full cost.
        events: Remarks for a reader of the verdict.
        exchanges: Prompts and replies of the judge; none if exchanges are not kept.
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


@dataclass(frozen=True, slots=True)
class StoredRating:
    """The rating of one answer by one label.

    Attributes:
        run: The number of the run.
        question: The number of the question.
        label: The label (`graphbrick.judge.verdicts.Label`).
        probability: That the label holds, from 0 to 1; None if the judge failed, or could not be read.
        reason: Why, in the words of the judge, or why there is no probability.
    """

    run: int
    question: int
    label: str
    probability: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class RatingJudge:
    """A judge that rated answers of a study, and the cost of its calls.

    Attributes:
        id: Its number.
        identity: Everything that changes its verdicts, as text.
        name: The name it was last called by.
        labels: The labels it rated by.
        cases: Number of its ratings that the study holds, one for each answer and label.
        seconds: Time it took.
        ledger: calls, tokens_in, tokens_out, estimated, waited, cost, cache_hits.
        events: Remarks, each once.
    """

    id: int
    identity: str
    name: str
    labels: tuple[str, ...]
    cases: int
    seconds: float
    ledger: Mapping[str, float] = field(hash=False)
    events: tuple[str, ...] = ()


def judge_score(right: bool | None, error: str | None) -> float | None:
    """Return Judge@1 of one answer: 1 or 0; None if the judge failed.

    A reply without a readable verdict counts 0. The judge was asked and did not say that the answer is right; leaving
    such answers out would make a pipeline look better the less clearly its judge replies.
    """
    return float(bool(right)) if error is None else None


@dataclass(frozen=True, slots=True)
class Detail:
    """The result of one question in one run, in words.

    Attributes:
        run: The number of the run.
        question: The number of the question.
        seeds: Key and label of the entities from which the search started.
        answers: The first answers, best first (`graphbrick.study.runs.scoring.ANSWERS_KEPT`).
        paths: The first items of the evidence, best first (`graphbrick.study.runs.scoring.PATHS_KEPT`).
        stages: Each stage as in `core.trace.StageTrace`, without exchanges.
        exchanges: Prompts and replies of language models; none if exchanges are not kept.
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
