"""The ``repr`` of values: what a person wants to know of one, in one line of at most `LONGEST` characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphbrick.core.errors import shown

LONGEST = 200
"""Characters of a ``repr``."""
_WORDS, _ANSWER, _ANSWERS, _SEEDS = 100, 40, 3, 5  # characters of a text and of an answer; answers and seeds shown


def text(value: Any) -> str:
    """Return the ``repr`` of a value.

    >>> from graphbrick.core import Answer, Evidence, Query
    >>> text(Answer(("Kenyan shilling",), (1,), confidence=0.625)), text(Evidence()), text(Query("Why?"))
    ("Answer('Kenyan shilling', items=0, confidence=0.62)", 'Evidence(items=0)', "Query('Why?', seeds=())")
    """
    kinds = type(value).__mro__
    write = next(WRITERS[kind.__name__] for kind in kinds if kind.__name__ in WRITERS)
    line = f"{kinds[0].__name__}({', '.join(write(value))})"
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 4]}...)"


def _answer(answer: Any) -> list[str]:
    parts = [shown(one, _ANSWER) for one in answer.texts[:_ANSWERS]] or ["no answer"]
    if len(answer.texts) > _ANSWERS:
        parts.append(f"... {len(answer.texts):,} in all")
    parts.append(f"items={len(answer.evidence)}")
    if answer.confidence is not None:
        parts.append(f"confidence={answer.confidence:.2g}")
    if answer.withheld:
        parts.append(f"withheld={shown(answer.withheld, _ANSWER)}")
    return parts + ["from_model=True"] * answer.from_model


def _evidence(evidence: Any) -> list[str]:
    first = [f"first={shown(evidence.items[0].text, _WORDS)}"] if evidence.items else []
    return [f"items={len(evidence)}", *first]


def _trace(trace: Any) -> list[str]:
    return [f"stages={len(trace.stages)}", f"seconds={trace.seconds:.3g}", f"calls={trace.ledger['calls']:,}"]


def _stage(stage: Any) -> list[str]:
    counts = [f"{name}={count}" for name, count in stage.counts_out.items()]
    return [shown(stage.stage, _WORDS), f"seconds={stage.seconds:.3g}", *counts]


def _exchange(exchange: Any) -> list[str]:
    tokens = [f"tokens_in={exchange.tokens_in}", f"tokens_out={exchange.tokens_out}"]
    return [shown(exchange.model, _ANSWER), *tokens, f"reply={shown(exchange.reply, _ANSWER)}"]


def _subgraph(subgraph: Any) -> list[str]:
    whole = ["the whole graph"] if subgraph.is_whole else []
    return [*whole, f"nodes={subgraph.n_nodes}", f"triples={subgraph.n_triples}"]


def _query(query: Any) -> list[str]:
    seeds = query.seeds if len(query.seeds) <= _SEEDS else f"({', '.join(map(str, query.seeds[:_SEEDS]))}, ...)"
    return [shown(query.text, _WORDS), f"seeds={seeds}"]


def _run(run: Any) -> list[str]:
    level = run.level.name.lower()
    result = "" if level == "query" else f"{level}={text(getattr(run, level))}"
    return [shown(run.query.text, 60), *([result] if result else []), *(["stopped early"] if run.stopped else [])]


def _item(item: Any) -> list[str]:
    return [shown(item.text, _WORDS), f"score={item.score:.4g}"]


WRITERS: dict[str, Callable[[Any], list[str]]] = {
    "Answer": _answer,
    "BaseItem": _item,
    "Evidence": _evidence,
    "Exchange": _exchange,
    "Query": _query,
    "Run": _run,
    "StageTrace": _stage,
    "Subgraph": _subgraph,
    "Trace": _trace,
}
"""By the name of a class, as some are made in areas that this one may not import."""
