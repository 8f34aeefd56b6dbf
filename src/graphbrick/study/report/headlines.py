"""The result of a study in a few sentences: pipelines are ranked only on the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphbrick.study.report.charts import percent
from graphbrick.study.report.figures import PipelineFigures
from graphbrick.study.statistics.comparison import Comparison
from graphbrick.study.store.plans import Plan
from graphbrick.study.store.records import StudyRun


def data_of(plans: Sequence[Plan], runs: Sequence[StudyRun]) -> dict[int, str]:
    """Return the data sets of each run in words: as its experiment file names them, else by graph and questions."""
    words = {}
    for run in runs:
        text = None if run.identity is None else run.identity.text
        named = [
            data.name
            for plan in plans
            for pipeline in plan.pipelines
            for data in plan.data
            if pipeline.identity == text and data.name in pipeline.data and data.graph_hash == run.graph_hash
        ]
        graph = run.graph_path.replace("\\", "/").rstrip("/").rpartition("/")[2]
        words[run.id] = (
            " and ".join(dict.fromkeys(named)) or f"{run.questions:,} question{'s' * (run.questions != 1)} of {graph}"
        )
    return words


def headlines(
    figures: Sequence[PipelineFigures],
    rows: Sequence[Comparison],
    title: str,
    measure: str,
    data: Mapping[int, str],
) -> str:
    """Return the result of a study as plain text: a sentence or two for the pipelines of each data set.

    Args:
        figures: The pipelines, best first.
        rows: Their comparisons, each on the questions that both were asked.
        title: The name of the measure.
        measure: The measure.
        data: The data sets of each run, in words (`data_of`).
    """
    groups: dict[tuple[object, ...], list[PipelineFigures]] = {}
    for one in figures:
        groups.setdefault((one.run.graph_hash, data.get(one.run.id, "")), []).append(one)
    if len(groups) <= 1:
        return _headline(figures, rows, title, measure)
    texts = []
    for (_, words), group in groups.items():
        names = {one.name for one in group}
        within = [row for row in rows if {row.first, row.second} <= names]
        texts.append(f"On {words}: {_headline(group, within, title, measure)}")
    return " ".join(texts)


def _headline(figures: Sequence[PipelineFigures], rows: Sequence[Comparison], title: str, measure: str) -> str:
    """Return the result of pipelines on the same questions in a sentence or two."""
    scored = [(one, interval) for one in figures if (interval := one.means[measure].all) is not None]
    if not scored:
        return "No question has been scored yet." if figures else "The study has no runs yet."
    first, interval = scored[0]
    best = [one.name for one, other in scored if other.mean == interval.mean]
    told = f"the highest {title}:" if len(scored) > 1 else f"{title}"
    text = (
        f"{_listed(best)} {'has' if len(best) == 1 else 'have'} {told} {percent(interval.mean)} % of {interval.n:,} "
        f"question{'s' * (interval.n > 1)} (95 % interval {percent(interval.low)} to {percent(interval.high)})."
    )
    against = [row for row in rows if first.name in (row.first, row.second)]
    others = {row: row.second if row.first == first.name else row.first for row in against}
    alike = [others[row] for row in against if row.p_holm >= 0.05 and others[row] not in best]
    # Of a pipeline that is not done, only the easier questions may be; another can then be better on these.
    ahead = [others[row] for row in against if row.p_holm < 0.05 and _lead(row, first.name) < 0]
    if alike:
        who = "it is" if len(best) == 1 else "they are"
        text += f" At the 5 % level after Holm's correction {who} not told apart from {_listed(alike)}."
    elif against and not ahead and len(best) == 1:
        beaten = _counted(len(against)) if len(against) == len(figures) - 1 else _listed(list(others.values()))
        text += f" It is better than {beaten} at the 5 % level after Holm's correction."
    if ahead:
        text += (
            f" On the questions that both are done with, {_listed(ahead)} {'is' if len(ahead) == 1 else 'are'} better "
            "at the 5 % level after Holm's correction."
        )
    return text


def _lead(row: Comparison, name: str) -> float:
    """Return by how much a pipeline is better than the other one of a comparison."""
    return row.difference.mean if row.first == name else -row.difference.mean


def _counted(count: int) -> str:
    return "the other one" if count == 1 else f"all {count} others"


def _listed(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
