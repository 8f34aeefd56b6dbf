"""Jobs in processes of their own: a killed worker, a full disk, a master that is not there, a killed command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

import numpy as np
import pyarrow.parquet as pq
import pytest

from graphbrick import PPR, build
from graphbrick.core.graph import follow
from graphbrick.kernels.pagerank.exact_ppr import exact_ppr

pytestmark = pytest.mark.spark

QUICK = ("--conf", "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


@pytest.fixture(scope="module")
def triples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 3,000 random triples in which one entity is in every third."""
    draw = np.random.default_rng(3)
    ends = draw.integers(1, 400, (3000, 2))
    ends[::3, 1] = 0
    file = tmp_path_factory.mktemp("triples") / "triples.csv"
    file.write_text("\n".join(f"e{head},r{head % 5},e{tail}" for head, tail in ends.tolist()))
    (file.parent / "seeds.csv").write_text("set,seed\nq,e17\n")
    return file


# The command, with no memory for mass on the driver.
IN_TABLES = """
import runpy
from graphbrick.spark.walks import walks
walks.mass_budget = lambda: 0
runpy.run_module("graphbrick", run_name="__main__")
"""


def started(
    *arguments: object, limit: Callable[[], None] | None = None, in_tables: bool = False
) -> subprocess.Popen[str]:
    program = ("-c", IN_TABLES) if in_tables else ("-m", "graphbrick")
    command = [sys.executable, "-W", "ignore", *program, "spark", *map(str, arguments), *QUICK]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit)


def extraction(triples: Path, out: Path, *arguments: object) -> tuple[object, ...]:
    options = ("--extract", repr(PPR(k=50, tolerance=1e-3)), "--partitions", 2, "--json", *arguments)
    return ("extract", triples, "--seeds", triples.parent / "seeds.csv", "--out", out, *options)


def error_of(process: subprocess.Popen[str]) -> str:
    """The one line that a failed command printed; the JVM adds warnings of its own."""
    out, err = process.communicate()
    assert (process.returncode, out) == (1, ""), err
    (line,) = [line for line in err.splitlines() if line.startswith("error: ")]
    assert "\tat " not in err
    return line


def executors(parent: int) -> list[int]:
    """The processes of executors below a process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, ppid = int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])
            command = (stat.parent / "cmdline").read_bytes()
        except OSError:  # it has just ended
            continue
        if b"ExecutorBackend" in command and b"-cp" in command and _is_below(ppid, parent):
            found.append(pid)
    return found


def _is_below(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    return False


def wait_for(process: subprocess.Popen[str], pattern: str, folder: Path) -> None:
    """Wait until a file of a running command is there."""
    while process.poll() is None and not any(folder.glob(pattern)):
        time.sleep(0.05)
    assert process.poll() is None, process.communicate()[1]


# The seeds are written before the first step.
@pytest.mark.posix
@pytest.mark.parametrize(("in_tables", "sign"), [(False, "seeds/_SUCCESS"), (True, ".walks/step-3")])
def test_a_killed_executor_does_not_change_the_result(triples, tmp_path, in_tables, sign) -> None:
    arguments = extraction(triples, tmp_path / "out", "--master", "local-cluster[2,1,700]")
    process = started(*arguments, "--conf", "spark.executor.memory=700m", in_tables=in_tables)
    wait_for(process, f".out.building*/{sign}", tmp_path)
    if not in_tables:
        time.sleep(3)  # some steps
    victim = executors(process.pid)[0]
    os.kill(victim, signal.SIGKILL)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert json.loads(out)["entities"] == 50
    graph = build(triples, tmp_path / "here.graph")
    exact = exact_ppr(graph.csr, [np.array([graph.entity("e17")], np.int32)], 0.2, *follow("both"), error=1e-12)[:, 0]
    for row in pq.read_table(tmp_path / "out" / "scores").to_pylist():
        assert row["score"] == pytest.approx(exact[graph.entity(row["entity"])], abs=1e-4)


@pytest.mark.posix
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path) -> None:
    import resource

    # Libraries that Java unpacks have up to 2 MB each; the triples have 10 MB, and compress badly.
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))

    (tmp_path / "large.csv").write_text("".join(f"{token_hex(50)},r,{token_hex(50)}\n" for _ in range(50_000)))
    process = started("prepare", tmp_path / "large.csv", "--out", tmp_path / "out", "--master", "local[1]", limit=limit)
    assert "a disk is full; make space" in error_of(process)
    assert [file.name for file in tmp_path.iterdir()] == ["large.csv"]


def test_a_killed_command_leaves_nothing_under_the_name(triples, tmp_path) -> None:
    process = started(*extraction(triples, tmp_path / "out", "--master", "local[2]"))
    wait_for(process, ".out.building*/seeds/_SUCCESS", tmp_path)
    process.kill()
    process.communicate()
    assert not (tmp_path / "out").exists()


def test_a_master_that_is_not_there_is_told(triples, tmp_path) -> None:
    process = started("prepare", triples, "--out", tmp_path / "out", "--master", "sparkle://nowhere")
    assert "--master" in error_of(process)
