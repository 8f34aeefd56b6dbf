"""The number of parts of a graph on clusters of several sizes, whose executors register late; without Spark."""

from __future__ import annotations

import pytest

from graphbrick.spark import cluster
from graphbrick.spark.cluster import default_partitions
from graphbrick.spark.prepared import Prepared


class Session:
    """A session and its context; executors register while time passes, and jobs wait for the first.

    Args:
        registered: Cores by the second from which on they are registered.
    """

    def __init__(self, master, registered, monkeypatch):
        self.sparkContext, self.master, self._registered, self.seconds = self, master, registered, 0.0
        monkeypatch.setattr(cluster.time, "monotonic", lambda: self.seconds)
        monkeypatch.setattr(cluster.time, "sleep", self._sleep)

    def _sleep(self, seconds):
        self.seconds += seconds

    def range(self, *bounds):
        return self

    def count(self):
        self.seconds = max(self.seconds, min(self._registered))
        return 1

    @property
    def defaultParallelism(self):  # noqa: N802
        return max([2, *(cores for since, cores in self._registered.items() if since <= self.seconds)])


def partitions(session, triples, direction="both"):
    return default_partitions(Prepared(session, "place", {"counts": {"triples": triples}}), direction)


def test_a_graph_is_cut_for_all_executors_that_register(monkeypatch):
    session = Session("spark://host:7077", {60: 4, 62: 8, 64: 64}, monkeypatch)
    assert partitions(session, 1000) == 128
    assert session.seconds == pytest.approx(67, abs=0.5)


def test_the_wait_for_a_growing_cluster_ends(monkeypatch):
    session = Session("yarn", {second: 4 + second for second in range(200)}, monkeypatch)
    assert 2 * 30 <= partitions(session, 1000) <= 2 * 36
    assert session.seconds == pytest.approx(30, abs=0.5)


@pytest.mark.parametrize("master", ["local", "local[4]", "local[*,4]"])
def test_one_machine_is_not_waited_for(monkeypatch, master):
    session = Session(master, {0: 4}, monkeypatch)
    assert (partitions(session, 1000), session.seconds) == (8, 0)


def test_a_large_graph_has_parts_of_256_mb(monkeypatch):
    """The figures of docs/spark.md: 2,800 parts of 1e10 triples, walked both ways."""
    session = Session("local-cluster[2,2,700]", {0: 4}, monkeypatch)
    assert partitions(session, 10**10) == pytest.approx(2800, rel=0.03)
    assert partitions(session, 10**10, "out") == pytest.approx(1400, rel=0.03)
