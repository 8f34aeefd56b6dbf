"""One Spark session for all tests of a process; started by the first test that needs it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

# Compiling less saves more time than slower code costs: every test is small.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let pyspark warn of versions of pandas, which is not used here."""
    for item in items:
        if item.get_closest_marker("spark"):
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on two cores of this machine, which repeats failed tasks as clusters do."""
    pytest.importorskip("pyspark")
    from graphbrick.spark.session import spark_session

    conf = {"spark.driver.extraJavaOptions": QUICK, "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"}
    with pytest.MonkeyPatch.context() as patch:
        # Executors import the stages of the tests.
        patch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        with spark_session("local[2,4]", conf) as session:
            yield session
    gc.collect()
