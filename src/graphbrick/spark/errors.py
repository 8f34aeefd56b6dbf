"""Errors of Spark in one line: the cause and what to do, without the stack of the JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from graphbrick.core.errors import GraphbrickError

_LONGEST = 300  # characters of a cause that is not recognised
_PREFIX = re.compile(r"^(?:Caused by: )?(?:[a-zA-Z_$][\w$]*\.)+[\w$]+: ")
_CAUSE = re.compile(r"(?:[a-zA-Z_$][\w$]*\.)+[\w$]*(?:Exception|Error)\b[^\n]*")


class SparkError(GraphbrickError):
    """A Spark job that cannot start or cannot be finished."""


class _Known(NamedTuple):
    """An error that is recognised.

    Attributes:
        pattern: Matches the text of the error.
        message: The message instead; {} is the group that matched, if there is one.
        code: The code of the error.
    """

    pattern: str
    message: str
    code: str


_KNOWN = (
    _Known(
        r"No space left on device|Disk quota exceeded|File too large",
        "a disk is full; make space where the result is written and in spark.local.dir "
        "(--conf spark.local.dir=/large/disk), and run it again",
        code="spark.disk_full",
    ),
    _Known(
        r"ModuleNotFoundError: No module named '([\w.]+)'",
        "the Python of the workers lacks {}; set PYSPARK_PYTHON to a Python that has graphbrick[spark] on every worker",
        code="spark.no_module",
    ),
    _Known(
        r"JAVA_GATEWAY_EXITED|Java gateway process exited|UnsupportedClassVersionError",
        "Java did not start Spark; Spark 4 needs Java 17 or newer: install openjdk-17-jre-headless, or set JAVA_HOME",
        code="spark.not_started",
    ),
    _Known(
        r"\[PATH_NOT_FOUND\] Path does not exist: (\S+?)\.? ",
        "{}: there is no such file or folder",
        code="spark.no_file",
    ),
    _Known(
        r"No FileSystem for scheme \"?(\w+)|Class org\.apache\.hadoop\.fs\.(s3a)\.\S+ not found",
        "Spark has no file system for {}://; add its package with --conf spark.jars.packages=...",
        code="spark.no_file_system",
    ),
    _Known(
        r"All masters are unresponsive|Could not parse Master URL: '?([^'\n]+)|Connection refused",
        "the Spark master cannot be reached; check --master and that its workers run ({})",
        code="spark.no_master",
    ),
    _Known(
        r"OutOfMemoryError|GC overhead limit",
        "Spark ran out of memory; give it more (--conf spark.driver.memory=8g, spark.executor.memory), or more "
        "partitions (--partitions), or fewer seed sets at once (--batch)",
        code="spark.out_of_memory",
    ),
    _Known(
        r"FILE_NOT_EXIST\S* .*?reading file (\S+?)\.? |FileNotFoundException: (?:File )?(\S+)",
        "{}: a file that Spark was reading is gone; check the storage, and run it again",
        code="spark.file_gone",
    ),
    _Known(
        r"(?:CANNOT_READ_FILE|FAILED_READ_FILE)\S* .*?reading file:? (?:path: )?(\S+?)\.? ",
        "{}: the file is damaged, or not of the format that its name tells",
        code="spark.damaged_file",
    ),
    _Known(
        r"Checksum error: (\S+)",
        "{}: the file was changed after it was written, or is damaged; make it again",
        code="spark.changed_file",
    ),
    _Known(
        r"is not a Parquet file",
        "a file is damaged or not a Parquet file, though its name says so ({})",
        code="spark.not_parquet",
    ),
    _Known(
        r"ExecutorLostFailure|Lost executor|Application .* has been killed|Master removed our application",
        "Spark lost its workers and gave up; start them again, or allow more failures "
        "(--conf spark.task.maxFailures=8) ({})",
        code="spark.lost_workers",
    ),
    _Known(
        r"SparkContext was shut down|SparkContext has been shutdown|Connection reset|Answer from Java side is empty",
        "Spark stopped during the work; did it run out of memory, or was it stopped by somebody? ({})",
        code="spark.stopped",
    ),
)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors of Spark and of the JVM into a `SparkError` of one line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        message, code = _recognised(str(error))
        raise SparkError(message, code=code) from error


def described(text: str) -> str:
    """Return one line about an error of Spark: fault and remedy if recognised, else the last cause.

    Args:
        text: The message of the error, with the stack of the JVM.

    >>> described("An error\\n: java.lang.RuntimeException: a\\nCaused by: java.io.IOException: b is odd\\n\\tat c")
    'Spark failed: b is odd'
    """
    return _recognised(text)[0]


def _recognised(text: str) -> tuple[str, str]:
    """Return the message and the code of an error."""
    for known in _KNOWN:
        match = re.search(known.pattern, text, re.DOTALL)
        if match is not None:
            detail = next((group for group in match.groups() if group), None) or _cause(text)
            return known.message.replace("{}", detail), known.code
    return f"Spark failed: {_cause(text)}", "spark.failed"


def _cause(text: str) -> str:
    """Return the message of the deepest cause in a stack, without the names of classes."""
    causes = [line for line in text.splitlines() if line.startswith("Caused by: ")] or _CAUSE.findall(text)
    line = causes[-1] if causes else next((line for line in text.splitlines() if line.strip()), "no reason given")
    while _PREFIX.match(line):
        line = _PREFIX.sub("", line)
    return line.strip()[:_LONGEST]
