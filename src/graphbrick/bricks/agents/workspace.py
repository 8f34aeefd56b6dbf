"""The workspace of an agent for one question: graph, lists of nodes, notes and triples seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, takewhile
from typing import Any

from graphbrick.bricks.agents.agent_tool import AdviceError, Observation, Walked
from graphbrick.bricks.agents.seen import SeenTriples
from graphbrick.bricks.agents.view import GraphView
from graphbrick.core import Evidence, Item, Path, Row, Subgraph
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.evidence import distinct
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.trace import event
from graphbrick.language.folding import name_form
from graphbrick.pipeline.budget import StoppedError

_TYPED, _MOST_TYPES = 20, 3  # nodes of a list whose types are told, and types
_LONGEST_LIST = 2_000
"""Nodes of a named list that a tool works on."""
LONGEST_RESULT = 3_000
"""Characters of a result that an agent reads."""
_HEAD = 300  # characters for the name of the list and its types


class Workspace(GraphView):
    """A view of the graph with everything that the tools of one agent share for one question.

    Tools read it and return an `Observation`; only the agent's loop writes into it, by `keep`, after all tools of a
    step have run. So tools of one step may run at the same time.

    Args:
        question: The question.
        subgraph: The part of the graph that may be seen.
        source: The agent as recipe text, for the items of evidence.
        longest: Characters of a result that are read; what a tool shows beyond them is not seen.

    Attributes:
        lists: The nodes of each named list: "L1", "L2" and so on, in the order of the results.
        notes: What the agent wrote on its scratch pad.
        answer: The nodes that the agent named as its answer.
        values: The texts among its answer that are no node, such as a count.
    """

    def __init__(self, question: str, subgraph: Subgraph, source: str = "", longest: int = LONGEST_RESULT) -> None:
        super().__init__(subgraph)
        self.question, self.source, self._longest = question, source, longest
        self.lists: dict[str, tuple[int, ...]] = {}
        self.notes: list[str] = []
        self.answer: tuple[int, ...] = ()
        self.values: tuple[str, ...] = ()
        self._walked: dict[Walked, bool] = {}  # by whether it was shown
        self._starts: tuple[int, ...] = ()
        self._nodes: dict[int, None] = {}
        self._items: list[Item] = []

    # Read by tools

    def nodes(self, text: str) -> tuple[int, ...]:
        """Return the nodes that a text names: those of a list, such as "L1", or one node.

        Raises:
            AdviceError: There is no such list or node.
        """
        name = text.strip().strip("[]{}()").strip()
        if name.upper() in self.lists:
            nodes = self.lists[name.upper()]
            if len(nodes) > _LONGEST_LIST:
                raise AdviceError(
                    f"{name.upper()} has {len(nodes):,} nodes; filter it to at most {_LONGEST_LIST:,} first",
                    code="workspace.long_list",
                    name=name.upper(),
                    n=len(nodes),
                )
            return nodes
        if name[:1].upper() == "L" and name[1:].isdigit():
            there = f"there are {', '.join(self.lists)}" if self.lists else "there is none yet"
            raise AdviceError(
                f"there is no list {name.upper()}; {there}. Lists of this step have names in the next one",
                code="workspace.no_list",
                name=name.upper(),
            )
        return (self.entity(text),)

    def list_of(self, text: str) -> tuple[int, ...]:
        """Return the nodes of a list, of a node, or of several of them with commas between."""
        try:
            return self.nodes(text)
        except AdviceError:
            parts = [part for part in text.split(",") if part.strip()]
            if len(parts) < 2:
                raise
        return tuple(dict.fromkeys(node for part in parts for node in self.nodes(part)))

    def fitting(self, lines: Iterable[str], tail: Sequence[str] = ()) -> int:
        """Return how many of the first lines are read in a result that ends with a tail; at least one."""
        budget = max(self._longest - _HEAD - sum(len(line) + 1 for line in tail), self._longest // 3)
        ends = accumulate(len(line) + 1 for line in lines)
        return max(sum(1 for _ in takewhile(lambda end: end <= budget, ends)), 1)

    def was_seen(self, entity: int) -> bool:
        """Return whether the question names this node, or a result has held it."""
        return entity in self._nodes

    def is_of_question(self, names: Sequence[str]) -> bool:
        """Return whether the answer is only nodes that the question itself names."""
        return bool(names) and not self.values and bool(self.answer) and set(self.answer) <= set(self._starts)

    # Written by the loop

    def begin(self, seeds: Iterable[int]) -> None:
        """Note the entities that the question names; walks start there."""
        self._starts = tuple(seeds)
        self._nodes.update(dict.fromkeys(self._starts))

    def keep(self, observation: Observation) -> str:
        """Note the result of a tool, and return the text for the model, with the name of the list."""
        shown = len(observation.walked) if observation.n_shown is None else observation.n_shown
        for i, step in enumerate(observation.walked):
            self._walked[step] = self._walked.get(step, False) or i < shown
            self._nodes.update(dict.fromkeys((step.start, step.end)))
        self._items += observation.items
        if observation.note:
            self.notes.append(observation.note)
        for item in observation.items:
            self._nodes.update(dict.fromkeys(item.entities))
        if observation.nodes is None:
            return observation.text
        self._nodes.update(dict.fromkeys(observation.nodes))
        name = f"L{len(self.lists) + 1}"
        self.lists[name] = observation.nodes
        count = f"{len(observation.nodes):,} node{'s' * (len(observation.nodes) != 1)}"
        types = dict.fromkeys(filter(None, map(self.graph.first_type, observation.nodes[:_TYPED])))
        kinds = f" ({', '.join([*types][:_MOST_TYPES])})" if types else ""
        return f"{name} = {count}{kinds}\n{observation.text}".strip()

    def finish(self, names: Sequence[str]) -> list[str]:
        """Note the answer of the agent, and return its names that no result has shown."""
        answer: dict[int, None] = {}
        values, unknown = list[str](), list[str]()
        shown = {name_form(value) for item in self._items if isinstance(item, Row) for value in item.values}
        for name in names:
            try:
                nodes: tuple[int, ...] = self.list_of(name)
            except StoppedError:
                raise
            except GraphbrickError as error:
                if not isinstance(error, AdviceError):  # a database that is away; what was seen is here
                    event(
                        f"{name[:80]!r} was looked for among the nodes seen only: {error}",
                        "agent.only_seen_nodes",
                        name=name[:80],
                    )
                nodes = self._called(name)
            seen = [node for node in nodes if self.was_seen(node)]
            answer.update(dict.fromkeys(seen))
            if not seen and name_form(name) in shown:
                values.append(name)
            elif not seen:
                unknown.append(name)
        self.answer, self.values = tuple(answer), tuple(values)
        return unknown

    def mentioned(self, text: str) -> list[int]:
        """Return the seen nodes whose labels stand in a text as whole words, longest first, without overlap."""
        rest = f" {name_form(text)} "
        forms = sorted(((name_form(self.graph.label(node)), node) for node in self._nodes), key=lambda f: -len(f[0]))
        nodes = []
        for form, node in forms:
            if form and f" {form} " in rest:
                nodes.append(node)
                rest = rest.replace(f" {form} ", " | ")
        return nodes

    def _called(self, name: str) -> tuple[int, ...]:
        """Return the seen nodes with a label, or the one that results write so."""
        form = name_form(name)
        return tuple(
            node
            for node in self._nodes
            if name in (self.graph.key(node), self.name(node)) or (form and name_form(self.graph.label(node)) == form)
        )

    # The evidence

    def evidence(self) -> Evidence:
        """Return all evidence seen: first the paths to the answer, then the rest in the order of sight.

        Triples become paths from the entity where the walk began. A node of the answer that no walk led to becomes a
        row.
        """
        walks = self._paths()
        first = [path for node in self.answer for step, path in walks.items() if step.end == node]
        reached = {path.end for path in first}
        for node in self.answer:
            if node not in reached:  # it was the start of walks, or a result of a search
                first += [path for step, path in walks.items() if step.start == node and self._walked[step]]
        values = set(map(name_form, self.values))
        named = [item for item in self._items if isinstance(item, Row) and values & set(map(name_form, item.values))]
        rows = [item for item in self._items if set(item.entities) & set(self.answer)]
        held = {entity for item in (*first, *rows) for entity in item.entities}
        lone = [self.node_row(node) for node in self.answer if node not in held]
        items = distinct((*named, *first, *rows, *lone, *self._shown(walks), *self._items))
        return Evidence(
            tuple(
                replace(item, source=self.source) if isinstance(item, Path | Row) and not item.source else item
                for item in items
            )
        )

    def _shown(self, walks: dict[Walked, Path]) -> list[Path]:
        """Return the paths whose last triples the texts showed, each triple once, in the order of sight."""
        shown: dict[tuple[int, int, int], Path] = {}
        for step, path in walks.items():
            if self._walked[step]:
                shown.setdefault(step.triple, path)
        return list(shown.values())

    def node_row(self, node: int) -> Row:
        """Return a node as an item of evidence: its name, types and description."""
        values = {
            "node": self.name(node),
            "type": ", ".join(self.graph.types(node)),
            "description": self.graph.description(node),
        }
        present = {column: value for column, value in values.items() if value}
        return Row(tuple(present), tuple(present.values()), (), (node,), self.graph)

    def _paths(self) -> dict[Walked, Path]:
        """Return a path for each triple that was followed: the walk to it, and the triple as its last step."""
        has_ids = Capability.ADJACENCY in capabilities_of(self.graph)
        seen: Any = None if has_ids else SeenTriples(self.graph)
        graph: Any = self.graph if has_ids else seen
        leading: dict[int, Path | None] = dict.fromkeys(
            self._starts
        )  # the path that first led to an entity; None where walks begin
        paths: dict[Walked, Path] = {}
        for step in self._walked:
            triple = self.triple_id(*step.triple) if has_ids else seen.add(step.triple)
            before = leading.setdefault(step.start, None)
            if before is None or step.end in before.nodes:
                path = Path(graph, (step.start, step.end), (triple,), (step.forward,))
            else:
                nodes, triples = (*before.nodes, step.end), (*before.triples, triple)
                path = Path(graph, nodes, triples, (*before.forward, step.forward), prefix=before)
            leading.setdefault(step.end, path)
            paths[step] = path
        return paths


def listed(names: Sequence[str], limit: int, more: str = "") -> str:
    """Return names with commas between, at most so many, and how many there are beyond them.

    >>> listed(["Kenya", "Uganda", "Rwanda"], 2)
    'Kenya, Uganda, and 1 more'
    """
    text = ", ".join(names[:limit])
    return text if len(names) <= limit else f"{text}, and {len(names) - limit:,} more{more}"
