"""The sections of a page with pipelines as points: quality against cost, and retrieval against its size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphbrick.study.report.against.points import points_figure
from graphbrick.study.report.against.sweeps import sweeps_of, sweeps_table
from graphbrick.study.report.charts import milliseconds, round_percent, short
from graphbrick.study.report.figures import RECALL_THRESHOLD, PipelineFigures
from graphbrick.study.report.overview import EMBEDDING_TOKENS, LLM_TOKENS, TOKENS, measure_name, token_columns
from graphbrick.study.report.page import Figure, Section, table_figure
from graphbrick.study.report.scatter import Rule

_TOKENS: dict[str, Callable[[PipelineFigures], float | None]] = {
    TOKENS: lambda one: one.a_question("tokens_in") + one.a_question("tokens_out"),
    LLM_TOKENS: lambda one: one.llm_tokens,
    EMBEDDING_TOKENS: lambda one: one.embedding_tokens,
}


def cost_section(figures: Sequence[PipelineFigures], decisive: str) -> Section:
    """Return the section of quality against time and tokens."""
    name = f"{measure_name(decisive)}, %"
    time = points_figure(
        figures, lambda one: one.times.median if one.times else None, decisive,
        title=f"{measure_name(decisive)} against time", x_name="time a question, median", y_name=name,
        shown=milliseconds,
    )  # fmt: skip
    tokens = [
        points_figure(
            figures, used, decisive, title=f"{measure_name(decisive)} against {kind}",
            x_name=f"{kind} a question{', read and written' * (kind != EMBEDDING_TOKENS)}", y_name=name, shown=short,
        )
        for kind, used in _TOKENS.items()
        if kind in token_columns(figures) and any(used(one) for one in figures)
    ]  # fmt: skip
    note = (
        "Over all questions, with 95 % intervals. Filled points are on the Pareto front: no other pipeline is better "
        "at the same cost or less. Point at one for its recipe."
    )
    if not tokens:
        note += " No pipeline called a language model: no tokens were used."
    return Section("cost", "Quality against cost", [note], _present(time, *tokens), pair=True)


def size_section(figures: Sequence[PipelineFigures], decisive: str, threshold: float | None = None) -> Section | None:
    """Return the section of extraction and retrieval against size, with a line for each sweep of a parameter.

    Args:
        figures: The pipelines.
        decisive: The measure that pipelines are ordered by.
        threshold: The recall of subgraphs that is marked; None for `RECALL_THRESHOLD`.
    """
    least, sweeps = RECALL_THRESHOLD if threshold is None else threshold, sweeps_of(figures)
    marked = f"recall {least:g}"
    charts = [
        points_figure(
            figures, lambda one: one.averages["nodes"], measure, title=f"{title} against subgraph size",
            x_name="entities of the subgraph, mean", y_name=f"{title}, %", shown=short, front=False, sweeps=sweeps,
            rule=Rule(marked, y=least) if measure == "subgraph_recall" else None,
        )
        for measure, title in (("subgraph_recall", "Subgraph recall"), ("subgraph_f1", "Subgraph F1"),
                               ("f1", "F1 of the answers"))
    ]  # fmt: skip
    title = measure_name(decisive)
    charts += [
        points_figure(
            figures, _recall, decisive, title=f"{title} against subgraph recall", x_name="subgraph recall, %",
            y_name=f"{title}, %", shown=round_percent, front=False, sweeps=sweeps, rule=Rule(marked, x=least),
            x_is_share=True,
        ),
        points_figure(
            figures, lambda one: one.averages["n_paths"], "path_f1", title="Path F1 against the number of paths",
            x_name="paths of the evidence, mean", y_name="path F1, %", shown=short, front=False, sweeps=sweeps,
        ),
    ]  # fmt: skip
    shown = _present(*charts)
    if not shown:
        return None
    notes = ["Whether larger subgraphs hold more of the gold answers, and whether that helps the answers in the end."]
    if any(_recall(one) is not None for one in figures):
        notes.append(
            f"The dashed line marks a subgraph recall of {least:g}. In the technical report of LEGO-GraphRAG, answers "
            "improve until a recall of about 0.6 and hardly beyond it."
        )
    table = sweeps_table(sweeps)
    if table is not None:
        notes.append(
            "A line joins pipelines that differ in one number: " + "; ".join(str(sweep) for sweep in sweeps) + "."
        )
        shown.append(table_figure(table, "Sweeps as a table", folded=True))
    return Section("size", "Subgraph size, recall and paths", notes, shown, pair=True)


def _present(*charts: Figure | None) -> list[Figure]:
    return [chart for chart in charts if chart is not None]


def _recall(one: PipelineFigures) -> float | None:
    mean = one.means["subgraph_recall"].all
    return None if mean is None else mean.mean
