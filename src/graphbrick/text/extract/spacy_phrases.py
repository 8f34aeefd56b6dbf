"""SpacyPhrases: entities and triples of English texts by spaCy's parser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.models.store import resolve
from graphbrick.text.extract.extraction import Extraction, Extractor, Found, FoundTriple, Kind

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_BATCH = 32
_TYPES = {
    "PERSON": "person",
    "NORP": "group",
    "FAC": "place",
    "ORG": "organization",
    "GPE": "place",
    "LOC": "place",
    "PRODUCT": "product",
    "EVENT": "event",
    "WORK_OF_ART": "work",
    "LAW": "law",
    "LANGUAGE": "language",
    "DATE": "date",
}
_LEADING = frozenset(("DET", "PRON", "PUNCT", "NUM", "CCONJ", "SCONJ"))  # words that a phrase may not begin with
_SUBJECTS, _OBJECTS = frozenset(("nsubj", "nsubjpass")), frozenset(("dobj", "attr", "oprd", "dative"))
_HELPERS = frozenset(("aux", "auxpass", "neg", "prt"))
_TITLE_WORDS = 8
_LONGEST_RELATION = 60  # characters


@dataclass(frozen=True, repr=False)
class SpacyPhrases(Extractor):
    """Named entities, noun phrases, and subject-verb-object triples, by a spaCy model; for English.

    Named entities have types (person, place, organization, ...). Noun phrases without a name count only if several
    passages have them. A triple is a verb with its helpers and preposition between the phrases of its subject and
    object («Kisumu - lies on - Lake Victoria»); a noun beside a name is one too («Kisumu, a port»). A pronoun as the
    subject stands for the title of the document, in the first line of the text.

    Args:
        model: Name of a model that was fetched (``graphbrick models fetch en-core-web-sm``), or the folder of one.
    """

    paper = "Honnibal et al., spaCy: Industrial-strength Natural Language Processing in Python, 2020"

    model: str = parameter("en-core-web-sm", example="en-core-web-sm")

    def files(self) -> dict[str, Path]:
        """Return the folder of the model, if it is there."""
        path = Path(self.model).expanduser()
        return {"model": path} if path.is_dir() else {}

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return entities and triples of each text.

        Raises:
            ModelError: spaCy is not installed, the model was not fetched, or it has no parser.
        """
        nlp = current_session().get(("spacy", self.model), lambda: _load(self.model))
        titles = [_title(text) for text in texts]
        bodies = [text[len(title) + 1 if title else 0 :] for text, title in zip(texts, titles, strict=True)]
        docs = nlp.pipe((body[: nlp.max_length] for body in bodies), batch_size=_BATCH)
        return [extraction(doc, title) for doc, title in zip(docs, titles, strict=True)]


def _load(model: str) -> Any:
    path = resolve(model, "SpacyPhrases")
    try:
        import spacy
    except ImportError as error:
        raise ModelError(
            "SpacyPhrases needs spaCy: pip install 'graphbrick[text]' (Phrases() needs nothing)",
            code="spacy.no_package",
        ) from error
    try:
        nlp = spacy.load(path, exclude=["senter", "lemmatizer"])
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{path} is not a spaCy model that can be loaded: {error}", code="spacy.not_a_model"
        ) from error
    if not {"parser", "ner"} <= set(nlp.pipe_names):
        raise ModelError(
            f"the spaCy model {path} has {', '.join(nlp.pipe_names)}, but no parser and ner", code="spacy.no_parser"
        )
    return nlp


def extraction(doc: Doc, title: str) -> Extraction:
    """Return the entities and triples of a parsed text.

    Args:
        doc: The text without its title.
        title: The line before it; empty for none. Places count from its start.
    """
    before = len(title) + 1 if title else 0
    mentions: dict[tuple[int, int], Found] = {}
    spans: dict[int, Span] = {}  # by the index of each token in it
    for span, kind, type_ in (*_titles(doc, title), *_entities(doc), *_chunks(doc)):
        if all(token.i in spans for token in span):
            continue
        place = before + span.start_char, before + span.end_char
        mentions[place] = Found(*place, kind, type_)
        for token in span:
            spans.setdefault(token.i, span)
    triples = [FoundTriple(*one) for one in dict.fromkeys(_triples(doc, spans, title))]
    return Extraction(sorted(mentions.values()), triples)


def _titles(doc: Doc, title: str) -> Iterator[tuple[Span, Kind, str]]:
    """Yield where the title stands in the text."""
    start = doc.text.find(title) if title else -1
    while start >= 0:
        span = doc.char_span(start, start + len(title))
        if span is not None:
            yield span, Kind.NAME, ""
        start = doc.text.find(title, start + len(title))


def _entities(doc: Doc) -> Iterator[tuple[Span, Kind, str]]:
    """Yield the named entities; dates without a number, such as «monthly», are none."""
    for entity in doc.ents:
        is_date = entity.label_ == "DATE"
        span = _trimmed(entity) if entity.label_ in _TYPES else None
        if span is not None and (not is_date or any(token.is_digit for token in span)):
            yield span, Kind.NAME, _TYPES[entity.label_]


def _chunks(doc: Doc) -> Iterator[tuple[Span, Kind, str]]:
    """Yield the noun phrases."""
    for chunk in doc.noun_chunks:
        span = _trimmed(chunk)
        if span is not None:
            yield span, Kind.NAME if any(token.pos_ == "PROPN" for token in span) else Kind.PHRASE, ""


def _trimmed(span: Span) -> Span | None:
    """Return a span without articles, numbers and signs at its ends; None if no name or noun is left."""
    tokens = [token for token in span if not token.is_space]
    while (
        tokens
        and (tokens[0].pos_ in _LEADING or tokens[0].is_stop)
        and tokens[0].ent_type_ not in ("DATE", "WORK_OF_ART")
    ):
        tokens = tokens[1:]
    while tokens and (tokens[-1].is_punct or tokens[-1].pos_ in ("PART", "PUNCT")):
        tokens = tokens[:-1]
    if not tokens or "\n" in span.doc[tokens[0].i : tokens[-1].i + 1].text:
        return None
    return span.doc[tokens[0].i : tokens[-1].i + 1]


def _triples(doc: Doc, spans: dict[int, Span], title: str) -> Iterator[tuple[str, str, str]]:
    for token in doc:
        if token.pos_ in ("VERB", "AUX"):
            heads = [name for subject in _subjects(token) for name in _names(subject, spans, title)]
            for relation, tail in _objects(token, spans):
                for head in heads:
                    if head != tail and len(relation) <= _LONGEST_RELATION:
                        yield head, relation, tail
        elif token.dep_ == "appos" and token.i in spans and token.head.i in spans:
            head, tail = spans[token.head.i].text, spans[token.i].text
            if head != tail:
                yield head, "is", tail


def _title(text: str) -> str:
    """Return the first line of a text if it is a title; else an empty text."""
    line, newline, _ = text.partition("\n")
    return line.strip() if newline and len(line.split()) <= _TITLE_WORDS else ""


def _subjects(verb: Token) -> list[Token]:
    """Return the subjects of a verb, or of the verb that it is joined to («runs and swims»)."""
    seen = set()
    while verb.i not in seen:
        seen.add(verb.i)
        subjects = [child for child in verb.children if child.dep_ in _SUBJECTS]
        if subjects:
            return [one for subject in subjects for one in (subject, *subject.conjuncts)]
        if verb.dep_ not in ("conj", "xcomp"):
            break
        verb = verb.head
    return []


def _names(token: Token, spans: dict[int, Span], title: str) -> list[str]:
    """Return the phrase that a token stands in; the title for a pronoun."""
    if token.i in spans:
        return [spans[token.i].text]
    return [title] if title and token.pos_ == "PRON" and token.lower_ in ("he", "she", "it", "they") else []


def _objects(verb: Token, spans: dict[int, Span]) -> Iterator[tuple[str, str]]:
    """Yield the relation and the phrase of each object of a verb, also after prepositions."""
    words = [*(child for child in verb.children if child.dep_ in _HELPERS), verb]
    relation = [token.text.lower() for token in sorted(words, key=lambda token: token.i)]
    for child in verb.children:
        if child.dep_ in _OBJECTS:
            yield from ((" ".join(relation), spans[one.i].text) for one in (child, *child.conjuncts) if one.i in spans)
            # «is the capital of Kenya»: the preposition of the object leads on.
            noun = [child.text.lower()] if child.dep_ == "attr" and child.pos_ == "NOUN" else []
            yield from _after_prepositions(child, [*relation, *noun], spans)
        elif child.dep_ in ("prep", "agent"):
            yield from _prepositional(child, relation, spans)


def _after_prepositions(noun: Token, relation: list[str], spans: dict[int, Span]) -> Iterator[tuple[str, str]]:
    for child in noun.children:
        if child.dep_ == "prep":
            yield from _prepositional(child, relation, spans)


def _prepositional(preposition: Token, relation: list[str], spans: dict[int, Span]) -> Iterator[tuple[str, str]]:
    for child in preposition.children:
        if child.dep_ == "pobj":
            for one in (child, *child.conjuncts):
                if one.i in spans:
                    yield " ".join([*relation, preposition.text.lower()]), spans[one.i].text
        elif child.dep_ == "prep":
            yield from _prepositional(child, [*relation, preposition.text.lower()], spans)
