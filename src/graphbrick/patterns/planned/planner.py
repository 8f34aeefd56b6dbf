"""Relation paths planned by a language model: building the prompt and reading the reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from graphbrick.core import Query, Subgraph, seeds_of
from graphbrick.core.graph import Graph
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.context_budget import fitting, line_tokens
from graphbrick.models.llm.messages import Message, Request
from graphbrick.models.llm.prompt_files import PromptFiles
from graphbrick.models.llm.replies.json_replies import json_list, json_object, whole_number
from graphbrick.models.llm.replies.path_replies import Step, read_paths
from graphbrick.models.llm.replies.replies import one_line, plain, shown, unreadable, without_fences
from graphbrick.patterns.planned.relation_paths import LOOKED_AT, Hop, Ids, edges_of
from graphbrick.pipeline.brick import Brick

Move = tuple[str, bool]
"""A relation as the model is shown it: its name, and whether it is followed from head to tail."""
Plan = tuple[Hop, ...]
Offer = Mapping[Move, frozenset[int]]
"""Relations that the model is shown, in the order of their numbers, with the ids of each."""


class PlanRequest(NamedTuple):
    """The request to the model, and the relations that it is shown."""

    request: Request
    offer: Offer


# Its examples have a path of one relation: without it, a small model writes all numbers into one path.
_PROMPTS = PromptFiles("graphbrick.patterns.planned")


@dataclass(frozen=True, repr=False)
class RelationPlanner(Brick):
    """Base class of bricks that ask a language model for relation paths.

    Args:
        llm: The language model.
        max_hops: Relations in a path.
        plans: Relation paths that are asked for and used.
        relations: Relations that the model is shown.
    """

    llm: ChatModel = parameter(example="LLM()")
    max_hops: int = parameter(4, at_least=1, at_most=10, search=(2, 3, 4))
    plans: int = parameter(3, at_least=1, search=(1, 3, 5))
    relations: int = parameter(60, at_least=1, search=(30, 60, 120))

    def plan_request(self, graph: Graph, query: Query) -> PlanRequest | None:
        """Return the request for relation paths of a question; None if no relation is found at its seeds."""
        return self._plan_request(graph, np.sort(seeds_of(query, Subgraph(graph))), query)

    def planned(self, graph: Graph, seeds: Ids, query: Query) -> list[Plan]:
        """Return the relation paths that the model proposes, best first.

        Args:
            graph: The graph.
            seeds: int32, ascending.
            query: The question.
        """
        request = self._plan_request(graph, seeds, query)
        if request is None:
            event(
                "no relation is found at the seeds, so the model was not asked for relation paths",
                "planner.no_relation",
            )
            return []
        return self._plans(graph, *request)

    def _offer(self, graph: Graph, seeds: Ids) -> dict[Move, frozenset[int]]:
        """Return the relations near the seeds that the model is shown, nearest first, with the ids of each."""
        ranks, ids = dict[Move, tuple[int, int]](), dict[Move, set[int]]()
        nearer = np.zeros(graph.n_entities, dtype=np.bool_)
        frontier, budget = seeds, LOOKED_AT
        for hop in range(self.max_hops):
            ends = []
            for forward in (True, False):
                edges = edges_of(graph, frontier, forward, budget)
                budget -= len(edges.triple)
                # Triples that lead back are left out: otherwise every relation would be shown in both directions.
                edges = edges.where(~nearer[edges.end] & (edges.end != edges.start))
                ends.append(edges.end)
                relations, counts = np.unique(graph.csr.relation[edges.triple], return_counts=True)
                for relation, count in zip(relations.tolist(), counts.tolist(), strict=True):
                    move = (one_line(graph.relation_label(relation)), forward)
                    nearest, before = ranks.get(move, (hop, 0))
                    # Relations are compared by how often they occur at the hop where they are nearest.
                    ranks[move] = (nearest, before - count if nearest == hop else before)
                    ids.setdefault(move, set()).add(relation)
            nearer[frontier] = True
            frontier = np.unique(np.concatenate(ends))
            frontier = frontier[~nearer[frontier]]
            if len(ranks) > self.relations or not len(frontier) or budget <= 0:
                break
        if budget <= 0:
            event(
                f"only {LOOKED_AT:,} triples around the seeds were searched for relations; farther ones are missing",
                "planner.search_limit",
                limit=LOOKED_AT,
            )
        if len(ranks) > self.relations:
            event(
                f"the model was shown only the nearest {self.relations} of {len(ranks)} or more relations",
                "planner.nearest_relations",
                n=self.relations,
                total=len(ranks),
            )
        ranked = sorted(ranks, key=lambda move: (*ranks[move], move[0], not move[1]))
        return {move: frozenset(ids[move]) for move in ranked[: self.relations]}

    def _plan_request(self, graph: Graph, seeds: Ids, query: Query) -> PlanRequest | None:
        offer = self._offer(graph, seeds)
        if not offer:
            return None
        starts = self._starts(graph, seeds, query)
        moves = [f"{'->' if forward else '<-'} {name}" for name, forward in offer]
        fit = fitting(self.llm, self._messages(query, starts, []), moves)
        if fit < len(moves):
            event(
                f"the model was shown only the nearest {fit} of {len(moves)} relations: the context of "
                f"{self.llm.model} holds no more",
                "planner.relations_cut",
                n=fit,
                total=len(moves),
            )
        path = json_list(whole_number(1, max(fit, 1)), most=self.max_hops)
        schema = json_object(paths=json_list(path, most=self.plans))
        request = Request(self._messages(query, starts, moves[:fit]), schema)
        return PlanRequest(request, {move: offer[move] for move in list(offer)[:fit]})

    def _plans(self, graph: Graph, request: Request, offer: Offer) -> list[Plan]:
        """Ask the model, and read the relation paths out of its reply."""
        reply = self.llm.ask_all([request])[0].text
        names, plans = _Names(graph, offer), dict[Plan, None]()
        lines = read_paths(reply)
        for line, steps in lines:
            plan = tuple(names.find(step) for step in steps)
            if plan and all(plan) and len(plan) <= self.max_hops:
                plans[plan] = None
            elif len(plan) > self.max_hops:
                event(
                    f"the relation path {line[:100]!r} has more than {self.max_hops} hops and was left out: "
                    f"{shown(reply)}",
                    "planner.path_too_long",
                    path=line[:100],
                    max_hops=self.max_hops,
                )
            elif len(steps) != 1 or steps[0].number is not None or steps[0].forward is not None:
                # Other lines are prose.
                event(
                    f"the relation path {line[:100]!r} has a part that is not a relation and was left out: "
                    f"{shown(reply)}",
                    "planner.not_a_relation",
                    path=line[:100],
                )
        if not plans and without_fences(reply).strip() and not lines:
            event(f"the model finds no relation path that leads to the answer: {shown(reply)}", "planner.no_path")
        elif not plans:
            unreadable(f"no relation path could be read out of the reply {shown(reply)}", "planner.unread_reply")
        if len(plans) > self.plans:
            event(
                f"of {len(plans)} relation paths only the first {self.plans} were used: {shown(reply)}",
                "planner.too_many_paths",
                n=self.plans,
                total=len(plans),
            )
        return list(plans)[: self.plans]

    def _starts(self, graph: Graph, seeds: Ids, query: Query) -> list[str]:
        """Return the names of the seeds that fit into half of the free context."""
        names = [one_line(graph.label(seed)) for seed in seeds.tolist()]
        budget = self.llm.context_budget(self._messages(query, [], [])) // 2
        fit = max(sum(total <= budget for total in accumulate(line_tokens(self.llm, names))), 1)
        if fit < len(names):
            event(
                f"the model was shown only the first {fit} of {len(names)} seeds: the context of {self.llm.model} "
                "holds no more",
                "planner.seeds_cut",
                n=fit,
                total=len(names),
            )
        return names[:fit]

    def _messages(self, query: Query, starts: Sequence[str], moves: Sequence[str]) -> list[Message]:
        plans, max_hops = str(self.plans), str(self.max_hops)
        values = {"starts": "; ".join(starts), "question": query.text, "plans": plans, "max_hops": max_hops}
        return _PROMPTS.messages(self.llm, "plan", moves, **values)


class _Names:
    """The meaning of the steps of a reply."""

    def __init__(self, graph: Graph, offer: Offer) -> None:
        self._graph, self._offer = graph, offer
        self._moves = list(offer)
        self._all: dict[str, set[int]] | None = None

    def find(self, step: Step) -> Hop:
        """Return the relations and directions that a step means; none if there is no such relation."""
        if step.number is not None:
            moves = self._moves[step.number - 1 : step.number] if step.number > 0 else []
        else:
            ways = (True, False) if step.forward is None else (step.forward,)
            moves = [move for move in self._moves if plain(move[0]) == step.name and move[1] in ways]
            if not moves:
                # A tuned model knows relations that it was not shown.
                return frozenset((relation, way) for relation in self._named(step.name) for way in ways)
        return frozenset((relation, move[1]) for move in moves for relation in self._offer[move])

    def _named(self, name: str) -> set[int]:
        if self._all is None:
            self._all = {}
            for relation in range(self._graph.n_relations):
                for text in (self._graph.relation_label(relation), self._graph.relation_key(relation)):
                    self._all.setdefault(plain(text), set()).add(relation)
        return self._all.get(name, set())


def plan_text(graph: Graph, plan: Plan) -> str:
    """Return a plan as text: ``<- capital -> currency``; ``--`` for a relation followed either way."""
    parts = []
    for hop in plan:
        ways = {forward for _, forward in hop}
        arrow = "--" if len(ways) > 1 else "->" if True in ways else "<-"
        parts.append(f"{arrow} {one_line(graph.relation_label(min(hop)[0]))}")
    return " ".join(parts)
