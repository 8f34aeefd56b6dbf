"""A session: what is opened once, for threads and processes, and closed at the end."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from faults import fails

from graphbrick.core.session import Session, current_session, set_default_session

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


class Thing:
    """Something that can be referred to weakly."""


def test_threads_open_a_thing_once():
    opened = []
    begun = threading.Barrier(8)

    def make() -> object:
        opened.append(1)
        return object()

    def ask(_: int) -> object:
        begun.wait(60)
        return session.get(("thing", 1), make)

    with Session() as session, ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
    assert len(opened) == 1


def test_opening_one_thing_does_not_wait_for_another():
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        assert go_on.wait(60)
        return "slow"

    with Session() as session, ThreadPoolExecutor(1) as pool:
        a, b = Thing(), Thing()
        waiting = pool.submit(session.get, ("index",), slow, of=a)
        assert begun.wait(60)
        assert session.get(("index",), lambda: "quick", of=b) == "quick"
        assert session.get(("model",), lambda: "quick") == "quick"
        assert not waiting.done()
        go_on.set()
        assert waiting.result(60) == "slow"


def test_a_thing_may_need_another_one():
    with Session() as session:
        made = session.get(("outer",), lambda: [session.get(("inner",), list)])
        assert made[0] is session.get(("inner",), list)


def test_a_session_that_another_thread_closes_meanwhile_says_so_and_closes_nothing_twice():
    session, closed = Session(), []

    def get(usable=None):
        return session.get(("server",), Thing, close=closed.append, usable=usable)

    def is_alive(_: Thing) -> bool:
        with ThreadPoolExecutor(1) as other:
            other.submit(session.close).result(60)
        return False

    server = get()
    with fails("session.closed"):
        get(is_alive)
    assert closed[0] is server
    assert len(set(map(id, closed))) == len(closed)


def test_a_failure_is_passed_on_and_tried_again():
    with Session() as session:
        with pytest.raises(ZeroDivisionError):
            session.get(("thing",), lambda: 1 // 0)
        assert session.get(("thing",), lambda: 2) == 2


@pytest.mark.whole
def test_a_thing_is_let_go_with_the_object_it_belongs_to():
    with Session() as session:
        owner = Thing()
        session.get(("index",), Thing, of=owner)
        assert len(session.opened("index")) == 1
        del owner
        gc.collect()
        assert session.opened("index") == []


def test_only_so_many_of_a_kind_are_held():
    with Session() as session:
        for name in "abac":
            session.get(("model", name), lambda name=name: name, at_most=2)
        session.get(("other", 1), object, at_most=1)
        assert sorted(session.opened("model")) == ["a", "c"]


def test_what_cannot_be_used_any_more_is_closed_and_opened_again():
    closed = []
    with Session() as session:
        first = session.get(("server",), Thing, close=closed.append)
        assert session.get(("server",), Thing, close=closed.append, usable=lambda _: True) is first
        second = session.get(("server",), Thing, close=closed.append, usable=lambda thing: thing is not first)
        assert second is not first
        assert closed == [first]
        session.drop(("server",))
        session.drop(("never opened",))
        assert closed == [first, second]
    assert closed == [first, second]


def test_everything_is_closed_last_opened_first_even_if_one_fails():
    closed: list[str] = []

    def broken(name: str) -> None:
        closed.append(name)
        raise OSError("the disk is full")

    session = Session()
    session.get(("a",), lambda: "a", close=closed.append)
    session.get(("b",), lambda: "b", close=broken)
    session.get(("c",), lambda: "c", close=closed.append)
    with pytest.raises(OSError, match="the disk is full"):
        session.close()
    assert closed == ["c", "b", "a"]
    session.close()
    assert closed == ["c", "b", "a"]


def test_a_closed_session_says_so():
    with Session() as session:
        pass
    with fails("session.closed"):
        session.get(("thing",), object)
    with fails("session.closed"), session:
        pass
    with fails("session.closed"), session.activate():
        pass


def test_what_was_being_opened_when_the_session_closed_is_closed():
    begun, go_on, closed = threading.Event(), threading.Event(), []

    def slow() -> str:
        begun.set()
        assert go_on.wait(60)
        return "slow"

    session = Session()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(session.get, ("thing",), slow, close=closed.append)
        assert begun.wait(60)
        session.close()
        go_on.set()
        with fails("session.closed"):
            waiting.result(60)
    assert closed == ["slow"]


def test_the_current_session():
    default = current_session()
    with Session() as outer:
        assert current_session() is outer
        inner = Session()
        with inner.activate():
            assert current_session() is inner
        assert not inner.closed
        assert current_session() is outer
    assert current_session() is default


@pytest.mark.whole
def test_the_default_session_is_renewed_when_it_was_closed():
    default = current_session()
    default.close()
    assert current_session() is not default
    assert current_session().get(("thing",), lambda: 1) == 1


@pytest.mark.whole
def test_another_default_session():
    before = current_session()
    session = Session(vectors_mb=7)
    set_default_session(session)
    assert current_session() is session
    assert before.closed
    session.close()


def test_it_pickles_to_its_settings(tmp_path: Path):
    with Session(replies=tmp_path / "replies.sqlite", reply_mode="replay", vectors_mb=7, threads=3) as session:
        session.get(("thing",), object)
        copy = pickle.loads(pickle.dumps(session))
    assert (copy.replies, copy.reply_mode, copy.vectors_mb) == (tmp_path / "replies.sqlite", "replay", 7)
    assert copy.threads == 3
    assert copy.opened("thing") == []
    assert not copy.closed


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"reply_mode": "off"}, "session.bad_reply_mode"),
        ({"vectors_mb": -1}, "session.bad_vectors_mb"),
        ({"threads": 0}, "session.bad_threads"),
    ],
)
def test_wrong_settings(settings: dict[str, object], code: str):
    with fails(code):
        Session(**settings)  # type: ignore[arg-type]


def test_no_memory_for_vectors_is_a_setting():
    assert Session(vectors_mb=0).vectors_mb == 0
    with fails("session.bad_vectors_mb"):
        Session(vectors_mb=1.5)  # type: ignore[arg-type]


def test_what_belongs_to_an_object_is_apart_from_the_rest():
    closed: list[str] = []
    with Session() as session:
        a, b = Thing(), Thing()
        assert session.get(("index",), lambda: "a's", of=a, close=closed.append) == "a's"
        assert session.get(("index",), lambda: "b's", of=b, close=closed.append) == "b's"
        assert session.get(("index",), lambda: "nobody's", close=closed.append) == "nobody's"
        session.get(("model",), lambda: "another kind")
        assert sorted(session.opened("index")) == ["a's", "b's", "nobody's"]
        session.drop(("index",), of=Thing())
        assert closed == []
        session.drop(("index",), of=a)
        assert closed == ["a's"]
        assert session.get(("index",), lambda: "a's again", of=a) == "a's again"
    assert closed == ["a's", "nobody's", "b's"]


def test_the_least_recently_used_of_a_kind_is_let_go_but_not_closed():
    closed: list[str] = []
    made: list[str] = []

    def get(name: str, at_most: int | None = 2) -> str:
        def make() -> str:
            made.append(name)
            return name

        return session.get(("model", name), make, close=closed.append, at_most=at_most)

    with Session() as session:
        for name in "abcb":
            get(name)
        assert sorted(session.opened("model")) == ["b", "c"]
        get("d", None)  # without a limit, none is let go
        assert sorted(session.opened("model")) == ["b", "c", "d"]
        get("b", 1)
        assert session.opened("model") == ["b"]
        get("a")
        assert (made, closed) == (["a", "b", "c", "d", "a"], [])
    assert closed == ["a", "d", "c", "b", "a"]


def test_only_the_own_block_is_left():
    with Session() as session, session.activate():
        with session:
            assert current_session() is session
        assert session.closed
        assert current_session() is session


FORK = """
import os, sys, threading
from graphbrick.core.session import Session
from graphbrick.core.session import current_session

closed = []
session = Session()
own = session.get(("thing",), lambda: "parent's", close=closed.append)
default = current_session()
default.get(("thing",), lambda: "parent's", close=closed.append)

# A thread of the parent is opening something while the process forks: it holds locks.
begun, go_on = threading.Event(), threading.Event()
def slow():
    with session._lock:
        begun.set()
        go_on.wait(60)
thread = threading.Thread(target=session.get, args=(("slow",), slow))
thread.start()
begun.wait(60)
child = os.fork()
if child == 0:
    assert session.get(("thing",), lambda: "child's") == "child's"
    assert session.get(("slow",), lambda: "quick") == "quick"
    assert current_session().get(("thing",), lambda: "child's") == "child's"
    session.close()
    assert closed == [], closed
    os._exit(0)
go_on.set()
thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert session.get(("thing",), lambda: "new") == "parent's"
session.close()
print(closed)
"""


@pytest.mark.posix
@needs_fork
def test_a_forked_process_begins_with_nothing_opened_and_free_locks():
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert done.stdout == '["parent\'s"]\n'


WORKER = """
import multiprocessing, sys
from graphbrick.core.session import current_session

def work(file):
    current_session().get(("thing",), lambda: "a worker's", close=lambda thing: open(file, "w").write(thing))

if __name__ == "__main__":
    process = multiprocessing.get_context(sys.argv[1]).Process(target=work, args=(sys.argv[2],))
    process.start()
    process.join()
"""


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_the_default_session_is_closed_at_the_end_of_a_worker(method: str, tmp_path: Path):
    script, closed = tmp_path / "script.py", tmp_path / "closed.txt"
    script.write_text(WORKER, encoding="utf-8")
    subprocess.run([sys.executable, str(script), method, str(closed)], timeout=120, check=True)
    assert closed.read_text(encoding="utf-8") == "a worker's"


def test_the_default_session_is_closed_when_the_process_ends():
    script = (
        "from graphbrick.core.session import current_session; current_session().get(('thing',), lambda: 1, close=print)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "1\n"
