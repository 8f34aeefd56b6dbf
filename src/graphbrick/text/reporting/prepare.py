"""Write the reports on the communities of a graph, and keep them beside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.files.locks import claim
from graphbrick.graphs.communities import communities_of
from graphbrick.graphs.graph import Graph
from graphbrick.models.llm.chat import ChatModel
from graphbrick.text.reporting.extracted import extracted_report, extractor_of
from graphbrick.text.reporting.replies import reply_store
from graphbrick.text.reporting.reports import CommunityReport, keep_reports
from graphbrick.text.reporting.written import Cost, ReportWriter, Written, reportable

TOKENS = 8_000
"""Tokens that a report is written from, as in Microsoft GraphRAG."""
_FAILED = 0.5  # share of failed reports that is an error


@dataclass
class Prepared:
    """The result of `prepare_reports`.

    Attributes:
        reports: The reports, by community.
        communities: Number of communities that could have one.
        cost: What the model cost; nothing without a model.
        failed: The communities that have none, because a reply was not a report or no sentence names an entity.
        cut: The communities whose report was written without all triples or passages, and how many were left out.
        broken: The communities whose reply broke off, so that the report has only what came before.
    """

    reports: list[CommunityReport]
    communities: int
    cost: Cost = field(default_factory=Cost)
    failed: list[int] = field(default_factory=list)
    cut: dict[int, int] = field(default_factory=dict)
    broken: list[int] = field(default_factory=list)


def prepare_reports(
    graph: Graph,
    llm: ChatModel | None = None,
    *,
    tokens: int = TOKENS,
    level: int | None = None,
    progress: Progress = silent,
) -> Prepared:
    """Write a report on each community of at least two entities, and keep them beside the graph.

    A model writes from the finest communities up. Its replies are kept beside the graph by what they were written
    from, so that after a change of the graph or its documents, or a kill, only what is new is paid for. A report that
    fails is tried again the next time.

    Args:
        graph: The graph, with communities (`graphbrick prepare communities`).
        llm: The language model; None for reports of central sentences, word for word, or of central triples for a graph
            that was not made from documents.
        tokens: Tokens that a report is written from.
        level: The finest level that gets reports; None for all.
        progress: Called with the number of reports that are done.

    Raises:
        GraphbrickError: The graph has no communities, or the reports cannot be kept.
        InputError: Most replies are not reports, or the model holds too little.
        ModelError: The server is away, refuses, or does not answer in time.
    """
    tree = communities_of(graph)
    chosen = reportable(tree, level)
    if llm is None:
        reports, failed = [], []
        for done, one in enumerate(chosen, 1):
            report = extracted_report(graph, one, tree.members(one).tolist())
            if report is None:
                failed.append(one)
            else:
                reports.append(report)
            progress("", done, len(chosen))
        keep_reports(graph, tree, reports, extractor_of(graph))
        return Prepared(reports, len(chosen), failed=failed)
    with reply_store(graph) as store, claim(store.folder / "reports.lock", wait=True):
        written = ReportWriter(llm, graph, tree, store, tokens).write(chosen, progress)
    _check(written, llm, len(chosen))
    reports = [written.reports[one] for one in sorted(written.reports)]
    keep_reports(graph, tree, reports, repr(llm))
    return Prepared(reports, len(chosen), written.cost, written.failed, written.cut, sorted(written.broken))


def estimate_reports(graph: Graph, llm: ChatModel, *, tokens: int = TOKENS, level: int | None = None) -> Cost:
    """Return what `prepare_reports` would cost; nothing is called or written."""
    tree = communities_of(graph)
    with reply_store(graph) as store:
        return ReportWriter(llm, graph, tree, store, tokens).estimate(reportable(tree, level))


def _check(written: Written, llm: ChatModel, communities: int) -> None:
    if communities and len(written.failed) > _FAILED * communities:
        raise InputError(
            f"{len(written.failed):,} of {communities:,} replies of {llm!r} are not reports; what could be read is "
            "kept. Try a larger model, structured=True, or a higher max_tokens",
            code="reports.unread_replies",
            n=len(written.failed),
            total=communities,
        )
