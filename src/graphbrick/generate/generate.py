"""Answers by a language model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from graphbrick.core import Answer, Evidence, Item, Path, Query
from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.generate.answers import IN_JSON, IN_LINES, SCHEMA, Said, in_json, key, lines_of, read_answers
from graphbrick.generate.prompts import NAMES, Turns, prompt
from graphbrick.llm.chat import ChatModel, current_listener
from graphbrick.llm.conversation import Request, readable
from graphbrick.llm.replies import numbered, one_line, shown
from graphbrick.pipeline import GenerateStage

_LONGEST_REPORT = 4000  # characters
_MOST = 100  # answers; more are a model that does not stop
_LISTED = 5  # wrong numbers in an event
_PLACE = re.compile(r"\{(format|question|evidence)\}")


@dataclass(frozen=True, repr=False)
class Generate(GenerateStage):
    """The answers a language model reads out of the evidence, each with the numbers of the paths that hold it.

    The numbers are checked: a path counts as support only where the answer is on it, and where the model names none,
    those that hold the answer are taken. An answer that no path holds has no support, which is an event in the trace:
    the model may have made it up. The model may find that the answer is not in the evidence; it is not called where
    there is none. Evidence that does not fit the model's context is left out from the end, which is an event.

    Args:
        llm: The language model, such as LLM().
        prompt: What it is told: "zero" for instructions only, "one" or "few" for instructions and examples, or the path
            of a text file with a prompt of your own (docs/llm.md).

    Returns:
        Distinct answers in the order of the reply; the items of the evidence that support them.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time; or not one path fits the context.
        InputError: The prompt's file is missing or is no prompt.
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (generation; one- and few-shot: preliminary version)"

    llm: ChatModel = parameter(example="LLM()")
    prompt: str = parameter(NAMES[0], path=True, search=NAMES)

    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """Ask the model and read its reply."""
        if not evidence.items:
            event("no answer: the evidence is empty; the model was not called")
            return Answer()
        request, items = self.asked(query, evidence)
        listener = current_listener()
        heard = lines_of(listener) if listener is not None and self.llm.structured else listener
        reply = self.llm.ask_all([request], heard=heard)[0].text
        answers = read_answers(reply)
        if len(answers) > _MOST:
            event(f"of {len(answers):,} answers the first {_MOST} were taken: {shown(reply)}")
            answers = answers[:_MOST]
        if not answers:
            event(f"no answer: the model replied {shown(reply)}")
        return _supported(answers, items, evidence)

    def asked(self, query: Query, evidence: Evidence) -> tuple[Request, list[Item]]:
        """What the model is asked, with as many items as fit, and those in the order of their numbers.

        Raises:
            ModelError: Not one item fits.
        """
        items: list[Item] = [*evidence.paths, *evidence.reports]
        listed, turns = _listed(items), prompt(self.prompt)
        few, many = 0, len(items)
        while few < many:  # the largest number that fits
            middle = (few + many + 1) // 2
            if self.llm.room(self._messages(turns, query, listed[:middle])) >= 0:
                few = middle
            else:
                many = middle - 1
        if not few:
            raise ModelError(
                f"{self.llm!r} has no room for a single path beside the prompt and a reply of {self.llm.max_tokens:,} "
                f"tokens: it holds {self.llm.context_tokens():,}; raise context, or lower max_tokens"
            )
        if few < len(items):
            event(f"only the first {few:,} of {len(items):,} items of the evidence fit the model's context")
        return Request(readable(self._messages(turns, query, listed[:few])), SCHEMA), items[:few]

    def _messages(self, turns: Turns, query: Query, listed: list[str]) -> list[dict[str, str]]:
        """The turns of the prompt with all that they leave open."""
        structured = self.llm.structured
        values = {
            "format": IN_JSON if structured else IN_LINES,
            "question": one_line(query.text),
            "evidence": "\n".join(listed),
        }
        messages = []
        for role, text in turns:
            if role == "assistant":
                content = in_json(text) if structured else text
            else:
                content = _PLACE.sub(lambda place: values[place.group(1)], text)
            messages.append({"role": role, "content": content})
        return messages


def _listed(items: list[Item]) -> list[str]:
    """A text for each item: its line in the prompt, with the heading before the first of a kind."""
    paths = [item.text for item in items if isinstance(item, Path)]
    reports = [item.text for item in items if not isinstance(item, Path)]
    lines = numbered(paths).split("\n") if paths else []
    if lines:
        lines[0] = f"Paths:\n{lines[0]}"
    if reports:
        more = numbered(reports, longest=_LONGEST_REPORT, first=len(paths) + 1).split("\n")
        more[0] = ("\n" if paths else "") + f"Reports on parts of the graph:\n{more[0]}"
        lines += more
    return lines


def _supported(answers: list[Said], items: list[Item], evidence: Evidence) -> Answer:
    """Each answer with its entity on the paths, and the items that support it."""
    names: dict[str, int] = {}
    for item in evidence.items:
        # The end of a path is the likelier meaning of a name than a station on the way.
        for node in reversed(item.nodes):
            names.setdefault(key(item.graph.label(node)), node)
    _add_aliases(names, evidence)
    answers = [part for said in answers for part in _split(said, names)]
    found = [names.get(key(said.text)) for said in answers]
    support = []
    for said, entity in zip(answers, found, strict=True):
        holding = [] if entity is None else [item for item in items if entity in _stations(item)]
        cited = [items[number - 1] for number in said.cited if 0 < number <= len(items)]
        wrong = [n for n in said.cited if not 0 < n <= len(items) or items[n - 1] not in holding]
        if entity is None:
            event(f"the answer {said.text[:200]!r} stands on no path of the evidence")
        elif wrong:
            named = ", ".join(map(str, wrong[:_LISTED])) + (" and more" if len(wrong) > _LISTED else "")
            event(f"the answer {said.text[:200]!r} is not on what it was said to stand on: {named}")
        support.append([item for item in cited if item in holding] or holding)
    used = {id(item) for part in support for item in part}
    kept = tuple(item for item in evidence.items if id(item) in used)
    place = {id(item): i for i, item in enumerate(kept)}
    return Answer(
        tuple(said.text for said in answers),
        tuple(found),
        Evidence(kept),
        tuple(tuple(place[id(item)] for item in part) for part in support),
    )


def _split(said: Said, names: Mapping[str, int]) -> list[Said]:
    """An answer that is a list of names with commas between them as several; small models write all on one line."""
    parts = [part.strip() for part in said.text.split(",") if part.strip()]
    if len(parts) < 2 or key(said.text) in names or not any(key(part) in names for part in parts):
        return [said]
    return [Said(part, said.cited) for part in dict.fromkeys(parts)]


def _add_aliases(names: dict[str, int], evidence: Evidence) -> None:
    """Let the entities of the evidence be called by their other names too, where no label is the same."""
    for item in evidence.items:
        for node in reversed(item.nodes):
            for alias in item.graph.aliases(node):
                names.setdefault(key(alias), node)


def _stations(item: Item) -> tuple[int, ...]:
    """The entities that an item says something about: where a path starts is no proof."""
    return item.nodes[1:] if isinstance(item, Path) else item.nodes
