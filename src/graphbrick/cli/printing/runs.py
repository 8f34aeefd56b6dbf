"""Terminal output of `graphbrick ask` and the demo."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphbrick.cli.options import ANSWERS_SHOWN
from graphbrick.cli.printing.terminal import console, plain, plain_lines, print_json
from graphbrick.core import Citation
from graphbrick.core.items import ANSWER
from graphbrick.core.trace import Trace

_PATHS_SHOWN = 10
_PLACES_SHOWN = 3
_HEADINGS = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_AROUND = 200  # characters of a passage before and after a quotation


def print_examples(questions: Sequence[Mapping[str, Any]]) -> None:
    """Print questions that a graph can answer, each with its first answer."""
    out = console()
    if not questions:
        out.print("no example was found that this graph answers; ask about one of its entities by name")
        return
    out.print("questions that this graph can answer:")
    for one in questions:
        first = one["answers"][0].partition("\n")[0]
        more = f" and {one['n'] - 1:,} more" if one["n"] > 1 else ""
        shown = "" if one["kind"] == "card" else f"   {first}{more}"
        out.print(Text(plain(f"  {one['question']}")) + Text(plain(shown), style="dim"))


def print_run(facts: Mapping[str, Any], *, explain: bool, as_json: bool, limit: int = ANSWERS_SHOWN) -> None:
    """Print the answers of a run with their paths; with ``explain`` also how they came about.

    Args:
        facts: A run as JSON (`graphbrick.pipeline.run_json`), of this process or of a server.
        explain: Whether to print subgraph, ranked paths and stages too.
        as_json: Whether to print the JSON itself, which has all answers.
        limit: Answers that are printed at most.
    """
    if as_json:
        print_json(facts)
        return
    out, trace = console(), Trace.from_dict(facts["trace"])
    if explain:
        _print_start(out, facts)
        if facts["level"] == "answer":
            _print_paths(out, facts)
    print_answers(out, facts, limit)
    if facts["answers"] and facts["confidence"] is not None:
        out.print(Text(f"confidence {facts['confidence']:.2f}", style="dim"))
    notes = [] if _is_small_talk(facts) else [one["text"] for one in facts["notes"]]
    for note in dict.fromkeys(trace.events if explain else notes):
        out.print(Text(plain(f"note: {note}"), style="dim"))
    _print_readings(out, facts, limit)
    if explain:
        out.print(stage_table(trace))
        out.print(Text("the first question of a process also pays for loading kernels and models", style="dim"))


def _print_start(out: Console, facts: Mapping[str, Any]) -> None:
    out.print(Text(f"pipeline   {facts['pipeline']}"))
    out.print(Text("seeds      " + plain("; ".join(seed["text"] for seed in facts["seeds"]))))
    if facts["subgraph"] is not None:
        out.print(f"subgraph   {facts['subgraph']['nodes']:,} entities, {facts['subgraph']['triples']:,} triples")


def _print_paths(out: Console, facts: Mapping[str, Any]) -> None:
    if facts["evidence"] is None:
        return
    table = Table("", "score", "path", box=None, pad_edge=False)
    for i, path in enumerate(facts["evidence"][:_PATHS_SHOWN], 1):
        table.add_row(str(i), f"{path['score']:.3f}", Text(plain(path["text"])))
    out.print(table)
    if len(facts["evidence"]) > _PATHS_SHOWN:
        out.print(Text(f"... and {len(facts['evidence']) - _PATHS_SHOWN:,} more paths", style="dim"))


_PROPERTIES_SHOWN = _COUNTED_SHOWN = 3  # under one answer


def print_answers(out: Console, facts: Mapping[str, Any], limit: int = ANSWERS_SHOWN) -> None:
    """Print the first answers of a run, each with the path that proves it."""
    if facts["level"] != "answer":
        _print_unfinished(out, facts)
        return
    answers, items = facts["answers"], facts["support"]
    if not answers:
        _print_refusal(out, facts)
    if answers and facts["readings"] and not _are_cards(facts):  # of several entities of one name, the first
        out.print(Text(plain(f"{facts['readings'][0]['about']}:")))
    proofs = _proofs(items)
    computed = any(tuple(item.get("columns", ())) == ANSWER for item in items)
    for answer in answers[:limit]:
        cards = [items[number] for number in answer["support"] if items[number].get("kind") == "card"]
        if cards:
            head, *lines = answer["text"].split("\n")
            out.print(Text(plain(head), style="bold green"))
            out.print(Text(plain_lines("\n".join(lines))))
            continue
        shown = plain_lines(answer["text"]) if answer["key"] is None else plain(answer["text"])  # a name is one line
        out.print(Text(shown, style="bold green"))
        places = _places(answer, items)
        for place in places:
            out.print(Text(plain(f"  {place}")))
        if "mark" in answer and answer is answers[0]:
            _print_marked(out, items[answer["support"][0]]["text"], *answer["mark"])
        if places:
            continue
        properties = [items[number] for number in answer["support"] if items[number].get("kind") == "property"]
        for item in properties[:_PROPERTIES_SHOWN]:
            out.print(Text(plain(f"  {item['text']}")))
        if properties:
            continue
        if answer["key"] in proofs and tuple(proofs[answer["key"]].get("columns", ())) == ANSWER:
            _print_counted(out, answer["key"], items)  # how they were computed is a note, once for all
            continue
        if answer["key"] in proofs:
            out.print(Text(plain(f"  {proofs[answer['key']]['text']}")))
        elif facts["from_model"]:
            out.print(Text("  from the model's own knowledge, not from the graph", style="yellow"))
        elif not computed and (row := _row(answer, items)):
            out.print(Text(plain(f"  {row}")))
        elif answer["key"] is None and not computed:
            out.print(Text("  on no path of the evidence: the model may have made it up", style="yellow"))
        elif answer["key"] is None and len(answers) == 1:
            _print_counted(out, None, items)
    if len(answers) > limit:
        out.print(Text(f"... and {len(answers) - limit:,} more answers (--limit {len(answers)} shows all)"))


def _print_counted(out: Console, key: str | None, items: Iterable[Mapping[str, Any]]) -> None:
    """Print the first paths of what was counted or compared at an entity; all paths for None."""
    proving = [(item["text"], item["triples"]) for item in items if item.get("triples")]
    paths = [text for text, triples in proving if key is None or any(key in (one[0], one[2]) for one in triples)]
    for path in paths[:_COUNTED_SHOWN]:
        out.print(Text(plain(f"  {path}")))
    if len(paths) > _COUNTED_SHOWN:
        out.print(Text(f"  ... and {len(paths) - _COUNTED_SHOWN:,} more paths", style="dim"))


def _print_refusal(out: Console, facts: Mapping[str, Any]) -> None:
    """Print why there is no answer, and where in documents what comes nearest stands."""
    refusal = facts["refusal"]
    if refusal and refusal["code"].endswith(".nothing_fits"):  # that there is nothing is the answer
        out.print(Text("none", style="bold green"))
    elif not _is_small_talk(facts):
        out.print("no answer found")
    if refusal:
        out.print(Text(plain(refusal["text"])))
    if facts["withheld"] and facts["support"]:
        for place in _documents(facts["support"][0]):
            out.print(Text(plain(f"  {place}")))


def _is_small_talk(facts: Mapping[str, Any]) -> bool:
    """Return whether there is no answer because nothing was asked."""
    return facts["refusal"] is not None and "small_talk" in facts["refusal"]["code"]


def _print_marked(out: Console, text: str, start: int, end: int) -> None:
    """Print what stands around a quotation in its passage, with the quotation between marks; nothing if it is all."""
    before, after = (" ".join(_HEADINGS.sub("", part).split()) for part in (text[:start], text[end:]))
    if before or after:
        shown = Text("  ", style="dim")
        shown.append(plain(_last(before)) + " " * bool(before))
        shown.append(plain(f"«{' '.join(text[start:end].split())}»"), style="not dim bold")
        shown.append(" " * bool(after) + plain(_first(after)))
        out.print(shown)


def _last(text: str) -> str:
    """Return the last words of a text, as many as are shown before a quotation."""
    return text if len(text) <= _AROUND else f"... {text[-_AROUND:].partition(' ')[2]}"


def _first(text: str) -> str:
    """Return the first words of a text, as many as are shown after a quotation."""
    return text if len(text) <= _AROUND else f"{text[:_AROUND].rpartition(' ')[0]} ..."


def _print_readings(out: Console, facts: Mapping[str, Any], limit: int) -> None:
    """Print the answers for the other entities of a name, or the readings that may be meant, with numbers."""
    readings = facts["readings"]
    if facts["answers"]:
        for reading in () if _are_cards(facts) else readings[1:]:
            out.print(Text(plain(f"{reading['about']}:")))
            shown = reading["texts"][:limit]
            for text in shown:
                out.print(Text(plain(text), style="bold green"))
            if reading["answers"] > len(shown):
                out.print(Text(f"... and {reading['answers'] - len(shown):,} more answers"))
    elif readings:
        out.print("you can ask, for example:" if _is_small_talk(facts) else "Did you mean:")
        for number, reading in enumerate(readings, 1):
            out.print(Text(plain(f"  {number}  {reading_text(reading)}")))


def _are_cards(facts: Mapping[str, Any]) -> bool:
    """Return whether the answers are cards, which tell entities of one name apart by themselves."""
    support = (facts["support"][number] for answer in facts["answers"] for number in answer["support"])
    return any(item.get("kind") == "card" for item in support)


def reading_text(reading: Mapping[str, Any]) -> str:
    """Return a near reading with its number of answers: «services that depend on cart-db (5)»."""
    return str(reading["text"]) + (f" ({reading['answers']:,})" if reading["answers"] > 1 else "")


def _row(answer: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> str:
    """Return the row of a query that an answer stands in, such as a count; empty if it cites none."""
    cited = (items[number] for number in answer["support"])
    return next((str(item["text"]) for item in cited if "values" in item and answer["text"] in item["values"]), "")


def _places(answer: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the places in documents that support an answer."""
    support = [items[number] for number in answer["support"]]
    if "[1]" in answer["text"] or "[1," in answer["text"]:  # the text cites its support by number
        return [f"[{number}] {_place_or_text(item)}" for number, item in enumerate(support, 1)]
    return list(dict.fromkeys(place for item in support for place in _documents(item)))[:_PLACES_SHOWN]


def _place_or_text(item: Mapping[str, Any]) -> str:
    """Return the places of an item in documents, or the item itself if it has none."""
    return "; ".join(_documents(item)[:_PLACES_SHOWN]) or str(item["text"])


def _documents(item: Mapping[str, Any]) -> list[str]:
    return [cited(Citation(**place)) for place in item.get("citations", ()) if place["document"]]


def cited(citation: Citation) -> str:
    """Return a place in a document for a terminal: path, section and characters; paths from the working folder.

    >>> cited(Citation("/notes/kenya.md", 10, 42, section="Land > Lakes"))
    '/notes/kenya.md, Land > Lakes (characters 10-42)'
    """
    name = citation.document.removeprefix(f"{Path.cwd()}{os.sep}")
    section = f", {citation.section}" if citation.section else ""
    span = "" if citation.start is None else f" (characters {citation.start}-{citation.end})"
    return f"{name}{section}{span}"


def _print_unfinished(out: Console, facts: Mapping[str, Any]) -> None:
    """Print the result of a pipeline without a generate stage."""
    if facts["evidence"] is None:
        sizes = {"seeds": len(facts["seeds"]), **(facts["subgraph"] or {})}
        out.print(f"{_counts(sizes)}; no stage retrieved paths (--json and Python's run() give all there is)")
    elif not facts["evidence"]:
        out.print("no path found")
    else:
        _print_paths(out, facts)


def _proofs(items: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return for each entity the first path that ends there, or else the first item that speaks of it."""
    ending: dict[str, Mapping[str, Any]] = {}
    speaking: dict[str, Mapping[str, Any]] = {}
    for item in items:
        steps = zip(item.get("triples", ()), item.get("forward", ()), strict=True)
        nodes = [tail if forward else head for (head, _, tail), forward in steps] or item.get("entities", [])
        if item.get("triples"):
            ending.setdefault(nodes[-1], item)
        for entity in nodes:
            speaking.setdefault(entity, item)
    return speaking | ending


def stage_table(trace: Trace) -> Table:
    """Seconds, counts and model use of every stage."""
    cost = ("cost",) if trace.ledger["cost"] else ()
    table = Table("stage", "ms", "in", "out", "calls", "kept", "tokens in/out", *cost, box=None, pad_edge=False)
    for column in (1, *range(4, 7 + len(cost))):
        table.columns[column].justify = "right"
    for depth, stage in trace.walk():
        used = {name: getattr(stage, name) for name in trace.ledger}
        counts = _counts(stage.counts_in), _counts(stage.counts_out)
        table.add_row(Text(f"{'  ' * depth}{stage.stage}"), f"{1000 * stage.seconds:,.1f}", *counts, *_used(used, cost))
    table.add_row(Text("all", style="bold"), f"{1000 * trace.seconds:,.1f}", "", "", *_used(trace.ledger, cost))
    return table


def _used(ledger: dict[str, float], cost: tuple[str, ...]) -> list[str]:
    """The cells about models: calls, hits, tokens (with ~ where some are estimated), dollars."""
    about = "~" if ledger["estimated"] else ""
    return [
        f"{ledger['calls']:,}" if ledger["calls"] else "",
        f"{ledger['cache_hits']:,}" if ledger["cache_hits"] else "",
        f"{about}{ledger['tokens_in']:,}/{ledger['tokens_out']:,}" if ledger["calls"] else "",
        *(f"${ledger[name]:.4f}" for name in cost),
    ]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{value:,} {name}" for name, value in counts.items())
