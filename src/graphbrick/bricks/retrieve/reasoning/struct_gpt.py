"""StructGPT: a language model picks a relation, then conditions, through small interfaces."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.bricks.retrieve.paths.beam import Partial
from graphbrick.bricks.retrieve.reasoning.choices import choosing, chosen
from graphbrick.bricks.retrieve.reasoning.facts import picked_facts
from graphbrick.bricks.retrieve.reasoning.moves import is_unnamed, moves_from, name_of, starts, text_of
from graphbrick.bricks.retrieve.reasoning.rounds import Rounds
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.graph import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.enough import is_enough
from graphbrick.pipeline import RetrieveStage

_CONDITIONS = 60  # shown to the model


@dataclass(frozen=True, repr=False)
class StructGPT(RetrieveStage):
    """The facts of one relation that a language model picks, narrowed by conditions nearby.

    In each round the model picks one relation from the entities that the last round reached; a fact through a mediator
    (a node without a name, as in Freebase) is one relation of two triples. Then it picks conditions such as
    ``[-> year: 1967]`` from the neighbours of the facts, and only the facts that meet all of them are left. With
    several rounds it is asked whether the facts are enough before it picks again.

    A reply that cannot be read, or names no relation, ends the search with what there is, which is an event. Conditions
    that no fact meets together are not used, which is an event too.

    Args:
        llm: The language model, such as LLM().
        rounds: Relations picked one after the other, at least 1. 1 is the released code, 8 the limit of the prompts.
        conditions: "mediators" for conditions on mediators only, as published; "always" for conditions on the entities
            reached too; "none" for none.
        triples: Most facts of a relation, at least 1; more are left out, which is an event.
        direction: "both", "out" (along triples) or "in" (against them).

    Returns:
        The facts as paths from the seeds, those of the last round first, each round in the order of the graph.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.
    """

    paper = "Jiang et al., StructGPT, EMNLP 2023"

    llm: ChatModel = parameter(example="LLM()")
    rounds: int = parameter(1, at_least=1, at_most=100, search=(1, 3, 8))
    conditions: str = parameter("mediators", choices=("mediators", "always", "none"))
    triples: int = parameter(60, at_least=1)
    direction: str = parameter("both", choices=DIRECTIONS)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the facts of the relations that the model picks."""
        rounds = Rounds(subgraph)

        def step(ends: list[Partial]) -> list[Partial]:
            facts = picked_facts(
                self.llm, "choose_relation", query.text, subgraph, ends,
                direction=self.direction, triples=self.triples, most=1,
            )  # fmt: skip
            return facts if not facts or self.conditions == "none" else self._narrowed(query, subgraph, facts)

        rounds.walk(
            starts(query, subgraph),
            self.rounds,
            step,
            lambda: self.rounds == 1 or is_enough(self.llm, query.text, rounds.texts()),
        )
        rounds.end("facts")
        return rounds.evidence(repr(self))

    def _narrowed(self, query: Query, subgraph: Subgraph, facts: list[Partial]) -> list[Partial]:
        """Return the facts that meet the conditions that the model picks."""
        holding: dict[str, set[int]] = {}
        for i, path in enumerate(facts):
            for place in self._places(subgraph, path):
                for move in moves_from(subgraph, place):
                    for end in set(move.ends.tolist()) - set(path.nodes):
                        holding.setdefault(f"[{move.text}: {name_of(subgraph, end)}]", set()).add(i)
        several = {text: which for text, which in holding.items() if len(which) < len(facts)}
        if not several:
            return facts
        # A condition of many facts says more about the question than one of a single fact.
        ranked = sorted(several, key=lambda text: (-len(several[text]), text))
        if len(ranked) > _CONDITIONS:
            event(
                f"of {len(ranked):,} conditions the {_CONDITIONS} most frequent were shown",
                "struct_gpt.conditions_cut",
                n=_CONDITIONS,
                total=len(ranked),
            )
        relation = text_of(subgraph, facts[0]).removesuffix(name_of(subgraph, facts[0].nodes[-1])).strip()
        prompt = choosing(self.llm, "choose_constraints", ranked[:_CONDITIONS], question=query.text, relation=relation)
        picked = chosen(self.llm.ask_all([prompt.request])[0].text, prompt.candidates) or []
        left = [path for i, path in enumerate(facts) if all(i in several[ranked[place]] for place in picked)]
        if not left:
            event(
                f"no fact meets all {len(picked)} conditions that the model picked; none was used",
                "struct_gpt.no_fact",
                conditions=len(picked),
            )
        return left or facts

    def _places(self, subgraph: Subgraph, path: Partial) -> list[Partial]:
        """Return the paths to the nodes of a fact that conditions are about."""
        before = Partial(path.nodes[:-1], path.triples[:-1], path.forward[:-1])
        through = len(path.triples) > 1 and is_unnamed(subgraph, before.nodes[-1])
        return [before] * through + [path] * (self.conditions == "always")
