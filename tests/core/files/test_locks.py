"""Locks between threads that are free after a fork, and locks between processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from graphbrick.core.files.locks import ForkLock, claim


def test_a_claimed_file_is_refused_until_it_is_released(tmp_path: Path) -> None:
    lock = claim(tmp_path / "lock")
    with pytest.raises(BlockingIOError, match="lock is locked by another process"):
        claim(tmp_path / "lock")
    lock.release()
    with claim(tmp_path / "lock"), pytest.raises(BlockingIOError):
        claim(tmp_path / "lock")
    claim(tmp_path / "lock").release()


def test_a_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from graphbrick.core.files.locks import claim\n"
        "lock = claim(Path(sys.argv[1])); print('locked', flush=True); time.sleep(60)"
    )
    file = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", script, str(file)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        with pytest.raises(BlockingIOError):
            claim(file)
        process.kill()
    claim(file).release()


def test_waiting_for_a_lock_whose_file_its_holder_removes(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    first = claim(file)
    held: list[bool] = []

    def wait() -> None:
        with claim(file, wait=True):
            held.append(file.exists())

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join(0.1)
    assert held == []
    file.unlink()
    first.release()
    thread.join(60)
    assert held == [True]


def test_a_lock_is_released_by_another_thread(tmp_path: Path) -> None:
    lock = claim(tmp_path / "lock")
    thread = threading.Thread(target=lock.release)
    thread.start()
    thread.join(60)
    claim(tmp_path / "lock", wait=True).release()


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        claim(tmp_path / "missing" / "lock")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.posix
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_lock_between_threads_is_free_in_a_forked_process() -> None:
    script = (
        "import os; from graphbrick.core.files.locks import ForkLock\n"
        "lock = ForkLock()\n"
        "with lock:\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        with lock:\n"
        "            os._exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "7\n"


def test_a_lock_between_threads_is_collected() -> None:
    from graphbrick.core.files import locks

    before = len(locks._fork_locks)
    lock = ForkLock()
    assert len(locks._fork_locks) == before + 1
    del lock
    assert len(locks._fork_locks) == before
