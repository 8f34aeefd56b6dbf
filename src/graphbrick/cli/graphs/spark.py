"""The commands ``graphbrick spark``: work on graphs that do not fit one machine."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli.options import Columns, Delimiter, Header, Json, SkipBad, read_options
from graphbrick.core.compute import Progress

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from graphbrick.spark.prepared import Prepared
    from graphbrick.spark.reading import TripleSource

app = typer.Typer(
    name="spark",
    help="Extract, rank and build with Spark, for very large graphs.\n\nFor a graph that does not fit one machine.",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
)

Source = Annotated[
    str,
    typer.Argument(
        metavar="TRIPLES",
        help="Triples: a file, folder or address such as s3a://bucket/triples (Parquet, ORC, JSON lines, CSV, TSV), a "
        "graph folder, or what graphbrick spark prepare made.",
        show_default=False,
    ),
]
Out = Annotated[str, typer.Option("--out", "-o", metavar="FOLDER", help="Folder or address to make.")]
Seeds = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        help='Questions with seeds, as for graphbrick evaluate; or JSON lines {"set": "q1", "seeds": ["Nairobi"]}; or '
        "CSV with the columns set, seed.",
    ),
]
Weight = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of a number to keep with each triple.")]
Master = Annotated[
    str | None, typer.Option(metavar="URL", help="local[4], spark://host:7077, yarn [all cores of this machine].")
]
Conf = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="Setting of Spark, such as spark.executor.memory=8g; repeatable."),
]
Partitions = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Parts that the graph is cut into [2 for each core, of 256 MB at most]."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a result that is there.")]
GraphXOption = Annotated[bool, typer.Option("--graphx", help="Compute by GraphX, which needs the graph in memory.")]
Direction = Annotated[str, typer.Option(help="both, out or in.")]


def extract(
    source: Source,
    seeds: Seeds,
    out: Out,
    stage: Annotated[
        str, typer.Option("--extract", metavar="BRICK", help="PPR(...) or KHop(...), as in a pipeline.")
    ] = "PPR(k=1000)",
    batch: Annotated[int, typer.Option(min=1, help="Sets of seeds walked together.")] = 100,
    columns: Columns = None,
    delimiter: Delimiter = None,
    header: Header = None,
    weight: Weight = None,
    skip_bad: SkipBad = False,
    partitions: Partitions = None,
    master: Master = None,
    conf: Conf = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write the best entities of sets of seeds, with their triples.

    The result is a graph for other commands, which need no Spark: graphbrick evaluate FOLDER questions.jsonl.
    """
    from graphbrick.cli.printing.spark import print_extracted
    from graphbrick.cli.progress import progress
    from graphbrick.spark.cluster import default_partitions
    from graphbrick.spark.seed_sets import read_seed_sets
    from graphbrick.spark.storage import new_result
    from graphbrick.spark.walks.extract import KIND, check_stage, read_stage
    from graphbrick.spark.walks.extract import extract as run

    brick = read_stage(stage)
    check_stage(brick)
    triples = _source(source, columns, delimiter, header, weight)
    with progress(f"extracting from {source}", unit="share") as shown, _session(master, conf) as spark:
        sets = read_seed_sets(spark, seeds)
        with (
            new_result(spark, out, KIND, overwrite=overwrite) as place,
            _prepared(spark, triples, place, brick.direction, skip_bad, shown) as prepared,
        ):
            parts = partitions or default_partitions(prepared, brick.direction)
            done = run(prepared, sets, place, brick, partitions=parts, batch=batch, progress=shown)
    print_extracted(done, out, as_json=as_json)


def prepare(
    source: Source,
    out: Out,
    direction: Annotated[
        list[str] | None, typer.Option(help="both, out or in: the walks to come; repeatable [both].")
    ] = None,
    columns: Columns = None,
    delimiter: Delimiter = None,
    header: Header = None,
    weight: Weight = None,
    skip_bad: SkipBad = False,
    master: Master = None,
    conf: Conf = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Number the entities and write the rows that walks need.

    This is done once for many extractions, and prints statistics.
    """
    from graphbrick.cli.printing.spark import print_prepared
    from graphbrick.cli.progress import progress
    from graphbrick.core.errors import InputError
    from graphbrick.core.graph import DIRECTIONS
    from graphbrick.spark.prepare import prepare as run
    from graphbrick.spark.prepared import KIND
    from graphbrick.spark.storage import new_result

    ways = list(dict.fromkeys(direction or ["both"]))
    if not set(ways) <= set(DIRECTIONS):
        raise InputError(f"--direction is one of {', '.join(DIRECTIONS)}, got {', '.join(ways)}")
    triples = _source(source, columns, delimiter, header, weight)
    with (
        progress(f"preparing {source}", unit="share") as shown,
        _session(master, conf) as spark,
        new_result(spark, out, KIND, overwrite=overwrite) as place,
    ):
        prepared = run(spark, triples, place, directions=ways, skip_bad=skip_bad, progress=shown)
    print_prepared(prepared.facts, out, as_json=as_json)


def build(
    source: Source,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="GRAPH", help="Graph folder to make, on this machine.")],
    near: Annotated[
        bool | None, typer.Option("--near/--no-near", help="Index near misses of names [up to 20,000,000 entities].")
    ] = None,
    columns: Columns = None,
    delimiter: Delimiter = None,
    header: Header = None,
    skip_bad: SkipBad = False,
    master: Master = None,
    conf: Conf = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Build a graph folder here from triples that Spark reads.

    The triples may lie on any storage that Spark reads; the folder is on this machine.
    """
    from graphbrick.cli.printing.graphs import print_built
    from graphbrick.cli.progress import progress
    from graphbrick.spark.folder import build_folder

    triples = _source(source, columns, delimiter, header, None)
    out.absolute().parent.mkdir(parents=True, exist_ok=True)
    with (
        progress(f"building {out}", unit="share") as shown,
        tempfile.TemporaryDirectory(prefix=f".{out.name}.spark-", dir=out.absolute().parent) as work,
        _session(master, conf) as spark,
    ):
        built = build_folder(
            spark, triples, out, work, near=near, skip_bad=skip_bad, overwrite=overwrite, progress=shown
        )
    print_built(built, as_json=as_json)


def rank(
    source: Source,
    out: Out,
    restart: Annotated[float, typer.Option(help="Probability of going back; damping is 1 - restart.")] = 0.15,
    direction: Direction = "out",
    tolerance: Annotated[float, typer.Option(help="Bound on the sum of the errors of all scores.")] = 1e-4,
    graphx: GraphXOption = False,
    columns: Columns = None,
    delimiter: Delimiter = None,
    header: Header = None,
    skip_bad: SkipBad = False,
    partitions: Partitions = None,
    master: Master = None,
    conf: Conf = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write the PageRank of every entity as Parquet.

    The columns are entity, score, rank.
    """
    from graphbrick.bricks.extract.page_rank import PageRank
    from graphbrick.cli.printing.spark import print_ranks
    from graphbrick.cli.progress import progress
    from graphbrick.spark.cluster import default_partitions
    from graphbrick.spark.storage import new_result
    from graphbrick.spark.walks.whole import RANKS, write_ranks

    brick = PageRank(restart=restart, direction=direction, tolerance=tolerance)
    triples = _source(source, columns, delimiter, header, None)
    with (
        progress(f"ranking {source}", unit="share") as shown,
        _session(master, conf) as spark,
        new_result(spark, out, RANKS, overwrite=overwrite) as place,
        _prepared(spark, triples, place, direction, skip_bad, shown) as prepared,
    ):
        parts = partitions or default_partitions(prepared, direction)
        facts = write_ranks(prepared, place, brick, partitions=parts, graphx=graphx, progress=shown)
    print_ranks(facts, out, as_json=as_json)


def components(
    source: Source,
    out: Out,
    graphx: GraphXOption = False,
    columns: Columns = None,
    delimiter: Delimiter = None,
    header: Header = None,
    skip_bad: SkipBad = False,
    master: Master = None,
    conf: Conf = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write the connected component of every entity as Parquet.

    The columns are entity, component (its first entity).
    """
    from graphbrick.cli.printing.spark import print_components
    from graphbrick.cli.progress import progress
    from graphbrick.spark.storage import new_result
    from graphbrick.spark.walks.whole import COMPONENTS, write_components

    triples = _source(source, columns, delimiter, header, None)
    with (
        progress(f"connected components of {source}", unit="share") as shown,
        _session(master, conf) as spark,
        new_result(spark, out, COMPONENTS, overwrite=overwrite) as place,
        _prepared(spark, triples, place, None, skip_bad, shown) as prepared,
    ):
        facts = write_components(prepared, place, graphx=graphx, progress=shown)
    print_components(facts, out, as_json=as_json)


def _source(
    place: str, columns: str | None, delimiter: str | None, header: bool | None, weight: str | None
) -> TripleSource:
    from graphbrick.spark.reading import TripleSource

    return TripleSource(place, read_options(delimiter, columns, header, "en"), weight)


@contextmanager
def _session(master: str | None, conf: list[str] | None) -> Iterator[SparkSession]:
    from graphbrick.spark.session import spark_session

    with spark_session(master, spark_settings(conf)) as spark:
        yield spark


def spark_settings(conf: list[str] | None) -> dict[str, str]:
    """Return the settings of Spark that ``--conf`` names.

    Raises:
        InputError: One is not NAME=VALUE with a name of Spark; the message holds no value, which may be secret.
    """
    from graphbrick.core.errors import InputError

    settings = {}
    for text in conf or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not re.fullmatch(r"spark\.[\w.-]+", name):
            raise InputError(f"--conf takes NAME=VALUE, such as spark.executor.memory=8g, got {name!r}")
        settings[name] = value
    return settings


@contextmanager
def _prepared(
    spark: SparkSession, source: TripleSource, place: str, direction: str | None, skip_bad: bool, report: Progress
) -> Iterator[Prepared]:
    """Open a prepared graph, or prepare a source inside ``place`` until the end of the block."""
    from graphbrick.spark.prepare import prepare
    from graphbrick.spark.prepared import Prepared, is_prepared
    from graphbrick.spark.storage import Storage

    if is_prepared(spark, source.place):
        source.check_no_options("a prepared graph", skip_bad=skip_bad)
        yield Prepared.open(spark, source.place)
        return
    work = f"{place}/.prepared"
    ways = [] if direction is None else [direction]
    yield prepare(spark, source, work, directions=ways, skip_bad=skip_bad, progress=report)
    Storage(spark, place).delete(work)


for _command in (extract, prepare, rank, components, build):
    app.command()(_command)
