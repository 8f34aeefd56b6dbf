"""Terminal output of the commands that make graphs from documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from graphbrick.cli.printing.terminal import plain, print_json
from graphbrick.core.trace import Event
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.counting import counted
from graphbrick.language.stop_words import stop_words, stop_words_of
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.llm.conversations import Usage
from graphbrick.text.documents.results import PassageProblem
from graphbrick.text.indexing.describe import DescribeCost
from graphbrick.text.indexing.estimating import Estimate, ModelEstimate
from graphbrick.text.indexing.indexing import Indexed
from graphbrick.text.sources import suffix_of

_SHOWN = 10
_NAMED = 5  # files of other kinds, up to which each is named
_SAMPLE = 50  # passages whose language is looked at
_NO_PRICE = "an unknown price (GRAPHBRICK_PRICES names a table)"


def print_indexed(graph: Path, done: Indexed, *, as_json: bool) -> None:
    """Print the report of an indexing."""
    opened, reading, extraction = done.graph, done.reading, done.extraction
    counts = {
        "documents": done.documents,
        "added": reading.added,
        "changed": reading.changed,
        "deleted": reading.deleted,
        "passages": opened.n_passages,
        "extracted": done.extracted,
        "entities": opened.n_entities,
        "triples": opened.n_triples,
        "new": done.is_new,
    }
    if as_json:
        print_json(
            {
                "graph": str(graph),
                **counts,
                "bad": [{"file": file, "reason": reason} for file, reason in reading.problems],
                "other": [str(file) for file in reading.others],
                "empty": done.empty,
                "notes": done.notes,
                "problems": problem_rows(extraction.problems),
                "dropped_rows": dict(extraction.dropped),
                "usage": _usage(extraction.usage),
            }
        )
        return
    typer.echo(
        f"{graph}: {counted(done.documents, 'document')} ({reading.added:,} new, {reading.changed:,} changed, "
        f"{reading.deleted:,} deleted), {counted(opened.n_passages, 'passage')} ({done.extracted:,} read now), "
        f"{counted(opened.n_entities, 'entity')}, {counted(opened.n_triples, 'triple')}"
    )
    for note in [*_notes(reading.problems, reading.others, done.empty), *done.notes, *_model_notes(done)]:
        typer.echo(f"note: {plain(note)}", err=True)
    if done.is_new and done.extractor.note:
        typer.echo(f"note: {done.extractor.note}", err=True)
    typer.echo(f'ask: graphbrick ask {graph} "..."')


def encoder_note(graph: TextGraph, encoder: Embedder) -> str:
    """Return what to know of the default encoder for documents in another language than English; empty for English."""
    step = max(1, graph.n_passages // _SAMPLE)
    texts = [graph.passage(i).text for i in range(0, graph.n_passages, step)]
    if 2 * sum(not encoder.reads(text) for text in texts) > len(texts):
        return (
            f"most passages are in a script that {encoder!r} was not trained for: questions in it are answered by "
            "words; USE() reads 16 languages"
        )
    words = (word for text in texts for word in text.lower().split())
    if stop_words_of(words) in (stop_words()["english"], frozenset()):
        return ""
    return f"most passages are not in English, which {encoder!r} reads best; USE() reads 16 languages"


def print_estimate(graph: Path, estimate: Estimate, *, as_json: bool) -> None:
    """Print the work and cost of an indexing before it."""
    reading = estimate.reading
    counts = {
        "documents": estimate.documents,
        "added": reading.added,
        "changed": reading.changed,
        "deleted": reading.deleted,
        "passages": estimate.passages,
        "extract": estimate.extract,
    }
    if as_json:
        described = None if estimate.describe is None else asdict(estimate.describe)
        models = [_model_row(one) for one in estimate.models]
        print_json({"graph": str(graph), **counts, "models": models, "describe": described})
        return
    typer.echo(
        f"{graph} would have {counted(estimate.documents, 'document')} ({reading.added:,} new, {reading.changed:,} "
        f"changed, {reading.deleted:,} deleted) and {counted(estimate.passages, 'passage')}; to extract by "
        f"{estimate.extractor!r}: {estimate.extract:,}"
    )
    for note in reading.notes:
        typer.echo(f"note: {plain(note)}", err=True)
    for one in estimate.models:
        typer.echo(_model_line(one))
    if estimate.describe is not None:
        typer.echo(_describe_line(estimate.describe, estimate.extract))
    elif not estimate.models:
        typer.echo("no language model is asked")


def problem_rows(problems: Sequence[PassageProblem]) -> list[dict[str, Any]]:
    """Return the passages without a result, or without all of it, as JSON objects."""
    return [one._asdict() for one in problems]


def problem_line(problem: PassageProblem) -> str:
    """Return a passage without a result, or without all of it, as a line."""
    section = f", {problem.section}" if problem.section else ""
    return f"{problem.address}{section} (characters {problem.start}-{problem.end}): {problem.reason}"


def _notes(problems: list[tuple[str, str]], others: list[Path], empty: list[str]) -> list[str]:
    """Return sentences about documents and parts that were left out."""
    notes = [f"{file}: {reason}" for file, reason in problems[:_SHOWN]]
    if len(problems) > _SHOWN:
        notes.append(
            f"{counted(len(problems) - _SHOWN, 'more file')} could not be read (graphbrick documents lists them)"
        )
    if others:
        kinds = sorted({_kind_of(file) for file in others})
        named = f": {', '.join(map(str, others))}" if len(others) <= _NAMED else ""
        notes.append(f"left out: {counted(len(others), 'file')} of other kinds ({', '.join(kinds[:_SHOWN])}){named}")
    if empty:
        notes.append(f"no entity was found in {counted(len(empty), 'document')}, such as {', '.join(empty[:3])}")
    return notes


def _kind_of(file: Path) -> str:
    """Return the ending of a file with that of its packing, such as «.log.gz»; its name if it has none."""
    inner = suffix_of(file)
    return f"{inner}{file.suffix}" if inner and inner != file.suffix.lower() else file.suffix or file.name


def _model_notes(done: Indexed) -> list[str]:
    """Return sentences about the calls to language models, and about replies that could not be used."""
    notes, extraction = list[str](), done.extraction
    usage = extraction.usage
    if usage.calls or usage.cache_hits:
        cached = f", {counted(usage.cache_hits, 'recorded reply')}" if usage.cache_hits else ""
        notes.append(
            f"{counted(usage.calls, 'call')} of language models: {usage.tokens_in:,} tokens read, "
            f"{usage.tokens_out:,} written, ${usage.cost:,.4f}{cached}"
        )
        cut = {one: n for one, n in usage.events.items() if isinstance(one, Event) and one.code == "reply.cut"}
        others = [(event, count) for event, count in usage.events.most_common() if event not in cut]
        if cut:
            n, tokens = sum(cut.values()), max(int(str(event.values["tokens"])) for event in cut)
            notes.append(
                f"{n:,} of {counted(usage.calls + usage.cache_hits, 'reply')} "
                f"{'was' if n == 1 else 'were'} cut at {tokens:,} tokens; --max-tokens N allows more"
            )
        notes += [f"{event} ({counted(count, 'time')})" for event, count in others[:3]]
    for is_empty, words in ((True, "without a result"), (False, "with a part of the result")):
        problems = [one for one in extraction.problems if one.is_empty is is_empty]
        if problems:
            shown = "; ".join(map(problem_line, problems[:3]))
            when = "" if extraction.passages else " (in an earlier run)"
            more = "; graphbrick documents lists them, --retry asks again"
            notes.append(f"{counted(len(problems), 'passage')} {words}{when}: {shown}{more}")
    if extraction.dropped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in extraction.dropped.most_common())
        notes.append(f"rows of replies or files that were left out: {reasons}")
    return notes


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "calls": usage.calls,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cost": usage.cost,
        "cache_hits": usage.cache_hits,
        "events": dict(usage.events),
    }


def _model_row(one: ModelEstimate) -> dict[str, Any]:
    return {
        "extractor": repr(one.extractor),
        "model": one.extractor.llm.model,
        "passages": one.passages,
        "calls": one.calls,
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
        "cost": one.cost,
        "measured_passages": one.measured,
        "most_tokens": one.most_tokens,
        "most_cost": one.most_cost,
    }


def _model_line(one: ModelEstimate) -> str:
    basis = f"as measured on {counted(one.measured, 'passage')}" if one.measured else "by a rule of thumb"
    cost = (
        f"${one.cost:,.4f} (at most ${one.most_cost:,.4f})"
        if one.cost is not None and one.most_cost is not None
        else _NO_PRICE
    )
    return (
        f"{one.extractor.llm.model}: {counted(one.calls, 'call')} for {counted(one.passages, 'passage')}, about "
        f"{one.tokens_in:,} tokens read and {one.tokens_out:,} written {basis} (at most {one.most_tokens:,} in all): "
        f"{cost}"
    )


def _describe_line(one: DescribeCost, to_extract: int) -> str:
    cost = _NO_PRICE if one.usd is None else f"at most ${one.usd:,.4f}"
    more = f"; more after {counted(to_extract, 'passage')} to extract, which is not known before" if to_extract else ""
    return (
        f"{one.model}: {counted(one.calls, 'call')} to describe {one.things:,} entities and triples, about "
        f"{one.tokens_in:,} tokens read and at most {one.tokens_out:,} written: {cost}{more}"
    )
