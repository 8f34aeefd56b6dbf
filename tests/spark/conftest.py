"""One Spark session for all tests of a process; started by the first test that needs it."""

from __future__ import annotations

import gc
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
    """A session on two cores of this machine."""
    pytest.importorskip("pyspark")
    from graphbrick.spark.session import spark_session

    conf = {"spark.driver.extraJavaOptions": QUICK, "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"}
    with spark_session("local[2]", conf) as session:
        yield session
    gc.collect()
