"""The page of a report: one file that needs nothing else, neither a network nor a server."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from string import Template

from graphbrick.evaluate.report.answers import (
    answers_table,
    judge_notes,
    published_notes,
    published_table,
    rows_by_hops,
    rows_of,
)
from graphbrick.evaluate.report.browser import Listing, blocks
from graphbrick.evaluate.report.figures import PipelineFigures
from graphbrick.evaluate.report.markup import Html, element, escape, join, label
from graphbrick.evaluate.report.origin import cards, setup, warnings
from graphbrick.evaluate.report.overview import (
    comparison_table,
    measure_name,
    pipelines_table,
)
from graphbrick.evaluate.report.sections import charts
from graphbrick.evaluate.report.tables import table_html
from graphbrick.evaluate.statistics.comparison import Comparison
from graphbrick.evaluate.study.reader import Study

_PAIRS = 15  # comparisons that are shown at once, at most
_TEMPLATES = files(__package__) / "templates"


def page(
    study: Study,
    listing: Listing,
    figures: Sequence[PipelineFigures],
    comparisons: Sequence[Comparison],
    *,
    decisive: str,
    by: str | None,
    title: str,
    said: str,
    written: str,
    version: str,
) -> Iterator[str]:
    """The page, piece by piece.

    Args:
        study: Where details are read from.
        listing: What the browser of questions shows.
        figures: Of the pipelines, best first.
        comparisons: Of pairs of them.
        decisive: The measure they were compared by.
        by: What questions are also grouped by; None for hops and data set only.
        title: The title.
        said: What the study says in a sentence or two.
        written: When, as text.
        version: Of graphbrick.
    """
    sections = _sections(study, listing, figures, comparisons, decisive, by)
    script = _template("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    mark = "\0data\0"
    whole = Template(_template("page.html")).substitute(
        script_hash=f"sha256-{digest}",
        generator=escape(f"graphbrick {version}"),
        title=escape(title),
        style=_template("style.css"),
        heading=label(title),
        headline=escape(said),
        cards=cards(study, listing, figures),
        warnings=warnings(study, figures),
        nav=join(*(join(element("a", name, href=f"#{key}-section"), " ") for key, name, _ in sections)),
        sections=join(*(_section(*section) for section in sections)),
        footer=escape(f"Written by graphbrick {version} on {written} from {study.path.name}."),
        data=mark,
        script=script,
    )
    before, after = whole.split(mark)
    yield before
    if listing.questions and figures:
        for block in blocks(study, listing, figures):
            yield block + "\n"
    yield after


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _section(key: str, title: str, content: Html) -> Html:
    return element("section", element("h2", title), content, id=f"{key}-section")


def _sections(
    study: Study,
    listing: Listing,
    figures: Sequence[PipelineFigures],
    comparisons: Sequence[Comparison],
    decisive: str,
    by: str | None,
) -> list[tuple[str, str, Html]]:
    sections = []
    if figures:
        note = (
            "Figures in percent are means with 95 % intervals. A question where a pipeline failed or gave no answer "
            "counts 0; the best of a column is bold. A heading sorts the table."
        )
        sections.append(("pipelines", "Pipelines", join(element("p", note), table_html(pipelines_table(figures)))))
    else:
        nothing = element("p", "This study has no runs yet; graphbrick evaluate adds them.")
        sections.append(("pipelines", "Pipelines", nothing))
    answers = _answers(figures, study.judge)
    if answers:
        sections.append(("answers", "Answers", answers))
    if comparisons:
        note = (
            f"Pairs of pipelines on the questions that both are done with, by {measure_name(decisive)}. Bold: p below "
            f"0.05 after Holm's correction for {len(comparisons)} comparison{'s' * (len(comparisons) > 1)}."
        )
        sections.append(("comparison", "Comparison", join(element("p", note), _pairs(comparisons, figures, decisive))))
    sections += charts(figures, decisive, by)
    if listing.questions and figures:
        sections.append(("questions", "Questions", _browser(listing)))
    sections.append(("setup", "How it was run", setup(study, figures)))
    return sections


def _answers(figures: Sequence[PipelineFigures], judge: str | None) -> Html:
    """Every measure of answers; by hops, and as published, folded up. Empty where no pipeline answers."""
    table = answers_table(rows_of(figures))
    if table is None:
        return Html()
    by_hops, others = answers_table(rows_by_hops(figures), by="hops"), published_table(figures)
    note = "Every measure of the answers by text, in percent; a question without an answer counts 0."
    if judge is not None:
        note += (
            " In Judge@1 a verdict that could not be read counts 0. Answers on which the judge failed are left out; "
            "the number of the others is then beside the share."
        )
    wrong = element("ul", *(element("li", line) for line in published_notes()))
    return join(
        element("p", note),
        table_html(table),
        *(element("p", label(line)) for line in judge_notes(figures, judge)),
        element("details", element("summary", "By hops"), table_html(by_hops)) if by_hops else None,
        element("details", element("summary", "As others publish such figures"), wrong, table_html(others))
        if others
        else None,
    )


def _pairs(comparisons: Sequence[Comparison], figures: Sequence[PipelineFigures], decisive: str) -> Html:
    """All comparisons; where they are many, those with the best pipeline, and the others folded up."""
    if len(comparisons) <= _PAIRS:
        return table_html(comparison_table(comparisons, figures, decisive))
    best = figures[0].name
    first = [row for row in comparisons if best in (row.first, row.second)]
    others = [row for row in comparisons if best not in (row.first, row.second)]
    tables = [comparison_table(rows, figures, decisive) for rows in (first, others)]
    more = table_html(tables[1]._replace(name="comparison-others"))
    return join(
        table_html(tables[0]) if first else None,
        element("details", element("summary", f"{len(others)} pairs without ", label(best)), more),
    )


def _browser(listing: Listing) -> Html:
    total, detailed = len(listing.questions), len(listing.detailed)
    note = "Every question with what came of it; press one for its gold answers, paths and answers."
    if detailed < total:
        note += (
            f" Answers and paths of {detailed:,} of {total:,} questions, evenly spread, are in this page; the "
            f"other {total - detailed:,} are listed with their scores alone. graphbrick report --details all takes all."
        )
    pager = element(
        "div",
        element("button", "Back", type="button", id="before"),
        element("button", "Next", type="button", id="after"),
        element("span", id="found", role="status"),
        class_="pager",
    )
    listed = element("div", element("table", id="list"), class_="scroll")
    script = element("noscript", element("p", "This part of the page needs JavaScript, which is switched off."))
    return join(
        element("p", note),
        script,
        Html(f'<div id="browser" hidden>{element("div", id="filters")}{listed}{pager}</div>'),
    )
