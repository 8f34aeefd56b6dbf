"""The report page: one self-contained file that needs neither a network nor a server."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files

from markupsafe import Markup

from graphbrick.study.report.answers import (
    answers_table,
    judge_notes,
    published_notes,
    published_table,
    rows_by_hops,
    rows_of,
)
from graphbrick.study.report.browser import Listing, blocks
from graphbrick.study.report.confidence import confidence_section
from graphbrick.study.report.figures import PipelineFigures
from graphbrick.study.report.linking_and_queries import task_tables
from graphbrick.study.report.markup import environment, macro
from graphbrick.study.report.origin import cards, setup, warnings
from graphbrick.study.report.overview import comparison_table, measure_name, pipelines_table
from graphbrick.study.report.sections import Figure, Section, charts
from graphbrick.study.report.tables import table_html
from graphbrick.study.statistics.comparison import Comparison
from graphbrick.study.store.reader import Study

_PAIRS = 15  # comparisons that are shown at once, at most
_DATA = "\0data\0"  # marks the place of the data


def page(
    study: Study,
    listing: Listing,
    figures: Sequence[PipelineFigures],
    comparisons: Sequence[Comparison],
    *,
    decisive: str,
    by: str | None,
    title: str,
    summary: str,
    written: str,
    version: str,
) -> Iterator[str]:
    """Yield the page, piece by piece.

    Args:
        study: Where details are read from.
        listing: The questions of the browser.
        figures: The pipelines, best first.
        comparisons: Pairs of them.
        decisive: The measure they were compared by.
        by: What questions are also grouped by; None for hops and data set only.
        title: The title.
        summary: The result of the study in a sentence or two.
        written: The time of writing, as text.
        version: The version of graphbrick.
    """
    sections = _sections(study, listing, figures, comparisons, decisive, by)
    whole = page_text(
        title, summary, cards(study, listing, figures), warnings(study, figures), sections,
        written=written, source=study.path.name, version=version, data=_DATA,
    )  # fmt: skip
    before, after = whole.split(_DATA)
    yield before.lstrip()
    if listing.questions and figures:
        for block in blocks(study, listing, figures):
            yield block + "\n"
    yield after


def page_text(
    title: str,
    summary: str,
    shown: Sequence[tuple[str, str]],
    notes: Sequence[str],
    sections: Sequence[Section],
    *,
    written: str,
    source: str,
    version: str,
    data: str = "",
) -> str:
    """Return a whole page of sections.

    Args:
        title: The title.
        summary: The result in a sentence or two.
        shown: Large and small text of the cards at the top.
        notes: What a reader has to know.
        sections: The sections.
        written: The time of writing, as text.
        source: Name of what the figures are from.
        version: The version of graphbrick.
        data: What the browser of questions reads.
    """
    style, script = _template("style.css"), _template("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        environment()
        .get_template("page.html")
        .render(
            script_hash=f"sha256-{digest}",
            version=version,
            title=title,
            style=Markup(style),
            headline=summary,
            cards=shown,
            warnings=notes,
            sections=sections,
            written=written,
            study=source,
            data=Markup(data),
            script=Markup(script),
        )
    )


def _template(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text("utf-8")


def _sections(
    study: Study,
    listing: Listing,
    figures: Sequence[PipelineFigures],
    comparisons: Sequence[Comparison],
    decisive: str,
    by: str | None,
) -> list[Section]:
    if not figures:
        nothing = "This study has no runs yet; graphbrick evaluate adds them."
        return [Section("pipelines", "Pipelines", [nothing]), setup(study, figures)]
    note = (
        "Figures in percent are means with 95 % intervals. A question where a pipeline failed or gave no answer "
        "counts 0; the best of a column is bold. A heading sorts the table."
    )
    sections = [Section("pipelines", "Pipelines", [note], [Figure(table_html(pipelines_table(figures)))])]
    sections += _answers(figures, study.judge)
    sections += [
        Section(task.key, task.title, [task.note], [Figure(table_html(task.table))])
        for task in task_tables({"": figures})
    ]
    if comparisons:
        sections.append(_pairs(comparisons, figures, decisive))
    confidence = confidence_section(figures)
    sections += [] if confidence is None else [confidence]
    sections += charts(figures, decisive, by)
    if listing.questions:
        sections.append(_browser(listing))
    return [*sections, setup(study, figures)]


def _answers(figures: Sequence[PipelineFigures], judge: str | None) -> list[Section]:
    """Return the section with every measure of answers; none if no pipeline answers."""
    table = answers_table(rows_of(figures))
    if table is None:
        return []
    note = "Every measure of the answers by text, in percent; a question without an answer counts 0."
    if judge is not None:
        note += (
            " In Judge@1 a verdict that could not be read counts 0. Answers on which the judge failed are left out; "
            "the number of the others is then beside the share."
        )
    costs = macro("parts.html", "paragraphs", judge_notes(figures, judge))
    shown = [Figure(table_html(table) + costs)]
    by_hops, others = answers_table(rows_by_hops(figures), by="hops"), published_table(figures)
    if by_hops is not None:
        shown.append(Figure(table_html(by_hops), "By hops", folded=True))
    if others is not None:
        content = macro("parts.html", "scorers", published_notes()) + table_html(others)
        shown.append(Figure(content, "As others publish such figures", folded=True))
    return [Section("answers", "Answers", [note], shown)]


def _pairs(comparisons: Sequence[Comparison], figures: Sequence[PipelineFigures], decisive: str) -> Section:
    """Return the section of comparisons.

    If there are many, only those with the best pipeline are unfolded.
    """
    count = len(comparisons)
    note = (
        f"Pairs of pipelines on the questions that both are done with, by {measure_name(decisive)}. Bold: p below "
        f"0.05 after Holm's correction for {count} comparison{'s' * (count > 1)}."
    )
    best = figures[0].name
    many = count > _PAIRS
    first = [row for row in comparisons if not many or best in (row.first, row.second)]
    others = [row for row in comparisons if many and best not in (row.first, row.second)]
    shown = [Figure(table_html(comparison_table(first, figures, decisive)))] if first else []
    if others:
        table = comparison_table(others, figures, decisive)._replace(name="comparison-others")
        title = Markup("{} pairs without {}").format(len(others), macro("parts.html", "label", best))
        shown.append(Figure(table_html(table), title, folded=True))
    return Section("comparison", "Comparison", [note], shown)


def _browser(listing: Listing) -> Section:
    total, detailed = len(listing.questions), len(listing.detailed)
    note = "Every question with what came of it; press one for its gold answers, paths and answers."
    if detailed < total:
        note += (
            f" Answers and paths of {detailed:,} of {total:,} questions, evenly spread, are in this page; the "
            f"other {total - detailed:,} are listed with their scores alone. graphbrick report --details all takes all."
        )
    return Section("questions", "Questions", [note])
