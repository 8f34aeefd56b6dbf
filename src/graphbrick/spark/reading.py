"""Triples from Parquet, ORC, JSON lines, delimited text and graph folders, on any storage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import ReadOptions
from graphbrick.graphs.readers.columns import triple_columns
from graphbrick.graphs.readers.delimited import DELIMITERS, best_delimiter, spelled_delimiter, split_line
from graphbrick.graphs.readers.roles import named_column, unrecognised
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store import manifest
from graphbrick.spark.left_out import columns_left_out, folder_left_out
from graphbrick.spark.prepared import Prepared, is_prepared
from graphbrick.spark.storage import Storage, is_remote, location, write_table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

TABLES = {".parquet": "parquet", ".orc": "orc", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
_PACKED = (".gz", ".zst", ".bz2", ".snappy", ".lz4")
_QUOTED = (",", ";")
_SAMPLE = 50
_BLANK = " \t\r\n\f\v"


@dataclass(frozen=True)
class TripleSource:
    """A place with triples, and how to read them.

    Args:
        place: A file, a folder of files, a pattern such as ``part-*.csv``, the address of one of them on any storage
            that Spark reads, a graph folder, or a prepared graph.
        options: Delimiter, header, and the columns of head, relation and tail.
        weight: The column of a number that goes with each triple, by name or 1-based number; None if there is none.
    """

    place: str
    options: ReadOptions = field(default_factory=ReadOptions)
    weight: str | None = None

    @property
    def is_graph(self) -> bool:
        """True if this is a graph folder on this machine."""
        return not is_remote(self.place) and (Path(self.place.removeprefix("file:")) / manifest.NAME).is_file()

    def check_no_options(self, kind: str, *, skip_bad: bool) -> None:
        """Raise InputError if an option is set that only tables and text take.

        Args:
            kind: What the source is, for the error.
            skip_bad: Whether bad rows are to be left out.
        """
        options = self.options
        values = {"delimiter": options.delimiter, "header": options.header, "columns": options.columns}
        values |= {"weight": self.weight, "skip-bad": skip_bad or None}
        refused = [f"--{name}" for name, value in values.items() if value is not None]
        if refused:
            text = f"{', '.join(refused)}: for tables and text only; leave out, as this is {kind}"
            raise InputError(text, self.place, code="triples.no_option", options=refused)


def read_triples(spark: SparkSession, source: TripleSource, left_out: LeftOut | None = None) -> DataFrame:
    """Return the rows of a source, also those that are not triples.

    Args:
        spark: The session.
        source: The triples.
        left_out: Receives what the source says besides.

    Returns:
        Columns ``head``, ``relation``, ``tail`` (strings), ``weight`` (double; null where there is none) and ``bad``:
        null for a triple, else a text with the contents of the row.

    Raises:
        InputError: There is no such place, its format is not known, or a column is missing.
    """
    left_out = LeftOut() if left_out is None else left_out
    if source.is_graph:
        from graphbrick.spark.folder_tables import folder_triples

        left_out.update(folder_left_out(source.place))
        return folder_triples(spark, source.place)
    if is_prepared(spark, source.place):
        prepared = Prepared.open(spark, source.place)
        left_out.update(LeftOut.from_dict(prepared.facts.get("left_out", {})))
        return prepared.key_triples().selectExpr("*", "CAST(NULL AS string) AS bad")
    suffix = _suffix(spark, source.place)
    if suffix in DELIMITERS or (source.options.delimiter is not None and suffix not in TABLES):
        return _delimited(spark, source, suffix, left_out)
    if suffix in TABLES:
        return _table(spark, source, TABLES[suffix], left_out)
    known = " ".join([*TABLES, *DELIMITERS])
    shown = f"the suffix {suffix!r}" if suffix else "no suffix"
    raise InputError(
        f"files with {shown} are not read here; supported are {known}, also packed, and graph folders; "
        "for text with another suffix give --delimiter, and read RDF with graphbrick build",
        source.place,
        code="triples.unknown_suffix",
        suffix=suffix,
    )


def write_triples(
    spark: SparkSession,
    source: TripleSource,
    place: str,
    *,
    once: bool,
    skip_bad: bool = False,
    left_out: LeftOut | None = None,
) -> dict[str, int]:
    """Write the triples of a source as Parquet: ``head``, ``relation``, ``tail``, ``weight``.

    Args:
        spark: The session.
        source: The triples.
        place: The folder to make, on storage that this machine and all workers share.
        once: Write every triple once, with the largest of its weights; else all of them, in the order of the source.
        skip_bad: Leave out rows that are not triples.
        left_out: Receives what the source says besides.

    Returns:
        The numbers of rows ``read``, of ``bad`` ones, and of ``triples`` written.

    Raises:
        InputError: A row is not a triple (the message quotes one), there are no triples, or the source does not take
            an option.
        SparkError: The workers wrote to places that this machine does not see.
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812

    if source.is_graph:
        source.check_no_options("a graph folder", skip_bad=skip_bad)
    elif is_prepared(spark, source.place):
        source.check_no_options("a prepared graph", skip_bad=skip_bad)
    counts = Observation()
    rows = read_triples(spark, source, left_out).observe(
        counts, F.count(F.lit(1)).alias("read"), F.count("bad").alias("bad"), F.min("bad").alias("first")
    )
    good = rows.where(F.col("bad").isNull()).drop("bad")
    if once:
        good = good.groupBy("head", "relation", "tail").agg(F.max("weight").alias("weight"))
    triples = write_table(good, place)
    read, bad, first = (counts.get[name] for name in ("read", "bad", "first"))
    if bad and not skip_bad:
        raise InputError(
            f"{bad:,} of {read:,} rows are not triples, such as {str(first)[:120]!r}: a column too many or too few, an "
            "empty head, relation or tail, or a weight that is not a number; leave them out with --skip-bad",
            source.place,
            code="triples.bad_rows",
            bad=int(bad),
            rows=int(read),
        )
    if bad == read:
        raise InputError("there are no triples", source.place, code="triples.none")
    return {"read": int(read), "bad": int(bad), "triples": triples}


def _suffix(spark: SparkSession, place: str) -> str:
    """Return the suffix of the first data file of a place, without that of the packing."""
    files = Storage(spark, place).files(place)
    if not files:
        raise InputError("there is no such file, and no folder with files", place, code="triples.no_file")
    name = files[0].lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix


def _table(spark: SparkSession, source: TripleSource, kind: str, left_out: LeftOut) -> DataFrame:
    """Read a table whose columns have names and types."""
    from pyspark.sql import functions as F  # noqa: N812

    frame = spark.read.format(kind).load(location(source.place))
    places, header = triple_columns(frame.columns, source.options, source.place)
    if not header and not source.options.columns:
        raise unrecognised("head, relation and tail", frame.columns, source.place, "name them with --columns")
    columns = [frame.columns[place] for place in places]
    types = dict(frame.dtypes)
    for name in columns:
        if types[name].startswith(("array", "map", "struct", "binary")):
            reason = f"the column {name!r} holds {types[name]}, not text or numbers"
            raise InputError(reason, source.place, code="triples.bad_column", column=name)

    def text(name: str) -> Column:
        column = F.col(f"`{name}`")
        if types[name] in ("double", "float"):  # tables store ids as floats if some are missing
            whole = (column == F.floor(column)) & (F.abs(column) < 2**53)
            return F.when(whole, column.cast("bigint").cast("string")).otherwise(column.cast("string"))
        return column.cast("string")

    weight = None if source.weight is None else named_column(source.weight, frame.columns, True, source.place)
    columns_left_out(frame.columns, (*places, weight), left_out)
    number = None if weight is None else F.col(f"`{frame.columns[weight]}`")
    shown = F.to_json(F.struct(*(F.col(f"`{name}`") for name in columns)))
    return _checked(frame, [text(name) for name in columns], number, shown)


def _delimited(spark: SparkSession, source: TripleSource, suffix: str, left_out: LeftOut) -> DataFrame:
    """Read delimited text as `graphbrick.graphs.readers.delimited`; quoted cells end on their line."""
    from pyspark.sql import functions as F  # noqa: N812

    place, options = location(source.place), source.options
    lines = [row[0] for row in spark.read.text(place).where(F.trim("value") != "").take(_SAMPLE)]
    if not lines:
        raise InputError("the file has no rows", source.place, code="triples.no_rows")
    delimiter = spelled_delimiter(options) or DELIMITERS.get(suffix) or best_delimiter(lines, 3)
    first = split_line(lines[0].removeprefix("\ufeff"), delimiter)
    places, header = triple_columns(first, options, source.place)
    weight = None if source.weight is None else named_column(source.weight, first, header, source.place)
    width = len(first) if header or options.columns or weight is not None else 3
    titles = [cell.strip() for cell in first] if header else [f"column {number + 1}" for number in range(width)]
    columns_left_out(titles, (*places, weight), left_out)
    names = [f"c{number}" for number in range(width)]
    schema = ", ".join(f"{name} string" for name in [*names, "bad_line"])
    quotes = {"quote": '"', "escape": '"'} if delimiter in _QUOTED else {"quote": "", "escape": "\0"}
    frame = (
        spark.read.schema(schema)
        .options(sep=delimiter, header=header, mode="PERMISSIVE", columnNameOfCorruptRecord="bad_line", **quotes)
        .options(enforceSchema=True, emptyValue="")
        .csv(place)
    )
    number = None if weight is None else F.col(names[weight])
    cells = [F.coalesce(F.col(name), F.lit("")) for name in names]
    shown = F.coalesce(F.col("bad_line"), F.concat_ws(delimiter, *cells))
    return _checked(frame, [F.col(names[place]) for place in places], number, shown, F.col("bad_line").isNotNull())


def _checked(
    frame: DataFrame, columns: Sequence[Column], weight: Column | None, shown: Column, wrong: Column | None = None
) -> DataFrame:
    """Return head, relation, tail, weight and what is bad."""
    from pyspark.sql import functions as F  # noqa: N812

    head, relation, tail = (F.trim(column, F.lit(_BLANK)) for column in columns)
    bad: Column = F.lit(False) if wrong is None else wrong
    for column in (head, relation, tail):
        bad = bad | column.isNull() | (column == "")
    number: Any = F.lit(None).cast("double")
    if weight is not None:
        number = weight.try_cast("double")
        bad = bad | number.isNull() | F.isnan(number)
    return frame.select(
        head.alias("head"),
        relation.alias("relation"),
        tail.alias("tail"),
        number.alias("weight"),
        F.when(bad, F.coalesce(shown, F.lit(""))).alias("bad"),
    )
