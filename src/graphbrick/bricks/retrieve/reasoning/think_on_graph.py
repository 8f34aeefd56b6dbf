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
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.compute import check_limits
from graphbrick.core.graph import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.enough import is_enough
from graphbrick.models.llm.replies.replies import shown, unreadable
from graphbrick.pipeline import RetrieveStage

_MANY, _SAMPLED = 20, 5  # from that many entities of a relation on, that many are drawn, as published


@dataclass(frozen=True, repr=False)
class ThinkOnGraph(RetrieveStage):
    """The search of Think-on-Graph: a language model scores the relations of an entity, then the entities they lead to.

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
        beam, rounds = starts(query, subgraph), list[list[Partial]]()
        draw, enough = random.Random(self.seed), False
        while beam and len(rounds) < self.max_hops and not enough:
            check_limits()
            beam = self._round(query, subgraph, beam, draw)
            if beam:
                rounds.append(beam)
                enough = is_enough(self.llm, query.text, [text_of(subgraph, path) for kept in rounds for path in kept])
        fact(rounds=len(rounds))
        if not beam:
            event("the search stopped half way: no relation or entity got points; what there is, is the evidence")
        if rounds and beam and not enough:
            event(f"the paths were not found to be enough after {len(rounds)} rounds")
            if self.if_never_enough == "drop":
                return Evidence()
        source = repr(self)
        return Evidence(tuple(path.path(subgraph, source) for kept in reversed(rounds) for path in kept))

    def _round(self, query: Query, subgraph: Subgraph, beam: list[Partial], draw: random.Random) -> list[Partial]:
        """Return the best steps from the ends of the beam, best first."""
        steps = self._relations(query, subgraph, beam)
        reached = self._entities(query, subgraph, steps, draw)
        reached.sort(key=lambda path: -path.score)  # stable
        return reached[: self.beam_width]

    def _relations(self, query: Query, subgraph: Subgraph, beam: list[Partial]) -> list[tuple[Partial, Move, float]]:
        """Return the chosen relations of each path with their scores, in the order of the beam, best first."""
        offers = [(path, moves_from(subgraph, path, self.direction, no_way_back=True)) for path in beam]
        offers = [(path, moves) for path, moves in offers if moves]
        prompts = [
            scoring(
                self.llm,
                "score_relations",
                [move.text for move in moves],
                self.beam_width,
                question=query.text,
                entity=name_of(subgraph, path.nodes[-1]),
                path=text_of(subgraph, path),
                limit=str(self.beam_width),
            )
            for path, moves in offers
        ]
        steps = []
        replies = self.llm.ask_all([prompt.request for prompt in prompts])
        for (path, moves), prompt, reply in zip(offers, prompts, replies, strict=True):
            scores = scored(reply.text, prompt.candidates, self.beam_width)
            if scores is None:
                where = name_of(subgraph, path.nodes[-1])
                unreadable(f"no relation of {where!r} was followed: no points could be read in {shown(reply.text)}")
            steps += [(path, moves[place], score) for place, score in (scores or {}).items()]
        return steps

    def _entities(
        self, query: Query, subgraph: Subgraph, steps: list[tuple[Partial, Move, float]], draw: random.Random
    ) -> list[Partial]:
        """Return the entities that the chosen relations lead to, as longer paths with the product of both scores."""
        drawn = [(path, self._named(subgraph, self._drawn(move, draw)), score) for path, move, score in steps]
        several = [(path, move) for path, move, _ in drawn if self._is_choice(subgraph, move)]
        prompts = [
            scoring(
                self.llm,
                "score_entities",
                [name_of(subgraph, end) for end in move.ends.tolist()],
                self.beam_width,
                question=query.text,
                path=text_of(subgraph, path),
                relation=move.text,
                limit=str(self.beam_width),
            )
            for path, move in several
        ]
        replies = iter(zip(prompts, self.llm.ask_all([prompt.request for prompt in prompts]), strict=True))
        reached = []
        for path, move, score in drawn:
            scores: dict[int, float] | None = dict.fromkeys(range(len(move.ends)), 1 / len(move.ends))
            if self._is_choice(subgraph, move):
                prompt, reply = next(replies)
                n = len(prompt.candidates)
                scores = scored(reply.text, prompt.candidates, self.beam_width)
                if scores is None:
                    unreadable(
                        f"the entities of {move.text!r} score alike: no points could be read in {shown(reply.text)}"
                    )
                    scores = dict.fromkeys(range(n), 1 / n)
            for place, points in (scores or {}).items():
                reached += extended(path, move.take(np.array([place])), score * points)
        return reached

    def _is_choice(self, subgraph: Subgraph, move: Move) -> bool:
        """Whether the model is asked about the ends of a move: there are several, and they have names."""
        return len(move.ends) > 1 and not is_unnamed(subgraph, int(move.ends[0]))

    def _named(self, subgraph: Subgraph, move: Move) -> Move:
        """Return the move to those of its ends that have a name; the same move if none or all have one."""
        named = [place for place, end in enumerate(move.ends.tolist()) if not is_unnamed(subgraph, end)]
        return move.take(np.array(named)) if 0 < len(named) < len(move.ends) else move

    def _drawn(self, move: Move, draw: random.Random) -> Move:
        """Return the move, with a few of its ends if it has many, which is an event."""
        if len(move.ends) < _MANY:
            return move
        event(f"of {len(move.ends):,} entities of {move.text!r} {_SAMPLED} were drawn")
        return move.take(np.array(sorted(draw.sample(range(len(move.ends)), _SAMPLED))))
