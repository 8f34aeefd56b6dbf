"""The retrieve brick for questions that are more than a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from graphbrick.bricks.retrieve.operators.grammar.left_out import check_left_out, check_path
from graphbrick.bricks.retrieve.operators.grammar.whole import of_both
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.paths.connection import APART
from graphbrick.bricks.retrieve.operators.paths.plain import (
    beside_said,
    may_be_path,
    path_evidence,
    said_evidence,
    with_asked_class,
)
from graphbrick.bricks.retrieve.operators.paths.results import ASSUMED, EXPLAINED, evidence_of
from graphbrick.bricks.retrieve.operators.plan import Along, Both, CannotPlanError, Place, Plan, UnreadWordError
from graphbrick.bricks.retrieve.operators.question import courtesy_left_out, is_known, question_of, with_given_seed
from graphbrick.bricks.retrieve.operators.records.reading import by_grammar, of_records
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.schema.pronouns import check_antecedents, check_pronouns
from graphbrick.bricks.retrieve.operators.schema.reading import AMBIGUOUS
from graphbrick.bricks.retrieve.operators.schema.refusals import (
    check_ends,
    check_manner,
    check_names,
)
from graphbrick.bricks.retrieve.operators.schema.rules import NO_PATH
from graphbrick.bricks.retrieve.operators.sets import NO_VALUE, UNREAD_WORDS
from graphbrick.bricks.retrieve.operators.things.main_ones import main_left_out
from graphbrick.bricks.retrieve.operators.things.namesakes import told_apart
from graphbrick.bricks.retrieve.operators.things.quantities import in_words_of_quantities
from graphbrick.bricks.retrieve.operators.things.reading import asks_for_card, check_time, fact_or_near, is_open
from graphbrick.bricks.retrieve.operators.triples import now
from graphbrick.bricks.retrieve.operators.triples.ratings import in_words_of_ratings, with_grades
from graphbrick.bricks.retrieve.operators.unordered.by_meaning import or_by_meaning
from graphbrick.bricks.retrieve.operators.unordered.evidence import asking_for_name, by_parts, surer_by_parts
from graphbrick.bricks.retrieve.operators.whole.rules import read
from graphbrick.bricks.retrieve.operators.wording import MENTION, english
from graphbrick.bricks.retrieve.operators.wordings.mentions import in_years, with_classes
from graphbrick.bricks.retrieve.patterns.near_patterns import near_patterns, stated_evidence
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.answer import NearReading
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import REFUSAL, Trace, event, record, tell_again
from graphbrick.graphs.graph import Graph
from graphbrick.language.stems import WORD, spaced
from graphbrick.models.llm.chat import ChatModel
from graphbrick.patterns.languages import asked_languages, in_asked_language
from graphbrick.patterns.lexicon import Lexicon, lexicon_of
from graphbrick.patterns.model.scorer import PatternScorer
from graphbrick.patterns.pattern_reader import PatternReader, symmetric_relations
from graphbrick.patterns.properties.sources import (
    has_columns,
    has_triple_properties,
    sources_of,
    whole_values,
    words_of_values,
)
from graphbrick.patterns.stated import stated
from graphbrick.patterns.unknown_words import WordReader, with_readings
from graphbrick.pipeline import RetrieveStage

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.triples.inner import Described

MISSPELT = 0.8
"""The highest confidence of an answer to a question with a typing error in a word of the graph."""


@dataclass(frozen=True, repr=False)
class Operators(RetrieveStage):
    """Counts, superlatives, comparisons, filters, set operations and yes or no, over pattern ends.

    Rules read the operator out of the question, and leave plain phrases: «how many services does X own» is the count of
    «which services does X own». The patterns stage proposes patterns for each phrase. One is taken whose ends have the
    class that the phrase asks for and whose relations explain its words; numbers and dates are compared by the typed
    values of relations.

    The plan is part of every result, such as «count of: Platform Team → owns → *». If the operator is recognized but
    the graph lacks what it needs, there is no evidence and an event says what is missing: another question is never
    answered in its place. So are questions about properties of entities and triples, and questions for all that is
    known about an entity. A question that is a path, such as «Kenya <- borders <- *», is followed as it is written. Any
    other question goes to the patterns stage; where its scorer finds no likely reading, a path whose labels say all
    that the question says is taken, and where both find the same, the answer is surer. The words of the graph are its
    labels, types and properties, and, if the scorer is a `PatternScorer`, those in the file of words of its folder.

    A model, if there is one, is asked only where the rules recognize an operator and find no plan. It does not answer:
    it writes the plan with an operator of a closed list, and plain sub-questions that are resolved as those of the
    rules are. A plan that names an unknown operator, leaves out an entity of the question, or has a sub-question that
    the graph does not explain is an event, and there is no evidence. With a model or ``reasons``, a question for
    reasons or consequences («why», «what happens if») that no plan answers gets all that is known about its entities,
    from which the model of the next stage answers.

    Args:
        patterns: The stage that finds patterns, such as Patterns(PatternScorer('films.patterns')).
        llm: The language model that plans what the rules cannot, such as LLM(); None for rules alone.
        reasons: Whether a model of a later stage answers questions for reasons.
        cap: Most answers listed, at least 1; reaching it is an event.

    Returns:
        One `Row` with the columns "answer" and "plan" for each answer, then the paths that support them; or what the
        patterns stage returns.

    Example:
        >>> from graphbrick import BM25
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("How many neighbours does Kenya have?", (graph.entity("Kenya"),))
        >>> Operators(Patterns(BM25())).retrieve(query, Subgraph(graph)).items[0].text
        'answer: 1, plan: count of: Kenya → borders → *'
    """

    paper = "operators over relation paths as in Berant et al., Semantic Parsing on Freebase, EMNLP 2013, by rules"

    patterns: Patterns = parameter(example="Patterns(MiniLM())")
    llm: ChatModel | None = parameter(None, example="LLM()")
    reasons: bool = parameter(False)
    cap: int = parameter(1_000, at_least=1)

    def near(self, query: Query, subgraph: Subgraph, most: int) -> list[NearReading]:
        """Return the question with words that the graph knows, then the best patterns, then what is known at all."""
        graph, trace = cast(Graph, subgraph.graph), Trace()
        with record(trace, repr(self), self.kind):
            replace(self, llm=None).retrieve(query, subgraph)
        from graphbrick.bricks.retrieve.operators.unordered.near import reworded_by  # most questions are answered

        embedder = getattr(self.patterns.scorer, "embedder", None)
        reworded = reworded_by(graph, self._lexicon(graph), query.text, trace.events, embedder)
        names = map(graph.label, query.seeds[:1])
        cards = [NearReading(f"all that is known about {name}", f"Tell me about {name}") for name in names]
        return [*reworded, *near_patterns(self.patterns, query, subgraph, most), *cards]

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the result of the question's plan, or the evidence of the patterns stage."""
        return in_asked_language(self._in_one_language, query, subgraph)

    def _in_one_language(self, query: Query, subgraph: Subgraph) -> Evidence:
        graph = cast(Graph, subgraph.graph)
        pattern = stated(graph, query.text)
        if pattern is not None:
            return stated_evidence(pattern, subgraph, self.patterns, self.cap)
        asked, query = query, in_words_of_quantities(graph, with_given_seed(graph, query))
        query = with_grades(graph, now.without_now(graph, query))
        embedder, lexicon = getattr(self.patterns.scorer, "embedder", None), self._lexicon(graph)
        plain, is_unsure = main_left_out(graph, lexicon, courtesy_left_out(graph, query))
        spelled = self._spelled(plain, graph)
        evidence = or_by_meaning(self._retrieve, lexicon, spelled, subgraph, embedder)
        if (self.llm or self.reasons) and query.seeds and is_open(spelled.text, evidence):
            from graphbrick.bricks.retrieve.operators.by_model.known import known_about  # most runs have no model

            return known_about(spelled, subgraph, evidence, repr(self))
        is_unsure |= now.tell_of_now(graph, asked, evidence)
        most = ASSUMED if is_unsure else 1.0 if spelled is plain else MISSPELT
        sure = evidence.confidence
        return evidence if sure is None or sure <= most else replace(evidence, confidence=most)

    def _lexicon(self, graph: Graph) -> Lexicon:
        scorer = self.patterns.scorer
        return lexicon_of(graph, scorer.model if isinstance(scorer, PatternScorer) else None)

    def _spelled(self, query: Query, graph: Graph) -> Query:
        """Return a question without typing errors in words of the graph."""
        lexicon = self._lexicon(graph)
        words = english().for_graph(lexicon.by_class, lexicon.words)
        names = {word for one in sources_of(graph) for word in WORD.findall(spaced(one.name).lower())}
        whole = {source.spoken for source in sources_of(graph)}
        reader = WordReader(
            lexicon,
            words.all_words,
            partial(words_of_values, graph),
            partial(whole_values, graph),
            words.asking.union(names),
        )
        text = question_of(graph, query, partial(is_known, lexicon, words)).text
        readings = reader.misspelt(WORD.findall(MENTION.sub(" ", text)))
        readings = [one for one in readings if one.word not in whole]  # «iso» is no `iso_numeric`, «max» part of a name
        readings = [one for one in readings if one.word not in names or one.read_as in names]
        for reading in readings:
            event(str(reading), "operators.misspelt", word=reading.word, read_as=reading.read_as)
        return replace(query, text=with_readings(query.text, readings)) if readings else query

    def _retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        graph = cast(Graph, subgraph.graph)
        scorer, lexicon = self.patterns.scorer, self._lexicon(graph)
        words = english().for_graph(lexicon.by_class, lexicon.words)
        question = in_words_of_ratings(graph, question_of(graph, query, partial(is_known, lexicon, words)))
        question = with_classes(graph, question, lexicon, words)
        cues = words.cues_in(in_years(graph, question).text)
        is_plain = not cues and bool(query.seeds) and len(question.entities) < 2
        asks_of_properties = has_columns(graph) or has_triple_properties(graph) or asks_for_card(words, question.text)
        symmetric, ended = symmetric_relations(scorer), now.ended_triples(graph, question.text)
        said = (question.unit, asked_languages(graph, question.text).wanted)
        place = Place(graph, subgraph, lexicon.classes, symmetric, ended, *said)
        parser = Parser(Resolver(self.patterns, place, lexicon, words), now.without_formerly(graph, question))
        try:
            if is_plain and not asks_of_properties and isinstance(scorer, PatternReader):
                return self._path(query, parser)
            parser, question = Parser(parser.resolver, told_apart(parser)), parser.question
            if parser.question != question:  # a name of several entities stands for one of them now
                labels = list(map(graph.label, parser.question.entities))
                text = MENTION.sub(lambda mention: labels[int(mention[1])], parser.question.text)
                query = replace(query, text=text, seeds=parser.question.entities, mentions=())
            plan = of_both(parser)
            check_antecedents(parser.question.text, lexicon)
            plan = plan or (by_grammar(parser) if asks_of_properties or cues else None)
            if plan is not None:
                sure = not parser.resolver.assumptions_of(plan)
                return self._told(evidence_of(plan, place, self.cap, repr(self), sure=sure), plan, parser)
            check_pronouns(parser.question.text)
            parser = Parser(parser.resolver, in_years(graph, parser.question))
            of_triples = self._of_triples(parser)
            if of_triples is None or isinstance(of_triples, Plan):
                return self._answered(query, parser, cues, of_triples)
            return self._of_described(parser, of_triples, query)
        except CannotPlanError as error:
            found = by_parts(parser, self.cap, repr(self), error)
            if found is not None:
                return found
            cue, error = next(iter(cues), "") or parser.value_cue(), asking_for_name(parser, error)
            event(
                parser.with_names(str(error)),
                "operators.not_answered",
                REFUSAL,
                once=False,
                cue=cue,
                reason=error.code,
                **error.values,
            )
            return Evidence()

    def _told(self, evidence: Evidence, plan: Plan, parser: Parser, *, by_model: bool = False) -> Evidence:
        """Return the result of a plan with its confidence, after its assumptions are told."""
        assumptions = parser.resolver.assumptions_of(plan)
        for assumption in assumptions:
            event(parser.with_names(assumption), "operators.assumption")
        is_assumed = assumptions or by_model or evidence.confidence == ASSUMED
        return replace(evidence, confidence=ASSUMED if is_assumed else EXPLAINED)

    def _answered(self, query: Query, parser: Parser, cues: Sequence[str], of_triples: Plan | None) -> Evidence:
        """Return the result of a question's plan; of a path, if it has none and a path may answer it."""
        words, resolver = parser.english, parser.resolver
        cue = next(iter(cues), "")
        try:
            plan, by_model = (of_triples, False) if of_triples else self._plan(query, parser, cue)
            check_left_out(parser, plan)
            check_ends(parser.schema, parser.question, plan)
            if plan := of_records(parser, plan):
                sure = not by_model and not resolver.assumptions_of(plan)
                evidence = evidence_of(plan, parser.place, self.cap, repr(self), sure=sure)
        except CannotPlanError as error:
            is_known = error.code in (NO_VALUE, UNREAD_WORDS, AMBIGUOUS, NO_PATH, APART)
            if not query.seeds or is_known or not may_be_path(words, parser.question.text, cues):
                raise
            if cue:
                event(
                    f"{cue!r} fits no rule ({error.code}): the question is read as a path",
                    "operators.read_as_path",
                    cue=cue,
                    reason=error.code,
                )
            plan = None
        if plan is None:
            check_time(parser)
            return self._path(query, parser)
        assumptions = resolver.assumptions_of(plan)
        if assumptions and query.seeds and may_be_path(words, parser.question.text, cues):
            path = None if now.is_of_time(parser.place, plan) else self._surer_path(query, parser)
            if path is not None:
                return path
        return self._told(evidence, plan, parser, by_model=by_model)

    def _plan(self, query: Query, parser: Parser, cue: str) -> tuple[Plan | None, bool]:
        """Return the plan of a question, None for a plain path, and whether the model made it."""
        namesakes = parser.place.graph.has_namesakes or any(mention.others for mention in query.mentions)
        plan, by_model, entities = fact_or_near(parser, namesakes=namesakes), False, parser.question.entities
        cue = cue or parser.value_cue()
        if plan is None and not cue and query.seeds and len(entities) < 2:
            self._check(parser)
            return parser.rules.plain(parser.question.text), False
        if plan is None:
            plan, by_model = self._planned(parser, cue)
        is_plain = isinstance(plan, Along) and len(parser.entities) == len(entities)
        is_plain &= not (plan and parser.resolver.assumptions_of(plan))
        if is_plain and parser.english.search("never_plain", cue):
            raise UnreadWordError(cue)
        if is_plain or (not cue and isinstance(plan, Both) and not len(plan.run(parser.place))):
            return None, False
        return plan, by_model

    def _surer_path(self, query: Query, parser: Parser) -> Evidence | None:
        """Return what a path answers, if it is surer than a plan with an assumption."""
        trial = Trace()  # what is said of a path that is not taken would mislead
        try:
            with record(trial, repr(self), self.kind):
                path = self._path(query, parser)
        except CannotPlanError:  # then the plan is the only reading
            return None
        is_trained = path.confidence is None and isinstance(self.patterns.scorer, PatternReader)
        if not path.items or not (is_trained or (path.confidence or 0.0) > ASSUMED):
            return None
        tell_again(trial)
        return path

    def _path(self, query: Query, parser: Parser) -> Evidence:
        """Answer a question without an operator: by a path that says all of it, else by the patterns stage.

        Raises:
            CannotPlanError: It has an unknown name, or the best path leads to another class than it asks for.
        """
        place = parser.place
        check_manner(parser.english, parser.question.text)
        check_path(parser)
        is_read = isinstance(self.patterns.scorer, PatternReader)
        said = None if is_read else said_evidence(parser, self.cap, repr(self))
        if said is not None:
            return said
        renamed = with_asked_class(query, parser)
        if renamed is not None:
            read = self.retrieve(renamed, place.subgraph)
            return replace(read, confidence=min(read.confidence or ASSUMED, ASSUMED))
        check_names(parser.schema, parser.question)
        if query.seeds and not any(map(place.graph.degree, query.seeds)):
            name = place.graph.label(query.seeds[0])
            text = f"nothing is joined to {name!r}, and it has no property that the question speaks of"
            raise CannotPlanError(text, code="operators.nothing_joined", name=name)
        evidence = surer_by_parts(path_evidence(self.patterns, query, parser), parser, self.cap, repr(self))
        return beside_said(evidence, parser, self.cap, repr(self)) if is_read else evidence

    @staticmethod
    def _of_triples(parser: Parser) -> Plan | Described | None:
        """Return the plan of a question about properties of triples, or the entity that it describes by them."""
        has_properties = has_columns(parser.place.graph) or has_triple_properties(parser.place.graph)
        if not has_properties or asks_for_card(parser.english, parser.question.text):
            return None
        from graphbrick.bricks.retrieve.operators.triples.inner import described
        from graphbrick.bricks.retrieve.operators.triples.reading import TripleReader  # most graphs need neither

        reader = TripleReader(parser)
        relative = parser.english.search("relative_time", parser.question.text)
        if relative is not None and not parser.resolver.lexicon.words.issuperset(relative[0].split()):
            text = f"no date in this graph tells what is of «{relative[0]}»"
            raise CannotPlanError(text, code=UNREAD_WORDS, words=(relative[0],))
        return reader.read(parser.question.text) or described(reader, parser.question.text)

    def _of_described(self, parser: Parser, inner: Described, query: Query) -> Evidence:
        """Return the answer to a question about an entity that it describes."""
        graph, labels = parser.place.graph, [parser.place.graph.label(entity) for entity in parser.entities]
        event(
            parser.with_names(f"«{inner.text}» is {labels[-1]}: {inner.plan.text(parser.place)}"),
            "operators.described",
            entity=graph.key(inner.entity),
            plan=inner.plan.text(parser.place),
        )
        numbers = dict.fromkeys(int(number) for number in MENTION.findall(inner.question))
        seeds = tuple(dict.fromkeys(parser.entities[number] for number in numbers))
        text = MENTION.sub(lambda mention: labels[int(mention[1])], inner.question)
        evidence = self.retrieve(replace(query, text=text, seeds=seeds, mentions=()), parser.place.subgraph)
        proofs = inner.plan.proofs(parser.place, np.array([inner.entity], dtype=np.int64))
        return replace(evidence, items=(*evidence.items, *proofs)) if evidence.items else evidence

    @staticmethod
    def _check(parser: Parser) -> None:
        """Raise `CannotPlanError` if a question asks for a property, which no path answers."""
        if has_columns(parser.place.graph):
            from graphbrick.bricks.retrieve.operators.facts import Facts

            Facts(parser).check(parser.question.text)

    def _planned(self, parser: Parser, cue: str) -> tuple[Plan, bool]:
        """Return the plan of a question, and whether the model made it because the rules could not."""
        question = parser.question
        try:
            return read(parser, question.text), False
        except CannotPlanError as error:
            near = parser.by_near_words(partial(read, parser), question.text)
            if near is not None:
                return near, False
            if self.llm is None or not cue:
                raise
            reason = parser.with_names(str(error))
        from graphbrick.bricks.retrieve.operators.by_model.model_plan import plan_by_model  # most runs have no model

        by_model = Parser(parser.resolver, question)
        try:
            plan = plan_by_model(self.llm, by_model, question.text)
        except CannotPlanError as error:
            text = f"{reason}; {self.llm.model}: {by_model.with_names(str(error))}"
            raise CannotPlanError(text, code="operators.neither_planned", model=error.code, **error.values) from error
        told = f"{self.llm.model} planned this question, since without it: {reason}"
        event(told, "operators.planned_by_model", reason=reason)
        return plan, True
