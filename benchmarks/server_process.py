"""A server of graphbrick in a process of its own, and a small client, for the scripts that measure and attack it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def processes_below(pid: int) -> list[int]:
    """Return a process and all that it started, directly or not."""
    pids, found = [pid], [pid]
    while found:
        children: list[int] = []
        for parent in found:
            with contextlib.suppress(OSError):
                for task in Path(f"/proc/{parent}/task").iterdir():
                    children += map(int, (task / "children").read_text().split())
        pids, found = pids + children, children
    return pids


def proportional_memory(pids: list[int]) -> float:
    """Return the memory of processes in megabytes, of which each shared page counts once (PSS)."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
            found = re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)
            total += int(found[1]) if found else 0
    return total / 1024


class ServerProcess:
    """A running server.

    Args:
        arguments: Of ``graphbrick serve``.
        port: Port; 0 for a free one.
    """

    def __init__(self, *arguments: str, port: int = 0) -> None:
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed by `stop`
        command = [sys.executable, "-m", "graphbrick", "serve", *arguments, "--port", str(port), "--no-access-log"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._log, text=True, start_new_session=True
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://([\d.]+):(\d+)", line)
        if found is None:
            raise RuntimeError(f"the server did not start: {line}{self.log()}")
        self.host, self.port = found[1], int(found[2])
        self.address = f"http://{self.host}:{self.port}"

    def wait_until_ready(self, seconds: float = 300) -> float:
        """Wait until models are loaded; return how long that took."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.address}/readyz", timeout=5) as reply:
                if reply.status == 200:
                    return time.monotonic() - start
            time.sleep(0.2)
        raise RuntimeError(f"the server was not ready: {self.log()}")

    def pids(self) -> list[int]:
        """Return the process and the workers it started."""
        return processes_below(self.process.pid)

    def memory(self) -> float:
        """Return the resident memory of all its processes in megabytes; shared pages count once a process."""
        total = 0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
                total += int(re.search(r"VmRSS:\s+(\d+)", text)[1]) if "VmRSS" in text else 0
        return total / 1024

    def processor_seconds(self) -> float:
        """Return the processor time that all its processes have used."""
        ticks = 0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                ticks += sum(
                    map(int, Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13])
                )
        return ticks / os.sysconf("SC_CLK_TCK")

    def log(self) -> str:
        """Return what the server wrote to standard error."""
        self._log.seek(0)
        return self._log.read()

    def kill(self) -> None:
        """Kill all its processes at once, as the kernel does when memory is short."""
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> float:
        """Stop it in order; return how long that took."""
        start = time.monotonic()
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process.stdout.close()
        self._log.close()
        return time.monotonic() - start


@contextlib.contextmanager
def running(*arguments: str) -> Iterator[ServerProcess]:
    """A server that is ready, and is stopped at the end."""
    server = ServerProcess(*arguments)
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.stop()


class Connection:
    """One kept-alive connection of a client; it does only what these scripts need, so that it costs little."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        """Send a body as JSON; return status and body of the reply."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._server.host, self._server.port, limit=1 << 24)
        reader, writer = self._streams
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        writer.write(f"{head}{len(content)}\r\n\r\n".encode() + content)
        try:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            length = next(int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length"))
            return int(lines[0].split()[1]), await reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError):
            await self.close()
            raise

    async def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
