"""Serving a local model through an OpenAI-compatible endpoint: llama.cpp's server as a child process.

It listens on loopback, works on one request at a time, and ends with the process that started it, however that ends.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from graphbrick.core.errors import ModelError, ModelTimeoutError
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.models.llm.serving.gguf import read_head

LOOPBACK = "127.0.0.1"
_START = 300.0  # seconds until the server answers; a large model is read from a slow disk
_STOP = 5.0  # seconds that it may take to end
_HEALTH = 5.0  # seconds for one health check
_LINES, _LINE = 20, 300  # lines of standard error that are remembered, and characters of each
_SHOWN = 8  # of these lines in an error; the cause comes some lines before the end
_STAMP = re.compile(r"^[\d.]+ [A-Z] +")  # time and level at the beginning of llama.cpp's lines
_MOST_THREADS = 8  # more would wait for memory, not for the processor
_MEMORY = 256  # megabytes for the states of earlier prompts, about 28 for 1,000 tokens of a model of 1.5B
_LEAST_CONTEXT = 256  # tokens: llama.cpp rounds up to this


class Server:
    """A running model server; made by `serve` and `shared_server`.

    Use it as a context manager, or call `close`. It also ends when it is garbage collected, and with the process.

    Attributes:
        path: The model's file.
        base_url: Address for OpenAI clients, such as "http://127.0.0.1:40123/v1".
        context: Tokens of prompt and reply together at most.
        threads: Threads it computes with.
    """

    def __init__(self, path: Path, context: int, threads: int, process: subprocess.Popen[bytes]) -> None:
        self.path, self.context, self.threads = path, context, threads
        self.base_url = ""
        self._process, self._last_lines = process, deque[str](maxlen=_LINES)
        self._close = weakref.finalize(self, _end, process, os.getpid())
        # The thread refers to the lines, not to the server, which could not be collected otherwise.
        self._reader = threading.Thread(target=_drain, args=(process, self._last_lines), daemon=True)
        self._reader.start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """Return whether its process is running."""
        return self._process.poll() is None

    @property
    def last_lines(self) -> list[str]:
        """The last lines that it wrote to standard error."""
        if not self.alive:
            self._reader.join(_HEALTH)  # until all is read
        return list(self._last_lines)

    def wait(self) -> None:
        """Wait until the server ends by itself; it does so only if it fails."""
        self._process.wait()

    def close(self) -> None:
        """End the server; it may be called twice."""
        self._close()

    def fault(self, what: str) -> str:
        """Return a message about what went wrong, with the last lines of the server."""
        lines = "; ".join(self.last_lines[-_SHOWN:]) or "nothing"
        return f"the server of {self.path.name} {what}; it said: {lines}"


def serve(
    path: Path | str,
    *,
    context: int,
    threads: int | None = None,
    host: str = LOOPBACK,
    port: int = 0,
    key: str = "",
    memory: int = _MEMORY,
) -> Server:
    """Start a server for a GGUF file, and wait until it answers.

    Args:
        path: The file.
        context: Tokens of prompt and reply together, at most the model's own limit.
        threads: Threads to compute with; None for `default_threads`.
        host: Address to listen on.
        port: Port to listen on; 0 for a free one.
        key: API key that callers must send; empty for none.
        memory: Megabytes for the states of earlier prompts, which others that begin alike reuse.

    Raises:
        ModelError: xllamacpp is not installed, the file is not a model, the context is more than it can read, or the
            server does not start.
    """
    path = Path(path)
    _check(path, context)
    threads = default_threads() if threads is None else threads
    if threads < 1:
        raise ModelError(
            f"a model server needs at least 1 thread, got {threads}; try 2",
            code="local_server.no_threads",
            threads=threads,
        )
    if find_spec("xllamacpp") is None:
        raise ModelError(
            "a local model needs llama.cpp: pip install 'graphbrick[local]'", code="local_server.not_installed"
        )
    settings: dict[str, str | int] = {
        "path": str(path.resolve()),
        "name": path.stem,
        "context": context,
        "threads": threads,
        "memory": memory,
    }
    server = Server(path, context, threads, _child(threads))
    try:
        _start(server, settings | {"host": host, "port": port, "key": key})
    except BaseException:
        server.close()
        raise
    return server


def shared_server(path: Path | str, context: int, threads: int | None = None, memory: int = _MEMORY) -> Server:
    """Return the server of the current session for a file; it is started at the first call.

    Threads that call at the same time get the same server. One that has ended is started anew, which is an event. It
    is closed with the session, and a forked process starts its own.

    Args:
        path: The file.
        context: As for `serve`.
        threads: As for `serve`.
        memory: As for `serve`.

    Raises:
        ModelError: As for `serve`.
    """
    threads = default_threads() if threads is None else threads

    def is_alive(server: Server) -> bool:
        if not server.alive:
            event(server.fault("had ended and was started anew"), "local_server.started_anew", once=True)
        return server.alive

    key = ("model server", Path(path).resolve(), context, threads, memory)
    make = partial(serve, path, context=context, threads=threads, memory=memory)
    return current_session().get(key, make, close=Server.close, usable=is_alive)


def default_threads() -> int:
    """Return how many physical cores this process may use, at most 8.

    >>> 1 <= default_threads() <= 8
    True
    """
    if hasattr(os, "sched_getaffinity"):
        usable = os.sched_getaffinity(0)
        cores = {_siblings(cpu) for cpu in usable}
        count = min(float(len(cores)), _quota())
    else:
        count = (os.cpu_count() or 1) / 2  # nothing says which of them share a core
    return max(1, min(int(count), _MOST_THREADS))


def _siblings(cpu: int) -> str:
    """Return an identifier that the processors of one core share."""
    try:
        place = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        return place.read_text(encoding="ascii").strip()
    except OSError:
        return str(cpu)


def _quota() -> float:
    """Return how many processors the container may use."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return float("inf") if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError):
        return float("inf")


def _check(path: Path, context: int) -> None:
    """Raise `ModelError` unless the file is a model with that much context."""
    limit = read_head(path).context
    if context < _LEAST_CONTEXT:
        raise ModelError(
            f"a context of {context} tokens is too small for a question; give at least {_LEAST_CONTEXT}",
            code="local_server.small_context",
            context=context,
        )
    if limit is not None and context > limit:
        raise ModelError(
            f"{path.name} reads at most {limit:,} tokens, got a context of {context:,}; give it less",
            code="local_server.large_context",
            limit=limit,
            context=context,
        )


# So that Ctrl-C reaches this process only, which then ends the server.
_OWN_GROUP: dict[str, Any] = {"process_group": 0}
if sys.platform == "win32":
    _OWN_GROUP = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}


def _child(threads: int) -> subprocess.Popen[bytes]:
    # OpenMP threads that wait must not hold a core that others need.
    environment = os.environ | {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": str(threads)}
    script = str(Path(__file__).with_name("serving_child.py"))
    try:
        return subprocess.Popen(
            [sys.executable, "-P", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            **_OWN_GROUP,
        )
    except OSError as error:
        raise ModelError(
            f"the model server cannot be started: {error.strerror or error}", code="local_server.no_process"
        ) from error


def _start(server: Server, settings: dict[str, str | int]) -> None:
    """Send the configuration, and wait until the server answers."""
    process, last = server._process, time.monotonic() + _START
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        process.stdin.flush()
    except OSError as error:
        raise ModelError(server.fault("ended at once"), code="local_server.ended_at_once") from error
    address = _first_line(process, server)
    server.base_url = f"{address}/v1"
    while time.monotonic() < last:
        if not server.alive:
            raise ModelError(server.fault("ended"), code="local_server.ended")
        if _is_healthy(address):
            return
        time.sleep(0.1)
    raise ModelTimeoutError(server.fault(f"did not answer within {_START:g} s"), code="local_server.no_answer")


def _first_line(process: subprocess.Popen[bytes], server: Server) -> str:
    """Return the address that the server prints when the model is loaded."""
    assert process.stdout is not None
    too_late = threading.Event()

    def end() -> None:
        too_late.set()
        process.kill()

    timer = threading.Timer(_START, end)
    timer.daemon = True
    timer.start()
    try:
        line = process.stdout.readline().decode().strip()
    finally:
        timer.cancel()
    if too_late.is_set():
        raise ModelTimeoutError(server.fault(f"did not start within {_START:g} s"), code="local_server.start_timeout")
    if not line.startswith("http"):
        process.wait()
        raise ModelError(server.fault("did not start"), code="local_server.did_not_start")
    return line


def _is_healthy(address: str) -> bool:
    parts = urlsplit(address)
    # Without urllib, which would ask a proxy for it.
    connection = http.client.HTTPConnection(parts.hostname or LOOPBACK, parts.port, timeout=_HEALTH)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """End the server by closing its standard input, or kill it. A forked process leaves it to its parent."""
    if os.getpid() != owner:
        return
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.close()
    except BrokenPipeError:
        process.poll()  # it has ended with something unread
    try:
        process.wait(_STOP)
    except subprocess.TimeoutExpired:  # it is loading
        process.kill()
        process.wait()
    process.stdout.close()


def _drain(process: subprocess.Popen[bytes], last_lines: deque[str]) -> None:
    """Remember the last lines of standard error; a pipe that nobody reads would stop the server."""
    assert process.stderr is not None
    with process.stderr as lines:
        for line in lines:
            text = _STAMP.sub("", line.decode(errors="replace").strip(), count=1)
            if text:
                last_lines.append(text[:_LINE])
