"""OpenIE: entities and triples of passages by a language model, as HippoRAG asks for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphbrick.core.parameters import parameter
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Message, assistant, system, user
from graphbrick.models.llm.replies.json_replies import json_list, json_object
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
)

_SYSTEM = (
    "You read a passage and list the facts that it states. First list the named entities: people, places, "
    "organizations, works, events, dates, terms. Then list facts as triples of head, relation and tail. Head and tail "
    "are names as the passage writes them, at most a few words, and at least one of them is an entity of your list. "
    "Write the name in place of a pronoun. The relation is a few words, such as «was born in». State only what the "
    f"passage says. {RULES}\n"
    'Reply with a JSON object: {"entities": ["...", "..."], "triples": [["head", "relation", "tail"]]}'
)
_EXAMPLE = (
    "Mary Anning\nAnning was a fossil collector from Lyme Regis. In 1823 she found the first whole plesiosaur.",
    '{"entities": ["Mary Anning", "Lyme Regis", "1823", "plesiosaur"], "triples": '
    '[["Mary Anning", "was", "fossil collector"], ["Mary Anning", "was from", "Lyme Regis"], '
    '["Mary Anning", "found first whole", "plesiosaur"], ["plesiosaur", "was found in", "1823"]]}',
)
_LONGEST = 60  # characters
_HEAD = ("head", "subject", "source", "from")
_RELATION = ("relation", "predicate", "relationship", "type")
_TAIL = ("tail", "object", "target", "to")


@dataclass(frozen=True, repr=False)
class OpenIE(ModelExtractor):
    """Entities and triples that a language model finds, in one call for each passage.

    The model lists the entities, then triples that have at least one of them. Two calls, as the paper makes, find
    little more with models of today. `ExtractGraph` finds types and descriptions too, for several times the tokens.

    Args:
        llm: The model.
        n: Most entities, and most triples, of a passage, at least 1.
        grounded: Whether names that do not occur in the passage are left out: small models make them up.
    """

    paper = "Gutiérrez et al., From RAG to Memory: Non-Parametric Continual Learning for Large Language Models, 2025"

    llm: ChatModel = parameter(example="LLM()")
    n: int = parameter(20, at_least=1, at_most=100)
    grounded: bool = parameter(True)

    def prompt(self, text: str) -> list[Message]:
        """Return the instructions, an example and the text."""
        passage, reply = _EXAMPLE
        return [system(_SYSTEM), user(passage_block(passage)), assistant(reply), user(passage_block(text))]

    def schema(self) -> Mapping[str, Any]:
        """Return the schema of a list of entities and one of triples, all of bounded length."""
        name = short_text(_LONGEST)
        return json_object(entities=json_list(name, self.n), triples=json_list(_three(name), self.n))

    def read(self, value: object, text: str) -> Extraction:
        """Return the entities and triples of a reply.

        Raises:
            UnreadableReplyError: It has a list of neither.
        """
        entities = rows_of(value, "entities", "named_entities")
        triples = value if isinstance(value, list) else rows_of(value, "triples", "facts", "relations")
        if entities is None and triples is None:
            raise UnreadableReplyError('it has no list "entities" and no list "triples"')
        words, dropped = PassageWords(text), Counter[str]()
        listed = first_rows(entities, self.n, dropped)
        names = [entity_name(cells(row, ("name", "entity"))[0]) for row in listed]
        fitting = [FoundEntity(name) for name in names if name and self._fits(name, words)]
        dropped[NOT_IN_PASSAGE] += len([name for name in names if name]) - len(fitting)
        rows = [self._triple(row, words, dropped) for row in first_rows(triples, self.n, dropped)]
        return Extraction(
            triples=distinct(rows, dropped), entities=distinct(fitting, dropped), dropped=count_dropped(dropped)
        )

    def _triple(self, row: object, words: PassageWords, dropped: Counter[str]) -> FoundTriple | None:
        parts = cells(row, _HEAD, _RELATION, _TAIL)
        head, relation, tail = entity_name(parts[0]), name_of(parts[1]), entity_name(parts[2])
        if not (head and relation and tail) or head.casefold() == tail.casefold():
            dropped[INCOMPLETE] += 1
        elif not (self._fits(head, words) and self._fits(tail, words)):
            dropped[NOT_IN_PASSAGE] += 1
        else:
            return FoundTriple(head, relation, tail)
        return None

    def _fits(self, name: str, words: PassageWords) -> bool:
        return not self.grounded or words.has(name)


def _three(text: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(text), "minItems": 3, "maxItems": 3}
