"""An answer as a message: the texts with numbers, and under them the evidence that the numbers stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MOST_ANSWERS = 20
_LONGEST = 600  # characters of one piece of evidence
_QUOTES = 200
_NO_ANSWER, CANNOT = "No answer", "I cannot answer from the graph"
_READ_AS = "Read as: "
_END = re.compile(rf"(?:\A|\n\n)(?:\[1\] |{_READ_AS})")


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
    shown = []
    for answer in answers[:MOST_ANSWERS]:
        marks = [f"[{numbers[i]}]" for i in answer["support"] if i in numbers]
        cites = "[1]" in answer["text"] or "[1," in answer["text"]  # a text that was written with citations
        shown.append(answer["text"] if cites or not marks else f"{answer['text']} {''.join(marks[:3])}")
    more = f", and {len(answers) - MOST_ANSWERS:,} more" if len(answers) > MOST_ANSWERS else ""
    joint = "\n\n" if any("\n" in text or len(text) > _QUOTES for text in shown) else ", "
    return f"{joint.join(shown)}{more}"


def sources(run: Mapping[str, Any]) -> str:
    """Return the numbered evidence under an answer; empty without answers or support."""
    lines = []
    for i, number in _numbers(run).items():
        item = run["support"][i]
        text = item["text"] if len(item["text"]) <= _LONGEST else f"{item['text'][:_LONGEST]} ..."
        places = [_place(citation) for citation in item.get("citations", ()) if citation["document"]]
        lines.append(f"[{number}] {text}{f' ({places[0]})' if places else ''}")
    if run.get("from_model") and run["answers"]:
        lines.append("From the model's own knowledge, not from the graph.")
    question = run.get("conversation", {}).get("question")
    if question is not None:
        lines += ["", f"{_READ_AS}{question}"] if lines else [f"{_READ_AS}{question}"]
    return "\n\n" + "\n".join(lines) if lines else ""


def _numbers(run: Mapping[str, Any]) -> dict[int, int]:
    """Return the number, from 1, of every item that supports an answer that is shown."""
    used = [i for answer in run["answers"][:MOST_ANSWERS] for i in answer["support"][:3]]
    if len(run["answers"]) == 1:
        used = list(run["answers"][0]["support"])  # a written text cites them by their order
    own = {answer["text"] for answer in run["answers"]}  # a card is its own evidence
    listed = [i for i in dict.fromkeys(used) if run["support"][i]["text"] not in own]
    return {i: number for number, i in enumerate(listed, 1)}


def _place(citation: Mapping[str, Any]) -> str:
    section = f", {citation['section']}" if citation["section"] else ""
    span = "" if citation["start"] is None else f", characters {citation['start']}-{citation['end']}"
    return f"{citation['document'].rpartition('/')[2]}{section}{span}"


def _no_answer(run: Mapping[str, Any]) -> str:
    if run.get("stopped"):
        return f"{_NO_ANSWER}: {run['stopped']['reason']}."
    if run.get("withheld"):
        return f"{_NO_ANSWER} with enough confidence; the best reading of the question is {run['withheld']}."
    return f"{_NO_ANSWER} found in the graph."


def without_sources(text: str) -> str:
    """Return the answers of a message that `answer_text` made, without the evidence and its numbers.

    >>> without_sources("Nairobi [1]\\n\\n[1] Kenya -> capital -> Nairobi\\n\\nRead as: Its capital?")
    'Nairobi'
    """
    end = _END.search(text)
    return re.sub(r" ?\[\d+(?:, ?\d+)*\]", "", text[: end.start()] if end else text)


def says_nothing(text: str) -> bool:
    """Return whether the text of a reply says that there is no answer."""
    return not text or text.startswith((_NO_ANSWER, CANNOT))
