"""ExtractGraph: entities with types and descriptions, and relations with theirs, by a language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from graphbrick.core.parameters import parameter
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Message, assistant, system, user
from graphbrick.models.llm.replies.json_replies import json_list, json_object, number_in, whole_number
from graphbrick.text.extract.extraction import Extraction, FoundEntity, FoundTriple
from graphbrick.text.extract.model_extractor import (
    RULES,
    ModelExtractor,
    UnreadableReplyError,
    count_dropped,
    passage_block,
    short_text,
)
from graphbrick.text.extract.rows import (
    INCOMPLETE,
    NOT_IN_PASSAGE,
    PassageWords,
    cells,
    distinct,
    entity_name,
    first_rows,
    name_of,
    rows_of,
    supported,
    text_of,
)

_SYSTEM = (
    "You read a passage and describe the graph of what it says. List the entities, each with its name as the passage "
    "writes it, its type{types}, and a description of one or two sentences: all that the passage says about it. Then "
    "list the relations between two of these entities: source, target, the relation in a few words such as «was born "
    "in», a description of one sentence, one to three keywords for what the relation is about, and its strength from 1 "
    f"(weak) to 10 (strong). Write in the language of the passage, and only what it says: nothing that you know from "
    f"elsewhere. {RULES}\n"
    'Reply with a JSON object: {{"entities": [{{"name": "...", "type": "...", "description": "..."}}], "relations": '
    '[{{"source": "...", "relation": "...", "target": "...", "description": "...", "keywords": ["..."], '
    '"strength": 5}}]}}'
)
# Small models list about as many relations as the example does.
_EXAMPLE = (
    "Mary Anning\nAnning was a fossil collector from Lyme Regis, a town in Dorset. In 1823 she found the first whole "
    "plesiosaur, which was sold to the Duke of Buckingham.",
    '{"entities": [{"name": "Mary Anning", "type": "person", "description": "A fossil collector from Lyme Regis who '
    'found the first whole plesiosaur in 1823."}, {"name": "Lyme Regis", "type": "place", "description": "A town in '
    'Dorset, where Mary Anning was from."}, {"name": "Dorset", "type": "place", "description": "Where Lyme Regis is."}'
    ', {"name": "plesiosaur", "type": "other", "description": "A fossil that Mary Anning found."}, {"name": "Duke of '
    'Buckingham", "type": "person", "description": "The buyer of the first whole plesiosaur."}], "relations": '
    '[{"source": "Mary Anning", "relation": "was from", "target": "Lyme Regis", "description": "Mary Anning was a '
    'fossil collector from Lyme Regis.", "keywords": ["origin"], "strength": 8}, {"source": "Lyme Regis", "relation": '
    '"is a town in", "target": "Dorset", "description": "Lyme Regis is a town in Dorset.", "keywords": ["location"], '
    '"strength": 9}, {"source": "Mary Anning", "relation": "found", "target": "plesiosaur", "description": "Mary '
    'Anning found the first whole plesiosaur in 1823.", "keywords": ["discovery"], "strength": 9}, {"source": '
    '"plesiosaur", "relation": "was sold to", "target": "Duke of Buckingham", "description": "The plesiosaur was sold '
    'to the Duke of Buckingham.", "keywords": ["sale"], "strength": 7}]}',
)
_MORE = (
    "Some entities and relations of the passage may be missing. Reply with a JSON object of the same form that has "
    "only those you did not list yet; with empty lists if there are none."
)
_NAME, _TEXT, _MOST_KEYWORDS = 60, 300, 3
_STRONGEST = 10
_OTHER = "other"


@dataclass(frozen=True, repr=False)
class ExtractGraph(ModelExtractor):
    """Entities with types, and relations with keywords and strength, each described by a model.

    What GraphRAG and LightRAG extract, as JSON of bounded length in place of their records with delimiters, which small
    models do not keep to. An entity of several passages has their descriptions joined.

    Args:
        llm: The model.
        types: Types of entities, separated by commas; empty to let the model choose. An entity of another type has
            none.
        gleanings: How often to ask whether anything is missing, at least 0; each takes about as many tokens again.
        n: Most entities, and most relations, of a reply, at least 1.
        grounded: Whether names that do not occur in the passage, and sentences about something else, are left out:
            small models make them up.
    """

    paper = "Edge et al., From Local to Global: A Graph RAG Approach to Query-Focused Summarization, 2024"
    version: ClassVar[int] = 2
    reply_tokens: ClassVar[int] = 3000
    usual_share: ClassVar[float] = 3.0

    llm: ChatModel = parameter(example="LLM()")
    types: str = parameter("person, organization, place, event", may_be_empty=True)
    gleanings: int = parameter(1, at_least=0, at_most=10)
    n: int = parameter(20, at_least=1, at_most=100)
    grounded: bool = parameter(True)

    @property
    def follow_ups(self) -> Sequence[str]:
        """The question for what is missing, as often as `gleanings` says."""
        return (_MORE,) * self.gleanings

    def prompt(self, text: str) -> list[Message]:
        """Return the instructions, an example and the text."""
        types = self._types()
        allowed = f" (one of {', '.join(types)}, or {_OTHER})" if types else " in one word, such as person or place"
        passage, reply = _EXAMPLE
        instructions = system(_SYSTEM.format(types=allowed))
        return [instructions, user(passage_block(passage)), assistant(reply), user(passage_block(text))]

    def schema(self) -> Mapping[str, Any]:
        """Return the schema of a list of entities and one of relations, all of bounded length."""
        types = self._types()
        type_ = {"type": "string", "enum": [*types, _OTHER]} if types else short_text(_NAME)
        name, text = short_text(_NAME), short_text(_TEXT)
        entity = json_object(name=name, type=type_, description=text)
        relation = json_object(
            source=name,
            relation=name,
            target=name,
            description=text,
            keywords=json_list(short_text(_NAME), _MOST_KEYWORDS),
            strength=whole_number(1, _STRONGEST),
        )
        return json_object(entities=json_list(entity, self.n), relations=json_list(relation, self.n))

    def read(self, value: object, text: str) -> Extraction:
        """Return the entities and relations of a reply.

        Raises:
            UnreadableReplyError: It has a list of neither.
        """
        entities, relations = rows_of(value, "entities"), rows_of(value, "relations", "relationships", "triples")
        if entities is None and relations is None:
            raise UnreadableReplyError('it has no list "entities" and no list "relations"')
        words, dropped = PassageWords(text) if self.grounded else None, Counter[str]()
        nodes = [self._entity(row, words, dropped) for row in first_rows(entities, self.n, dropped)]
        edges = [self._relation(row, words, dropped) for row in first_rows(relations, self.n, dropped)]
        return Extraction(
            triples=distinct(edges, dropped), entities=distinct(nodes, dropped, 2), dropped=count_dropped(dropped)
        )

    def _types(self) -> list[str]:
        return [type_.strip() for type_ in self.types.split(",") if type_.strip()]

    def _entity(self, row: object, words: PassageWords | None, dropped: Counter[str]) -> FoundEntity | None:
        name, type_, description = cells(row, ("name", "title", "entity"), ("type",), ("description",))
        called = entity_name(name)
        if not called:
            dropped[INCOMPLETE] += 1
        elif words is not None and not words.has(called):
            dropped[NOT_IN_PASSAGE] += 1
        else:
            return FoundEntity(called, self._type(type_), supported(text_of(description), words, dropped))
        return None

    def _type(self, value: object) -> str:
        """Return a type in lower case; empty if it is not one of those named."""
        name, types = name_of(value).casefold(), self._types()
        known = {type_.casefold(): type_ for type_ in types}
        return known.get(name, "") if types else "" if name == _OTHER else name

    def _relation(self, row: object, words: PassageWords | None, dropped: Counter[str]) -> FoundTriple | None:
        source, relation, target, description, keywords, strength = cells(
            row,
            ("source", "head"),
            ("relation", "type"),
            ("target", "tail"),
            ("description",),
            ("keywords",),
            ("strength",),
        )
        head, tail = entity_name(source), entity_name(target)
        topics = _keywords(keywords)
        label = name_of(relation) or ", ".join(topics)  # some models describe a relation and do not name it
        if not head or not tail or not label or head.casefold() == tail.casefold():
            dropped[INCOMPLETE] += 1
        elif words is not None and not (words.has(head) and words.has(tail)):
            dropped[NOT_IN_PASSAGE] += 1
        else:
            words_of_it = supported(text_of(description), words, dropped)
            return FoundTriple(head, label, tail, words_of_it, topics, _strength(strength))
        return None


def _keywords(value: object) -> tuple[str, ...]:
    """Return keywords from a list, or from a text with commas."""
    listed = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(dict.fromkeys(filter(None, map(name_of, listed))))[:_MOST_KEYWORDS]


def _strength(value: object) -> float:
    """Return a strength from 1 to 10 as a share of 10; half if there is none."""
    number = number_in(value)
    return 0.5 if number is None else min(max(number, 1), _STRONGEST) / _STRONGEST
