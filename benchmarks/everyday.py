"""Questions of a set over a graph folder: right, wrong and refused by kind, with the pipeline of `graphbrick ask`.

    python benchmarks/everyday.py GRAPH QUESTIONS [--half odd|even] [--llm MODEL] [--near] [--show] [--json FILE]

QUESTIONS are JSON lines with `question`, `answers`, `kind` and `compare`, which says when an answer is right: `set`
(exactly these), `any` (one of these, and no more answers than there are), `number`, `yesno`, `card` (the answer holds
all of these), `none` (nothing fits, which is to be said), or `refuse` (no answer is right). Case, commas in numbers,
and what numbers lose when they are shown with two digits, do not count. A question is refused if there is no answer,
unless it is told that nothing fits: that is wrong where something does. `--half` asks the lines with odd or even
numbers only, so that rules can be written with one half and measured with the other. `--near` counts the refused
questions for which one of the readings that are offered («Did you mean») has the right answer.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import graphbrick
from graphbrick.core.answer import NearReading
from graphbrick.core.errors import GraphbrickError
from graphbrick.learn.default import default_pipeline, withholding
from graphbrick.models.llm.naming import model_text
from graphbrick.pipeline import Pipeline

VERDICTS = ("right", "wrong", "refused")


NOTHING_FITS = ("operators.nothing_fits", "text_to_query.nothing_fits")
"""Codes of events that say that the graph has no such thing."""


def folded(text: str) -> str:
    """Return a text as it is compared: in lower case, a number without commas and without a zero fraction."""
    plain = text.casefold().strip()
    number = plain.replace(",", "")
    return f"{float(number):.12g}" if number.replace(".", "", 1).isdecimal() else plain


def rounded(text: str) -> str:
    """Return a text as it is compared, a number as it is shown: with two digits at most."""
    number = folded(text)
    return folded(f"{float(number):.2f}") if re.fullmatch(r"\d+\.\d{3,}", number) else number


def is_number(text: str) -> bool:
    """Return whether a gold answer is a number."""
    return re.fullmatch(r"-?\d[\d,]*(\.\d+)?", text.strip()) is not None


def verdict(compare: str, gold: list[str], texts: tuple[str, ...], *, says_none: bool = False) -> str:
    """Return whether answers are right, wrong, or refused.

    Args:
        compare: How they are compared.
        gold: The right answers.
        texts: The answers.
        says_none: Whether it was said that nothing fits.
    """
    if compare == "none" or (compare == "set" and not gold):
        return "wrong" if texts else "right" if says_none else "refused"
    if says_none and compare != "refuse":
        return "wrong"
    if all(map(is_number, gold)):
        texts = tuple(re.sub(r"(?<=\d) [^\d\s]+$", "", text) for text in texts)  # 341.97 kcal
    answers, wanted = {folded(text) for text in texts}, {folded(text) for text in gold}
    if compare == "refuse":
        return "wrong" if answers else "right"
    if not answers:
        return "refused"
    if compare == "card":
        is_right = all(any(part.casefold() in text.casefold() for text in texts) for part in gold)
    elif compare == "any":
        is_right = bool(answers & wanted) and len(answers) <= len(wanted)
    else:
        is_right = answers == wanted or set(map(rounded, texts)) == set(map(rounded, gold))
    return "right" if is_right else "wrong"


def offered(pipeline: Pipeline, graph: Any, reading: NearReading) -> tuple[str, ...]:
    """Return the answers of a reading that is offered; none if it is refused too."""
    try:
        return pipeline(graph, reading.question, seeds=reading.seeds).texts
    except GraphbrickError:
        return ()


def main() -> None:
    """Ask the questions and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--half", choices=("odd", "even"))
    parser.add_argument("--llm", help="a model for what the rules cannot read, as of graphbrick ask --llm")
    parser.add_argument("--min-confidence", type=float, help="of an answer, as of graphbrick ask")
    parser.add_argument("--near", action="store_true", help="try the readings that a refusal offers")
    parser.add_argument("--show", action="store_true", help="print every question that is not right")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    graph = graphbrick.open(options.graph)
    pipeline = default_pipeline(graph, model_text(options.llm) if options.llm else "")
    if options.min_confidence is not None:
        withheld = withholding(pipeline, options.min_confidence)
        assert withheld is not None
        pipeline = withheld
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(options.questions.read_text(encoding="utf-8").splitlines(), 1):
        if options.half and (number % 2 == 1) != (options.half == "odd"):
            continue
        row = json.loads(line)
        texts: tuple[str, ...] = ()
        says_none = False
        try:
            result = pipeline.run(graph, row["question"])
            texts = result.answer.texts
            says_none = any(getattr(event, "code", "") in NOTHING_FITS for event in result.trace.events)
        except GraphbrickError as error:
            row["error"] = str(error)
        readings = result.answer.readings if options.near and not texts and not row.get("error") else ()
        row["near"] = [offered(pipeline, graph, one) for one in readings]
        row |= {"texts": texts, "verdict": verdict(row["compare"], row["answers"], texts, says_none=says_none)}
        rows.append(row)
        if options.show and row["verdict"] != "right":
            print(f"{row['verdict']:8} {row['question']}\n         {list(texts)[:5]} instead of {row['answers'][:5]}")
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        table[row["kind"]][row["verdict"]] += 1
        table["all"][row["verdict"]] += 1
    print(f"{'kind':16}", *(f"{name:>8}" for name in VERDICTS))
    for kind, counts in sorted(table.items(), key=lambda entry: entry[0] == "all"):
        print(f"{kind:16}", *(f"{counts[name]:8}" for name in VERDICTS))
    if options.near:
        refused = [row for row in rows if row["verdict"] == "refused"]
        right = [[verdict(row["compare"], row["answers"], near) == "right" for near in row["near"]] for row in refused]
        first, any_of = sum(near[:1] == [True] for near in right), sum(map(any, right))
        print(f"of {len(refused)} refused, the first reading offered is right for {first}, one of three for {any_of}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
