"""Linking by a language model, which lists names and chooses among entities of one name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from graphbrick.bricks.link.context import report
from graphbrick.bricks.link.exact import Written, as_written, ranked
from graphbrick.core import Mention, Query
from graphbrick.core.errors import LinkError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.names import names_of
from graphbrick.language.folding import Token, fold, nfc, tokens
from graphbrick.language.signs import fit
from graphbrick.language.stop_words import QUESTION_WORDS
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.context_budget import fitting
from graphbrick.models.llm.messages import Request
from graphbrick.models.llm.replies.json_replies import json_list, json_object, whole_number
from graphbrick.models.llm.replies.replies import (
    lines_of,
    numbered,
    one_line,
    parts_of,
    read_names,
    read_numbers,
    shown,
    without_remark,
)
from graphbrick.pipeline import LinkStage

# It is called a text: a model that is shown a question rather answers it.
_NAME = (
    "You copy names out of a text: of persons, places, titles, languages and other things that have a name, word for "
    "word as the text has them. What the text asks is not your concern. "
)
# Key: whether the reply is JSON.
_NAME_BY = {
    False: "Reply with the names only, one a line. If the text has no name, reply NONE.",
    True: 'Reply with JSON that holds the names. If the text has no name, reply {"names": []}.',
}
# Questions with their names; small models take one that stands in the rules for what they are asked.
_EXAMPLES = {
    "which rivers flow through Basel and the birthplace of Max Frisch": ["Basel", "Max Frisch"],
    "what genres are the novels that share an author with The Glass Bead Game": ["The Glass Bead Game"],
}
_NAME_PROMPT = "Text: {question}\nNames in the text:"
_CHOOSE = "You are given a question and numbered entities of a knowledge graph. One of them is meant by a name in it. "
_CHOOSE_BY = {
    False: "Reply with the number of that entity and nothing else.",
    True: 'Reply with JSON that holds the number of that entity, such as {"number": 2}.',
}
_CHOOSE_PROMPT = "Entities:\n{entities}\n\nQuestion: {question}\nName: {name}\nNumber:"
# What a candidate is told by: triples shown, and looked at in each direction; characters of each text.
_TRIPLES, _LOOKED_AT, _LONGEST = 2, 50, 200
_NEAREST = 5


@dataclass(frozen=True, repr=False)
class LinkWithLLM(LinkStage):
    """Seeds from the names that a language model lists, looked up among labels and aliases.

    The model is asked once for the names, with two examples. Each name is looked up as in `LinkLabels`: exactly apart
    from case, accents and punctuation; if there is no match, by similarity. A name that the question does not contain
    is an event, and is looked up by similarity only if no other name matches. A name without entity is an event too.

    If several entities match, the model is asked which is meant, for all such names at the same time. It sees each
    with its description or types, its number of triples, and the two triples that share most words with the question.
    The other entities are kept in ``Mention.others``. A choice that cannot be read is an event, and the rule of
    `LinkLabels` decides: exact spelling first, then a label before an alias, then the best connected; the nearest of
    near misses.

    The model is asked for JSON if it is ``structured``.

    Args:
        llm: The language model, such as LLM().
        n: Most names looked up, at least 1; the first ones of the reply.
        candidates: Entities of one name that the model is shown at most, at least 2, in the order of that rule.
        min_score: Least similarity of a near miss, in (0, 1); 0.8 forgives one wrong letter in five.

    Returns:
        The query with distinct seeds in order of appearance; those whose names are not in the question come last.

    Raises:
        LinkError: The model names nothing, or none of the names is an entity; the message shows the names.
        ModelError: The server cannot be reached, refuses the request, or does not answer in time.

    Example:
        >>> from graphbrick import LLM
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> graph, question = tiny_graph(), Query("Which currency is used in the country whose capital is Nairobi?")
        >>> with ScriptedLLM(['{"names": ["Nairobi"]}']) as server:
        ...     query = LinkWithLLM(LLM(base_url=server.base_url)).link(graph, question)
        >>> [graph.label(seed) for seed in query.seeds]
        ['Nairobi']
    """

    paper = "Sun et al., Think-on-Graph, ICLR 2024 (topic entities); Cao et al., LEGO-GraphRAG, VLDB 2025 (seeds)"

    llm: ChatModel = parameter(example="LLM()")
    n: int = parameter(8, at_least=1)
    candidates: int = parameter(8, at_least=2, search=(4, 8, 16))
    min_score: float = parameter(0.8, above=0, below=1, search=(0.7, 0.8, 0.9))

    def link(self, graph: Graph, query: Query) -> Query:
        """Return the query with the seeds that the model finds in it."""
        text = nfc(query.text)
        names = self._names(text)
        matches = self._matches(graph, text, names)
        if not matches:
            tried = ", ".join(repr(name.text[:80]) for name in names) or "it named nothing"
            question = text if len(text) <= 80 else text[:77] + "..."
            raise LinkError(
                f"nothing that {self.llm.model} named in {question!r} is an entity of {graph.path.name}: {tried}; "
                "give a seed, or try LinkLabels()",
                code="link_llm.no_entity",
                names=[name.text[:80] for name in names],
            )
        chosen = self._chosen(graph, text, [(name, entities) for name, entities in matches if len(entities) > 1])
        mentions = []
        for name, entities in matches:
            entity = chosen.get(name, next(iter(entities)))
            mention = Mention(name.text, entity, entities[entity], tuple(e for e in entities if e != entity))
            if mention.score < 1:
                message = f"{name.text!r} is not a label; took {graph.label(entity)!r} (similarity {mention.score:.2f})"
                event(message, "link_llm.near_miss", name=name.text, taken=graph.key(entity))
            report(graph, mention, self.llm.model if name in chosen else "")
            mentions.append(mention)
        return replace(query, seeds=tuple(dict.fromkeys(m.entity for m in mentions)), mentions=tuple(mentions))

    def _names(self, text: str) -> list[_Name]:
        """Return the names that the model finds in the question, in order of appearance."""
        reply = self.llm.complete(
            [
                {"role": "system", "content": _NAME + _NAME_BY[self.llm.structured]},
                *_examples(self.llm.structured),
                {"role": "user", "content": _NAME_PROMPT.format(question=one_line(text))},
            ],
            schema=json_object(names=json_list({"type": "string"}, most=self.n)),
        )
        words = tokens(text)
        parts = [part for name in read_names(reply) or [] for part in _in_question(text, words, name)]
        names = list(dict.fromkeys(_name(text, words, name) for name in parts))
        if len(names) > self.n:
            message = f"{self.llm.model} named {len(names)} entities, of which the first {self.n} were looked up"
            event(message, "link_llm.too_many_names", n=len(names), at_most=self.n)
            names = names[: self.n]
        strange = [name.text for name in names if name.start < 0]
        if strange:
            listed = ", ".join(repr(name[:80]) for name in strange)
            message = f"{self.llm.model} named what is not in the question; it was looked up all the same: {listed}"
            event(message, "link_llm.not_in_question", names=strange)
        return sorted(names, key=lambda name: name.start if name.start >= 0 else len(text))

    def _matches(self, graph: Graph, text: str, names: Sequence[_Name]) -> list[tuple[_Name, dict[int, float]]]:
        """Return the names that match, each with its entities and similarities, in the order of `ranked`."""
        matches = dict[_Name, dict[int, float]]()
        for name in names:
            exact = _exact(graph, text, name)
            matches[name] = dict.fromkeys(exact, 1.0)
            if not exact and name.start >= 0:
                matches[name] = self._near(graph, name)
        if not any(matches.values()):
            # What is neither in the question nor the graph, but near a label, may be anything: the last resort.
            matches |= {name: self._near(graph, name) for name in names if name.start < 0}
        for name in names:
            if not matches[name]:
                labels = ", ".join(match.name for match in graph.names.near(name.text, _NEAREST)) or "none"
                message = f"{name.text[:80]!r} names no entity of {graph.path.name}; nearest labels: {labels}"
                event(message, "link_llm.unknown_name", name=name.text[:80], nearest=labels)
        return [(name, entities) for name, entities in matches.items() if entities]

    def _near(self, graph: Graph, name: _Name) -> dict[int, float]:
        matches = graph.names.near(name.text, self.candidates, min_score=self.min_score)
        return {match.entity: match.score for match in matches}

    def _chosen(self, graph: Graph, text: str, several: Sequence[tuple[_Name, dict[int, float]]]) -> dict[_Name, int]:
        """Return the entity that the model chooses for each name; names with unreadable replies are missing."""
        choices, requests = list[tuple[_Name, list[int], list[str]]](), list[Request]()
        for name, entities in several:
            first = list(islice(entities, self.candidates))
            lines = lines_of(_portrait(graph, entity, text) for entity in first)
            fit = fitting(self.llm, self._which(text, name, []), lines)
            if fit < 2:
                message = f"{self.llm.model} was not asked which of {len(entities):,} {name.text!r} is meant: no room"
                event(message, "link_llm.no_room", name=name.text, n=len(entities))
                continue
            if fit < len(entities):
                message = (
                    f"{self.llm.model} was shown the first {fit} of {len(entities):,} entities named {name.text!r}"
                )
                event(message, "link_llm.entities_cut", name=name.text, shown=fit, n=len(entities))
            choices.append((name, first[:fit], lines[:fit]))
            schema = json_object(number=whole_number(1, fit))
            requests.append(Request(self._which(text, name, lines[:fit]), schema))
        chosen = {}
        replies = self.llm.ask_all(requests) if requests else []
        for (name, offered, lines), reply in zip(choices, replies, strict=True):
            numbers = read_numbers(reply.text, lines)
            if numbers:
                chosen[name] = offered[numbers[0] - 1]
            if not numbers:
                message = f"{self.llm.model} did not choose a {name.text!r}; it was taken by its name and its triples"
                event(message, "link_llm.no_choice", name=name.text)
            elif len(numbers) > 1:
                message = f"{self.llm.model} chose {len(numbers)} {name.text!r}; the first counts: {shown(reply.text)}"
                event(message, "link_llm.several_choices", name=name.text, n=len(numbers))
        return chosen

    def _which(self, text: str, name: _Name, lines: Sequence[str]) -> list[dict[str, str]]:
        prompt = _CHOOSE_PROMPT.format(entities=numbered(lines), question=one_line(text), name=one_line(name.text))
        rules = _CHOOSE + _CHOOSE_BY[self.llm.structured]
        return [{"role": "system", "content": rules}, {"role": "user", "content": prompt}]


def _examples(as_json: bool) -> list[dict[str, str]]:
    """Return the example questions and replies as messages."""
    messages = []
    for question, names in _EXAMPLES.items():
        reply = json.dumps({"names": names}) if as_json else "\n".join(names)
        messages.append({"role": "user", "content": _NAME_PROMPT.format(question=question)})
        messages.append({"role": "assistant", "content": reply})
    return messages


@dataclass(frozen=True)
class _Name:
    """A name and its start in the question; -1 if the question does not contain it."""

    text: str
    start: int


def _name(text: str, words: Sequence[Token], name: str) -> _Name:
    """Return a name as the question spells it, with its position."""
    folded = [token.text for token in tokens(nfc(name))]
    for i in range(len(words) - len(folded) + 1) if folded else ():
        if all(word.text == wanted for word, wanted in zip(words[i:], folded, strict=False)):
            place = fit(text, words[i : i + len(folded)], name)
            return _Name(text[place.start : place.end], place.start)
    return _Name(name, -1)


def _exact(graph: Graph, text: str, name: _Name) -> list[int]:
    """Return the entities whose names equal a name after folding, with the signs that the question has."""
    numbers, start, end = names_of(graph.names, name.text), name.start, name.start + len(name.text)
    if start < 0:
        text, start, end = nfc(name.text), 0, len(name.text)
    words = [word for word in tokens(text) if start <= word.start < end] if numbers else []
    written = as_written(graph, text, words, numbers) if words else Written(name.text, numbers)
    return ranked(graph, written.surface, written.numbers)


def _in_question(text: str, words: Sequence[Token], name: str) -> list[str]:
    """Return the names in one line of a reply; split it only if all parts are in the question."""
    for parts in ([name], [without_remark(name)], parts_of(name)):
        if parts and all(_name(text, words, part).start >= 0 for part in parts):
            return parts
    return [name]


def _portrait(graph: Graph, entity: int, text: str) -> str:
    """Return a line that distinguishes an entity from others of the same name."""
    words = set(fold(text).split()) - set(fold(graph.label(entity)).split()) - QUESTION_WORDS
    triples = [*graph.triples_from(entity)[:_LOOKED_AT]]
    triples += graph.csr.in_triple[graph.csr.row(entity, False)][:_LOOKED_AT].tolist()
    texts = [graph.triple_text(triple) for triple in triples]
    texts.sort(key=lambda fact: -len(words.intersection(fold(fact).split())))  # of equal ones the first stays first
    degree = graph.degree(entity)
    parts = [one_line(graph.describe(entity))[:_LONGEST], f"{degree:,} {'triple' if degree == 1 else 'triples'}"]
    return "; ".join([*parts, *(one_line(fact)[:_LONGEST] for fact in texts[:_TRIPLES])])
