"""Logical forms that a language model drafts, bound to the graph, executed, and put to a vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.reasoning.asking import PROMPTS
from graphbrick.bricks.retrieve.reasoning.forms.execute import (
    Binding,
    Found,
    SpentError,
    TooLargeError,
    Visits,
    bindings,
    execute,
    path_of,
    slots_of,
)
from graphbrick.bricks.retrieve.reasoning.forms.form import (
    Count,
    Form,
    FormError,
    Join,
    form_text,
    parts_of,
    read_form,
    turned,
)
from graphbrick.core import Citation, Evidence, Query, Row, Subgraph
from graphbrick.core.compute import check_limits
from graphbrick.core.items import ANSWER, Item
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.language.folding import fold
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Request
from graphbrick.models.llm.replies.replies import one_line, shown, unreadable
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.patterns.planned.relation_paths import relations_near
from graphbrick.patterns.text import readable
from graphbrick.pipeline import RetrieveStage

_ENTITIES, _ENTITIES_OF_MANY = 15, 5  # candidates of a name; fewer if there are more than 3 joins
_RELATIONS, _RELATIONS_OF_MANY = 7, 4  # candidates of a relation; fewer if there are 3 relations or more
_HOPS = 2  # around the entities, where relations are looked for
_MOST_JOINS = 5  # drafts with more are left out
_VISITS = 2_000_000  # entities that the forms of all drafts may visit, some 10 seconds


class _Executed(NamedTuple):
    """A draft with answers.

    Attributes:
        form: The draft.
        binding: What its names mean.
        found: The entities it gives.
    """

    form: Form
    binding: Binding
    found: Found

    @property
    def answer(self) -> object:
        """The vote of the draft: its entities, or their number."""
        return len(self.found) if isinstance(self.form, Count) else frozenset(self.found)


@dataclass(frozen=True, repr=False)
class LogicalForms(RetrieveStage):
    """The answers of logical forms that a language model drafts, by a vote of those that give any.

    This is the method of KB-BINDER. The model sees the question and a few examples of forms, but nothing of the graph.
    Names of entities in a draft are bound to the entities of that name or, if the question has it, of one like it.
    Relations are bound to those within two hops of these entities whose names a scorer finds nearest to their words and
    the question. The combinations are executed, the likeliest first, each as it is drafted and with its joins the other
    way round, until one gives something; equal drafts are executed once. The answer of most drafts wins; the earlier
    draft wins a tie. It is an event if a draft cannot be read, has more than five joins, or gives nothing.

    Args:
        llm: The language model, such as LLM(temperature=0.3); without a temperature all drafts would be the same.
        scorer: Compares the words of a draft with the relations of the graph, such as MiniLM().
        drafts: Forms drafted, at least 1.
        tries: Most forms executed for a draft, at least 1; reaching that is an event. So is visiting 2,000,000
            entities for all drafts together, which ends the search.

    Returns:
        The paths from the entities of the winning form to each answer, in the order of the entity ids; for a count, a
        row with the number before the paths.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.
    """

    paper = "Li et al., Few-shot In-context Learning for Knowledge Base Question Answering (KB-BINDER), ACL 2023"
    starts_at_seeds = False

    llm: ChatModel = parameter(example="LLM(temperature=0.3)")
    scorer: Scorer = parameter(example="MiniLM()")
    drafts: int = parameter(6, at_least=1, search=(1, 3, 6))
    tries: int = parameter(500, at_least=1)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the paths to the answers of the form that wins."""
        forms = self._drafts(query)
        visits = Visits(_VISITS)
        by_form = {form: self._executed(query, subgraph, form, visits) for form in dict.fromkeys(forms)}
        executed = [done for form in forms if (done := by_form[form]) is not None]
        fact(drafts=len(forms), drafts_with_answers=len(executed))
        if not executed:
            event("no draft gives an answer", "logical_forms.no_answer")
            return Evidence()
        votes = Counter(done.answer for done in executed)
        best = max(executed, key=lambda done: votes[done.answer])  # the first of equals
        event(
            f"{votes[best.answer]} of {len(executed)} drafts that give an answer agree on {form_text(best.form)}",
            "logical_forms.votes",
            votes=votes[best.answer],
            drafts=len(executed),
            form=form_text(best.form),
        )
        return self._evidence(subgraph, best)

    def _drafts(self, query: Query) -> list[Form]:
        """Return the drafts that can be read."""
        n = self.drafts if self.llm.temperature else 1
        if n < self.drafts:
            event("the model has temperature 0, so that it drafts once", "logical_forms.one_draft")
        request = PROMPTS.request(self.llm, "draft_form", question=query.text).request
        reply = self.llm.ask_all([Request(request.messages, n=n)])[0]
        forms = []
        for choice in reply.choices:
            text = choice.message.text.strip()
            try:
                form = read_form(text)
            except FormError as error:
                unreadable(
                    f"a draft could not be read ({error}): {shown(text)}",
                    "logical_forms.unread_draft",
                    problem=str(error),
                )
                continue
            if sum(isinstance(part, Join) for part in parts_of(form)) > _MOST_JOINS:
                event(
                    f"a draft has more than {_MOST_JOINS} joins and was left out: {shown(text)}",
                    "logical_forms.too_many_joins",
                )
                continue
            forms.append(form)
        return forms

    def _executed(self, query: Query, subgraph: Subgraph, form: Form, visits: Visits) -> _Executed | None:
        """Return the first binding of a form that has answers."""
        if visits.left < 0:
            event(
                f"a draft was not executed, since those before visited {_VISITS:,} entities: {form_text(form)}",
                "logical_forms.not_executed",
                form=form_text(form),
            )
            return None
        candidates = self._candidates(query, subgraph, form)
        missing = next((slot for slot, found in candidates.items() if not found), None)
        if missing is not None:
            event(
                f"a draft gives nothing: there is no {missing[0]} like {missing[1][:80]!r}",
                "logical_forms.no_candidate",
                kind=missing[0],
                name=missing[1][:80],
            )
            return None
        tries = ((bound, binding) for binding in bindings(candidates, self.tries) for bound in turned(form))
        for tried, (bound, binding) in enumerate(tries):
            check_limits()
            if tried == self.tries:
                event(
                    f"a draft gives nothing after {tried:,} forms (tries): {form_text(form)}",
                    "logical_forms.tries",
                    tries=tried,
                    form=form_text(form),
                )
                return None
            try:
                found = execute(subgraph, bound, binding, visits)
            except TooLargeError:
                continue
            except SpentError:
                event(
                    f"a draft was given up after {_VISITS:,} entities visited by all drafts: {form_text(form)}",
                    "logical_forms.visits",
                    form=form_text(form),
                )
                return None
            if found:
                return _Executed(bound, binding, found)
        event(f"a draft gives nothing: {form_text(form)}", "logical_forms.no_result", form=form_text(form))
        return None

    def _candidates(self, query: Query, subgraph: Subgraph, form: Form) -> dict[tuple[str, str], list[int]]:
        """Return the candidates for each name in a form, best first: entities as local ids, and relations."""
        slots = slots_of(form)
        joins = sum(isinstance(part, Join) for part in parts_of(form))
        words = [name for kind, name in slots if kind == "relation"]
        most = _ENTITIES_OF_MANY if joins > 3 else _ENTITIES
        candidates = {slot: _entities(query, subgraph, slot[1], most) for slot in slots if slot[0] == "entity"}
        nodes = np.unique(np.array([node for local in candidates.values() for node in local], dtype=np.int32))
        nodes = nodes if subgraph.nodes is None else np.unique(subgraph.nodes[nodes])
        near = sorted(relations_near(subgraph.graph, nodes, _HOPS)) if len(nodes) else []
        most = _RELATIONS_OF_MANY if len(words) >= 3 else _RELATIONS
        candidates |= {("relation", name): self._relations(query, subgraph, name, near, most) for name in words}
        return {slot: candidates[slot] for slot in slots}

    def _relations(self, query: Query, subgraph: Subgraph, words: str, near: list[int], most: int) -> list[int]:
        """Return those of some relations whose names are nearest to words and question, best first."""
        if not near:
            return []
        names = [readable(subgraph.graph.relation_label(relation)) for relation in near]
        scores = self.scorer.rate(f"{words} {one_line(query.text)}", names)
        return [near[place] for place in np.argsort(-scores, kind="stable")[:most].tolist()]

    def _evidence(self, subgraph: Subgraph, best: _Executed) -> Evidence:
        source = repr(self)
        walks = [walk for node in sorted(best.found) for walk in best.found[node] if walk.before is not None]
        paths = [path_of(walk).path(subgraph, source) for walk in walks]
        items: list[Item] = list({path.identity: path for path in paths}.values())
        if isinstance(best.form, Count):
            text = form_text(best.form)
            ends = tuple(path.end for path in paths)
            n, cited = len(best.found), (Citation(query=text),)
            row = Row(ANSWER, (str(n), text), cited, ends, subgraph.graph, source=source, counted=n)
            items.insert(0, row)
        return Evidence(tuple(items))


def _entities(query: Query, subgraph: Subgraph, name: str, most: int) -> list[int]:
    """Return the local ids of entities with a name: seeds of that name first, then matches in the graph.

    A name that is not in the question is taken only as it stands: a model invents names.
    """
    graph = subgraph.graph
    wanted = fold(one_line(name))
    seeds: Sequence[int] = [seed for seed in query.seeds if fold(graph.label(seed)) == wanted]
    matches = graph.search(name, most)
    if f" {wanted} " not in f" {fold(query.text)} ":
        matches = [entity for entity in matches if fold(graph.label(entity)) == wanted]
    return subgraph.local(dict.fromkeys([*seeds, *matches]))[:most]
