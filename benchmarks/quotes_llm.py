"""Answers that a language model writes from documents: how often they are right, beside the first quotation.

    python benchmarks/quotes_llm.py DATA FOLDER --llm MODEL [--set flask] [--half a] [--show] [--json FILE] ...
    python benchmarks/quotes_llm.py DATA FOLDER --llm MODEL --facts [--set flask] ...

Asks the questions of quotes.jsonl, over the graphs that quotes.py makes in FOLDER (its other options mean what they
mean there), with the default pipeline with a model and without one. An answer is right if it holds one of the gold
answers, whatever case and emphasis; that is too strict for an answer in other words, so read those that ``--show``
prints. The last columns count the questions whose gold answer stands in the first 5, 10, 20 and 50 passages, and in
what the search found. A model that this machine cannot call is played by file_model.py::

    python benchmarks/file_model.py WORK python benchmarks/quotes_llm.py DATA FOLDER --llm gpt-4.1 --set flask

``--facts`` asks no model. It counts the facts of quotes_several.jsonl, whose questions need several passages or are in
another language than the documents, among the first ten passages, in what the model is given, and in what it is given
after it has searched with words that were noted beside a question.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import quotes
from graphbrick.bricks.generate.shown_passages import widened
from graphbrick.bricks.generate.write_answer import WriteAnswer
from graphbrick.bricks.retrieve.documents.passage_rank import PassageRank
from graphbrick.bricks.retrieve.whole.overview import Overview
from graphbrick.core import Item
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.opening import open as open_graph
from graphbrick.learn.default import default_pipeline
from graphbrick.models.llm.naming import model_text
from graphbrick.pipeline import Pipeline, Sequence

SEVERAL = Path(__file__).with_name("quotes_several.jsonl")
_RANKS = (5, 10, 20, 50)
_SETS = ("port", "town-de", "python", "medquad", "copier", "flask", "click")


def main() -> None:
    """Ask every question of the sets, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--llm", required=True, help="as of graphbrick ask --llm")
    parser.add_argument("--set", action="append", choices=quotes.SETS)
    parser.add_argument("--half", choices=("a", "b"))
    quotes.add_places(parser)
    parser.add_argument("--late", action="store_true", help="embed passages of graphs in FOLDER as `ask` does: late")
    parser.add_argument("--facts", action="store_true", help="count facts that the model is given, without asking it")
    parser.add_argument("--show", action="store_true", help="print the answers that do not hold a gold answer")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    everything: list[dict[str, Any]] = []
    titles = ("set", "questions", "right", "wrong", "refused", "without an answer: refused", "first quotation right")
    if args.facts:
        titles = ("set", "facts of several passages", "first ten", "given", "another language", "first ten", "given")
        print(f"| {' | '.join((*titles, 'after searches'))} |\n|{'---|' * (len(titles) + 1)}")
    else:
        print(f"| {' | '.join((*titles, 'refused', 'without: refused', *(f'at {n}' for n in _RANKS), 'found'))} |")
        print(f"|{'---|' * (len(titles) + 3 + len(_RANKS))}")
    for name in args.set or _SETS:
        is_late = args.late and (args.folder / f"{name}.graph").exists()
        graph = open_graph(args.folder / f"{name}.graph") if is_late else quotes._graph(name, args)
        if not isinstance(graph, TextGraph):
            print(f"| {name} | its documents are not there {'| ' * (len(titles) + 1 + len(_RANKS))}|")
            continue
        plain, written = default_pipeline(graph), default_pipeline(graph, model_text(args.llm))
        if args.facts:
            everything += [_given(graph, written, row) for row in _rows(SEVERAL, name)]
            print(_facts(name, [row for row in everything if row["set"] == name]), flush=True)
            continue
        rows = [{"set": name, **_asked(graph, plain, written, *one)} for one in _questions(name, args.half)]
        print(_row(name, rows), flush=True)
        everything += rows
    print((_facts if args.facts else _row)("all", everything))
    if args.show and not args.facts:
        for row in everything:
            if row["verdict"] != ("right" if row["gold"] else "refused"):
                print(f"{row['set']}, {row['verdict']}: {row['question']} {row['gold']}: {row['answer']}")
    if args.json:
        args.json.write_text(json.dumps(everything, indent=1, ensure_ascii=False), encoding="utf-8")


def _rows(file: Path, name: str) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from (row for row in map(json.loads, lines) if row["set"] == name)


def _questions(name: str, half: str | None) -> Iterator[tuple[str, list[str]]]:
    """Yield the questions of a set with their gold answers, none for one that the documents do not answer."""
    for row in _rows(quotes.QUESTIONS, name):
        if half in (None, row["half"]):
            yield row["question"], row["answers"]


def _asked(graph: TextGraph, plain: Pipeline, written: Pipeline, question: str, gold: list[str]) -> dict[str, Any]:
    """Return what the pipelines without and with a model answer, and where the gold answer stands."""
    row: dict[str, Any] = {"question": question, "gold": gold}
    quotation = plain(graph, question)
    row["quotation"] = quotation.texts[0] if quotation.texts else ""
    row["quoted"] = _verdict(quotation.texts[:1], gold)
    try:
        run = written.run(graph, question)
    except GraphbrickError as error:
        return row | {"answer": str(error), "verdict": "error", "rank": 0, "is_found": False}
    texts = run.answer.texts if run.answer else ()
    items = run.evidence.items if run.evidence else ()
    many = _found(_search(written, _RANKS[-1]), graph, question)
    holding = [i for i, item in enumerate(many, 1) if quotes._holds(item.text, gold)]
    return row | {
        "answer": "\n".join(texts),
        "verdict": _verdict(texts, gold),
        "rank": holding[0] if holding else 0,
        "is_found": any(quotes._holds(item.text, gold) for item in items),
        "events": list(map(str, run.trace.events)),
    }


def _given(graph: TextGraph, written: Pipeline, row: dict[str, Any]) -> dict[str, Any]:
    """Return how many facts of a question stand in the first ten passages, in what is given, and after searches."""
    last = written.stages[-1] if isinstance(written, Sequence) else written
    is_large = isinstance(last, WriteAnswer) and last.documents
    found = _found(_search(written), graph, row["question"])
    given = widened(found) if is_large else list(found)
    searched = [item for words in row.get("searches", ()) for item in _found(_search(written), graph, words)]
    counts = [_n_held(items, row["facts"]) for items in (found[:10], given, [*given, *searched])]
    return {"set": row["set"], "facts": len(row["facts"]), "counts": counts, "searches": "searches" in row}


def _n_held(items: tuple[Item, ...] | list[Item], facts: list[list[str]]) -> int:
    texts = [f"{item.text}\n" for item in items]
    return sum(any(quotes._plain(one) in quotes._plain(text) for text in texts for one in fact) for fact in facts)


def _verdict(texts: tuple[str, ...], gold: list[str]) -> str:
    if not texts:
        return "refused"
    return "right" if any(quotes._holds(text, gold) for text in texts) else "wrong"


def _found(search: Pipeline, graph: TextGraph, question: str) -> tuple[Item, ...]:
    evidence = search.run(graph, question).evidence
    return evidence.items if evidence else ()


def _search(pipeline: Pipeline, n: int = 0) -> Pipeline:
    """Return the search of a pipeline, with another number of passages if one is given."""
    search = pipeline.stages[0] if isinstance(pipeline, Sequence) else pipeline
    if n and isinstance(search, Overview) and isinstance(search.search, PassageRank):
        return replace(search, search=replace(search.search, n=n))
    return search


def _facts(name: str, rows: list[dict[str, Any]]) -> str:
    """Return a row of the table of facts."""
    parts = [[row for row in rows if row["searches"] == searches] for searches in (False, True)]
    cells = [name]
    for part, n in zip(parts, (2, 3), strict=True):
        cells += [str(sum(row["facts"] for row in part))]
        cells += [str(sum(row["counts"][i] for row in part)) for i in range(n)]
    return f"| {' | '.join(cells)} |"


def _row(name: str, rows: list[dict[str, Any]]) -> str:
    """Return a row of the table."""
    known, without = [one for one in rows if one["gold"]], [one for one in rows if not one["gold"]]
    model, first = Counter(one["verdict"] for one in known), Counter(one["quoted"] for one in known)
    refused = [sum(one[key] == "refused" for one in without) for key in ("verdict", "quoted")]
    ranks = [sum(0 < one["rank"] <= n for one in known) for n in _RANKS]
    cells = [
        name,
        f"{len(known)} + {len(without)}",
        *(model[one] for one in ("right", "wrong", "refused")),
        refused[0],
        first["right"],
        first["refused"],
        refused[1],
        *ranks,
        sum(one["is_found"] for one in known),
    ]
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
