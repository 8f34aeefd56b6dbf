"""Linking by names: labels and aliases, exactly after folding, or in another spelling."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Literal, TypeAlias

import numpy as np

from graphbrick.bricks.link.context import is_spelled, report, settled
from graphbrick.bricks.link.exact import ExactNames, Matches, as_written, ranked, read
from graphbrick.bricks.link.question import Question, Span, disjoint
from graphbrick.bricks.link.unmatched import READ_WORDS, Unmatched, tell_other_spelling
from graphbrick.core import Mention, Query
from graphbrick.core.errors import LinkError, not_known
from graphbrick.core.parameters import parameter
from graphbrick.core.properties.stated import shortened
from graphbrick.core.trace import DETAIL, REFUSAL, event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.names import names_of
from graphbrick.language.folding import nfc, tokens
from graphbrick.patterns.stated import stated
from graphbrick.pipeline import LinkStage

_SHOWN = 5
_LONGEST_NAME = 80  # characters of a name in a message; a label may have any length
_MOST_NAMES = 64  # of a question that become seeds
_Values: TypeAlias = list[tuple[Span, str]]
_FORMS: tuple[Literal["NFC", "NFD", "NFKC"], ...] = ("NFC", "NFD", "NFKC")


@dataclass(frozen=True, repr=False)
class LinkLabels(LinkStage):
    """Seeds by label or alias, longest match first over the whole question; also in other spellings.

    Case, accents and punctuation are ignored. Of names that differ in signs only (C, C++ and C#), the one is taken
    whose signs stand in the question. Words of the graph's types and relations («capital», «the director»), and single
    lower-case words, are taken only if nothing else matches. Function words are taken only if they are capitalized,
    not the first word, and spelled exactly like a name.

    Capitalized or quoted words that are not an exact name are looked up again. Other spellings come first: initials
    with or without points, «&» for «and», without an article, in the plural. Then the initials of a whole name, such as
    «ICU», and parts of a name that only one entity has, such as a first name. Then typing errors: one in a name of five
    letters or more, two in one of ten. In lower case, typing errors are looked for in names of two words or more; all
    else only if nothing matches exactly.

    If several entities share a name, the question decides: neighbours of what else it names, types and relations that
    it speaks of. Then exact spelling comes first, then labels before aliases, then the entity with the most triples.
    The others are an event in the trace and are kept in ``Mention.others``.

    Args:
        min_score: Least similarity of a near miss, in (0, 1); 0.8 forgives one wrong letter in five.
        readings: Entities of one mention that become seeds, from 1 to 16, if it may mean several that are equally well
            spelled. Later stages decide between them: `PathAnswer` follows the reading of the best path, and says so.
            Stages that spread from all seeds, such as PPR, spread from all readings.
        words: The folder of learned patterns whose file of words names classes of the graph; None for its types alone.
        required: Whether a question that names nothing is an error; if not, later stages get it without seeds.

    Returns:
        The query with distinct seeds: the best reading of each mention in order of appearance, then other readings;
        without seeds, and with an event, if the question names only a class of the graph («which country has the most
        neighbours») or compares numbers or dates («who earns the most»), which `Operators` answers.

    Raises:
        LinkError: Nothing in the question names an entity (the message shows the nearest labels), or the only match is
            a part, or the initials, of several names (the message shows them).

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = LinkLabels().link(graph, Query("Which currency is used in the country whose capital is NAIROBI?"))
        >>> [graph.label(seed) for seed in query.seeds]
        ['Nairobi']
    """

    min_score: float = parameter(0.8, above=0, below=1, search=(0.7, 0.8, 0.9))
    readings: int = parameter(1, at_least=1, at_most=16, search=(1, 2, 4))
    words: str | None = parameter(None, path=True, example="films.patterns")
    required: bool = parameter(True)

    def _values(self, graph: Graph, question: Question, exact: ExactNames) -> tuple[_Values, ExactNames]:
        if not graph.columns and not graph.changes.facts:
            return [], exact
        from graphbrick.bricks.link.kinds import values_and_names  # most graphs need none

        return values_and_names(graph, question, exact, self.words)

    def _kinds(self, graph: Graph, question: Question, exact: ExactNames, values: _Values) -> list[str]:
        from graphbrick.bricks.link.kinds import kinds_in  # questions with names need none

        return kinds_in(graph, question, exact, values, self.words)

    def link(self, graph: Graph, query: Query) -> Query:
        """Return the query with the seeds that its text names."""
        try:
            return self._linked(graph, query)
        except LinkError as error:
            if self.required:
                raise
            event(str(error), "link.nothing_named", REFUSAL)
            return query

    def _linked(self, graph: Graph, query: Query) -> Query:
        pattern = stated(graph, query.text)
        if pattern is not None:
            return replace(query, seeds=(pattern.start,))
        if inside := _IN_NAME.search(query.text):  # «stops with hospital in the name»
            others = query.text[: inside.start()] + query.text[inside.end() :]
            return replace(self._linked(graph, replace(query, text=others)), text=query.text)
        question, exact = read(graph, query.text)
        unmatched = Unmatched(graph, question, self.min_score)
        values, exact = self._values(graph, question, exact)
        beside, parts = unmatched.beside(disjoint(exact.names)), _parts_of_names(unmatched)
        if values:
            from graphbrick.bricks.link.kinds import told_from_values  # most graphs have none

            beside, parts, values = told_from_values(graph, question, beside, parts, values, exact)
        matches = beside + [one for one in parts if not any(one[0].overlaps(span) for span, _ in beside)]
        plain = query.text if matches else _alone(query.text)
        if matches:
            _tell_left_out(question, exact, matches)
        elif plain != query.text:
            return replace(self._linked(graph, replace(query, text=plain)), text=query.text)
        elif not exact.words and (kinds := self._kinds(graph, question, exact, values)):
            text = f"no entity is named, only {', '.join(dict.fromkeys(kinds))}; the question is about all of them"
            event(text, "link.only_classes", DETAIL, classes=list(dict.fromkeys(kinds)))
            if unmatched.several:  # for stages that need an entity to start from; others read it as all of them
                from graphbrick.patterns.properties.name_parts import which_is_meant

                text = which_is_meant(graph, unmatched.several[0].text, unmatched.several[0].entities)
                event(text, "link.part_is_open", REFUSAL, name=unmatched.several[0].text)
            return query
        else:
            matches = disjoint(exact.words) or unmatched.alone() or self._last_resort(graph, question, exact, unmatched)
        matches = _first(matches)
        words = [(mention.entity, *mention.others) for _, mention in (*exact.words, *exact.terms)]
        mentions = [mention for _, mention in settled(graph, question, matches, words)]
        for mention in dict.fromkeys(mentions):
            if mention.text in exact.unlike:
                tell_other_spelling(mention.text, graph.label(mention.entity))
            report(graph, mention)
        readings = zip_longest(*(self._readings(graph, mention) for mention in dict.fromkeys(mentions)))
        seeds = dict.fromkeys(entity for of_rank in readings for entity in of_rank if entity is not None)
        return replace(query, seeds=tuple(seeds), mentions=tuple(mentions))

    def _readings(self, graph: Graph, mention: Mention) -> tuple[int, ...]:
        """Return the entities of a mention that become seeds: those that are as well spelled as the first."""
        first = is_spelled(graph, mention.text, mention.entity)
        alike = (e for e in mention.others if is_spelled(graph, mention.text, e) == first)
        return mention.entity, *islice(alike, self.readings - 1)

    def resolve(self, graph: Graph, query: Query, seeds: Iterable[str | int]) -> Query:
        """Return the query with given seeds; see `resolve_seeds`."""
        return resolve_seeds(graph, query, seeds)

    def _last_resort(self, graph: Graph, question: Question, exact: ExactNames, unmatched: Unmatched) -> Matches:
        """Return entities named like types or relations; raise if there are none, or a part of several names."""
        from graphbrick.bricks.link.lower_case import unknown_words  # most questions name something

        if unmatched.several:
            from graphbrick.patterns.properties.name_parts import which_is_meant  # most names are whole

            part = unmatched.several[0]
            raise LinkError(
                which_is_meant(graph, part.text, part.entities),
                code="link.part_of_several",
                name=part.text,
                n=len(part.entities),
                names=[graph.label(entity) for entity in part.entities[:_SHOWN]],
                instead=[(part.text, graph.label(entity)) for entity in part.entities[:_SHOWN]],
            )
        terms = disjoint(exact.terms)
        if terms and not question.shows_names:
            return terms
        names, text = unmatched.nearest(_SHOWN), " ".join(question.text.split())
        text = text if len(text) <= 80 else text[:77] + "..."
        near = ", ".join(shortened(name, _LONGEST_NAME) for name in names)
        nearest = f"names that are near: {near}" if names else "and no name is near"
        unknown = unknown_words(graph, question, _SHOWN)
        if len(question.words) > READ_WORDS:
            message = f"near misses were looked for in the first {READ_WORDS} of {len(question.words):,} words"
            event(message, "link.long_question", DETAIL, read=READ_WORDS, words=len(question.words))
        raise LinkError(
            f"{not_known(unknown) if unknown else f'«{text}» names nothing of this graph'}; {nearest}",
            code="link.no_entity",
            question=text,
            words=unknown,
            nearest=names,
            instead=unmatched.instead(_SHOWN),
        )


def _parts_of_names(unmatched: Unmatched) -> Matches:
    """Return parts of names in a question that shows none by capitals, common nouns, and numbers that end names."""
    question, has_columns = unmatched.question, bool(unmatched.graph.columns)
    if question.shows_names and not (has_columns or any(word.text.isdigit() for word in question.words)):
        return []
    from graphbrick.bricks.link.lower_case import parts_of_names  # most questions have their names as they are

    return parts_of_names(unmatched)


_IN_NAME = re.compile(
    r"\b(?:with|without|having|have|has|contain(?:ing|s)?|includ(?:e|es|ing)) (?:the )?"
    r"[^,?]+? in (?:the|its|their) (?:name|title)s?\b"
    r"|\b(?:name|title)s? (?:contains?|includes?|has|(?:starts?|begins?|ends?) with|ends? in) "
    r"[^?,]+?(?=$|[?,]| (?:and |but )?(?:that|which|who)\b| and (?:are|is|have|has|do|does)\b)",
    re.IGNORECASE,
)


def _alone(text: str) -> str:
    from graphbrick.language.small_talk import question_alone  # most questions name something

    return question_alone(text)


def _first(matches: Matches) -> Matches:
    """Return the mentions of the first names of a question, in order of appearance."""
    texts = dict.fromkeys(mention.text for _, mention in sorted(matches, key=lambda entry: entry[0]))
    if len(texts) <= _MOST_NAMES:
        return matches
    message = f"the question has {len(texts):,} names; it is answered from the first {_MOST_NAMES}"
    event(message, "link.many_names", names=len(texts), at_most=_MOST_NAMES)
    first = set(islice(texts, _MOST_NAMES))
    return [entry for entry in matches if entry[1].text in first]


def _tell_left_out(question: Question, exact: ExactNames, matches: Matches) -> None:
    """Record which words name entities but were taken for common words."""
    for entries, what in ((exact.words, "common words"), (exact.terms, "words of types and relations")):
        left = disjoint(entries, [span for span, _ in matches])
        if left:
            shown = ", ".join(dict.fromkeys(question.surface(span) for span, _ in left))
            event(f"left out as {what}: {shown}", "link.left_out", DETAIL, reason=what, words=shown)


def resolve_seeds(graph: Graph, query: Query, seeds: Iterable[str | int]) -> Query:
    """Return the query with given seeds: entity ids (also numpy integers), keys, labels or aliases.

    Raises:
        LinkError: No entity has this key or name; the message shows the nearest labels.
    """
    mentions = []
    for seed in seeds:
        if isinstance(seed, bool) or not isinstance(seed, str | int | np.integer):
            raise LinkError(f"an entity to start from is an id, a key or a label, got {seed!r}", code="link.seed_type")
        mention = _resolve(graph, seed) if isinstance(seed, str) else Mention(str(seed), int(seed))
        report(graph, mention)
        mentions.append(mention)
    return replace(query, seeds=tuple(dict.fromkeys(m.entity for m in mentions)), mentions=tuple(mentions))


def _resolve(graph: Graph, name: str) -> Mention:
    for key in dict.fromkeys((name, *(unicodedata.normalize(form, name) for form in _FORMS))):
        with suppress(LinkError):
            return Mention(name, graph.entity(key))
    text, numbers = nfc(name.strip()), names_of(graph.names, name)
    if words := tokens(text):
        numbers = list(as_written(graph, text, words, numbers).numbers)
    entities = ranked(graph, text, numbers)
    if not entities:
        near = [graph.describe(match.entity) for match in graph.names.near(name, _SHOWN)]
        advice = f"nearest: {', '.join(near)}" if near else "and no name is near"
        raise LinkError(
            f"no entity of {graph.path.name} has the key or label {name[:80]!r}; {advice}",
            code="link.unknown_seed",
            name=name,
            nearest=near,
        )
    return Mention(name, entities[0], others=tuple(entities[1:]))
