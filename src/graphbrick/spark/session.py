"""Starting Spark with settings that suit graphs, and stopping it."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from graphbrick.core.compute import usable_cores
from graphbrick.core.files.parquet import require_pyarrow
from graphbrick.spark.errors import SparkError, plain_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JAVA = "spark.driver.extraJavaOptions"
_LOG = Path(__file__).with_name("log4j2.properties")


def check_installed() -> None:
    """Raise unless pyspark and Java are installed.

    Raises:
        SparkError: One of them is missing; the message says what to install.
        ModelError: pyarrow is missing.
    """
    try:
        import pyspark.sql  # noqa: F401
    except ImportError as error:
        text = "Spark needs the package pyspark: pip install 'graphbrick[spark]'"
        raise SparkError(text, code="spark.not_installed") from error
    require_pyarrow("Spark")
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if java is None:
        where = f"in JAVA_HOME={home}" if home else "on this machine"
        raise SparkError(
            f"Spark needs Java 17 or newer, and there is none {where}; install openjdk-17-jre-headless, or set "
            "JAVA_HOME to the folder of a Java that is there",
            code="spark.no_java",
            java_home=home,
        )


@contextmanager
def spark_session(master: str | None = None, conf: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """Start Spark, or use the session that runs already; errors inside the block come as `SparkError`.

    A session that runs already (in a notebook, under spark-submit) is left as it is and not stopped.

    Args:
        master: ``local[4]``, ``spark://host:7077``, ``yarn`` or another address of a master. By default the one that
            spark-submit was given, else all cores of this machine.
        conf: Settings of Spark, which stand above those chosen here.

    Raises:
        SparkError: pyspark or Java is missing, the master does not answer, or a job inside the block failed.
    """
    check_installed()
    from pyspark.sql import SparkSession

    # It would be printed by every command; pandas is not used here.
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")

    with plain_errors():
        running = SparkSession.getActiveSession()
        if running is not None:
            yield running
            return
        # Workers run Python code of this package: by this Python, unless the user names one that they have.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("graphbrick")
        if master is None and "PYSPARK_GATEWAY_PORT" not in os.environ:  # which spark-submit sets
            master = f"local[{usable_cores()}]"
        for name, value in _merged(_settings(master or ""), conf or {}).items():
            builder = builder.config(name, value)
        spark = (builder if master is None else builder.master(master)).getOrCreate()
        try:
            yield spark
        finally:
            with plain_errors():
                spark.stop()


def _merged(chosen: dict[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings chosen here under those of the user; options of Java are joined, not replaced.

    >>> _merged({_JAVA: "-Da=1", "b": "1"}, {_JAVA: "-Xss2m", "b": "2"})
    {'spark.driver.extraJavaOptions': '-Da=1 -Xss2m', 'b': '2'}
    """
    java = [options[_JAVA] for options in (chosen, given) if options.get(_JAVA)]
    return {**chosen, **given, **({_JAVA: " ".join(java)} if java else {})}


def _settings(master: str) -> dict[str, str]:
    """Return the settings of Spark that differ from its defaults."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        _JAVA: f"-Dlog4j2.configurationFile={_LOG.as_uri()}",
        "spark.sql.session.timeZone": "UTC",
    }
    if master.startswith(("local", "spark://127.0.0.1:", "spark://localhost:")):
        # The name of a machine often leads to no address, or to one that a firewall guards.
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if master.startswith("local"):
        settings |= {
            "spark.sql.shuffle.partitions": str(2 * usable_cores()),
            "spark.driver.memory": "4g",
        }
    return settings
