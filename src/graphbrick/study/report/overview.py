"""The tables of a report: the pipelines, how they compare, and how the study was run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import floor, log10
from typing import TYPE_CHECKING

from graphbrick.core.errors import InputError
from graphbrick.questions.question import natural_order
from graphbrick.study.report.charts import Part, badge, milliseconds, percent, short, stack
from graphbrick.study.report.figures import NOT_LOST, SEED, STRATA, JudgeAgreement, PipelineFigures
from graphbrick.study.report.headlines import headlines
from graphbrick.study.report.markup import macro
from graphbrick.study.report.tables import (
    NONE,
    PIPELINE_COLUMNS,
    Cell,
    Column,
    Table,
    interval_cell,
    name_cell,
    number_cell,
    share_cell,
)
from graphbrick.study.statistics.comparison import Comparison, compare, corrected
from graphbrick.study.statistics.summary import Summary
from graphbrick.study.store.records import FURTHER_JUDGE, StudyQuestion

if TYPE_CHECKING:
    from graphbrick.study.report.papers.reading import FilledPaper

MEASURES = {"hits_at_1": "Hits@1", "hit": "Hit", "f1": "F1"}
OTHERS = {
    "exact_match": "EM", "judge_at_1": "Judge@1", "f1_of_means": "F1 of means", "subgraph_f1": "subgraph F1",
    "path_f1": "path F1",
}  # fmt: skip
SCORERS = {"rog": "RoG", "tog": "ToG", "lego": "LEGO-GraphRAG"}
TOKENS, LLM_TOKENS, EMBEDDING_TOKENS = "tokens", "LLM tokens", "embedding tokens"
QUALITY_GROUPS = ("all questions, %", "answerable questions, %")
# One colour means one kind of stage in every chart, whether it takes time or loses answers.
LOST = (
    Part(
        NOT_LOST,
        "fine",
        "the first answer is right (without answers: the evidence, or the subgraph, holds a gold answer)",
    ),
    Part("generation", "generate", "a path of the evidence meets a gold answer, but the first answer is not right"),
    Part("ranking", "rerank", "a path that meets a gold answer was found, and cut when paths were ranked"),
    Part("retrieval", "retrieve", "a gold answer was in the subgraph, but on no path"),
    Part("extraction", "extract", "no gold answer was in the subgraph"),
    Part("linking", "link", "the search started in the wrong place"),
    Part("absent", "absent", "the graph has none of the gold answers"),
)
STAGES = (
    Part("link", "link"), Part("extract", "extract"), Part("prune", "prune"), Part("retrieve", "retrieve"),
    Part("rerank", "rerank"), Part("generate", "generate"), Part("union", "union"),
)  # fmt: skip


@dataclass(frozen=True)
class Results:
    """The results of a study, as a report shows them.

    Attributes:
        title: Title of the report.
        figures: The pipelines, best first.
        comparisons: Pairs of them.
        metric: The measure that they are ordered and compared by.
        by: Property that questions are also grouped by; None for hops and data set only.
        judge: The recipe text of the judge; None if there is none.
        min_recall: The least subgraph recall of the pipelines; None if all are shown.
        left_out: Names of the pipelines with a lower one.
        questions: All questions of the study.
        papers: The papers of its experiment files, with their tables.
        agreements: How far further judges agree with that of the study.
        about: What the study is, as its experiment file says.
        data: The data sets of each run, in words (`data_of`).
    """

    title: str
    figures: Sequence[PipelineFigures]
    comparisons: Sequence[Comparison]
    metric: str
    by: str | None = None
    judge: str | None = None
    min_recall: float | None = None
    left_out: Sequence[str] = ()
    questions: Sequence[StudyQuestion] = ()
    papers: Sequence[FilledPaper] = ()
    agreements: Sequence[JudgeAgreement] = ()
    about: str = ""
    data: Mapping[int, str] = field(default_factory=dict)

    @property
    def headline(self) -> str:
        """The result in a sentence or two."""
        return headlines(self.figures, self.comparisons, measure_name(self.metric), self.metric, self.data)


def measure_name(measure: str) -> str:
    """Return the name of a measure in tables.

    >>> measure_name("hits_at_1"), measure_name("rog_f1"), measure_name("tog_exact_match")
    ('Hits@1', 'RoG F1', 'ToG exact match')
    """
    if measure.startswith(FURTHER_JUDGE):
        return f"Judge@1 by {measure.removeprefix(FURTHER_JUDGE)}"
    scorer, _, scored = measure.partition("_")
    if scorer in SCORERS:
        return f"{SCORERS[scorer]} {'F1' if scored == 'f1' else scored.replace('_', ' ')}"
    return MEASURES.get(measure) or OTHERS.get(measure) or measure.replace("_", " ")


def lost_parts(figures: Sequence[PipelineFigures]) -> list[Part]:
    """Return the stages at which a pipeline of the study lost a question, and those answered."""
    lost = {name for one in figures for name, count in one.lost.items() if count}
    known = [part for part in LOST if part.name in lost]
    return known + [Part(name, "union") for name in sorted(lost - {part.name for part in LOST})]


def pipelines_table(figures: Sequence[PipelineFigures]) -> Table:
    """Return a row for each pipeline: quality, size, time, cost and losses."""
    tokens = token_columns(figures)
    calls = any(one.used["calls"] for one in figures)
    paid = any(one.used["cost"] for one in figures)
    columns = [
        *PIPELINE_COLUMNS,
        Column("questions", note="questions done, and of which the graph has an answer", small="answerable"),
    ]
    columns += [Column(title, group) for group in QUALITY_GROUPS for title in MEASURES.values()]
    parts = lost_parts(figures)
    if parts:
        columns.append(Column("where lost", note="ordered by the share that is not lost", only="page"))
        columns.append(Column("lost at, %", note="of the questions with gold answers", text=True, only="file"))
    columns += [
        Column("recall", "subgraph", "gold answers that are in the subgraph, in percent"),
        Column("F1", "subgraph", "the harmonic mean of subgraph precision and recall of each question, in percent"),
        Column("entities", "subgraph", "entities of the subgraph, on average"),
        Column("F1", "paths", "the harmonic mean of path precision and path recall, in percent"),
        Column("median", "time", "half of the questions take longer"),
        Column("p95", "time", "one question in twenty takes longer"),
    ]
    columns += [Column("calls", "a question", "calls of models on average")] * calls
    columns += [Column(title, "a question", note) for title, note in tokens.items()]
    columns += [Column("cost", "a question", "US dollars on average")] * paid
    rows = []
    for one in figures:
        row = [Cell(str(one.number), one.number, markup=badge(one.number)), _name_cell(one)]
        row += [number_cell(one.results, small=f"{one.answerable:,}"), *_quality_cells(one, figures)]
        row += _lost_cells(one, parts) if parts else []
        row += _stage_cells(one)
        row += [_used_cell(one, "calls")] * calls + token_cells(one, tokens) + [_cost_cell(one)] * paid
        rows.append(row)
    return Table("pipelines", "The pipelines, best first", columns, rows)


def groups_shown(by: str | None) -> list[str]:
    """Return the properties that a report groups by: hops, data set, and the requested one."""
    return list(dict.fromkeys((*STRATA, *([by] if by else []))))


def group_name(by: str) -> str:
    """Return the name of a group in headings."""
    return "data set" if by == "dataset" else by


def strata_table(figures: Sequence[PipelineFigures], by: str, decisive: str, *, least: int = 2) -> Table | None:
    """Make the table of the decisive measure by group; None if there are fewer than ``least`` groups."""
    names = sorted({name for one in figures for name in one.by[by]}, key=natural_order)
    if len(names) < least:
        return None
    columns = [Column("pipeline", text=True), *(Column(name or "unknown") for name in names)]
    rows = []
    for one in figures:
        summaries = [one.by[by].get(name) for name in names]
        cells = [interval_cell(None if summary is None else summary.all) for summary in summaries]
        rows.append([name_cell(one.name), *cells])
    return Table(f"by-{by}", f"{measure_name(decisive)} by {by}", columns, rows)


def compared(figures: Sequence[PipelineFigures], *, baseline: str | None) -> list[Comparison]:
    """Compare pipelines on the same graph by the decisive measure, corrected for all pairs.

    Pairs that have no question in common yet are left out.

    Raises:
        InputError: The baseline is not one of the pipelines.
    """
    if baseline is not None and baseline not in {one.name for one in figures}:
        names = ", ".join(repr(one.name) for one in figures) or "none"
        raise InputError(
            f"the baseline must be a pipeline of the study, got {baseline!r}; there is {names}",
            code="compare.no_baseline",
            baseline=baseline,
        )
    groups: dict[str, dict[str, Sequence[float | None]]] = {}
    for one in figures:
        groups.setdefault(one.run.graph_hash, {})[one.name] = one.scores
    rows: list[Comparison] = []
    for group in groups.values():
        pairs = [(a, b) for a, b in combinations(group, 2) if baseline is None or baseline in (a, b)]
        shared = [pair for pair in pairs if _common(group[pair[0]], group[pair[1]])]
        if shared and len(shared) == len(pairs):
            rows += compare(group, baseline=baseline, seed=SEED)
        else:
            for a, b in shared:
                rows += compare({a: group[a], b: group[b]}, baseline=baseline, seed=SEED)
    return corrected(rows)


def _common(first: Sequence[float | None], second: Sequence[float | None]) -> bool:
    return any(a is not None and b is not None for a, b in zip(first, second, strict=True))


def comparison_table(rows: Sequence[Comparison], figures: Sequence[PipelineFigures], measure: str) -> Table:
    """Return a row for each pair of pipelines."""
    numbers = {one.name: one.number for one in figures}
    columns = [
        Column("pipeline", text=True),
        Column("against", text=True),
        Column("difference", f"{measure_name(measure)}, points", "the mean of the first less that of the second"),
        Column(
            "95 % interval",
            f"{measure_name(measure)}, points",
            "of the difference: adjusted Wald for 0 and 1, else the paired bootstrap",
        ),
        Column("better", "questions", "the first has the higher value"),
        Column("worse", "questions", "the first has the lower value"),
        Column("both done", "questions", "questions that both were scored on"),
        Column("p", "p-value", "two-sided, not corrected"),
        Column("Holm", "p-value", "corrected for the number of comparisons: the chance of even one false finding"),
        Column("Benjamini-Hochberg", "p-value", "corrected for the number of comparisons: the share of false findings"),
        Column("test", text=True),
    ]
    body = []
    for row in rows:
        difference = row.difference
        low, high = (_points(x) for x in (difference.low, difference.high))
        body.append([
            _short_name(row.first, numbers), _short_name(row.second, numbers),
            Cell(_points(difference.mean), difference.mean, strong=row.p_holm < 0.05),
            Cell(f"{low} to {high}", difference.low), *map(number_cell, (row.better, row.worse, difference.n)),
            *(Cell(p_value(p), p) for p in (row.p, row.p_holm, row.p_bh)), Cell(row.test, row.test),
        ])  # fmt: skip
    return Table("comparison", f"Pipelines compared pair by pair by {measure_name(measure)}", columns, body)


def p_value(p: float) -> str:
    """Return a p-value in two digits.

    >>> p_value(0.0312), p_value(0.00001), p_value(1.0)
    ('0.031', '< 0.0001', '1')
    """
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def _name_cell(one: PipelineFigures) -> Cell:
    notes = []
    if one.run.done < one.run.questions:
        notes.append(f"{one.run.questions - one.run.done:,} questions are left")
    if one.errors:
        notes.append(f"{one.errors:,} ended in an error")
    small = "; ".join(notes)
    recipe = "" if one.run.recipe == one.name else one.run.recipe
    return Cell(one.name, one.name, small, macro("parts.html", "pipeline", one.name, recipe, small), name=True)


def _quality_cells(one: PipelineFigures, figures: Sequence[PipelineFigures]) -> list[Cell]:
    cells = []
    for part in ("all", "answerable"):
        for name in MEASURES:
            means = [_mean_of(other.means[name], part) for other in figures]
            best = max((mean for mean in means if mean is not None), default=None)
            own = _mean_of(one.means[name], part)
            strong = len(figures) > 1 and own is not None and own == best and own > 0
            cells.append(interval_cell(getattr(one.means[name], part), strong=strong))
    return cells


def _mean_of(summary: Summary, part: str) -> float | None:
    interval = summary.all if part == "all" else summary.answerable
    return None if interval is None else interval.mean


def _stage_cells(one: PipelineFigures) -> list[Cell]:
    recall, nodes, paths = _mean_of(one.means["subgraph_recall"], "all"), *map(one.averages.get, ("nodes", "path_f1"))
    f1 = _mean_of(one.means["subgraph_f1"], "all")
    cells = [share_cell(recall), share_cell(f1), number_cell(nodes), share_cell(paths)]
    if one.times is None:
        return [*cells, NONE, NONE]
    return cells + [Cell(milliseconds(ms), ms) for ms in (one.times.median, one.times.p95)]


def _used_cell(one: PipelineFigures, name: str) -> Cell:
    value = one.a_question(name)
    return Cell(short(value), value)


def token_columns(figures: Sequence[PipelineFigures]) -> dict[str, str]:
    """Return title and explanation of the columns of tokens; none if no tokens were used.

    Studies of older versions do not tell the tokens of embedders and language models apart.
    """
    if not any(one.used["tokens_in"] + one.used["tokens_out"] for one in figures):
        return {}
    if all(one.llm_tokens is None for one in figures):
        return {TOKENS: "tokens read and written on average"}
    return {
        LLM_TOKENS: "tokens that language models read and wrote, on average",
        EMBEDDING_TOKENS: "tokens that embedders and ranking models read, on average",
    }


def token_cells(one: PipelineFigures, columns: Collection[str]) -> list[Cell]:
    """Return the cells of `token_columns`; a sum of both kinds is marked as such."""
    about, total = "~" if one.used["estimated"] else "", one.a_question("tokens_in") + one.a_question("tokens_out")
    cells = []
    for column in columns:
        if column == EMBEDDING_TOKENS:
            value = one.embedding_tokens
            cells.append(NONE if value is None else Cell(short(value), value))
            continue
        llm = one.llm_tokens if column == LLM_TOKENS else total
        small = "both kinds" if llm is None else ""
        cells.append(Cell(about + short(total if llm is None else llm), total if llm is None else llm, small))
    return cells


def _cost_cell(one: PipelineFigures) -> Cell:
    value = one.a_question("cost")
    digits = 0 if not value else 2 if value >= 1 else 1 - floor(log10(value))
    return Cell(f"${value:.{digits}f}", value)


def _lost_cells(one: PipelineFigures, parts: Sequence[Part]) -> list[Cell]:
    counts = [one.lost.get(part.name, 0) for part in parts]
    total = sum(counts)
    if not total:
        return [NONE, NONE]
    shares = [(part.name, count / total) for part, count in zip(parts, counts, strict=True) if count]
    text = ", ".join(f"{name} {percent(share)}" for name, share in shares if name != NOT_LOST)
    title = ", ".join(f"{name} {percent(share)} %" for name, share in shares)
    answered = one.lost.get(NOT_LOST, 0) / total
    return [Cell("", answered, markup=stack(counts, parts, title)), Cell(text, text)]


def _short_name(name: str, numbers: Mapping[str, int]) -> Cell:
    return Cell(name, numbers[name], markup=macro("parts.html", "named", numbers[name], name))


def _points(value: float) -> str:
    shown = f"{100 * value:+.1f}".replace("-", "−")
    return "0" if shown in ("+0.0", "−0.0") else shown
