"""Terminal output of the commands ``graphbrick spark``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.properties import print_not_kept
from graphbrick.cli.printing.terminal import console, plain, print_json
from graphbrick.language.counting import counted

if TYPE_CHECKING:
    from graphbrick.spark.walks.extract import Extracted

_SHOWN = 10


def print_extracted(done: Extracted, out: str, *, as_json: bool) -> None:
    """Print the number of sets, entities and triples of an extraction, and the missing seeds."""
    if as_json:
        print_json({"folder": out, **asdict(done)})
        return
    term = console()
    term.print(
        plain(
            f"{out}: {counted(done.sets, 'set')} of seeds, {counted(done.entities, 'entity')}, "
            f"{counted(done.triples, 'triple')}"
        )
    )
    print_not_kept(term, done.left_out)
    if done.steps:
        bound = f"{done.error_bound:.1e}"
        term.print(f"steps of the walks: {sum(done.steps):,}; the errors of the scores of a set sum to {bound} at most")
    if done.stopped:
        term.print(f"the edge budget ended the walks of {counted(done.stopped, 'set')}, whose scores are less exact")
    if done.in_tables:
        sets = counted(done.in_tables, "set")
        term.print(f"the walks of {sets} outgrew the memory of the driver, and were made in tables, which takes longer")
    if done.without_seeds:
        more = ", ..." if len(done.without_seeds) > _SHOWN else ""
        names = ", ".join(done.without_seeds[:_SHOWN]) + more
        term.print(plain(f"left out: {counted(len(done.without_seeds), 'question')} without seeds: {names}"))
    if done.missing:
        missing = sum(map(len, done.missing.values()))
        term.print(f"seeds that the triples do not have: {missing:,}")
        for name in list(done.missing)[:_SHOWN]:
            term.print(plain(f"  {name}: {', '.join(done.missing[name][:_SHOWN])}"))
        if len(done.missing) > _SHOWN:
            term.print(f"  ... and {len(done.missing) - _SHOWN:,} sets more (--json lists all)")


def print_prepared(facts: dict[str, Any], out: str, *, as_json: bool) -> None:
    """Print the statistics of a prepared graph."""
    if as_json:
        print_json({"folder": out, **facts})
        return
    term, counts, stats = console(), facts["counts"], facts["statistics"]
    term.print(
        plain(
            f"{out}: {counted(stats['entities'], 'entity')}, {counted(stats['relations'], 'relation')}, "
            f"{counted(counts['triples'], 'triple')}"
        )
    )
    duplicates = counts["read"] - counts["bad"] - counts["triples"]
    if duplicates:
        term.print(f"given more than once, and kept once: {counted(duplicates, 'triple')}")
    if counts["bad"]:
        term.print(f"left out: {counted(counts['bad'], 'row')} that are not triples")
    print_not_kept(term, facts.get("left_out", {}))
    middle, most = stats["degree_quantiles"]["0.5"], stats["largest_degree"]
    term.print(f"triples of an entity: {middle:,} in the middle, {most:,} at most")
    for title, name, rows in (("hub", "entity", stats["hubs"]), ("relation", "relation", stats["top_relations"])):
        table = Table(title, "triples", box=None, pad_edge=False)
        for row in rows[:_SHOWN]:
            table.add_row(Text(plain(row[name])), f"{row.get('degree', row.get('triples')):,}")
        term.print(table)


def print_ranks(facts: dict[str, Any], out: str, *, as_json: bool) -> None:
    """Print the entities of the highest PageRank."""
    rows = [(row["entity"], f"{row['score']:.3g}") for row in facts["top"]]
    entities = counted(facts["counts"]["entities"], "entity")
    _print_rows(facts, out, f"the PageRank of {entities}", ("entity", "score"), rows, as_json=as_json)


def print_components(facts: dict[str, Any], out: str, *, as_json: bool) -> None:
    """Print the number of components and the largest of them."""
    rows = [(row["component"], f"{row['entities']:,}") for row in facts["largest"]]
    number = counted(facts["components"], "component")
    _print_rows(facts, out, number, ("component", "entities"), rows, as_json=as_json)


def _print_rows(
    facts: dict[str, Any], out: str, text: str, columns: tuple[str, str], rows: list[tuple[str, str]], *, as_json: bool
) -> None:
    if as_json:
        print_json({"folder": out, **facts})
        return
    term, table = console(), Table(*columns, box=None, pad_edge=False)
    term.print(plain(f"{out}: {text}"))
    for name, number in rows[:_SHOWN]:
        table.add_row(Text(plain(name)), number)
    term.print(table)
