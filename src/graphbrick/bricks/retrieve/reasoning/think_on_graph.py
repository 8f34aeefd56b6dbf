"""Think-on-Graph: a beam search in which a language model scores relations, then entities."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.retrieve.paths.beam import Partial
from graphbrick.bricks.retrieve.reasoning.choices import scored, scoring
from graphbrick.bricks.retrieve.reasoning.moves import (
    Move,
    extended,
    is_unnamed,
    moves_from,
    name_of,
    starts,
    text_of,
)
from graphbrick.bricks.retrieve.reasoning.rounds import Rounds, asked_of_each
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.graph import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.enough import is_enough
from graphbrick.models.llm.prompt_files import Prompt
from graphbrick.models.llm.replies.replies import shown, unreadable
from graphbrick.pipeline import RetrieveStage

_MANY, _SAMPLED = 20, 5  # from that many entities of a relation on, that many are drawn, as published


@dataclass(frozen=True, repr=False)
class ThinkOnGraph(RetrieveStage):
    """The search of Think-on-Graph: a language model scores relations, then the entities they reach.

    In each round, one call for each entity at the end of the beam shares out points among its relations, and one call
    for each chosen relation with several entities shares out points among these. The score of a step is the product of
    the two. The best ``beam_width`` steps of all seeds together go on; those without points are dropped. After each
    round the model is asked whether the paths are enough. A step does not go back along the relation that led to its
    entity. A relation with 20 entities or more is represented by 5 of them, drawn with ``seed``. Entities without a
    name, such as the mediators of Freebase, score alike without a call; beside entities with one they are left out.

    Where no relation or entity gets points, the search ends with what there is. Relations whose reply cannot be read
    are not followed; entities whose reply cannot be read score alike. Both are events.

    Args:
        llm: The language model, such as LLM().
        beam_width: Steps that go on, at least 1; also how many relations and entities the model may choose at a time.
        max_hops: Rounds, from 1 to 10.
        direction: "both", "out" (along triples) or "in" (against them).
        if_never_enough: What to give if the model does not find the paths to be enough after the last round: "keep" for
            the paths, "drop" for no evidence, so that `FromModel` answers from the model's knowledge, as published.
        seed: Of the random draw among many entities.

    Returns:
        The chosen paths of all rounds with the score of their last step: those of the last round first, each round by
        falling score. Ties go to the path that was offered first.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.
    """

    paper = "Sun et al., Think-on-Graph, ICLR 2024"

    llm: ChatModel = parameter(example="LLM()")
    beam_width: int = parameter(3, at_least=1, search=(1, 3, 5))
    max_hops: int = parameter(3, at_least=1, at_most=10, search=(2, 3, 4))
    direction: str = parameter("both", choices=DIRECTIONS)
    if_never_enough: str = parameter("keep", choices=("keep", "drop"))
    seed: int = parameter(0, at_least=0)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the chosen paths of all rounds."""
        rounds, draw = Rounds(subgraph), random.Random(self.seed)
        rounds.walk(
            starts(query, subgraph),
            self.max_hops,
            lambda beam: self._round(query, subgraph, beam, draw),
            lambda: is_enough(self.llm, query.text, rounds.texts()),
        )
        if rounds.is_stuck:
            event(
                "the search stopped half way: no relation or entity got points; what there is, is the evidence",
                "think_on_graph.half_way",
            )
        is_dropped = rounds.end("paths") and self.if_never_enough == "drop"
        return Evidence() if is_dropped else rounds.evidence(repr(self))

    def _round(self, query: Query, subgraph: Subgraph, beam: list[Partial], draw: random.Random) -> list[Partial]:
        """Return the best steps from the ends of the beam, best first."""
        steps = self._relations(query, subgraph, beam)
        reached = self._entities(query, subgraph, steps, draw)
        reached.sort(key=lambda path: -path.score)  # stable
        return reached[: self.beam_width]

    def _relations(self, query: Query, subgraph: Subgraph, beam: list[Partial]) -> list[tuple[Partial, Move, float]]:
        """Return the chosen relations of each path with their scores, in the order of the beam, best first."""
        offers = ((path, moves_from(subgraph, path, self.direction, no_way_back=True)) for path in beam)

        def prompt_of(offer: tuple[Partial, list[Move]]) -> Prompt:
            path, moves = offer
            return scoring(
                self.llm,
                "score_relations",
                [move.text for move in moves],
                self.beam_width,
                question=query.text,
                entity=name_of(subgraph, path.nodes[-1]),
                path=text_of(subgraph, path),
                limit=str(self.beam_width),
            )

        steps = []
        for (path, moves), prompt, reply in asked_of_each(self.llm, [one for one in offers if one[1]], prompt_of):
            scores = scored(reply, prompt.candidates, self.beam_width)
            if scores is None:
                where = name_of(subgraph, path.nodes[-1])
                unreadable(
                    f"no relation of {where!r} was followed: no points could be read in {shown(reply)}",
                    "think_on_graph.no_relation_points",
                    where=where,
                )
            steps += [(path, moves[place], score) for place, score in (scores or {}).items()]
        return steps

    def _entities(
        self, query: Query, subgraph: Subgraph, steps: list[tuple[Partial, Move, float]], draw: random.Random
    ) -> list[Partial]:
        """Return the entities that the chosen relations reach, as longer paths with both scores."""
        drawn = [(path, self._named(subgraph, self._drawn(move, draw)), score) for path, move, score in steps]

        def prompt_of(step: tuple[Partial, Move, float]) -> Prompt | None:
            path, move, _ = step
            if len(move.ends) < 2 or is_unnamed(subgraph, int(move.ends[0])):
                return None
            return scoring(
                self.llm,
                "score_entities",
                [name_of(subgraph, end) for end in move.ends.tolist()],
                self.beam_width,
                question=query.text,
                path=text_of(subgraph, path),
                relation=move.text,
                limit=str(self.beam_width),
            )

        reached = []
        for (path, move, score), prompt, reply in asked_of_each(self.llm, drawn, prompt_of):
            n = len(move.ends) if prompt is None else len(prompt.candidates)
            scores = None if prompt is None else scored(reply, prompt.candidates, self.beam_width)
            if prompt is not None and scores is None:
                unreadable(
                    f"the entities of {move.text!r} score alike: no points could be read in {shown(reply)}",
                    "think_on_graph.no_entity_points",
                    move=move.text,
                )
            for place, points in (dict.fromkeys(range(n), 1 / n) if scores is None else scores).items():
                reached += extended(path, move.take(np.array([place])), score * points)
        return reached

    def _named(self, subgraph: Subgraph, move: Move) -> Move:
        """Return the move to those of its ends that have a name; the same move if none or all have one."""
        named = [place for place, end in enumerate(move.ends.tolist()) if not is_unnamed(subgraph, end)]
        return move.take(np.array(named)) if 0 < len(named) < len(move.ends) else move

    def _drawn(self, move: Move, draw: random.Random) -> Move:
        """Return the move, with a few of its ends if it has many, which is an event."""
        if len(move.ends) < _MANY:
            return move
        event(
            f"of {len(move.ends):,} entities of {move.text!r} {_SAMPLED} were drawn",
            "think_on_graph.drawn",
            n=_SAMPLED,
            total=len(move.ends),
            move=move.text,
        )
        return move.take(np.array(sorted(draw.sample(range(len(move.ends)), _SAMPLED))))
