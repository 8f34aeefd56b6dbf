"""How values look in a notebook: the HTML of ``_repr_html_``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path as Folder
from typing import Any

from graphbrick.core.path import Path
from graphbrick.core.showing.drawing import Drawn, path_svg
from graphbrick.core.showing.markup import Markup, block, code, dim, strong, table
from graphbrick.core.showing.texts import text
from graphbrick.core.trace import NOTE, REFUSAL

ITEMS, ANSWERS, PLACES = 10, 20, 3
"""Items, answers, and places in documents that are shown."""
_TRIPLES, _LOOKED_AT = 3, 50  # triples of a graph that are shown, and entities looked at for them


def html(value: Any) -> str | None:
    """Return the HTML of a value; None if its ``repr`` says all.

    It needs no scripts, styles or files, and all texts of the graph are escaped.
    """
    write = next((WRITERS[kind.__name__] for kind in type(value).__mro__ if kind.__name__ in WRITERS), None)
    return None if write is None else str(write(value))


def drawn(path: Path) -> Markup:
    """Return the drawing of a path."""
    graph = path.graph
    relations = [graph.relation_label(relation) for relation, _ in path.pattern]
    return Markup(path_svg(Drawn([graph.label(node) for node in path.nodes], relations, path.forward)))


def _item(item: Any) -> Markup:
    """Return an item: a path as a drawing, anything else as text with its places in documents."""
    if isinstance(item, Path):
        return drawn(item)
    places = [_place(one) for one in item.citations if one.document][:PLACES]
    return block(item.text, *map(dim, places))


def _place(citation: Any) -> str:
    """Return a place in a document; paths from the working folder."""
    section = f", {citation.section}" if citation.section else ""
    span = "" if citation.start is None else f" (characters {citation.start}-{citation.end})"
    document = citation.document.removeprefix(f"{Folder.cwd()}{os.sep}")
    return f"{document}{section}{span}"


def _answer(answer: Any) -> Markup:
    rows = [[strong(one), _proofs(answer, place)] for place, one in enumerate(answer.texts[:ANSWERS])]
    parts: list[object] = [table(["answer", "why"], rows)] if rows else [strong("no answer")]
    if len(answer.texts) > ANSWERS:
        parts.append(dim(f"and {len(answer.texts) - ANSWERS:,} more answers, in .texts"))
    if answer.confidence is not None:
        parts.append(dim(f"confidence {answer.confidence:.2f}"))
    if answer.from_model:
        parts.append(dim("from the model's own knowledge, not from the graph"))
    if answer.trace is not None:
        parts += map(dim, dict.fromkeys(_notes(answer.trace, refused=not rows)))
    if answer.withheld:
        parts.append(dim(f"withheld: {answer.withheld}"))
    if answer.readings and not rows:
        parts.append(dim(f"did you mean: {'; '.join(reading.text for reading in answer.readings)}"))
    return block(*parts)


def _proofs(answer: Any, place: int) -> Markup:
    """Return the first item that supports an answer; of paths, one that ends there if there is one."""
    numbers = answer.support[place] if place < len(answer.support) else ()
    items = [answer.evidence.items[number] for number in numbers]
    if not items:
        return dim("on no path of the evidence") if not answer.from_model else Markup("")
    entity = answer.entities[place] if place < len(answer.entities) else None
    ending = [item for item in items if isinstance(item, Path) and item.end == entity]
    more = [dim(f"and {len(items) - 1:,} more")] if len(items) > 1 else []
    return block(_item((ending or items)[0]), *more)


def _notes(trace: Any, *, refused: bool) -> Iterable[str]:
    kinds = (NOTE, REFUSAL) if refused else (NOTE,)
    return [str(event) for event in trace.events if getattr(event, "told_as", NOTE) in kinds]


def _evidence(evidence: Any) -> Markup:
    if not evidence.items:
        return block(strong("no evidence"))
    rows = [
        [number, f"{item.score:.3f}", item.kind, _item(item)] for number, item in enumerate(evidence.items[:ITEMS], 1)
    ]
    left = len(evidence) - ITEMS
    more = [dim(f"and {left:,} more items; .to_pandas() has all")] if left > 0 else []
    return block(table(["", "score", "kind", "item"], rows), *more)


def _trace(trace: Any) -> Markup:
    uses_models = bool(trace.ledger["calls"])
    events = ["events"] if trace.events else []
    head = ["stage", "ms", "share", "out", *(["calls", "tokens in/out"] if uses_models else []), *events]
    rows = []
    for depth, stage in trace.walk():
        out = ", ".join(f"{count:,} {name}" for name, count in stage.counts_out.items())
        used = [f"{stage.calls:,}", f"{stage.tokens_in:,}/{stage.tokens_out:,}"] if uses_models else []
        name = code(stage.stage, depth)
        share = _bar(stage.seconds / (trace.seconds or 1.0))
        rows.append([name, f"{1000 * stage.seconds:,.1f}", share, out, *used, *([_events(stage)] if events else [])])
    cost = f", ${trace.ledger['cost']:.4f}" if trace.ledger["cost"] else ""
    return block(table(head, rows), dim(f"{1000 * trace.seconds:,.1f} ms{cost}"))


def _events(stage: Any) -> Markup:
    return block(*map(dim, stage.events)) if stage.events else Markup("")


def _bar(share: float) -> Markup:
    width = max(1, round(80 * min(share, 1.0)))
    return Markup(
        f'<svg width="82" height="12" aria-hidden="true"><rect y="2" width="{width}" height="8" '
        'fill="currentColor" fill-opacity="0.4"/></svg>'
    )


def _run(run: Any) -> Markup:
    result = {"answer": run.answer, "evidence": run.evidence}.get(run.level.name.lower())
    shown = dim(text(run)) if result is None else Markup(html(result))
    stopped = [dim(f"stopped: {run.stopped}")] if run.stopped else []
    return block(strong(run.query.text), shown, *stopped, dim(f"{1000 * run.trace.seconds:,.1f} ms; .trace has stages"))


def _pipeline(pipeline: Any) -> Markup:
    stages = list(pipeline.stages_within())
    rows = [[getattr(one, "kind", ""), code(repr(one)), one.summary().replace("``", "")] for one in stages]
    return block(code(repr(pipeline)), table(["kind", "stage", "what it does"], rows))


def _graph(graph: Any) -> Markup:
    """Return the name and sizes of a graph of this machine, and some of its triples."""
    sizes = {"entities": "n_entities", "relations": "n_relations", "triples": "n_triples", "passages": "n_passages"}
    counts = [(name, getattr(graph, one, None)) for name, one in sizes.items()]
    rows = [[name, f"{count:,}"] for name, count in counts if count is not None]
    examples = _examples(graph)
    return block(
        strong(graph.path.name), table(["holds", ""], rows), *([dim("for example"), *examples] if examples else [])
    )


def _examples(graph: Any) -> list[Markup]:
    """Return drawings of some triples, of the first entities that have some."""
    firsts = (graph.triples_from(entity)[:1] for entity in range(min(graph.n_entities, _LOOKED_AT)))
    triples = [graph.triple(triple) for first in firsts for triple in first][:_TRIPLES]
    return [
        Markup(path_svg(Drawn([graph.label(head), graph.label(tail)], [graph.relation_label(relation)], [True])))
        for head, relation, tail in triples
    ]


def _named(graph: Any) -> Markup:
    """Return the name of a graph elsewhere, or of many: nothing is asked of a database to show it."""
    return block(code(repr(graph)))


WRITERS: dict[str, Callable[[Any], Markup]] = {
    "Answer": _answer,
    "BaseItem": _item,
    "Evidence": _evidence,
    "DatabaseGraph": _named,
    "ExtractedGraph": _named,
    "Graph": _graph,
    "LocalAround": _named,
    "Pipeline": _pipeline,
    "Run": _run,
    "Trace": _trace,
}
"""By the name of a class, as some are made in areas that this one may not import."""
