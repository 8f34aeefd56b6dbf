"""Answers by a language model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graphbrick.bricks.generate.answers import (
    FORM,
    REFUSAL,
    SCHEMA,
    ReplyAnswer,
    in_json,
    json_as_lines,
    key,
    read_answers,
    spellings,
)
from graphbrick.bricks.generate.from_rows import answer_by_rows
from graphbrick.bricks.generate.listing import by_kind, listed, n_fitting
from graphbrick.bricks.generate.marks import marks_alone, quoted
from graphbrick.bricks.generate.prompts import NAMES, prompt
from graphbrick.bricks.generate.write_answer import WriteAnswer
from graphbrick.core import Answer, Evidence, Item, Path, Query
from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, tally
from graphbrick.language.expressions.expression import Expression
from graphbrick.models.llm.chat import ChatModel, current_on_token
from graphbrick.models.llm.messages import Request
from graphbrick.models.llm.prompt_turns import Turns
from graphbrick.models.llm.replies.replies import one_line, shown, without_fences
from graphbrick.pipeline import GenerateStage, RetrieveStage

_LONGEST = {"passage": 4000, "report": 4000, "card": 4000}  # characters in the prompt; 1000 for other kinds
_MOST = 100  # answers; more are a model that does not stop
_LISTED = 5  # wrong numbers in an event
_AND = Expression(r"(?:^|\s+)and\s+", re.IGNORECASE)
_PLACE = Expression(r"\{(format|form|question|evidence)\}")


@dataclass(frozen=True, repr=False)
class Generate(GenerateStage):
    """Answers that a language model reads out of the evidence, each with its supporting items.

    The numbers are checked: an item counts as support only if it speaks of the answer's entity, or if it comes from a
    document or query and has the words of the answer. If the model names no item, all that support the answer are
    taken. An answer without support is an event in the trace: the model may have made it up. The model may say that the
    answer is not in the evidence, unless the prompt is "paths"; without evidence it is not called. Evidence that does
    not fit the model's context is left out from the end, which is an event. Evidence with cards is for questions about
    all that is known of an entity, for reasons or for consequences: their answer is written by `WriteAnswer`. With
    ``first`` the model is asked only if that stage gives no answer: what a plan counts, compares or lists is exact, and
    so is a card that was asked for. A question for reasons always goes to the model: its cards hold no answer yet.
    With ``otherwise``, what the first stage cannot answer is asked of the whole graph, and the evidence is not read: of
    paths that a plan did not want, a model mostly guesses.

    Args:
        llm: The language model, such as LLM().
        prompt: What it is told: "zero" for instructions only, "one" or "few" for instructions and examples, "paths" for
            instructions that always ask for the best answers that the paths hold, as published systems do, or the path
            of a text file with a prompt of your own (docs/llm.md).
        first: A generate stage that answers first, such as PathAnswer(min_confidence=0.3); None for none.
        otherwise: A retrieve stage whose rows are the answer where the first stage gives none, such as
            TextToQuery(LLM()); None to read the evidence.

    Returns:
        Distinct answers in the order of the reply; the items of the evidence that support them.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time; or not one path fits the context.
        InputError: The prompt's file is missing or is no prompt.
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (generation; one- and few-shot: preliminary version)"

    llm: ChatModel = parameter(example="LLM()")
    prompt: str = parameter(NAMES[0], path=True, search=NAMES[:3])
    first: GenerateStage | None = parameter(None, example="PathAnswer(min_confidence=0.3)")
    otherwise: RetrieveStage | None = parameter(None, example="TextToQuery(LLM())")

    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """Ask the model and read its reply."""
        if not evidence.items and self.otherwise is None:
            event("no answer: the evidence is empty; the model was not called", "generate.no_evidence")
            return Answer()
        is_open = any(item.kind == "card" for item in evidence.items)
        before = Answer()
        if self.first is not None and (evidence.has_answers or not is_open):
            before = self.first.generate(query, evidence)
            if before.texts:
                return before
        if is_open:
            return WriteAnswer(self.llm, form="one to three sentences").generate(query, evidence)
        if self.otherwise is not None:
            found = answer_by_rows(self.otherwise, query, evidence)
            return found if found.texts else before
        request, items = self.request(query, evidence)
        on_token = current_on_token()
        if on_token is not None and self.llm.structured:
            on_token = json_as_lines(on_token)
        whole = self.llm.ask_all([request], on_token=on_token)[0]
        reply = whole.text
        numbers = marks_alone(without_fences(reply))
        if numbers:
            return quoted(query, evidence, items, numbers)
        names = _names(evidence)
        answers = _parted(read_answers(reply, names, len(items)), names)
        if len(answers) > _MOST:
            event(
                f"of {len(answers):,} answers the first {_MOST} were taken: {shown(reply)}",
                "generate.too_many_answers",
                n=len(answers),
            )
            answers = answers[:_MOST]
        if not answers:
            why = whole.lack or f"the model replied {shown(reply)}"
            event(f"no answer: {why}", "generate.no_answer", reply=reply)
            tally(**{"refusals" if reply.strip() else "unread_replies": 1})
            if before.withheld:  # what the first stage was not sure enough of is told, as without a model
                return before
        return _supported(answers, names, items, evidence)

    def request(self, query: Query, evidence: Evidence) -> tuple[Request, list[Item]]:
        """Return the request, with as many items as fit, and these items in the order of their numbers.

        Raises:
            ModelError: Not one item fits.
        """
        items, turns = by_kind(evidence.items), prompt(self.prompt)
        lines = listed(items, _LONGEST)
        few = n_fitting(self.llm, lines, lambda some: self._messages(turns, query, some))
        if not few:
            raise ModelError(
                f"{self.llm!r} has no room for a single path beside the prompt and a reply of {self.llm.max_tokens:,} "
                f"tokens: it holds {self.llm.context_tokens():,}; raise context, or lower max_tokens",
                code="generate.no_room",
            )
        return Request(self._messages(turns, query, lines[:few]), SCHEMA), items[:few]

    def _messages(self, turns: Turns, query: Query, lines: Sequence[str]) -> list[dict[str, str]]:
        """Return the turns of the prompt with all placeholders filled in."""
        structured = self.llm.structured
        values = {
            "format": f"{FORM[structured]} {REFUSAL[structured]}",
            "form": FORM[structured],
            "question": one_line(query.text),
            "evidence": "\n".join(lines),
        }
        messages = []
        for role, text in turns:
            if role == "assistant":
                content = in_json(text) if structured else text
            else:
                content = _PLACE.sub(lambda place: values[place.group(1)], text)
            messages.append({"role": role, "content": content})
        return messages


def _supported(answers: list[ReplyAnswer], names: Mapping[str, int], items: list[Item], evidence: Evidence) -> Answer:
    """Return each answer with its entity, and the items that support it."""
    entities = [names.get(key(answer.text)) for answer in answers]
    support = []
    for answer, entity in zip(answers, entities, strict=True):
        holding = _holding(answer.text, entity, items)
        cited = [items[number - 1] for number in answer.cited if 0 < number <= len(items)]
        wrong = [n for n in answer.cited if not 0 < n <= len(items) or items[n - 1] not in holding]
        if not holding:
            event(
                f"the answer {answer.text[:200]!r} stands on no path of the evidence",
                "generate.unsupported_answer",
                answer=answer.text,
            )
        elif wrong:
            numbers = ", ".join(map(str, wrong[:_LISTED])) + (" and more" if len(wrong) > _LISTED else "")
            event(
                f"the answer {answer.text[:200]!r} is cited from paths that do not hold it: {numbers}",
                "generate.wrong_citation",
                answer=answer.text,
                numbers=numbers,
            )
        support.append([item for item in cited if item in holding] or holding)
    used = {id(item) for part in support for item in part}
    supporting = tuple(item for item in evidence.items if id(item) in used)
    index = {id(item): i for i, item in enumerate(supporting)}
    return Answer(
        tuple(answer.text for answer in answers),
        tuple(entities),
        replace(evidence, items=supporting),
        tuple(tuple(index[id(item)] for item in part) for part in support),
    )


def _holding(text: str, entity: int | None, items: list[Item]) -> list[Item]:
    """Return the items that support an answer: they mention its entity, or their text contains the answer."""
    words = f" {key(text)} "
    return [
        item
        for item in items
        if (entity is not None and entity in item.entities) or (item.citations and words in f" {key(item.text)} ")
    ]


def _names(evidence: Evidence) -> dict[str, int]:
    """Return the entities of the evidence by label, and by alias unless it is a label too."""
    labels: dict[str, int] = {}
    aliases: dict[str, int] = {}
    for item in evidence.items:
        if item.graph is None:
            continue
        # The end of a path is the likelier meaning of a name than an entity on the way, and its start the least likely.
        start = (item.start,) if isinstance(item, Path) else ()
        for entity in (*reversed(item.entities), *start):
            for spelling in spellings(item.graph.label(entity)):
                labels.setdefault(spelling, entity)
            for alias in item.graph.aliases(entity):
                for spelling in spellings(alias):
                    aliases.setdefault(spelling, entity)
    return aliases | labels


def _parted(answers: list[ReplyAnswer], names: Mapping[str, int]) -> list[ReplyAnswer]:
    """Return the answers with those that are lists split, each answer once with all that it cites."""
    parts: dict[str, ReplyAnswer] = {}
    for part in (part for answer in answers for part in _split(answer, names)):
        before = parts.setdefault(key(part.text), part)
        parts[key(part.text)] = ReplyAnswer(before.text, tuple(dict.fromkeys(before.cited + part.cited)))
    return list(parts.values())


def _split(answer: ReplyAnswer, names: Mapping[str, int]) -> list[ReplyAnswer]:
    """Split an answer that is a list of names; small models write all on one line."""
    if key(answer.text) in names:
        return [answer]
    parts: dict[str, None] = {}
    for part in filter(None, map(str.strip, re.split("[,;]", answer.text))):
        pieces = [piece.strip() for piece in _AND.split(part)]
        are_names = key(part) not in names and all(key(piece) in names for piece in pieces)
        parts |= dict.fromkeys(pieces if are_names else [part])
    if not any(key(part) in names for part in parts):
        return [answer]
    return [ReplyAnswer(part, answer.cited) for part in parts]
