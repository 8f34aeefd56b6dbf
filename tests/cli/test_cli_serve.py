"""The commands about servers: ask one, and what cannot be served."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn
from commands import refused
from served import QUESTION, options

from graphbrick.serve.app import create_app
from graphbrick.serve.start import Listening, _config, _listener
from graphbrick.testing import tiny_graph

BEST = "ShortestPaths() >> Rerank(BM25(), n=2) >> PathAnswer()"
TOKEN = "s3cret"


@pytest.fixture(scope="module")
def server():
    """The address of a server in a thread."""
    listener = _listener(Listening(port=0))
    running = uvicorn.Server(_config(create_app(options(recipes={"best": BEST}, token=TOKEN)), factory=False))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    running.should_exit = True
    thread.join(60)


@pytest.mark.parametrize("more", [[], ["--explain"], ["--json"], ["--seed", "Kampala"], ["--budget", "seconds=5"]])
def test_a_server_prints_what_this_process_prints(run, server, more):
    here = run("ask", tiny_graph().path, QUESTION, "-p", BEST, *more)
    there = run("ask", "tiny", QUESTION, "-r", "best", "--server", server, "--token", TOKEN, *more)
    assert (there.code, there.err) == (here.code, here.err) == (0, "")
    if "--json" in more:
        found, expected = json.loads(there.out), json.loads(here.out)
        assert found.keys() == expected.keys()
        for name in found.keys() - {"graph", "trace"}:
            assert found[name] == expected[name], name
    elif "--explain" in more:
        assert there.out.splitlines()[:5] == here.out.splitlines()[:5]
    else:
        assert there.out == here.out


def test_a_server_tells_what_it_can_answer(run, server):
    while not (told := json.loads(run("ask", "tiny", "--server", server, "--token", TOKEN, "--json").out)["questions"]):
        time.sleep(0.05)  # they are found once the server is ready
    assert told == json.loads(run("ask", tiny_graph().path, "--json").out)["questions"]
    refused(run("ask", "films", "--server", server, "--token", TOKEN), "there is no graph 'films'; there are tiny")


def test_errors_of_a_server_are_those_of_this_process(run, server):
    ask = ("--server", server, "--token", TOKEN)
    refused(run("ask", "tiny", "xyzzy?", "-p", BEST, *ask), "xyzzy")
    refused(run("ask", "films", QUESTION, *ask), "there is no graph 'films'; there are tiny")
    refused(run("ask", "tiny", QUESTION, "-p", "PPR(", *ask), "cannot be read at the end")
    refused(run("ask", "tiny", QUESTION, "--server", server), "send the server's token")
    refused(run("ask", "tiny", QUESTION, "--llm", "m", *ask), "a server has its own models")
    refused(run("ask", "tiny", QUESTION, "--server", "http://127.0.0.1:9"), "does not answer", "graphbrick serve")
    for address in ("localhost", "http://[", "http://local host"):
        refused(run("ask", "tiny", QUESTION, "--server", address), "as in http://localhost:8000")
    stopped = run("ask", "tiny", QUESTION, "-p", BEST, "--budget", "seconds=1e-9", *ask)
    assert (stopped.code, "is used up" in stopped.err) == (3, True)


@contextmanager
def answering(reply, heard):
    """The address of a server that sends these bytes to whoever asks."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        heard.append(connection.recv(65536))
                        connection.sendall(reply)

        threading.Thread(target=answer, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_token_goes_to_no_server_but_the_one_that_was_named(run):
    heard = []
    with answering(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", heard) as other:
        redirect = f"HTTP/1.1 302 Found\r\nlocation: {other}/v1/ask\r\nconnection: close\r\n\r\n".encode()
        with answering(redirect, []) as server:
            refused(run("ask", "tiny", QUESTION, "--server", server, "--token", TOKEN), f"{server} sends to {other}/")
    assert heard == []


def test_a_token_that_cannot_be_sent_is_not_repeated(run):
    for command in (("ask", "tiny", QUESTION, "--server", "http://127.0.0.1:9"), ("serve", tiny_graph().path)):
        result = run(*command, "--token", f"{TOKEN}\n")
        refused(result, "a token has printable ASCII characters", "a line end")
        assert TOKEN not in result.err + result.out


@pytest.mark.parametrize(
    "reply",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\nevent: start\n",
        b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nevent: error\ndata: {}\n\n",
        b"HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n[]",
    ],
)
def test_what_is_no_server_of_graphbrick_is_told_in_one_line(run, reply):
    with answering(reply, []) as server:
        refused(run("ask", "tiny", QUESTION, "--server", server), server)


def test_what_cannot_be_served_is_one_line(run, tmp_path):
    place = tiny_graph().path
    refused(run("serve", tmp_path / "none.graph"), "does not exist")
    refused(run("serve", place, "--host", "0.0.0.0"), "is open to other machines", "--token")
    refused(run("serve", place, "--recipe", "x=PPR("), "the recipe x: ", "cannot be read")
    refused(run("serve", place, "--recipe", "default=PPR()"), "there is a recipe 'default' already")
    refused(run("serve", place, place), "two graphs are called 'tiny'")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused(run("serve", place, "--port", taken.getsockname()[1]), "cannot listen on 127.0.0.1")


@pytest.mark.parametrize("option", ["--timeout", "--max-body", "--max-document"])
def test_no_limit_is_infinite(run, monkeypatch, option):
    monkeypatch.setattr("graphbrick.cli.serve.run_server", lambda options, listening, browse: None)
    refused(run("serve", tiny_graph().path, option, "inf"), f"{option} must be a finite number, got inf")


def test_what_workers_cannot_serve_is_told_before_they_start(run, monkeypatch):
    monkeypatch.setattr("graphbrick.serve.start.Multiprocess", None)
    place = tiny_graph().path
    refused(run("serve", place, "--port", 0, "--workers", 2, "--recipe", "x=PPR("), "the recipe x: ", "cannot be read")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    refused(run("serve", place, "--port", 0, "--workers", 2, "--telemetry"), "pip install 'graphbrick[telemetry]'")


def test_the_demo_is_served_on_this_machine_alone(run, monkeypatch):
    started = []
    monkeypatch.setattr("graphbrick.cli.demo.learned_world", lambda out, rebuild: tiny_graph())
    monkeypatch.setattr("graphbrick.cli.serve.run_server", lambda *given, browse: started.append((*given, browse)))
    assert run("demo", "--serve", "--port", 0).code == 0
    ((served, listening, browse),) = started
    assert served.graphs == {"world": str(tiny_graph().path)}
    assert (listening.host, served.hosts[0], browse) == ("127.0.0.1", "localhost", False)


def test_names_and_origins_are_taken_as_browsers_send_them(run, monkeypatch):
    started = []
    monkeypatch.setattr("graphbrick.cli.serve.run_server", lambda options, listening, browse: started.append(options))
    allowed = ("--allow-host", "Films.example:8443", "--origin", "https://Page.example/", "--origin", "http://[::1]:80")
    assert run("serve", tiny_graph().path, *allowed).code == 0
    assert started[0].hosts[-1] == "films.example"
    assert started[0].origins == ("https://page.example", "http://[::1]:80")
    for origin in ("page.example", "https://page.example/app"):
        refused(run("serve", tiny_graph().path, "--origin", origin), "--origin is scheme and host", origin)


def test_the_packages_of_the_server_are_named_if_they_are_missing(run, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused(run("serve", tiny_graph().path), "pip install 'graphbrick[serve]'")
