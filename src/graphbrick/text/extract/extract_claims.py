"""ExtractClaims: claims about entities, with status, dates and quotes, by a language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from graphbrick.core.parameters import parameter
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Message, system, user
from graphbrick.models.llm.replies.json_replies import json_list, json_object
from graphbrick.text.extract.extraction import STATUSES, Extraction, FoundClaim
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
    iso_date,
    name_of,
    rows_of,
    text_of,
)

_SYSTEM = (
    "You read a passage and list what it claims about people, organizations, places and other entities. Only claims of "
    "this kind count: {about}. For each claim write its subject (who or what it is about, as the passage writes it), "
    "its object (who or what is affected; NONE for nobody), its type in a few words, its status (TRUE if the passage "
    "states it as a fact, FALSE if it says that it is not so, SUSPECTED if it is not certain), the dates from and "
    "until which it holds (as 2024-05-31, 2024-05 or 2024; NONE if the passage does not say), the claim in one "
    f"sentence, and a quote: the words of the passage that make it, exactly. {RULES}\n"
    'Reply with a JSON object: {{"claims": [{{"subject": "...", "object": "...", "type": "...", "status": "TRUE", '
    '"start": "...", "end": "...", "description": "...", "quote": "..."}}]}}'
)
_NAME, _DATE, _TEXT = 60, 10, 300
_CELLS = (
    ("subject",),
    ("object",),
    ("type", "claim_type"),
    ("status",),
    ("start", "start_date"),
    ("end", "end_date"),
    ("description", "claim"),
    ("quote", "source_text"),
)


@dataclass(frozen=True, repr=False)
class ExtractClaims(ModelExtractor):
    """Claims about entities with type, status, dates, description and quote, by a language model.

    Entities are the subjects and objects of claims. With other extractors: ``ExtractGraph(LLM()) |
    ExtractClaims(LLM())``.

    Args:
        llm: The model.
        about: What kind of claims is looked for, in words.
        n: Most claims of a passage, at least 1.
        grounded: Whether claims about entities that do not occur in the passage are left out.
    """

    paper = "Edge et al., From Local to Global: A Graph RAG Approach to Query-Focused Summarization, 2024"
    reply_tokens: ClassVar[int] = 2000
    usual_share: ClassVar[float] = 1.5

    llm: ChatModel = parameter(example="LLM()")
    about: str = parameter("claims or facts that could matter to somebody who looks for information")
    n: int = parameter(15, at_least=1, at_most=100)
    grounded: bool = parameter(True)

    def prompt(self, text: str) -> list[Message]:
        """Return the instructions and the text."""
        return [system(_SYSTEM.format(about=self.about)), user(passage_block(text))]

    def schema(self) -> Mapping[str, Any]:
        """Return the schema of a list of claims, all of bounded length."""
        name, day, text = short_text(_NAME), short_text(_DATE), short_text(_TEXT)
        status = {"type": "string", "enum": list(STATUSES)}
        claim = json_object(
            subject=name, object=name, type=name, status=status, start=day, end=day, description=text, quote=text
        )
        return json_object(claims=json_list(claim, self.n))

    def read(self, value: object, text: str) -> Extraction:
        """Return the claims of a reply.

        Raises:
            UnreadableReplyError: It has no list of them.
        """
        rows = value if isinstance(value, list) else rows_of(value, "claims")
        if rows is None:
            raise UnreadableReplyError('it has no list "claims"')
        words, dropped = PassageWords(text), Counter[str]()
        claims = [self._claim(row, words, dropped) for row in first_rows(rows, self.n, dropped)]
        return Extraction(claims=distinct(claims, dropped, len(_CELLS)), dropped=count_dropped(dropped))

    def _claim(self, row: object, words: PassageWords, dropped: Counter[str]) -> FoundClaim | None:
        subject, affected, type_, status, start, end, description, quote = cells(row, *_CELLS)
        about, target, claim = entity_name(subject), entity_name(affected), text_of(description)
        state = str(status).strip().upper()
        if not about or not claim or state not in STATUSES:
            dropped[INCOMPLETE] += 1
            return None
        if self.grounded and not words.has(about):
            dropped[NOT_IN_PASSAGE] += 1
            return None
        if self.grounded and target and not words.has(target):
            target = ""
        cited = text_of(quote)
        if cited and not words.quotes(cited):
            dropped["quote that is not in the passage"] += 1
            cited = ""
        dates = iso_date(start), iso_date(end)
        return FoundClaim(about, target, name_of(type_), state, *dates, claim, cited)
