"""Steps with a language model that the metrics of one case share."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Any, TypeAlias, TypeVar

from graphbrick.judge.asking import UnreadableError, about, cut, numbered_data, object_of, tell_cut
from graphbrick.judge.verdicts import Case
from graphbrick.language.folding import fold
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.context_budget import pack, text_tokens
from graphbrick.models.llm.messages import Request
from graphbrick.models.llm.replies.json_replies import json_list, json_object, whole_number
from graphbrick.models.llm.replies.replies import shown
from graphbrick.text.documents.sentences import sentences

T = TypeVar("T")
Step: TypeAlias = Generator[Request, str, T]
"""Yields requests, is sent the text of each reply, and returns what was read."""

PROMPTS = ("statements", "support", "usefulness", "questions", "entities")
"""The prompts of all steps."""
QUESTIONS = 3
"""Questions that are guessed from an answer."""
_MOST_STATEMENTS, _MOST_ENTITIES = 30, 60
_MOST_VERDICTS = 16  # of one call
_VERDICT = 60  # tokens of one verdict with its reason, about
_LONGEST = 300  # characters of a statement or question
_STRING = {"type": "string", "maxLength": _LONGEST}
_YES_NO = {"type": "string", "enum": ["yes", "no"]}
_SAYS = {"yes": True, "true": True, "no": False, "false": False}
_LIST = 'Reply with JSON and nothing else: {{"{key}": ["...", ...]}}.'
VERDICTS = (
    "Reply with a JSON object and nothing else: verdicts, a list with one object for each number, which has number, "
    "reason (a few words) and verdict (yes or no)."
)
"""Form of a reply with verdicts on numbered texts."""
_GUESSES = 'Reply with JSON and nothing else: {"questions": ["...", "...", "..."], "noncommittal": "yes" or "no"}.'
REPLIES = (_LIST, VERDICTS, _GUESSES)
"""Forms of the replies to them."""


def reference_of(case: Case) -> str:
    """Return the correct answers of a case as one text.

    >>> reference_of(Case("Where?", gold=("Nairobi", "Mombasa")))
    'Nairobi, Mombasa'
    """
    return ", ".join(name for name in case.gold if name.strip())


class CaseSteps:
    """The steps about one case; each is done at most once, also if it fails.

    Args:
        llm: The model.
        case: The case.
        tokens: Most tokens of evidence in one call; more evidence takes more calls.
    """

    def __init__(self, llm: ChatModel, case: Case, tokens: int) -> None:
        self._llm, self.case = llm, case
        self._room = max(llm.context_tokens() - llm.max_tokens, 8)
        self._tokens = min(tokens, self._room // 4)
        self.reference = self._cut("reference", reference_of(case))
        self.answer = self._cut("answer", case.answer)
        self.question = self._cut("question", case.question)
        self.evidence = [cut(llm, text, self._tokens) for text in case.evidence if text.strip()]
        if any(text not in case.evidence for text in self.evidence):
            tell_cut("evidence")
        self._known: dict[Hashable, Any] = {}

    def statements(self, of: str) -> Step[tuple[str, ...]]:
        """Return the statements that the answer or the reference makes.

        Args:
            of: "answer" or "reference".

        Raises:
            UnreadableError: The reply cannot be read.
        """
        data = {"question": self.question, "text": getattr(self, of)}
        return (yield from self._once(("statements", of), lambda: _texts("statements", data, _MOST_STATEMENTS)))

    def supported(self, source: str, of: str) -> Step[list[bool]]:
        """Return for each statement whether it follows from a source.

        Args:
            source: "evidence" (any part of it), "answer", or "reference".
            of: Statements of the "answer" or the "reference", or the "sentences" of the reference.

        Raises:
            UnreadableError: A reply cannot be read.
        """
        texts = self.evidence if source == "evidence" else [getattr(self, source)]
        return (yield from self._once(("supported", source, of), lambda: self._supported(texts, of)))

    def supported_by_each(self, of: str) -> Step[list[list[bool]]]:
        """Return for each item of evidence whether each statement follows from it.

        Raises:
            UnreadableError: A reply cannot be read.
        """
        by_item = []
        for text in self.evidence:
            by_item.append((yield from self._once(("item", text, of), lambda text=text: self._supported([text], of))))  # type: ignore[misc]
        return by_item

    def useful(self, by: str) -> Step[list[bool]]:
        """Return for each item of evidence whether it is of use to arrive at the answer or the reference.

        Raises:
            UnreadableError: A reply cannot be read.
        """
        return (yield from self._once(("useful", by), lambda: self._useful(getattr(self, by))))

    def guesses(self) -> Step[tuple[tuple[str, ...], bool]]:
        """Return questions that the answer would answer, and whether it is noncommittal.

        Raises:
            UnreadableError: The reply cannot be read.
        """
        return (yield from self._once("guesses", self._guesses))

    def entities(self, of: str) -> Step[set[str]]:
        """Return the entities that the reference or the evidence names, folded.

        Raises:
            UnreadableError: A reply cannot be read.
        """
        return (yield from self._once(("entities", of), lambda: self._entities(of)))

    def _once(self, key: Hashable, step: Callable[[], Step[T]]) -> Step[T]:
        """Do a step, or return what it gave before."""
        if key not in self._known:
            try:
                self._known[key] = yield from step()
            except UnreadableError as error:
                self._known[key] = error
        known = self._known[key]
        if isinstance(known, UnreadableError):
            raise UnreadableError(*known.args)
        result: T = known
        return result

    def _supported(self, texts: Sequence[str], of: str) -> Step[list[bool]]:
        """Return for each statement whether it follows from one of the groups of texts that fit into a call."""
        if of == "sentences":
            spans = sentences(self.reference)
            statements = tuple(text for start, end in spans if (text := self.reference[start:end].strip()))
        else:
            statements = yield from self.statements(of)
        is_supported = [False] * len(statements)
        for group in self._groups(texts):
            left = [place for place, yes in enumerate(is_supported) if not yes]
            data = {"question": self.question, "source": numbered_data(group)}
            verdicts = yield from self._verdicts("support", data, "statements", [statements[place] for place in left])
            for place, yes in zip(left, verdicts, strict=True):
                is_supported[place] = yes
        return is_supported

    def _useful(self, answer: str) -> Step[list[bool]]:
        verdicts = list[bool]()
        for group in self._groups(self.evidence):
            data = {"question": self.question, "answer": answer}
            verdicts += yield from self._verdicts("usefulness", data, "evidence", group)
        return verdicts

    def _guesses(self) -> Step[tuple[tuple[str, ...], bool]]:
        schema = json_object(questions=json_list(_STRING, QUESTIONS), noncommittal=_YES_NO)
        reply = yield Request(about("questions", {"answer": self.answer}, _GUESSES), schema)
        said = object_of(reply, "noncommittal")
        noncommittal = _SAYS.get(str(said["noncommittal"]).strip().lower())
        questions = _strings(said.get("questions"), reply)[:QUESTIONS]
        if noncommittal is None or not questions:
            raise UnreadableError(f"the reply has no question, or no yes or no: {shown(reply)}")
        return questions, noncommittal

    def _entities(self, of: str) -> Step[set[str]]:
        groups = self._groups(self.evidence) if of == "evidence" else [[self.reference]]
        forms = set[str]()
        for group in groups:
            names = yield from _texts("entities", {"text": "\n".join(group)}, _MOST_ENTITIES)
            forms |= {form for form in map(fold, names) if form}
        return forms

    def _verdicts(self, name: str, data: dict[str, Any], key: str, texts: Sequence[str]) -> Step[list[bool]]:
        """Ask for a verdict on each text, once more for those left out, fewer at a time."""
        by_place: dict[int, bool] = {}
        reply = ""
        first_most = min(max(self._llm.max_tokens // _VERDICT, 1), _MOST_VERDICTS, max(len(texts), 1))
        for most in (first_most, max(first_most // 2, 1)):
            left = [place for place in range(len(texts)) if place not in by_place]
            for first in range(0, len(left), most):
                places = left[first : first + most]
                shown_texts = numbered_data([texts[place] for place in places])
                reply = yield Request(about(name, data | {key: shown_texts}, VERDICTS), verdicts_schema(len(places)))
                by_place |= {places[number - 1]: yes for number, yes in _read_verdicts(reply, len(places)).items()}
        if len(by_place) < len(texts):
            missing = len(texts) - len(by_place)
            raise UnreadableError(f"{missing} of {len(texts)} verdicts are missing, the last reply is {shown(reply)}")
        return [by_place[place] for place in range(len(texts))]

    def _groups(self, texts: Sequence[str]) -> list[Sequence[str]]:
        """Split texts into groups that fit into a call each."""
        sizes = [text_tokens(json.dumps(text, ensure_ascii=False), self._llm.tokenizer) + 4 for text in texts]
        return [texts[part.start : part.stop] for part in pack(sizes, self._tokens, len(texts))]

    def _cut(self, name: str, text: str) -> str:
        short = cut(self._llm, text.strip(), self._room // 8)
        if short != text.strip():
            tell_cut(name)
        return short


def _texts(name: str, data: dict[str, Any], most: int) -> Step[tuple[str, ...]]:
    """Ask for a list of distinct texts.

    Raises:
        UnreadableError: The reply has no list of texts.
    """
    schema = json_object(**{name: json_list(_STRING, most)})
    reply = yield Request(about(name, data, _LIST.format(key=name)), schema)
    return _strings(object_of(reply, name)[name], reply)


def verdicts_schema(n: int) -> dict[str, Any]:
    """Return the schema of verdicts on texts with the numbers from 1 to n."""
    entry = json_object(number=whole_number(1, n), reason={"type": "string", "maxLength": 150}, verdict=_YES_NO)
    return json_object(verdicts=json_list(entry, n) | {"minItems": n})


def _read_verdicts(reply: str, n: int) -> dict[int, bool]:
    """Return the verdicts of a reply by number, without numbers that have none or two different ones."""
    try:
        listed = object_of(reply, "verdicts", partial=True)["verdicts"]
    except UnreadableError:
        return {}
    said: dict[int, set[bool | None]] = {}
    for entry in listed if isinstance(listed, list) else ():
        number = str(entry.get("number")) if isinstance(entry, dict) else ""
        if number.isdecimal() and 1 <= int(number) <= n:
            said.setdefault(int(number), set()).add(_SAYS.get(str(entry.get("verdict")).strip().lower()))
    return {number: yes for number, answers in said.items() if len(answers) == 1 and (yes := answers.pop()) is not None}


def _strings(value: object, reply: str) -> tuple[str, ...]:
    """Return the distinct texts of a list.

    Raises:
        UnreadableError: It is no list of texts.
    """
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UnreadableError(f"the reply is no list of texts: {shown(reply)}")
    return tuple(dict.fromkeys(text for one in value if (text := one.strip())))
