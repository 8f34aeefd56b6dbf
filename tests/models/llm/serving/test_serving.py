"""The server of a local model as a process: a stand-in takes the place of xllamacpp."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from faults import fails, told
from local_models import use_fake_llama, write_gguf

from graphbrick.core.errors import ModelError
from graphbrick.core.session import Session, current_session
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.serving import serving
from graphbrick.models.llm.serving.serving import Server, default_threads, serve
from graphbrick.models.llm.serving.serving import shared_server as shared


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    use_fake_llama(monkeypatch, tmp_path)
    with Session():
        yield


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "tiny.gguf")


def asked(server: Server) -> dict[str, Any]:
    """What the server was asked to do."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(server.base_url.replace("/v1", "/facts"), timeout=60) as reply:
        facts: dict[str, Any] = json.load(reply)
    return facts


def _shared_in(session: Session, model: Path) -> Server:
    with session.activate():
        return shared(model, 1024, 1)


def pid(server: Server) -> int:
    return server._process.pid


def runs(process: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(process: int, within: float = 60.0) -> bool:
    last = time.monotonic() + within
    while runs(process):
        if time.monotonic() > last:
            return False
        time.sleep(0.05)
    return True


def test_a_server_answers_with_what_was_asked_for(model: Path) -> None:
    with serve(model, context=1024, threads=3, memory=512) as server:
        assert server.base_url.startswith("http://127.0.0.1:")
        assert server.base_url.endswith("/v1")
        assert (server.context, server.threads, server.path, server.alive) == (1024, 3, model, True)
        facts = asked(server)
    assert facts["model"]["path"] == str(model)
    assert (facts["n_ctx"], facts["n_parallel"], facts["model_alias"]) == (1024, 1, ["tiny"])
    assert facts["cpuparams"] == facts["cpuparams_batch"] == {"n_threads": 3, "poll": 0}
    assert facts["environment"] == {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "3"}
    assert (facts["ui"], facts["endpoint_slots"], facts["cors_origins"], "api_keys" in facts) == (
        False,
        False,
        "",
        False,
    )
    assert (facts["cache_prompt"], facts["cache_ram_mib"], facts["fit_params"]) == (False, 512, False)


@pytest.mark.posix
def test_it_ends_when_it_is_closed(model: Path) -> None:
    server = serve(model, context=1024)
    server.close()
    assert not server.alive
    assert ends(pid(server), within=0)
    server.close()


@pytest.mark.whole
@pytest.mark.posix
def test_it_ends_when_nobody_refers_to_it(model: Path) -> None:
    server = serve(model, context=1024)
    process = pid(server)
    del server
    gc.collect()
    assert ends(process, within=0)


@pytest.mark.posix
def test_a_key_is_told_but_not_shown(model: Path) -> None:
    with serve(model, context=1024, key="sk-secret") as server:
        assert asked(server)["api_keys"] == ["sk-secret"]
        for shown in ("cmdline", "environ"):
            assert b"sk-secret" not in Path(f"/proc/{pid(server)}/{shown}").read_bytes()


def test_a_proxy_of_the_environment_is_not_asked(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serve(model, context=1024) as server:
        assert server.alive


def test_ctrl_c_does_not_reach_it(model: Path) -> None:
    with serve(model, context=1024) as server:
        assert os.getpgid(pid(server)) != os.getpgrp()


def test_what_it_says_does_not_stop_it(tmp_path: Path) -> None:
    with serve(write_gguf(tmp_path / "loud.gguf", mode="loud"), context=1024) as server:
        assert asked(server)["n_ctx"] == 1024
    assert server.last_lines[-1] == "line 99999"
    assert len(server.last_lines) == 20


# What is wrong


@pytest.mark.parametrize(
    ("context", "threads", "code", "values"),
    [
        (4097, 1, "local_server.large_context", {"limit": 4096, "context": 4097}),
        (255, 1, "local_server.small_context", {"context": 255}),
        (-1, 1, "local_server.small_context", {"context": -1}),
        (1024, 0, "local_server.no_threads", {"threads": 0}),
    ],
)
def test_numbers_out_of_range_are_refused(
    model: Path, context: int, threads: int, code: str, values: dict[str, object]
) -> None:
    with fails(code, **values):
        serve(model, context=context, threads=threads)


def test_another_file_is_refused_before_anything_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    (tmp_path / "x.gguf").write_text("not a model")
    with fails("gguf.other_format"):
        serve(tmp_path / "x.gguf", context=1024)
    with fails("gguf.is_a_folder"):
        serve(tmp_path, context=1024)


def test_without_xllamacpp_the_extra_is_named(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install 'graphbrick\[local\]'"):
        serve(model, context=1024)


def test_the_error_holds_what_the_server_said(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "broken.gguf", mode="fails")
    says = (
        r"the server of broken\.gguf did not start; "
        r"it said: load: the weights are not as they should be; Failed to init server$"
    )
    with pytest.raises(ModelError, match=says):
        serve(path, context=1024)


@pytest.mark.posix
def test_a_server_that_does_not_start_in_time_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    monkeypatch.setattr(serving, "_START", 1.0)
    monkeypatch.setattr(
        serving, "_end", lambda process, owner, end=serving._end: (started.append(process.pid), end(process, owner))
    )
    with fails("local_server.start_timeout"):
        serve(write_gguf(tmp_path / "slow.gguf", mode="hangs"), context=1024)
    assert len(started) == 1
    assert ends(started[0], within=0)


def test_a_taken_port_is_an_error(model: Path) -> None:
    with serve(model, context=1024) as server:
        port = int(server.base_url.split(":")[2].split("/")[0])
        with pytest.raises(ModelError, match=r"did not start; it said: .*[Aa]ddress already in use"):
            serve(model, context=1024, port=port)


# One for all


def test_threads_get_the_same_server(model: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        servers = list(pool.map(lambda session: _shared_in(session, model), [current_session()] * 8))
    assert len({id(server) for server in servers}) == 1
    assert shared(str(model), 1024, 1) is servers[0]


def test_another_context_is_another_server(model: Path) -> None:
    first, second = shared(model, 1024, 1), shared(model, 2048, 1)
    assert first.base_url != second.base_url
    assert asked(second)["n_ctx"] == 2048


@pytest.mark.posix
def test_a_server_that_died_is_started_anew(model: Path) -> None:
    first = shared(model, 1024, 1)
    os.kill(pid(first), signal.SIGKILL)
    first.wait()
    with record(Trace(), "stage", "generate") as entry:
        second = shared(model, 1024, 1)
    assert second is not first
    assert second.alive
    assert told(entry.events) == [("local_server.started_anew", {})]


@pytest.mark.whole
def test_closing_frees_all_of_them(model: Path) -> None:
    with Session():
        servers = [shared(model, 1024, 1), shared(model, 2048, 1)]
    assert not any(server.alive for server in servers)
    assert shared(model, 1024, 1).alive


@pytest.mark.whole
def test_a_failed_start_leaves_nothing(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "broken.gguf", mode="fails")
    for _ in range(2):
        with pytest.raises(ModelError, match="the weights are not as they should be"):
            shared(path, 1024, 1)
    write_gguf(path)
    assert shared(path, 1024, 1).alive


# How the process that started it ends

PARENT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
from graphbrick.models.llm.serving.serving import shared_server as shared
server = shared(sys.argv[1], 1024, 1)
{then}
print(server._process.pid, flush=True)
{last}
"""


def parent(model: Path, then: str = "", last: str = "time.sleep(600)") -> tuple[subprocess.Popen[bytes], int]:
    command = [sys.executable, "-W", "error", "-c", PARENT.format(then=then, last=last), str(model)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        pytest.fail(process.communicate()[1].decode())
    return process, int(line)


@pytest.mark.whole
@pytest.mark.posix
@pytest.mark.parametrize("way", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_it_ends_with_a_parent_that_is_killed(model: Path, way: str) -> None:
    process, server = parent(model)
    assert runs(server)
    process.send_signal(signal.Signals[way])
    process.communicate(timeout=60)
    assert ends(server)


@pytest.mark.posix
def test_it_ends_with_a_parent_that_returns(model: Path) -> None:
    process, server = parent(model, last="")
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0
    assert ends(server, within=0)


@pytest.mark.posix
def test_a_forked_process_does_not_keep_it(model: Path) -> None:
    process, server = parent(model, then="if not os.fork():\n    os.read(0, 1)\n    os._exit(0)")
    process.kill()
    process.wait()
    assert ends(server)
    process.communicate()  # the end of the input, for which the forked process waits


@pytest.mark.whole
@pytest.mark.posix
def test_a_forked_process_starts_its_own_and_leaves_that_of_its_parent(model: Path) -> None:
    then = (
        "if not os.fork():\n"
        "    other = shared(sys.argv[1], 1024, 1)\n"
        "    sys.exit(0 if other._process.pid != server._process.pid else 3)\n"
        "assert os.wait()[1] == 0\n"
        "assert server.alive and shared(sys.argv[1], 1024, 1) is server"
    )
    process, _ = parent(model, then=then, last="")
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0


# Threads


@pytest.mark.parametrize(
    ("cores", "quota", "expected"),
    [
        (["0-1", "0-1"], 9.0, 1),
        (["0", "1"], 9.0, 2),
        ([str(i) for i in range(64)], 1e9, 8),
        (["0", "1", "2"], 1.5, 1),
        (["0", "1"], 0.2, 1),
    ],
)
def test_threads_are_cores_that_may_be_used(
    monkeypatch: pytest.MonkeyPatch, cores: list[str], quota: float, expected: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(len(cores))), raising=False)
    monkeypatch.setattr(serving, "_siblings", cores.__getitem__)
    monkeypatch.setattr(serving, "_quota", lambda: quota)
    assert default_threads() == expected
