"""An answer as a message: the texts with numbers, and under them the evidence that the numbers stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphbrick.core.items import ANSWER
from graphbrick.serve.asking import ASKED_IN

MOST_ANSWERS = 20
_LONGEST = 600  # characters of one piece of evidence
_QUOTES = 200
_MARKS = 3  # pieces of evidence that an answer cites
_SENTENCE = 60  # characters of a text from which on texts stand on lines of their own
_NO_ANSWER, CANNOT, _NONE = "No answer", "I cannot answer from the graph", "None: nothing"
_YES = {"yes", "yes please", "ok", "okay", "sure", "ja", "oui", "sí", "si", "да", "是", "はい", "네"}
_OTHERS = "Others of this name:"
_TAKEN_AS, _OFFER, _EXAMPLES = "Taken as: ", "Did you mean:", "You can ask, for example:"
_END = re.compile(rf"(?:\A|\n\n)(?:\[1\] |{_TAKEN_AS}|{ASKED_IN}|Read as: )")  # the last in replies of earlier versions
_SPAN = re.compile(r", characters \d+-\d+\)$")
_TAKEN = re.compile(rf"^{_TAKEN_AS}(.+)$", re.MULTILINE)
_OFFERED = re.compile(r"^(?P<number>\d+)\. (?P<text>.+?)(?: \([\d,]+\))?(?:: `(?P<question>.+)`)?$", re.MULTILINE)


def answer_text(run: Mapping[str, Any]) -> str:
    """Return the answers of a run as a message.

    Args:
        run: A run as JSON (`graphbrick.pipeline.run_json`).

    >>> print(answer_text({"answers": [{"text": "Nairobi", "support": [0]}], "support": [{"text": "Kenya"}]}))
    Nairobi [1]
    <BLANKLINE>
    [1] Kenya
    """
    return f"{answers_line(run)}{sources(run)}"


def answers_line(run: Mapping[str, Any]) -> str:
    """Return the answers, each with the numbers of its support; without answers, the reason."""
    answers = run["answers"]
    if not answers:
        return _no_answer(run)
    numbers = _numbers(run)
    shown = answers[:MOST_ANSWERS]
    marks = ["" if _cites(answer) else _marks(answer, numbers) for answer in shown]
    is_prose = any("mark" in answer or len(answer["text"]) > _SENTENCE for answer in answers)
    joint = "\n" if is_prose else ", "
    if any("\n" in answer["text"] or len(answer["text"]) > _QUOTES for answer in shown):
        joint = "\n\n"
    if joint == ", " and len(set(marks)) == 1:  # one mark for all of them
        marks = [""] * (len(shown) - 1) + marks[-1:]
    texts = [f"{answer['text']} {mark}".rstrip() for answer, mark in zip(shown, marks, strict=True)]
    more = f", and {len(answers) - MOST_ANSWERS:,} more" if len(answers) > MOST_ANSWERS else ""
    readings = _namesakes(run)
    about = f"{readings[0]['about']}: " if readings else ""  # which of the entities of this name
    return f"{about}{joint.join(texts)}{more}"


def _cites(answer: Mapping[str, Any]) -> bool:
    """Return whether a text was written with citations."""
    return "[1]" in answer["text"] or "[1," in answer["text"]


def _marks(answer: Mapping[str, Any], numbers: Mapping[int, int]) -> str:
    marks = dict.fromkeys(f"[{numbers[i]}]" for i in answer["support"] if i in numbers)
    return "".join(list(marks)[:_MARKS])


def _namesakes(run: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the answers for each entity of a name, those shown first; none if cards tell them apart already."""
    told = any(run["support"][i].get("kind") == "card" for answer in run["answers"] for i in answer["support"])
    return () if told or not _is_answered(run) else run.get("readings", ())


def sources(run: Mapping[str, Any]) -> str:
    """Return the numbered evidence under an answer; empty without answers or support."""
    lines = []
    numbers = _numbers(run)
    for number, i in {number: i for i, number in numbers.items()}.items():
        if number <= _MARKS or not _is_cut(run):
            lines.append(f"[{number}] {_shown(run['support'][i])}")
    if rest := _more(run, numbers):
        lines.append(f"and {rest:,} more")
    if run.get("from_model") and run["answers"]:
        lines.append("From the model's own knowledge, not from the graph.")
    if not is_small_talk(run):
        lines += [note["text"] for note in run.get("notes", ()) if note["text"].startswith(ASKED_IN)]
    question = run.get("conversation", {}).get("question")
    if question is not None:
        lines += ["", f"{_TAKEN_AS}{question}"] if lines else [f"{_TAKEN_AS}{question}"]
    heading = _EXAMPLES if is_small_talk(run) else _OFFER
    is_answered = _is_answered(run)
    readings = _namesakes(run) if is_answered else run.get("readings", ())
    more = offered(readings, is_answered=is_answered, heading=heading)
    return ("\n\n" + "\n".join(lines) if lines else "") + more


def is_small_talk(run: Mapping[str, Any]) -> bool:
    """Return whether there is no answer because nothing was asked."""
    code = (run.get("refusal") or {"code": ""})["code"]
    return bool(code == "quote.small_talk" or code.startswith("small_talk."))


def offered(readings: Sequence[Mapping[str, Any]], *, is_answered: bool, heading: str = _OFFER) -> str:
    """Return the answers for the other entities of a name, or the readings that may be meant, each with what to send.

    >>> reading = {"text": "people who lead Shop", "question": "Shop -> led by -> *", "answers": 2, "about": ""}
    >>> print(offered([reading], is_answered=False).strip())
    Did you mean:
    1. people who lead Shop (2): `Shop -> led by -> *`
    """
    if is_answered:
        lines = [f"{one['about']}: {_texts(one)}" for one in readings[1:]]
        return f"\n\n{_OTHERS}\n" + "\n".join(lines) if lines else ""
    lines = []
    for number, one in enumerate(readings, 1):
        count = f" ({one['answers']:,})" if one["answers"] > 1 else ""
        send = "" if one["question"] == one["text"] else f": `{one['question']}`"
        lines.append(f"{number}. {one['text']}{count}{send}")
    return f"\n\n{heading}\n" + "\n".join(lines) if lines else ""


def _texts(reading: Mapping[str, Any]) -> str:
    more = reading["answers"] - len(reading["texts"])
    return ", ".join(reading["texts"]) + (f", and {more:,} more" if more > 0 else "")


def offered_question(reply: str, message: str) -> str:
    """Return the question that a message chooses of those that a reply offers, by number or words; empty if none.

    >>> reading = {"text": "leaders of Shop", "question": "Shop -> led by -> *", "answers": 2}
    >>> reply = offered([reading], is_answered=False)
    >>> offered_question(reply, "1"), offered_question(reply, "Leaders of Shop"), offered_question(reply, "2")
    ('Shop -> led by -> *', 'Shop -> led by -> *', '')
    """
    _, offer, lines = reply.partition(_EXAMPLES if _EXAMPLES in reply else _OFFER)
    chosen, words = message.strip().strip(".!? ").casefold(), list(_OFFERED.finditer(lines))
    for one in words if offer else ():
        is_yes = len(words) == 1 and " ".join(re.findall(r"\w+", chosen)) in _YES
        if is_yes or chosen in (one["number"], one["text"].casefold().strip(".!? ")):
            return one["question"] or one["text"]
    return ""


def _is_answered(run: Mapping[str, Any]) -> bool:
    return bool(run["answers"]) and "error" not in run


def _numbers(run: Mapping[str, Any]) -> dict[int, int]:
    """Return the number, from 1, of every item that supports an answer that is shown."""
    used = [i for answer in run["answers"][:MOST_ANSWERS] for i in answer["support"][:_MARKS]]
    if len(run["answers"]) == 1:
        used = list(run["answers"][0]["support"])  # a written text cites any of them by their order
    # Of a question that states a path, the paths say more than the rows that repeat it; a card is its own evidence.
    stated, own = [run.get("question")], {answer["text"] for answer in run["answers"]}
    used = [i for i in used if list(run["support"][i].get("values", ())[1:]) != stated]
    listed = [i for i in dict.fromkeys(used) if run["support"][i]["text"] not in own]
    numbers: dict[str, int] = {}  # of what is shown, which several answers may stand on
    return {i: numbers.setdefault(_shown(run["support"][i]), len(numbers) + 1) for i in listed}


def _is_cut(run: Mapping[str, Any]) -> bool:
    """Return whether only the first pieces of evidence are listed: a text that cites none of them stands on many."""
    return len(run["answers"]) == 1 and not _cites(run["answers"][0])


def _more(run: Mapping[str, Any], numbers: Mapping[int, int]) -> int:
    """Return how many pieces of evidence are not listed; of a count, how many of the things that it counts."""
    rest = max(numbers.values(), default=0) - _MARKS
    if not _is_cut(run) or rest <= 0:
        return 0
    listed = [run["support"][i] for i, number in numbers.items() if number <= _MARKS]
    counted = max((item.get("counted", 0) for item in listed), default=0)
    return int(counted - sum("counted" not in item for item in listed)) if counted else rest


def _shown(item: Mapping[str, Any]) -> str:
    """Return the line of a piece of evidence: of a computed answer how it was computed, of others text and place."""
    if tuple(item.get("columns", ())) == ANSWER:
        return str(item["values"][1])
    text = item["text"] if len(item["text"]) <= _LONGEST else f"{item['text'][:_LONGEST]} ..."
    places = [_place(citation) for citation in item.get("citations", ()) if citation["document"]]
    return f"{text}{f' ({places[0]})' if places else ''}"


def _place(citation: Mapping[str, Any]) -> str:
    section = f", {citation['section']}" if citation["section"] else ""
    span = "" if citation["start"] is None else f", characters {citation['start']}-{citation['end']}"
    return f"{citation['document']}{section}{span}"


def _no_answer(run: Mapping[str, Any]) -> str:
    if run.get("stopped"):
        return f"{_NO_ANSWER}: {run['stopped']['reason']}."
    reason = run.get("refusal")
    if reason and is_small_talk(run):
        text = f"{reason['text'][:1].upper()}{reason['text'][1:]}"
        return text if text.endswith((".", "!", "?")) else f"{text}."
    if reason and reason["code"] == "quote.low_confidence":
        return f"{_NO_ANSWER}: {reason['text']}"
    if reason and reason["code"].endswith(".nothing_fits"):  # that there is nothing is the answer
        return f"{_NONE}{reason['text'].removeprefix('nothing')}."
    if run.get("withheld"):
        return f"{_NO_ANSWER} with enough confidence; the best reading of the question is {run['withheld']}."
    return f"{_NO_ANSWER} found in the graph" + (f": {reason['text']}." if reason else ".")


def without_sources(text: str) -> str:
    """Return the answers of a message that `answer_text` made, without the evidence and its numbers.

    >>> without_sources("Nairobi [1]\\n\\n[1] Kenya -> capital -> Nairobi\\n\\nTaken as: Its capital?")
    'Nairobi'
    """
    told, offer, readings = text.partition(f"\n\n{_EXAMPLES if _EXAMPLES in text else _OFFER}")
    end = _END.search(told)
    return re.sub(r" ?\[\d+(?:, ?\d+)*\]", "", told[: end.start()] if end else told) + offer + readings


def taken_as(text: str) -> str:
    """Return the complete question that a message of `answer_text` says it answers; empty if it says none.

    >>> taken_as("euro [1]\\n\\n[1] France -> currency -> euro\\n\\nTaken as: What is the currency of France?")
    'What is the currency of France?'
    """
    found = _TAKEN.findall(text)
    return str(found[-1]).strip() if found else ""


def first_document(text: str) -> str:
    """Return the document of the first source under a message of `answer_text`; empty if there is none.

    >>> first_document("At noon. [1]\\n\\n[1] It closes (but not today). (a/hours.md, Hours (summer), characters 0-9)")
    'a/hours.md'
    """
    for line in text.splitlines():
        if _SPAN.search(line):
            depth, place = 0, len(line)
            while place > 0 and (depth or place == len(line)):
                place -= 1
                depth += (line[place] == ")") - (line[place] == "(")
            return line[place + 1 :].partition(", ")[0]
    return ""


def says_nothing(text: str) -> bool:
    """Return whether the text of a reply says that there is no answer."""
    return not text or text.startswith((_NO_ANSWER, CANNOT, _NONE))
