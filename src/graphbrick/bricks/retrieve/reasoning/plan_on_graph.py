"""Plan-on-Graph: sub-goals, notes on each, and going back to entities seen before."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import chain, zip_longest

import numpy as np

from graphbrick.bricks.retrieve.paths.beam import Partial
from graphbrick.bricks.retrieve.reasoning.asking import PROMPTS
from graphbrick.bricks.retrieve.reasoning.choices import choosing, chosen
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
from graphbrick.core.compute import check_limits
from graphbrick.core.graph import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.language.folding import fold
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.prompt_files import Prompt
from graphbrick.models.llm.replies.json_replies import json_list, json_object
from graphbrick.models.llm.replies.replies import (
    numbered,
    one_line,
    parts_of,
    read_names,
    read_object,
    read_yes,
    shown,
    unreadable,
)
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import RetrieveStage

_MANY, _UNNAMED = 70, 10  # entities of a relation that a model is shown, and unnamed ones that are followed
_SCORED = 1_000  # entities of a relation whose names are scored; a hub has hundreds of thousands
_GOALS = 6
_FACTS = 40  # in one prompt
_TEXT = {"type": "string"}
_VERDICT = json_object(enough={"type": "boolean"}, answer=_TEXT)


@dataclass
class _Search:
    """The memory of one search.

    Attributes:
        query: The question.
        subgraph: Where it walks.
        goals: What has to be found out.
        notes: What is known of each goal.
        rounds: The paths of each round, in turns of the relations that were followed.
        followed: The moves that were chosen at each entity.
        backtracks: How often an entity was gone back to.
        answers: The names of the answers, folded; empty before any is found.
    """

    query: Query
    subgraph: Subgraph
    goals: list[str]
    notes: list[str]
    rounds: Rounds
    followed: dict[int, set[str]] = field(default_factory=dict)
    backtracks: int = 0
    answers: set[str] = field(default_factory=set)

    @property
    def values(self) -> dict[str, str]:
        """The values of placeholders that all prompts have."""
        return {"question": self.query.text, "subgoals": numbered(self.goals), "memory": numbered(self.notes)}

    def facts(self, last: int = 0) -> list[str]:
        """Return the paths of the last rounds or of all as text, as many as a prompt holds."""
        shown: list[Partial] = []
        for paths in reversed(self.rounds.paths[-last:]):
            shown = paths[: _FACTS - len(shown)] + shown
        return [text_of(self.subgraph, path) for path in shown]


@dataclass(frozen=True, repr=False)
class PlanOnGraph(RetrieveStage):
    """The search of Plan-on-Graph: a language model plans sub-goals, takes notes and goes back.

    First the model splits the question into sub-goals. In each round it chooses relations at every entity reached, as
    few as possible, then among the entities that each leads to; writes down what is known of each sub-goal; and says
    whether that is enough. The search ends if it is, and a name that the model gives as the answer is on the paths.
    Otherwise the model may go back to entities of earlier rounds, to follow other relations there.

    A single entity, numbers such as years, and entities without a name are followed without a choice. Where nothing
    more is reached, the search ends with what there is.

    If a reply about relations cannot be read, none is followed there; if one about entities cannot be read, the first
    ``width`` of them are. Notes that cannot be read stay as they were, and a verdict that cannot be read counts as not
    enough. All these are events.

    Args:
        llm: The language model, such as LLM().
        scorer: Chooses 70 of more entities of a relation, which the model then chooses among. Of more than 1,000
            entities it scores 1,000 drawn ones, which is an event.
        max_hops: Rounds, from 1 to 10.
        width: Relations chosen at an entity, and entities chosen of a relation, at least 1. The next round goes on
            from twice as many, in turns of the relations followed, which is an event if more were reached; all that
            were reached are evidence.
        backtracks: To how many entities the search may go back, at least 0.
        direction: "both", "out" (along triples) or "in" (against them).
        if_never_enough: What to give if the facts are not found to be enough in any round: "keep" for the paths,
            "drop" for no evidence, so that `FromModel` answers from the model's knowledge, as published.
        seed: Of the random draws among entities without a name, and among very many.

    Returns:
        First the paths that end at an answer, then those of the last round, then of earlier ones.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.
    """

    paper = "Chen et al., Plan-on-Graph (PoG), NeurIPS 2024"

    llm: ChatModel = parameter(example="LLM()")
    scorer: Scorer = parameter(example="MiniLM()")
    max_hops: int = parameter(4, at_least=1, at_most=10, search=(2, 3, 4))
    width: int = parameter(3, at_least=1, search=(1, 3, 5))
    backtracks: int = parameter(5, at_least=0, search=(0, 5))
    direction: str = parameter("both", choices=DIRECTIONS)
    if_never_enough: str = parameter("keep", choices=("keep", "drop"))
    seed: int = parameter(0, at_least=0)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the paths of the search."""
        frontier = starts(query, subgraph)
        if not frontier:
            return Evidence()
        goals = self._goals(query)
        rounds, draw = Rounds(subgraph), random.Random(self.seed)
        search = _Search(query, subgraph, goals, ["unknown"] * len(goals), rounds)

        def is_enough() -> bool:
            self._take_notes(search)
            return self._is_enough(search)

        def onward(reached: list[Partial]) -> list[Partial]:
            going_on = self._going_on(reached)
            return going_on + self._earlier(search, going_on)

        rounds.walk(frontier, self.max_hops, lambda frontier: self._explored(search, frontier, draw), is_enough, onward)
        rounds.is_stuck &= bool(rounds.paths)
        if rounds.is_stuck:
            event(
                "the search stopped half way: nothing more was reached; what there is, is the evidence",
                "plan_on_graph.half_way",
            )
        is_dropped = rounds.end("facts") and self.if_never_enough == "drop"
        fact(backtracks=search.backtracks)
        return Evidence() if is_dropped else self._evidence(search)

    def _goals(self, query: Query) -> list[str]:
        """Return the sub-goals of a question; the question itself, with an event, if the reply has none."""
        schema = json_object(names=json_list(_TEXT, _GOALS))
        reply = self.llm.ask_all([PROMPTS.request(self.llm, "subgoals", schema=schema, question=query.text).request])
        goals = (read_names(reply[0].text) or [])[:_GOALS]
        if not goals:
            event(
                f"no sub-goal could be read, so the question is the only one: {shown(reply[0].text)}",
                "plan_on_graph.no_goals",
            )
        return goals or [one_line(query.text)]

    # One round

    def _explored(self, search: _Search, frontier: list[Partial], draw: random.Random) -> list[Partial]:
        """Return the entities that the chosen relations of the frontier lead to, in turns."""
        reached = self._entities(search, self._relations(search, frontier), draw)
        turns = (path for turn in zip_longest(*reached) for path in turn if path is not None)
        return list({(path.nodes, path.triples): path for path in turns}.values())

    def _going_on(self, reached: list[Partial]) -> list[Partial]:
        """Return the entities that the next round starts from."""
        most = 2 * self.width
        if len(reached) > most:
            event(
                f"of {len(reached)} entities reached the first {most} go on, in turns of the relations (width)",
                "plan_on_graph.width",
                n=most,
                total=len(reached),
            )
        return reached[:most]

    def _relations(self, search: _Search, frontier: list[Partial]) -> list[tuple[Partial, Move]]:
        offered = []
        for path in frontier:
            before = search.followed.get(path.nodes[-1], set())
            moves = [m for m in moves_from(search.subgraph, path, self.direction) if m.text not in before]
            offered += [(path, moves)] if moves else []

        def prompt_of(offer: tuple[Partial, list[Move]]) -> Prompt:
            path, moves = offer
            return choosing(
                self.llm,
                "plan_relations",
                [move.text for move in moves],
                self.width,
                entity=name_of(search.subgraph, path.nodes[-1]),
                path=text_of(search.subgraph, path),
                **search.values,
            )

        steps = []
        for (path, moves), prompt, reply in asked_of_each(self.llm, offered, prompt_of):
            for place in chosen(reply, prompt.candidates, self.width) or ():
                search.followed.setdefault(path.nodes[-1], set()).add(moves[place].text)
                steps.append((path, moves[place]))
        return steps

    def _entities(self, search: _Search, steps: list[tuple[Partial, Move]], draw: random.Random) -> list[list[Partial]]:
        """Return the paths to the chosen entities of each step."""
        few = [(path, self._fewer(search, move, draw)) for path, move in steps]

        def prompt_of(step: tuple[Partial, Move]) -> Prompt | None:
            path, move = step
            if self._needs_no_choice(search, move):
                return None
            return choosing(
                self.llm,
                "plan_entities",
                [name_of(search.subgraph, end) for end in move.ends.tolist()],
                self.width,
                path=text_of(search.subgraph, path),
                relation=move.text,
                **search.values,
            )

        reached = []
        for (path, move), prompt, reply in asked_of_each(self.llm, few, prompt_of):
            places: list[int] | None = list(range(len(move.ends)))
            if prompt is not None:
                places = chosen(reply, prompt.candidates, self.width)
                if places is None:
                    event(
                        f"the first {self.width} entities of {move.text!r} were taken",
                        "plan_on_graph.first_entities",
                        n=self.width,
                        move=move.text,
                    )
                    places = list(range(min(self.width, len(move.ends))))
            reached.append(extended(path, move.take(np.array(places, dtype=np.int64))))
        return reached

    def _needs_no_choice(self, search: _Search, move: Move) -> bool:
        """Return whether all entities of a move are followed: a single one, numbers, nameless ones."""
        ends = move.ends.tolist()
        numbers = all(name_of(search.subgraph, end).isdigit() for end in ends)
        return len(ends) < 2 or numbers or all(is_unnamed(search.subgraph, end) for end in ends)

    def _fewer(self, search: _Search, move: Move, draw: random.Random) -> Move:
        """Return a move with at most as many entities as a model sees; more are an event."""
        check_limits()
        if len(move.ends) > _SCORED:
            event(
                f"of {len(move.ends):,} entities of {move.text!r} {_SCORED:,} were drawn",
                "plan_on_graph.drawn",
                n=_SCORED,
                total=len(move.ends),
                move=move.text,
            )
            move = move.take(np.array(sorted(draw.sample(range(len(move.ends)), _SCORED))))
        names = [name_of(search.subgraph, end) for end in move.ends.tolist()]
        unnamed = all(is_unnamed(search.subgraph, end) for end in move.ends.tolist())
        if unnamed and len(names) > _UNNAMED:
            event(
                f"of {len(names):,} entities without a name of {move.text!r} {_UNNAMED} were drawn",
                "plan_on_graph.unnamed_drawn",
                n=_UNNAMED,
                total=len(names),
                move=move.text,
            )
            return move.take(np.array(sorted(draw.sample(range(len(names)), _UNNAMED))))
        if len(names) <= _MANY:
            return move
        event(
            f"of {len(names):,} entities of {move.text!r} the {_MANY} best by {self.scorer!r} were shown",
            "plan_on_graph.best_shown",
            n=_MANY,
            total=len(names),
            move=move.text,
        )
        best = np.argsort(-self.scorer.rate(search.query.text, names), kind="stable")
        return move.take(best[:_MANY])

    # After a round

    def _take_notes(self, search: _Search) -> None:
        """Let the model write down the state of each sub-goal."""
        keys = [str(number) for number in range(1, len(search.goals) + 1)]
        schema = json_object(**dict.fromkeys(keys, _TEXT))
        prompt = PROMPTS.request(self.llm, "memory", search.facts(1), schema=schema, **search.values)
        reply = self.llm.ask_all([prompt.request])[0].text
        notes = read_object(reply)
        if notes is None or not set(keys) & set(notes):
            unreadable(f"the notes stay as they were: none could be read in {shown(reply)}", "plan_on_graph.no_notes")
            return
        search.notes = [one_line(str(notes.get(key) or old)) for key, old in zip(keys, search.notes, strict=True)]

    def _is_enough(self, search: _Search) -> bool:
        """Ask whether the facts are enough; only an answer with a name on the paths ends the search."""
        prompt = PROMPTS.request(self.llm, "plan_answer", search.facts(), schema=_VERDICT, **search.values)
        reply = self.llm.ask_all([prompt.request])[0].text
        verdict = read_object(reply)
        enough = None if verdict is None else verdict.get("enough")
        enough = read_yes(enough) if isinstance(enough, str) else enough
        if verdict is None or not isinstance(enough, bool):
            unreadable(f"no verdict could be read, so the search went on: {shown(reply)}", "plan_on_graph.no_verdict")
            return False
        if not enough:
            return False
        answer = verdict.get("answer") or ""
        texts = [one_line(str(text)) for text in (answer if isinstance(answer, list) else [answer])]
        names = chain.from_iterable((text, *parts_of(text)) for text in texts)  # a name may have a comma
        paths = chain.from_iterable(search.rounds.paths)
        known = {fold(name_of(search.subgraph, node)) for path in paths for node in path.nodes}
        search.answers = known & {fold(name) for name in names} - {""}
        if not search.answers:
            event(
                f"the search went on, since {', '.join(texts)[:80]!r} is not a name on the paths",
                "plan_on_graph.answer_off_paths",
                texts=tuple(texts),
            )
        return bool(search.answers)

    def _earlier(self, search: _Search, going_on: list[Partial]) -> list[Partial]:
        """Return paths to entities of earlier rounds that the model goes back to."""
        left = self.backtracks - search.backtracks
        ends = dict.fromkeys(path.nodes[-1] for path in going_on)
        earlier = {
            path.nodes[-1]: path
            for round_paths in [starts(search.query, search.subgraph), *search.rounds.paths[:-1]]
            for path in round_paths
            if path.nodes[-1] not in ends
        }
        if not earlier or left <= 0:
            return []
        if len(earlier) > _MANY:
            event(
                f"of {len(earlier):,} entities seen before the first {_MANY} were offered to go back to",
                "plan_on_graph.earlier_cut",
                n=_MANY,
                total=len(earlier),
            )
        names = [name_of(search.subgraph, node) for node in earlier][:_MANY]
        last = "; ".join(name_of(search.subgraph, node) for node in ends)
        prompt = choosing(self.llm, "go_back", names, left, reached=last, **search.values)
        places = chosen(self.llm.ask_all([prompt.request])[0].text, prompt.candidates, left) or []
        search.backtracks += len(places)
        return [list(earlier.values())[place] for place in places]

    def _evidence(self, search: _Search) -> Evidence:
        """Return all paths, those that end at an answer first."""
        paths = [path for round_paths in reversed(search.rounds.paths) for path in round_paths]
        paths.sort(key=lambda path: fold(name_of(search.subgraph, path.nodes[-1])) not in search.answers)  # stable
        source = repr(self)
        distinct = {path.identity: path for path in (p.path(search.subgraph, source) for p in paths)}
        return Evidence(tuple(distinct.values()))
