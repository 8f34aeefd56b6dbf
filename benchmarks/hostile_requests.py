"""Attacks on the sockets of a server, and a kill: what 200 hostile connections do to it and to its other clients.

    python benchmarks/hostile_requests.py [--clients 50] [--skip-kill]

While a client asks questions all the time, the server gets bodies of a gigabyte (told and streamed), heads and bodies
that come a byte at a time, streams whose reader leaves, garbage, and connections that say nothing. It must answer all
the while, hang nowhere, and give every place back. Then it is killed by SIGKILL while ``--clients`` clients ask, and
started again: all files of the graph must be as they were, and the answers too. Requests that need no socket are in
tests/serve/test_hostile.py.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import itertools
import json
import statistics
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from graphbrick import build
from graphbrick.testing.graphs import TINY
from server_process import Connection, ServerProcess

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
ASK = {"question": QUESTION, "recipe": "paths"}
RECIPE = "paths=ShortestPaths() >> PathAnswer()"
HEAD = b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GIGABYTE = 1 << 30
_PATIENCE = 60.0  # seconds until an attack counts as a hang


async def opened(server: ServerProcess) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(server.host, server.port)


async def status_of(reader: asyncio.StreamReader) -> str:
    """Return the status of a reply, or "closed"."""
    try:
        line = await reader.readline()
    except OSError:
        return "closed"
    return line.split()[1].decode() if line.startswith(b"HTTP/") else "closed"


async def told_gigabyte(server: ServerProcess) -> str:
    reader, writer = await opened(server)
    writer.write(HEAD + f"Content-Length: {GIGABYTE}\r\n\r\n".encode() + b"x" * 100_000)
    status = await status_of(reader)
    writer.close()
    return status


async def streamed_gigabyte(server: ServerProcess) -> str:
    reader, writer = await opened(server)
    writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    reading = asyncio.ensure_future(status_of(reader))
    sent = 0
    with contextlib.suppress(OSError):
        while sent < GIGABYTE and not reading.done():
            writer.write(piece)
            await writer.drain()
            sent += 0x10000
    status = await reading
    writer.close()
    return status


async def trickled(server: ServerProcess, head: bytes, rest: Iterable[bytes]) -> str:
    """Send a head, then a byte every half second until the server replies."""
    reader, writer = await opened(server)
    writer.write(head)
    reading = asyncio.ensure_future(status_of(reader))
    with contextlib.suppress(OSError):
        for byte in rest:
            if reading.done():
                break
            writer.write(byte)
            await writer.drain()
            await asyncio.sleep(0.5)
    status = await reading
    writer.close()
    return status


async def slow_head(server: ServerProcess) -> str:
    return await trickled(server, b"", (bytes([byte]) for byte in HEAD))


async def slow_body(server: ServerProcess) -> str:
    return await trickled(server, HEAD + b"Content-Length: 1000\r\n\r\n", itertools.repeat(b" "))


async def silent(server: ServerProcess) -> str:
    reader, writer = await opened(server)
    status = await status_of(reader)
    writer.close()
    return status


async def half_open_stream(server: ServerProcess) -> str:
    reader, writer = await opened(server)
    body = json.dumps(ASK | {"stream": True}).encode()
    writer.write(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    status = await status_of(reader)
    writer.transport.abort()  # in the middle of the events
    return status


async def left_at_once(server: ServerProcess) -> str:
    _, writer = await opened(server)
    body = json.dumps(ASK).encode()
    writer.write(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
    writer.transport.abort()
    return "left"


async def garbage(server: ServerProcess) -> str:
    reader, writer = await opened(server)
    writer.write(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 100 + b"\r\n\r\n")
    status = await status_of(reader)
    writer.close()
    return status


async def large_head(server: ServerProcess) -> str:
    reader, writer = await opened(server)
    with contextlib.suppress(OSError):
        writer.write(HEAD + b"X: " + b"y" * 10_000_000 + b"\r\n\r\n")
        await writer.drain()
    status = await status_of(reader)
    writer.close()
    return status


async def smuggled(server: ServerProcess) -> str:
    reader, writer = await opened(server)
    writer.write(
        HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/status HTTP/1.1\r\n\r\n"
    )
    status = await status_of(reader)
    writer.close()
    return status


ATTACKS: dict[Callable[[ServerProcess], Awaitable[str]], int] = {
    told_gigabyte: 10, streamed_gigabyte: 10, slow_head: 40, slow_body: 20, silent: 40, half_open_stream: 30,
    left_at_once: 30, garbage: 10, large_head: 5, smuggled: 5,
}  # fmt: skip


async def attack(server: ServerProcess) -> tuple[dict[str, Counter[str]], list[float], int]:
    """Make all attacks at the same time; return what became of them, and what another client saw meanwhile."""
    outcomes: dict[str, Counter[str]] = {kind.__name__: Counter() for kind in ATTACKS}
    latencies, failures, done = list[float](), 0, asyncio.Event()

    async def other() -> None:
        nonlocal failures
        connection = Connection(server)
        while not done.is_set():
            start = time.perf_counter()
            try:
                status, _ = await connection.post("/v1/ask", ASK)
                failures += status != 200
                latencies.append(time.perf_counter() - start)
            except (OSError, asyncio.IncompleteReadError):
                failures += 1
            await asyncio.sleep(0.05)
        await connection.close()

    async def one(kind: Callable[[ServerProcess], Awaitable[str]]) -> None:
        try:
            outcomes[kind.__name__][await asyncio.wait_for(kind(server), _PATIENCE)] += 1
        except TimeoutError:
            outcomes[kind.__name__]["hang"] += 1
        except OSError as error:
            outcomes[kind.__name__][type(error).__name__] += 1

    asking = asyncio.ensure_future(other())
    await asyncio.gather(*(one(kind) for kind, count in ATTACKS.items() for _ in range(count)))
    done.set()
    await asking
    return outcomes, latencies, failures


def places_in_use(server: ServerProcess) -> int:
    """Return how many runs and look-ups the server still has."""
    with urllib.request.urlopen(f"{server.address}/v1/status", timeout=30) as reply:
        gates = json.load(reply)["gates"].values()
    return sum(gate["running"] + gate["waiting"] for gate in gates)


def digest(folder: Path) -> str:
    """Return a hash of all files of a folder."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return hashlib.sha256(b"".join(file.name.encode() + file.read_bytes() for file in files)).hexdigest()


async def kill_while_asked(server: ServerProcess, clients: int) -> int:
    """Kill the server while clients ask; return how many answers they had."""
    answers = 0

    async def client() -> None:
        nonlocal answers
        connection = Connection(server)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                await connection.post("/v1/ask", ASK)
                answers += 1
        await connection.close()

    async def kill() -> None:
        while answers < 4 * clients:
            await asyncio.sleep(0.05)
        server.kill()

    await asyncio.gather(kill(), *(client() for _ in range(clients)))
    return answers


async def answer_of(server: ServerProcess) -> object:
    connection = Connection(server)
    _, body = await connection.post("/v1/ask", ASK)
    await connection.close()
    return json.loads(body)["answers"]


def main() -> None:
    """Attack, kill, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--skip-kill", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = build(TINY, Path(folder) / "tiny.graph").path
        server = ServerProcess(f"tiny={place}", "--recipe", RECIPE)
        server.wait_until_ready()
        before, memory = asyncio.run(answer_of(server)), server.memory()
        start = time.monotonic()
        outcomes, latencies, failures = asyncio.run(attack(server))
        print(f"{sum(ATTACKS.values())} hostile connections in {time.monotonic() - start:.0f} s")
        for name, counts in outcomes.items():
            print(f"  {name}: {', '.join(f'{count} x {outcome}' for outcome, count in counts.items())}")
        cuts = [round(1000 * cut) for cut in statistics.quantiles(latencies, n=20)]
        print(f"another client: {len(latencies)} answers, p50 {cuts[9]} ms, p95 {cuts[18]} ms, {failures} failures")
        print(f"memory {memory:.0f} -> {server.memory():.0f} MB; {places_in_use(server)} runs left")
        if not options.skip_kill:
            kept = digest(place)
            answers = asyncio.run(kill_while_asked(server, options.clients))
            again = ServerProcess(f"tiny={place}", "--recipe", RECIPE, port=server.port)
            seconds = again.wait_until_ready()
            same = asyncio.run(answer_of(again)) == before and digest(place) == kept
            print(
                f"killed while {options.clients} clients asked, after {answers} answers; ready again in {seconds:.1f} s"
            )
            print("files and answers are the same" if same else "SOMETHING DIFFERS")
            server = again
        print(f"stopped in order in {server.stop():.1f} s")


if __name__ == "__main__":
    main()
