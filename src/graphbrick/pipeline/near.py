"""Near readings: what a question may mean that was not answered, and its answers for each entity of a name in it.

They are worked out for a person or program that asks one question, never for the many questions of a study.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from graphbrick.core import Answer, Query, Subgraph
from graphbrick.core.answer import NearReading
from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.trace import Trace, record
from graphbrick.pipeline.beginning import begin
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.budget import StoppedError
from graphbrick.pipeline.composition import Pipeline, parts_within
from graphbrick.pipeline.interpreter import execute, failure_in
from graphbrick.pipeline.run import Run, on_graph
from graphbrick.pipeline.stages import RetrieveStage

MOST = 3
"""Readings that are offered."""
_TRIED, _NAMESAKES, _TEXTS = 6, 4, 20  # readings that are tried, entities of one name, and answers told of each


def offered(pipeline: Pipeline, run: Run, error: LinkError) -> tuple[NearReading, ...]:
    """Return questions with names that the graph has, for one that names no entity."""
    return _Tries(pipeline, run).answered(_with_names(run.query.text, error))


def _with_names(question: str, error: LinkError) -> Iterable[NearReading]:
    """Yield questions with names of the graph in place of words that are near to them; they are still to be tried."""
    instead = cast(Sequence[tuple[str, str]], error.values.get("instead", ()))
    for words, name in instead:
        text = _in_place(question, words, name)
        yield NearReading(text, text)


def _in_place(text: str, words: str, name: str) -> str:
    """Return a text with a name in place of some of its words."""
    return re.sub(rf"(?<!\w){re.escape(words)}(?!\w)", lambda _: name, text, count=1)


def with_readings(pipeline: Pipeline, run: Run) -> Run:
    """Return a run with near readings where it has no answer, and one for each entity of a name."""
    if run.answer is None or run.stopped is not None:
        return run
    tries = _Tries(pipeline, run)
    with record(Trace(), "near readings", "step"):  # their events say nothing about the answer
        try:
            of_names = tries.of_namesakes()
            readings = of_names if run.answer.texts else tries.answered([*of_names, *_near(pipeline, run)])
        except StoppedError:
            return run
    return replace(run, answer=replace(run.answer, readings=tuple(readings)))


def _near(pipeline: Pipeline, run: Run) -> list[NearReading]:
    """Return the near readings of the retrieve stages."""
    stored = Capability.STORED in capabilities_of(run.graph)
    readings = list[NearReading]()
    with on_graph(run.graph if stored else None):
        for stage in pipeline.stages_within():
            if isinstance(stage, RetrieveStage):
                try:
                    readings += stage.near(run.query, run.subgraph or Subgraph(run.graph), MOST)
                except GraphbrickError:
                    raise
                except Exception as error:
                    raise failure_in(stage, run, error) from error
    return readings


class _Tries:
    """Runs of the same pipeline on other questions, or from other entities.

    Args:
        pipeline: The pipeline; nothing is tried if it asks a language model.
        run: The run of the question, on whose graph they are.
    """

    def __init__(self, pipeline: Pipeline, run: Run) -> None:
        self._pipeline, self._run = pipeline, run
        self._asks_model = any(isinstance(part, Brick) and part.asks_model for part in parts_within(pipeline))

    def answered(self, readings: Iterable[NearReading]) -> tuple[NearReading, ...]:
        """Return the first readings that have answers, each question once; those without a number are tried."""
        distinct = list({(one.question, one.seeds): one for one in readings}.values())[:_TRIED]
        tried = (one if one.answers else self._tried(one) for one in distinct)
        return tuple([one for one in tried if one is not None][:MOST])

    def _tried(self, reading: NearReading) -> NearReading | None:
        """Return a reading with its answers; None if it has none."""
        answer = self._answer(reading.question, reading.seeds)
        if answer is None or not answer.texts:
            return None
        return replace(reading, answers=len(answer.texts), confidence=answer.confidence)

    def _answer(self, question: str, seeds: Sequence[str]) -> Answer | None:
        """Return the answer of the pipeline to a question; None if it fails, or would ask a language model."""
        if self._asks_model:
            return None
        try:
            return execute(self._pipeline, begin(self._pipeline, self._run.graph, Query(question), seeds)).answer
        except StoppedError:
            raise
        except GraphbrickError:
            return None

    def of_namesakes(self) -> list[NearReading]:
        """Return the answers for each entity of the first name that several have; none if only one has answers."""
        query, answer = self._run.query, cast(Answer, self._run.answer)
        mention = next((one for one in query.mentions if one.score == 1 and one.others), None)
        is_told = "operators.told_apart" in self._run.trace.event_codes
        if mention is None or is_told or Capability.PROPERTIES not in capabilities_of(self._run.graph):
            return []
        from graphbrick.graphs.telling_apart import told_apart

        graph = self._run.graph
        entities = (mention.entity, *mention.others)[:_NAMESAKES]
        starts = {path.start for path in answer.evidence.paths}
        first = next((entity for entity in entities if entity in starts), mention.entity)
        others = [one.entity for one in query.mentions if one is not mention]
        readings = list[NearReading]()
        for entity, about in zip(entities, told_apart(graph, entities), strict=True):
            seeds = tuple(dict.fromkeys(map(graph.key, (entity, *others))))
            own = answer if entity == first and answer.texts else self._answer(query.text, seeds)
            if own is not None and own.texts and (own.confidence is not None or _alike(own, answer)):
                texts = own.texts[:_TEXTS]
                text = _in_place(query.text, mention.text, about)
                readings.append(NearReading(text, query.text, seeds, len(own.texts), own.confidence, about, texts))
        readings.sort(key=lambda one: one.texts != answer.texts[:_TEXTS])
        return readings if readings[1:] or not answer.texts else []


def _alike(one: Answer, other: Answer) -> bool:
    """Return whether two answers are at the end of the same relations; without a confidence, nothing else tells."""
    patterns = [{path.pattern for path in answer.evidence.paths} for answer in (one, other)]
    return patterns[0] == patterns[1]
