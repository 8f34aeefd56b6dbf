"""Words for relations and names of classes by a language model, unless they contradict others.

Small models mix up directions and invent synonyms. So the model is asked twice: once with a triple from its head, once
with another one from its tail. Only what it says of the same end both times counts, and only if it passes the rules
of `graphbrick.learn.words.word_checks`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import ModelError
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.learn.words.model_requests import (
    RELATION_TOKENS,
    Class,
    Pair,
    Proposal,
    Relation,
    read_proposals,
    request,
)
from graphbrick.learn.words.word_checks import agreed, same_meaning, shared
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.replies.replies import one_line
from graphbrick.patterns.text import readable
from graphbrick.patterns.words.phrasebook import Phrasebook
from graphbrick.patterns.words_file import EntityClass, RelationWords
from graphbrick.pipeline.budget import StoppedError

_MOST_RELATIONS = 4  # in one request
_TRIED, _MEMBERS, _LONGEST = 50, 4, 60  # triples of a relation, members of a class, characters of a label
_SYMMETRIC = 0.5  # of the triples that were looked at are there the other way round too

Group = Sequence[Relation] | Class


@dataclass
class ModelWords:
    """The words that a language model added to those of a graph, and their cost.

    Attributes:
        model: Its name.
        relations: Number of relations that it was asked about; those that the user corrected are not among them.
        classes: Number of classes without a name that it was asked about.
        taken: Words by relation, or by class, each after the field of words.toml that it is in.
        refused: Words that were not taken: relation or class, word, and the reason.
        unread: Number of replies that could not be read.
        calls: Number of calls; recorded replies do not count.
        tokens_in: Tokens that the model read.
        tokens_out: Tokens that it wrote.
        cost: In US dollars.
        stopped: Why it was not asked about everything; "" if it was.
        events: What else a reader should know.
    """

    model: str
    relations: int = 0
    classes: int = 0
    taken: dict[str, list[str]] = field(default_factory=dict)
    refused: list[tuple[str, str, str]] = field(default_factory=list)
    unread: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    stopped: str = ""
    events: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self)

    def __str__(self) -> str:
        taken = sum(map(len, self.taken.values()))
        lines = [
            f"{self.model} was asked about {self.relations:,} relations and {self.classes:,} classes: {taken:,} words "
            f"and questions taken, {len(self.refused):,} refused; {self.calls:,} calls, "
            f"{self.tokens_in:,} tokens read, {self.tokens_out:,} written, ${self.cost:.4f}"
        ]
        reasons = Counter(reason for _, _, reason in self.refused)
        if reasons:
            lines.append("refused: " + "; ".join(f"{times:,} {reason}" for reason, times in reasons.most_common(6)))
        if self.unread:
            lines.append(f"{self.unread:,} replies could not be read")
        if self.stopped:
            lines.append(
                f"{self.model} was not asked about the rest, which has the words of its labels: {self.stopped}"
            )
        return "\n".join(lines)


def suggest(
    graph: Graph, book: Phrasebook, rules: Phrasebook, llm: ChatModel, *, seed: int = 0, progress: Progress = silent
) -> ModelWords:
    """Add words that a language model suggests to a phrasebook, and say which.

    Relations and classes that differ from what the rules read and the model wrote before are the user's, and stay. If
    the model fails, or the budget is used up, the words that it was sure of until then are taken.

    Args:
        graph: The graph.
        book: The words so far; it is changed.
        rules: The words that the labels alone give.
        llm: The model.
        seed: Of the triples that it is shown.
        progress: Told how many relations and classes are done.
    """
    result = ModelWords(llm.model)
    groups: list[Group] = [*_relations(graph, book, rules, llm, seed), *_classes(graph, book, rules, seed)]
    agreed_on, done = list[Proposal](), list[Group]()
    with record(Trace(), "learn", "words") as entry:
        try:
            for first in range(0, len(groups), llm.parallel):
                several = groups[first : first + llm.parallel]
                agreed_on += _agreed(llm, several, rules, result)
                done += several
                progress("relations and classes worded by the model", len(done), len(groups))
        except (ModelError, StoppedError) as error:
            result.stopped = str(error)
    _take(agreed_on, done, book, rules, result)
    _account(entry, result)
    return result


def is_corrected(entry: RelationWords, by_rules: RelationWords) -> bool:
    """Return whether a user changed the words of a relation, made by the rules and perhaps a model."""
    own = deepcopy(entry)
    for line in own.by_model:
        name, _, text = line.partition(": ")
        texts = getattr(own, name, None)
        if not isinstance(texts, list) or text not in texts:
            return True  # the user took it out
        texts.remove(text)
    own.by_model = []
    return own != by_rules


def _agreed(llm: ChatModel, groups: Sequence[Group], rules: Phrasebook, result: ModelWords) -> list[Proposal]:
    """Return the proposals for some groups that the model makes both times."""
    ways = (False, True)
    replies = llm.ask_all([request(group, is_reversed=way) for way in ways for group in groups])
    taken = list[Proposal]()
    for i, group in enumerate(groups):
        both = [read_proposals(replies[i + len(groups) * way].text, group, is_reversed=way) for way in ways]
        result.unread += both.count(None)
        fits, refused = agreed([proposals or () for proposals in both], rules)
        taken += fits
        result.refused += [(one.about.name, one.text, reason) for one, reason in refused]
    return taken


def _take(
    agreed_on: Sequence[Proposal], done: Sequence[Group], book: Phrasebook, rules: Phrasebook, result: ModelWords
) -> None:
    """Write proposals into the book, in the place of what a model wrote there before."""
    for group in done:
        if isinstance(group, Class):
            one = book.classes[group.at]
            one.names, one.by_model = [name for name in one.names if name not in one.by_model], []
            result.classes += 1
        else:
            for relation in group:
                book.relations[relation.label] = deepcopy(rules.relations[relation.label])
            result.relations += len(group)
    twice = shared(agreed_on, book)
    for proposal in agreed_on:
        about, name, text = proposal
        if proposal in twice:
            result.refused.append((about.name, text, "another relation or class has it too"))
            continue
        if isinstance(about, Class):
            one = book.classes[about.at]
            one.names.append(text)
            one.by_model.append(text)
            one.person |= forms.kind_of(text) == forms.PERSON
        else:
            entry = book.relations[about.label]
            getattr(entry, name).append(text)
            entry.by_model.append(f"{name}: {text}")
        result.taken.setdefault(about.name, []).append(f"{name}: {text}")


def _account(entry: StageTrace, result: ModelWords) -> None:
    result.calls, result.cost = entry.calls, entry.cost
    result.tokens_in, result.tokens_out = entry.tokens_in, entry.tokens_out
    result.events = list(entry.events)


def _relations(
    graph: Graph, book: Phrasebook, rules: Phrasebook, llm: ChatModel, seed: int
) -> Iterator[list[Relation]]:
    """Yield relations that the user did not correct, a few at a time, those of most triples first."""
    ids = graph.triple_ids()
    relation = graph.csr.relation[ids]
    order = np.argsort(relation, kind="stable")
    bounds = np.searchsorted(relation[order], np.arange(graph.n_relations + 1))
    relations, labels = list[Relation](), set[str]()
    for number in np.argsort(-np.diff(bounds), kind="stable").tolist():
        label = graph.relation_label(number)
        if label in labels or is_corrected(book.relations[label], rules.relations[label]):
            continue
        labels.add(label)
        triples = ids[order[bounds[number] : bounds[number + 1]]]
        drawn = random.Random(f"{seed} {label}").sample(range(len(triples)), min(len(triples), _TRIED))
        one = _relation(graph, label, [graph.triple(int(triples[i])) for i in drawn])
        if one is not None:
            relations.append(one)
    size = max(1, min(_MOST_RELATIONS, llm.max_tokens // RELATION_TOKENS))
    for first in range(0, len(relations), size):
        yield relations[first : first + size]


def _relation(graph: Graph, label: str, triples: Sequence[tuple[int, int, int]]) -> Relation | None:
    """Return a relation with two triples whose ends have different labels; None if there is none."""
    pairs = [Pair(_shown(graph, head), _shown(graph, tail)) for head, _, tail in triples]
    pairs = [pair for pair in pairs if pair.head and pair.tail and not same_meaning(pair)]
    if not pairs:
        return None
    pairs.sort(key=lambda pair: any(len(name) == _LONGEST for name in pair))  # cut labels last
    other = next((pair for pair in pairs[1:] if not set(pair) & set(pairs[0])), pairs[-1])
    back = sum(any(r == relation for r in _relations_between(graph, tail, head)) for head, relation, tail in triples)
    name = one_line(readable(label))[:_LONGEST]
    return Relation(label, name, pairs[0], other, is_symmetric=back >= _SYMMETRIC * len(triples))


def _relations_between(graph: Graph, head: int, tail: int) -> list[int]:
    """Return the relations of the triples from one entity to another."""
    row = graph.triples_from(head)
    relations = graph.csr.relation[row.start : row.stop][graph.csr.tail[row.start : row.stop] == tail]
    return [int(relation) for relation in relations]


def _classes(graph: Graph, book: Phrasebook, rules: Phrasebook, seed: int) -> Iterator[Class]:
    """Yield the classes without a name, or with names of a model alone."""
    fresh = {(frozenset(one.heads), frozenset(one.tails)): one for one in rules.classes}
    for at, one in enumerate(book.classes):
        known = fresh.get((frozenset(one.heads), frozenset(one.tails)))
        if known is None or known.names or set(one.names) != set(one.by_model):
            continue
        members = _members(graph, one, seed)
        if members:
            ways = [*(f"{readable(label)} (of it)" for label in one.heads)]
            ways += [f"{readable(label)} (it is that)" for label in one.tails]
            shown, others = members[:_MEMBERS], members[_MEMBERS:] or members
            yield Class(at, tuple(one_line(way)[:_LONGEST] for way in ways[:6]), tuple(shown), tuple(others))


def _members(graph: Graph, one: EntityClass, seed: int) -> list[str]:
    """Return labels of some members, each once."""
    label, is_head = (one.heads[0], True) if one.heads else (one.tails[0], False)
    ids = graph.triple_ids()
    numbers = [number for number in range(graph.n_relations) if graph.relation_label(number) == label]
    triples = ids[np.isin(graph.csr.relation[ids], numbers)]
    drawn = random.Random(f"{seed} {label}").sample(range(len(triples)), min(len(triples), _TRIED))
    ends = [graph.triple(int(triples[i])) for i in drawn]
    members = dict.fromkeys(_shown(graph, head if is_head else tail) for head, _, tail in ends)
    return [name for name in members if name][: 2 * _MEMBERS]


def _shown(graph: Graph, entity: int) -> str:
    return one_line(graph.label(entity))[:_LONGEST]
