"""A tool that runs a query in the graph's own language."""

from __future__ import annotations

from graphbrick.bricks.agents.agent_tool import AdviceError, Observation, tool
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.core import Citation, Row
from graphbrick.graphs.queries.guard import check_read_only
from graphbrick.graphs.queries.row_values import RowMaker
from graphbrick.models.llm.replies.replies import one_line

_LONGEST = 200  # characters of a value


@tool(needs_query_language=True)
def query(work: Workspace, text: str, n: int = 20) -> Observation:
    """Run a query that only reads, in the graph's query language.

    Args:
        text: The query.
        n: How many rows to show.
    """
    if work.graph.language in ("Cypher", "SPARQL"):
        check_read_only(text, work.graph.language)
    rows = work.graph.query(text, {}, n)
    if not rows.rows:
        raise AdviceError("the query ran and gave no row; check names and directions", code="query.no_rows")
    lines, items = [" | ".join(rows.columns)], list[Row]()
    maker = RowMaker(work.graph)
    for row in rows.rows:
        read, named = maker.read(row)
        values = tuple(one_line(value)[:_LONGEST] for value in read)
        line = " | ".join(values)
        if items and work.fitting([*lines, line]) <= len(lines):
            break
        entities = tuple(entity for entity in named if work.holds(entity))
        lines.append(line)
        items.append(Row(rows.columns, values, (Citation(query=text),), entities, work.graph))
    if rows.is_cut or len(items) < len(rows.rows):
        lines.append(f"there are more than these {len(items):,} rows")
    nodes = tuple(dict.fromkeys(entity for item in items for entity in item.entities))
    return Observation("\n".join(lines), nodes or None, items=tuple(items))
