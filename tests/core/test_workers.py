"""Processes with limits: each limit ends a request and not the next one, and nothing is left when the parent ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphbrick.core.compute import limited_by
from graphbrick.core.workers import Pool, Worker, WorkerFault
from graphbrick.core.workers.worker import used_memory

ENGINE = """
import datetime, decimal, fractions, os, signal, time

def opened(fails=False):
    if fails:
        raise OSError("no such thing")
    def answer(request):
        return eval(request, globals())
    return answer

def late():
    raise TimeoutError

def grow():
    parts = []
    while True:
        parts.append(b"x" * (1 << 20))

def nested(n):
    value = 1
    for _ in range(n):
        value = [value]
    return value
"""
LONG = 60.0  # seconds that no request of these tests takes
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("engine") / "engine.py"
    file.write_text(ENGINE)
    return file


@pytest.fixture
def worker(engine: Path) -> Iterator[Worker]:
    worker = Worker(engine, {}, 64 << 20)
    yield worker
    worker.close()


def fault(call: Callable[[], Any]) -> WorkerFault:
    with pytest.raises(WorkerFault) as raised:
        call()
    return raised.value


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that nobody waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(pid: int) -> bool:
    end = time.monotonic() + LONG
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_running(pid)


def test_answers_are_plain_values_and_the_process_stays(worker: Worker) -> None:
    text = "[1, None, 'é', 1.5, b'x', {'a': (1, 2)}, datetime.date(2020, 1, 2), decimal.Decimal('1.50')]"
    answer = worker.ask(text, LONG)
    assert repr(answer[-2:]) == "[datetime.date(2020, 1, 2), Decimal('1.50')]"
    assert answer[:-2] == [1, None, "é", 1.5, b"x", {"a": (1, 2)}]
    assert worker.ask("os.getpid()", LONG) == worker.pid == worker.ask("os.getpid()", LONG)


@pytest.mark.parametrize(
    ("request_text", "kind", "reason"),
    [
        ("1 / 0", "refused", "division by zero"),
        ("late()", "time", ""),
        ("bytearray(1 << 40)", "memory", ""),
        ("nested(100_000)", "refused", "a value of the result is nested too deeply"),
        ("'x' * 2000", "length", ""),
        ("[1] * 500", "length", ""),
        ("fractions.Fraction(1, 2)", "refused", "a reply has a value of fractions.Fraction"),
    ],
)
def test_a_request_that_fails_leaves_the_process_as_it_is(
    worker: Worker, request_text: str, kind: str, reason: str
) -> None:
    error = fault(lambda: worker.ask(request_text, LONG, 1000))
    assert (error.kind, error.reason) == (kind, reason)
    assert worker.ask("os.getpid()", LONG) == worker.pid


@pytest.mark.posix
@pytest.mark.parametrize(
    ("request_text", "seconds", "kind", "reason"),
    [
        ("time.sleep(600)", 0.1, "time", ""),
        ("grow()", LONG, "memory", ""),
        ("os.abort()", LONG, "ended", "SIGABRT"),
        ("os._exit(3)", LONG, "ended", "exit code 3"),
    ],
)
def test_a_request_that_passes_a_limit_ends_with_its_process_and_the_next_has_another(
    engine: Path, request_text: str, seconds: float, kind: str, reason: str
) -> None:
    pool = Pool(lambda: Worker(engine, {}, 64 << 20), 1)
    (process,) = [pool.ask("os.getpid()", LONG, 1000)]
    error = fault(lambda: pool.ask(request_text, seconds, 1000))
    assert (error.kind, error.reason) == (kind, reason)
    assert not is_running(process)
    assert pool.ask("1 + 1", LONG, 1000) == 2
    pool.close()
    assert pool.processes() == []


def test_an_engine_that_cannot_be_opened_says_why(engine: Path) -> None:
    error = fault(lambda: Worker(engine, {"fails": True}, 1 << 20))
    assert (error.kind, error.reason) == ("refused", "no such thing")


@pytest.mark.posix
def test_a_process_writes_no_file_and_no_core(worker: Worker, tmp_path: Path) -> None:
    text = f"os.write(os.open({str(tmp_path / 'out')!r}, os.O_WRONLY | os.O_CREAT), b'x')"
    error = fault(lambda: worker.ask(text, LONG))
    assert "File too large" in error.reason
    limits = Path(f"/proc/{worker.pid}/limits").read_text(encoding="utf-8")
    assert next(line for line in limits.splitlines() if line.startswith("Max core")).split()[4:6] == ["0", "0"]


@pytest.mark.posix
def test_work_that_must_stop_ends_the_process(engine: Path) -> None:
    """A budget that is used up, or a client that left, ends the query."""
    pool = Pool(lambda: Worker(engine, {}, 1 << 26), 1)
    process = pool.ask("os.getpid()", LONG, 1000)

    def stop() -> None:
        raise InterruptedError

    with limited_by(stop), pytest.raises(InterruptedError):
        pool.ask("time.sleep(600)", LONG, 1000)
    assert not is_running(process)
    pool.close()


@pytest.mark.whole
def test_nothing_reads_from_the_pipe_of_a_process_that_is_closed(engine: Path) -> None:
    for _ in range(20):  # its number belongs to the next process then
        others = set(threading.enumerate())
        worker = Worker(engine, {}, 64 << 20)
        own = [thread for thread in set(threading.enumerate()) - others if thread.name == "graphbrick-worker"]
        assert worker.ask("1 + 1", LONG) == 2
        worker.close()
        assert len(own) == 1
        assert not own[0].is_alive()


def test_requests_at_the_same_time_have_processes_up_to_a_number(engine: Path) -> None:
    pool = Pool(lambda: Worker(engine, {}, 1 << 26), 2)
    ids: list[int] = []
    both = threading.Barrier(2)

    def ask() -> None:
        both.wait()
        ids.append(pool.ask("time.sleep(1) or os.getpid()", LONG, 1000))

    long = [threading.Thread(target=ask) for _ in range(2)]
    for thread in long:
        thread.start()
    for thread in long:
        thread.join()
    assert len({*ids}) == 2
    assert pool.ask("os.getpid()", LONG, 1000) in ids
    pool.close()
    assert fault(lambda: pool.ask("1", LONG, 1000)).kind == "ended"


def test_a_request_without_a_process_is_refused_after_its_time(engine: Path) -> None:
    pool = Pool(lambda: Worker(engine, {}, 1 << 26), 1)
    pool.ask("1", LONG, 1000)
    busy = threading.Thread(target=lambda: fault(lambda: pool.ask("time.sleep(600)", LONG, 1000)))
    busy.start()
    while pool.idle:
        time.sleep(0.01)
    assert fault(lambda: pool.ask("1", 0.1, 1000)).kind == "busy"
    pool.close()
    busy.join()


@pytest.mark.posix
@pytest.mark.parametrize("work", ["time.sleep(600)", ""])
def test_nothing_is_left_when_the_parent_is_killed(engine: Path, work: str) -> None:
    script = (
        "import sys; from pathlib import Path; from graphbrick.core.workers import Worker\n"
        f"worker = Worker(Path({str(engine)!r}), {{}}, 1 << 26); print(worker.pid, flush=True)\n"
        f"{f'worker.ask({work!r}, 600.0)' if work else 'sys.stdin.read()'}\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        assert is_running(process)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    assert ends(process)


@pytest.mark.posix
def test_a_process_that_is_not_needed_ends_and_the_next_request_has_another(engine: Path) -> None:
    pool = Pool(lambda: Worker(engine, {}, 1 << 26, idle=0.05), 1)
    process = pool.ask("os.getpid()", LONG, 1000)
    assert ends(process)
    assert pool.ask("1 + 1", LONG, 1000) == 2
    pool.close()


@pytest.mark.posix
def test_a_process_that_ends_at_the_moment_of_a_request_is_replaced(
    engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool(lambda: Worker(engine, {}, 1 << 26, idle=0.05), 1)
    process = pool.ask("os.getpid()", LONG, 1000)
    assert ends(process)
    seen = iter([True])  # the pool has not seen its end
    with monkeypatch.context() as patch:
        patch.setattr(Worker, "is_alive", property(lambda worker: next(seen, False)))
        assert pool.ask("1 + 1", LONG, 1000) == 2
    pool.close()


@pytest.mark.posix
def test_python_ends_beside_a_process_that_nobody_closed(engine: Path) -> None:
    script = (
        "from pathlib import Path; from graphbrick.core.workers import Worker\n"
        f"worker = Worker(Path({str(engine)!r}), {{}}, 1 << 26); print(worker.pid)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert ends(int(done.stdout))


@pytest.mark.posix
def test_a_process_ends_by_itself_long_after_its_time(worker: Worker) -> None:
    """The system ends it even if the parent does not, such as one that is stopped."""
    from graphbrick.core.workers import child

    worker._send({"request": "time.sleep(600)", "seconds": 0.1 - child._LATE, "longest": 100})
    assert ends(worker.pid)


def test_memory_of_a_process_that_ended_is_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert used_memory(process.pid) == 0
