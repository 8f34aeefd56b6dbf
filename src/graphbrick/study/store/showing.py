"""How a study looks in a terminal, in a notebook, and as a table of pandas."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from graphbrick.core.errors import InputError, shown
from graphbrick.core.showing.frames import frame
from graphbrick.core.showing.markup import block, code, dim, strong, table

if TYPE_CHECKING:
    from graphbrick.study.store.reader import Study
    from graphbrick.study.store.records import Result

_SHOWN = ("hits_at_1", "f1")  # measures in the table of runs
_LEDGER = ("calls", "tokens_in", "tokens_out", "cost")
_OF_EMBEDDING = ("embedding_calls", "embedding_tokens")  # which studies of older versions lack
_NAMES, _LENGTH = 3, 60  # names of runs that a repr has, and characters of them all and of the file


def study_text(study: Study) -> str:
    """Return the ``repr`` of a study: its file, and the names of its runs."""
    try:
        names = [run.name for run in study.runs()]
        rest = ", ..." if len(names) > _NAMES else ""
        runs = f"runs={len(names)}: {shown(', '.join(names[:_NAMES]), _LENGTH)[1:-1]}{rest}" if names else "no runs"
    except InputError:
        runs = "cannot be read"  # closed, or damaged; a method that reads it says which
    return f"Study({shown(study.path.name, _LENGTH)}, {runs})"


def study_html(study: Study) -> str:
    """Return the HTML of a study: a row for each run, with its first measures."""
    rows = []
    for run in study.runs():
        results = study.results(run.id)
        means = [_mean([one.metrics.get(name) for one in results], 100, "{:.1f} %") for name in _SHOWN]
        seconds = _mean([one.seconds for one in results], 1000, "{:,.1f}")
        rows.append([strong(run.name), f"{run.done:,} of {run.questions:,}", *means, seconds, code(run.recipe)])
    head = ["pipeline", "questions", "Hits@1", "F1", "ms", "recipe"]
    advice = dim("means over the questions; graphbrick report has intervals and tests, .to_pandas() all results")
    return str(block(strong(study.path.name), table(head, rows), advice))


def study_frame(study: Study) -> Any:
    """Return the results of a study as a table; `Study.to_pandas` says what it has."""
    questions = {one.id: one for one in study.questions()}
    pairs = [(run, result) for run in study.runs() for result in study.results(run.id)]
    results = [result for _, result in pairs]
    measures = dict.fromkeys(name for result in results for name in result.metrics)
    asked = [questions[result.question] for result in results]
    columns: dict[str, list[Any]] = {
        "run": [run.name for run, _ in pairs],
        "dataset": [one.dataset for one in asked],
        "question": [one.name for one in asked],
        "text": [one.text for one in asked],
        "hops": [one.hops for one in asked],
        "distance": [one.distance for one in asked],
        "answerable": [one.answerable for one in asked],
        "error": [one.error for one in results],
        "lost_at": [one.lost_at for one in results],
        "seconds": [one.seconds for one in results],
        "answers": [one.n_answers for one in results],
        "paths": [one.n_paths for one in results],
    }
    columns |= {name: _column(results, name) for name in measures}
    columns |= {name: [one.ledger.get(name, 0) for one in results] for name in _LEDGER}
    columns |= {name: [one.ledger.get(name) for one in results] for name in _OF_EMBEDDING}
    facts = dict.fromkeys(fact for one in asked for fact in one.facts)
    named = fact_columns(facts, columns)
    columns |= {name: [one.facts.get(fact) for one in asked] for name, fact in zip(named, facts, strict=True)}
    return frame(columns)


def fact_columns(facts: Iterable[str], others: Collection[str]) -> list[str]:
    """Return the names of the columns of facts: their own, or "fact: name" where another column has it.

    >>> fact_columns(["pattern", "hops"], ["question", "hops"])
    ['pattern', 'fact: hops']
    """
    return [f"fact: {fact}" if fact in others else fact for fact in facts]


def _column(results: Sequence[Result], name: str) -> list[float | None]:
    return [one.metrics.get(name) for one in results]


def _mean(values: Sequence[float | None], factor: float, form: str) -> str:
    """Return the mean of the values that are known, as text; empty if none is."""
    known = [value for value in values if value is not None]
    return form.format(factor * fmean(known)) if known else ""
