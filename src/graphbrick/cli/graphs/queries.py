"""The commands about queries: run one by hand, show what they may name, write questions with gold queries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, limits
from graphbrick.cli.options import GraphPlace, Json, open_place

# Everything else is imported where it is used, so that help is shown at once.


def query(
    graph: GraphPlace,
    text: Annotated[str, typer.Argument(metavar="QUERY", help="Cypher or SPARQL that only reads.", show_default=False)],
    limit: Annotated[int, typer.Option(min=1, help="Most rows.")] = 100,
    as_json: Json = False,
) -> None:
    """Run a query by hand; one that may write is refused. Without rows, say what does not fit the schema."""
    from graphbrick.bricks.retrieve.queries.query_advice import rows_or_advice
    from graphbrick.bricks.retrieve.queries.query_names import checked_by_graph
    from graphbrick.cli.printing.queries import print_query_advice, print_rows
    from graphbrick.cli.progress import note_events
    from graphbrick.core.trace import Trace, record
    from graphbrick.graphs.queries.guard import check_read_only

    opened = open_place(graph)
    check_read_only(text, opened.language)
    with record(Trace(), "query", "query") as entry:
        rows = rows_or_advice(opened, text, limit)
    note_events(entry.events)
    print_rows(rows, limit, as_json=as_json)
    if not rows.rows:
        print_query_advice(text, checked_by_graph(opened, text, opened.schema()))


def schema(graph: GraphPlace, as_json: Json = False) -> None:
    """Show what queries may name: classes, properties, relations.

    Properties have examples, and relations have counts.
    """
    from graphbrick.cli.printing.queries import print_query_schema

    opened = open_place(graph)
    print_query_schema(opened.schema(), opened.language, as_json=as_json)


def questions(
    graph: GraphPlace,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines to write, such as questions.jsonl.")],
    n: Annotated[int, typer.Option("--n", min=1, help="How many.")] = 100,
    seed: Annotated[int, typer.Option(help="Of the random choice.")] = 0,
    llm: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Let a language model reword the questions, which is checked: a model of this machine (graphbrick "
            "models list, or a GGUF file), or one of the server that OPENAI_BASE_URL names.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file that is there.")] = False,
    budget: BudgetText = None,
    cache_mode: CacheMode = "off",
    cache_file: CacheFile = None,
) -> None:
    """Write questions about a graph, with queries and answers.

    They are made from its schema and templates.
    """
    import json

    from graphbrick.cli.printing.queries import print_written
    from graphbrick.cli.progress import progress
    from graphbrick.core.compute import part_of
    from graphbrick.core.errors import GraphbrickError
    from graphbrick.graphs.export.place import new_export_text
    from graphbrick.judge.gold_queries.generator import questions_with_queries
    from graphbrick.judge.gold_queries.paraphrase import paraphrased
    from graphbrick.models.llm.naming import chat_model

    model, reworded, made = None if llm is None else chat_model(llm), None, []
    with (
        limits(budget, cache_mode, cache_file),
        new_export_text(file, overwrite=overwrite) as out,
        progress() as report,
    ):
        for question in questions_with_queries(open_place(graph), n, seed=seed):
            made.append(question)
            report("questions", len(made), n)
        if not made:
            raise GraphbrickError("the graph gives no question with 1 to 50 answers; nothing was written")
        if model is not None:
            made, reworded = paraphrased(made, model, progress=part_of(report, "reworded"))
        out.writelines(json.dumps(question.record(), ensure_ascii=False) + "\n" for question in made)
    print_written(file, made, reworded, wanted=n)
