"""Folders for results, on this machine or on any storage of Hadoop, that are complete or absent."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphbrick.core.errors import GraphFormatError
from graphbrick.core.files.folders import new_folder
from graphbrick.spark.errors import SparkError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTINGS = "settings.json"
"""The file that makes a folder a result of graphbrick; it is written last."""

FORMAT = 1
"""Version of the layout of result folders."""

_EXCLUDED = "spark.sql.adaptive.optimizer.excludedRules"
_SHORTCUT = "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"
_SCHEME = re.compile(r"^[a-zA-Z][\w+.-]+:")


def is_remote(place: str) -> bool:
    """Return whether a text is an address such as ``s3a://bucket/films`` and not a path of this machine.

    >>> is_remote("hdfs://host/films"), is_remote("films.parquet"), is_remote("file:///data/films")
    (True, False, False)
    """
    return bool(_SCHEME.match(place)) and not place.startswith("file:")


def location(place: str) -> str:
    """Return the address by which Spark finds a place: paths without a scheme are on this machine.

    >>> location("/data/films"), location("s3a://bucket/films")
    ('file:/data/films', 's3a://bucket/films')
    """
    if is_remote(place):
        return place
    return f"file:{Path(place.removeprefix('file:')).expanduser().absolute()}"


class Storage:
    """The file system of a place.

    Args:
        spark: The session.
        place: A path or an address.
    """

    def __init__(self, spark: SparkSession, place: str) -> None:
        self._jvm: Any = spark._jvm
        self._fs = self._path(place).getFileSystem(spark._jsc.hadoopConfiguration())

    def _path(self, place: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(location(place))

    def exists(self, place: str) -> bool:
        """Return whether there is a file or folder."""
        return bool(self._fs.exists(self._path(place)))

    def files(self, place: str) -> list[str]:
        """Return the names of the data files at a place, sorted: of a file, a folder, or a pattern with ``*``."""
        names: list[str] = []
        for found in self._fs.globStatus(self._path(place)) or ():
            inside = self._fs.listStatus(found.getPath()) if found.isDirectory() else [found]
            names += [status.getPath().getName() for status in inside if not status.isDirectory()]
        return sorted(name for name in names if not name.startswith((".", "_")))

    def delete(self, place: str) -> None:
        """Delete a file or folder; nothing happens if it is not there."""
        self._fs.delete(self._path(place), True)

    def rename(self, old: str, new: str) -> None:
        """Rename a file or folder.

        Raises:
            SparkError: The storage refuses.
        """
        if not self._fs.rename(self._path(old), self._path(new)):
            text = f"{old} cannot be renamed to {new}; may it be written there?"
            raise SparkError(text, code="storage.not_renamed", old=old, new=new)

    def write_text(self, place: str, text: str) -> None:
        """Write a small file."""
        stream = self._fs.create(self._path(place), True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def read_bytes(self, place: str) -> bytes:
        """Read a small file."""
        stream = self._fs.open(self._path(place))
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
        finally:
            stream.close()


def write_table(frame: DataFrame, place: str, *, append: bool = False) -> int:
    """Write rows as Parquet files, and check that all of them arrived.

    A worker on another machine writes to a disk of its own if the path is not shared, and Spark does not notice.

    Args:
        frame: The rows.
        place: The folder to make.
        append: Add the rows to a folder that is there.

    Returns:
        The number of rows written.

    Raises:
        SparkError: Files that workers wrote did not arrive on this machine.
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812

    before = _rows_in(place) if append else 0
    counts = Observation()
    counted = frame.observe(counts, F.count(F.lit(1)).alias("rows"))
    with _keeping_observations(frame.sparkSession):
        counted.write.mode("append" if append else "error").parquet(location(place))
    written = int(counts.get["rows"])
    if not is_remote(place) and (arrived := _rows_in(place) - before) != written:
        raise SparkError(
            f"the workers wrote {written:,} rows, and {arrived:,} of them arrived in {place}; give a folder that all "
            "workers share, or an address such as hdfs:// or s3a://",
            code="storage.not_shared",
            written=written,
            arrived=arrived,
        )
    return written


@contextmanager
def _keeping_observations(spark: SparkSession) -> Iterator[None]:
    """Keep Spark from replacing plans without rows by empty tables, which loses what was observed inside."""
    before = spark.conf.get(_EXCLUDED, None)
    spark.conf.set(_EXCLUDED, ",".join(filter(None, (before, _SHORTCUT))))
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(_EXCLUDED)
        else:
            spark.conf.set(_EXCLUDED, before)


def _rows_in(place: str) -> int:
    """Return the rows of the Parquet files in a folder of this machine; 0 if there is none."""
    from pyarrow import parquet

    files = Path(place.removeprefix("file:")).expanduser().glob("[!._]*.parquet")
    return sum(parquet.read_metadata(file).num_rows for file in files)


@contextmanager
def new_result(spark: SparkSession, place: str, kind: str, *, overwrite: bool = False) -> Iterator[str]:
    """Yield a hidden place beside ``place`` to write into; it gets its name at the end of the block.

    If the block raises, all that was written is deleted. A killed job leaves the hidden folder, but no ``place``.

    Args:
        spark: The session.
        place: The folder to make.
        kind: The kind of the result; a result of another kind is never replaced.
        overwrite: Replace a result that is there.

    Raises:
        SparkError: The place exists and must not be replaced, or it cannot be written.
    """
    storage = Storage(spark, place)

    def check() -> None:
        if not storage.exists(place):
            return
        if _kind_of(storage, place) != kind:
            text = f"{place} exists and holds no {kind} of graphbrick; choose another place"
            raise SparkError(text, code="storage.other_contents", place=place)
        if not overwrite:
            text = f"{place} exists; replace it with --overwrite, or choose another place"
            raise SparkError(text, code="storage.exists", place=place)

    if not is_remote(place):
        with new_folder(Path(place.removeprefix("file:")), check, SparkError) as work:
            yield str(work)
        return
    check()
    parent, _, name = place.rstrip("/").rpartition("/")
    work_place = f"{parent}/.{name}.building-{uuid.uuid4().hex[:12]}"
    try:
        yield work_place
        check()
        storage.delete(place)
        storage.rename(work_place, place)
    finally:
        storage.delete(work_place)


def write_settings(spark: SparkSession, place: str, kind: str, facts: dict[str, Any]) -> None:
    """Write the file that names the kind of a result and marks it as complete."""
    text = json.dumps({"format": FORMAT, "kind": kind, **facts}, ensure_ascii=False, indent=1)
    Storage(spark, place).write_text(f"{place}/{SETTINGS}", text + "\n")


def read_settings(spark: SparkSession, place: str, kind: str) -> dict[str, Any]:
    """Return what `write_settings` wrote.

    Raises:
        GraphFormatError: The file is damaged, or of another kind or version.
    """
    try:
        facts = json.loads(Storage(spark, place).read_bytes(f"{place}/{SETTINGS}"))
        version = facts["kind"], facts["format"]
    except (ValueError, KeyError, TypeError) as error:
        text = f"{place}/{SETTINGS} is damaged; make the folder again"
        raise GraphFormatError(text, code="storage.damaged", place=place) from error
    if version != (kind, FORMAT):
        raise GraphFormatError(
            f"{place} is a {version[0]} of version {version[1]}, and this needs a {kind} of version {FORMAT}; make it "
            "again",
            code="storage.other_version",
            kind=version[0],
            version=version[1],
        )
    assert isinstance(facts, dict)
    return facts


def _kind_of(storage: Storage, place: str) -> str | None:
    """Return the kind of the result at a place; None if there is no result."""
    if not storage.exists(f"{place}/{SETTINGS}"):
        return None
    try:
        kind = json.loads(storage.read_bytes(f"{place}/{SETTINGS}"))["kind"]
    except (ValueError, KeyError, TypeError):
        return None
    return str(kind)
