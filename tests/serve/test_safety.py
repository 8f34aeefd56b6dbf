"""What strangers may do: tokens, hosts, sizes, recipes, and how many at the same time."""

from __future__ import annotations

import asyncio
import logging
import threading
import time

import pytest
from faults import fails
from served import PATHS, QUESTION, options, serving

from graphbrick import parse
from graphbrick.bricks.agents.toolbox import all_tools
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.session import Session
from graphbrick.pipeline.budget import Budget
from graphbrick.serve.errors import ServeError
from graphbrick.serve.limits.gate import Gate
from graphbrick.serve.limits.runner import ClientLeftError, Runner
from graphbrick.serve.options import named_places
from graphbrick.serve.start import Listening, check_exposure
from graphbrick.serve.trust import Trust

ASK = {"question": QUESTION, "recipe": "paths"}
TOKEN = "a-very-secret-token"


@pytest.mark.whole
def test_a_token_is_needed_and_never_logged(caplog):
    with serving(token=TOKEN) as client, caplog.at_level(logging.DEBUG, "graphbrick"):
        for sent, code in {
            "": "no_token",
            TOKEN: "no_token",
            "Basic eA==": "no_token",
            f"bearer {TOKEN}x": "wrong_token",
        }.items():
            reply = client.post("/v1/ask", json=ASK, headers={"authorization": sent} if sent else {})
            assert (reply.status_code, reply.json()["error"]["code"]) == (401, code)
            assert reply.headers["www-authenticate"] == "Bearer"
        right = {"authorization": f"Bearer {TOKEN}"}
        assert client.post("/v1/ask", json=ASK, headers=right).status_code == 200
        assert client.get("/v1/graphs").status_code == 401
        assert client.get("/mcp").status_code == 401
        assert client.get("/healthz").status_code == 200
    assert TOKEN not in caplog.text
    assert TOKEN not in repr(options(token=TOKEN))


def test_the_access_log_is_json_without_questions(caplog):
    with serving() as client, caplog.at_level(logging.INFO, "graphbrick.access"):
        client.post("/v1/ask", json=ASK)
        client.get("/v1/entities", params={"q": "Kenya"})
    lines = [record.getMessage() for record in caplog.records if record.name == "graphbrick.access"]
    assert ['"path": "/v1/ask", "status": 200' in line for line in lines] == [True, False]
    assert '"run_ms": ' in lines[0]
    assert "Kenya" not in "".join(lines)
    assert "Nairobi" not in "".join(lines)


def test_only_its_own_names_are_answered(client):
    with serving(hosts=("localhost", "[::1]")) as client:
        assert client.get("/v1/graphs", headers={"host": "localhost:8000"}).status_code == 200
        assert client.get("/v1/graphs", headers={"host": "[::1]:8000"}).status_code == 200
        assert client.get("/v1/graphs", headers={"host": "evil.example"}).json()["error"]["code"] == "wrong_host"


def test_a_redirect_stays_on_the_server(client):
    for path in ("/v1/graphs/?x=1", "/mcp/"):
        reply = client.post(path, json={}, headers={"host": "evil.example"}, follow_redirects=False)
        assert (reply.status_code, reply.headers["location"]) == (307, path.replace("/?", "?").rstrip("/"))


def test_every_reply_has_safe_headers_and_an_id(client):
    for reply in (client.get("/v1/graphs"), client.get("/nothing"), client.post("/v1/ask", content="x")):
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in reply.headers["content-security-policy"]
        assert len(reply.headers["x-request-id"]) == 16


def test_bodies_are_bounded_whatever_they_say_of_themselves():
    def endless():
        for _ in range(100):
            yield b" " * 1000

    with serving(body_bytes=2000) as client:
        headers = {"content-type": "application/json"}
        told = client.post("/v1/ask", content=b" " * 3000, headers=headers)
        streamed = client.post("/v1/ask", content=endless(), headers=headers)
        lied = client.post("/v1/ask", content=b"{}", headers=headers | {"content-length": "x"})
        assert [reply.status_code for reply in (told, streamed, lied)] == [413, 413, 413]
        both = client.post(
            "/v1/ask", content=b"{}", headers=headers | {"transfer-encoding": "x", "content-length": "2"}
        )
        assert both.json()["error"]["code"] == "two_lengths"
        assert client.post("/v1/ask", json=ASK).status_code == 200


@pytest.mark.parametrize(
    ("headers", "read"),
    [
        ([(b"content-length", b"5000")], 5),
        ([(b"content-length", b"5000"), (b"expect", b"100-continue")], 0),
        ([(b"transfer-encoding", b"chunked")], 5),
    ],
)
def test_who_sends_too_much_is_told_when_all_is_sent(headers, read):
    async def run():
        from graphbrick.serve.limits.guard import Guard

        async def app(scope, receive, send):
            while (await receive())["type"] != "http.disconnect":
                pass

        done = []

        async def receive():
            done.append("read")
            return {"type": "http.request", "body": b" " * 1000, "more_body": len(done) < 5}

        async def send(message):
            done.append(message.get("status", "sent"))

        scope = {"type": "http", "method": "POST", "path": "/x", "headers": headers, "client": None}
        await Guard(app, options(body_bytes=1500))(scope, receive, send)
        return done

    assert asyncio.run(run()) == ["read"] * read + [413, "sent"]


def test_a_body_that_comes_too_slowly_is_given_up():
    async def run():
        from graphbrick.serve.limits.guard import Guard

        async def app(scope, receive, send):
            await receive()

        async def receive():
            await asyncio.sleep(10)

        sent = []

        async def send(message):
            sent.append(message)

        guard = Guard(app, options(body_seconds=0.05))
        scope = {"type": "http", "method": "POST", "path": "/x", "headers": [], "client": None}
        await guard(scope, receive, send)
        return sent

    assert asyncio.run(run())[0]["status"] == 408


CHAT = {"model": "paths", "messages": [{"role": "user", "content": QUESTION}]}


@pytest.mark.parametrize(
    ("route", "body", "place"),
    [
        ("ask", ASK, "asking.run_of"),
        ("retrieve", ASK, "asking.run_of"),
        ("chat/completions", CHAT, "conversation.talk.run_of"),
    ],
)
def test_a_fault_in_a_stream_is_hidden_and_logged(monkeypatch, caplog, route, body, place):
    def broken(*_):
        raise ValueError("the key is hunter2")

    with serving() as client, caplog.at_level(logging.INFO, "graphbrick.access"):
        monkeypatch.setattr(f"graphbrick.serve.{place}", broken)
        reply = client.post(f"/v1/{route}", json=body | {"stream": True})
    assert '"code": "internal"' in reply.text
    assert f'"request_id": "{reply.headers["x-request-id"]}"' in reply.text
    assert "hunter2" not in reply.text
    assert f"request {reply.headers['x-request-id']} failed" in caplog.text
    assert '"error": "internal"' in caplog.text  # in the line of the request, whose status is 200
    assert "hunter2" in caplog.text


def test_errors_name_graphs_and_not_their_folders(monkeypatch):
    place = options().graphs["tiny"]

    def broken(*_):
        raise GraphbrickError(f"{place}/relations.npy and {place}.text are gone; look into {place}-old.")

    monkeypatch.setattr("graphbrick.serve.routes.asking.run_of", broken)
    monkeypatch.setattr("graphbrick.serve.asking.run_of", broken)
    monkeypatch.setattr("graphbrick.serve.conversation.talk.run_of", broken)
    with serving() as client:
        for route, body in (("ask", ASK), ("chat/completions", CHAT)):
            for stream in (False, True):
                reply = client.post(f"/v1/{route}", json=body | {"stream": stream})
                assert f"tiny/relations.npy and tiny.text are gone; look into {place}-old." in reply.text


def test_a_graph_is_served_under_any_name_without_harm_to_messages(monkeypatch):
    monkeypatch.chdir(options().graphs["tiny"])
    with serving(graphs={"here": "."}) as client:
        reply = client.post("/v1/ask", json={"question": QUESTION, "pipeline": "PPR(k=0.5)"})
    assert "0.5" in reply.json()["error"]["message"]


def test_a_fault_of_the_server_is_hidden_and_logged(monkeypatch, caplog):
    def broken(*_):
        raise ValueError("the key is hunter2")

    with serving() as client:
        monkeypatch.setattr("graphbrick.serve.routes.asking.run_of", broken)
        reply = client.post("/v1/ask", json=ASK)
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "internal")
    assert "hunter2" not in reply.text
    assert reply.json()["request_id"] in caplog.text


OWN = "PPR() >> ShortestPaths() >> Rerank(LLMPointwiseScorer(LLM('mine')), n=50000) >> PathAnswer()"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ShortestPaths() >> Generate(LLM('mine'))", ""),
        ("PPR(k=10000) >> ShortestPaths() >> Rerank(MiniLM(), n=8) >> PathAnswer()", ""),
        ("PPR() >> ShortestPaths() >> Rerank(LLMPointwiseScorer(LLM('mine')), n=50000) >> PathAnswer()", ""),
        ("ShortestPaths() >> Generate(LLM('mine'), prompt='few')", ""),
        ("ShortestPaths() >> Generate(LLM('other'))", "does not call LLM(model='other')"),
        ("ShortestPaths() >> Generate(LLM('mine', base_url='http://169.254.169.254/v1'))", "does not call"),
        ("ShortestPaths() >> Generate(LLM('mine', tokenizer='/etc/passwd'))", "does not call"),
        ("ShortestPaths() >> Generate(LocalLLM('/etc/passwd'))", "does not call"),
        ("ShortestPaths() >> Generate(LLM('mine'), prompt='/etc/passwd')", "prompt may name a file"),
        ("LinkLabels(words='/etc') >> ShortestPaths()", "words may name a file"),
        ("ShortestPaths() >> Rerank(EmbeddingModel('evil/model'))", "does not call EmbeddingModel"),
        ("ShortestPaths() >> Rerank(CrossEncoder())", "does not call CrossEncoder"),
        ("ShortestPaths() >> Rerank(LLMPointwiseScorer(LLM('mine')), n=50001)", "n may be at most 10,000"),
        ("Patterns(PatternScorer('/tmp')) >> PathAnswer()", "model may name a file"),
        ("Agent(LLM('mine'), instructions='/etc/passwd.txt') >> PathAnswer()", "instructions may name a file"),
        ("KHop(max_hops=50) >> ShortestPaths()", "max_hops may be at most 6"),
        ("Repeat(Expand() >> ShortestPaths(), until=EnoughPaths(n=5), at_most=900)", "at_most may be at most 10"),
        (" | ".join(["ShortestPaths()"] * 50), "may have 40 bricks"),
    ],
)
def test_recipes_of_clients_name_no_files_and_no_models(text, reason):
    own = [parse(OWN)]
    found = Trust(own).refusal(parse(text))
    assert (reason in found) if reason else not found, found
    assert Trust(own, everything=True).refusal(parse(text)) == ""


def test_tools_of_plug_ins_are_not_run_for_clients(monkeypatch):
    there = all_tools() | {"shell": all_tools()["search"]}
    monkeypatch.setattr("graphbrick.bricks.agents.toolbox._all_tools", lambda: there)
    agent = parse("Agent(LLM('mine'), tools='search, shell, finish') >> PathAnswer()")
    assert "shell is a tool of a plug-in" in Trust([parse(OWN)]).refusal(agent)
    assert Trust([agent]).refusal(agent) == ""
    assert Trust([parse(OWN)]).refusal(parse("Agent(LLM('mine'), tools='search, finish') >> PathAnswer()")) == ""


def test_a_recipe_that_is_not_allowed_is_refused_wherever_it_is_sent(client):
    bad = {"question": QUESTION, "pipeline": "ShortestPaths() >> Generate(LLM())"}
    for route in ("/v1/ask", "/v1/retrieve"):
        reply = client.post(route, json=bad)
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "recipe_not_allowed")
    assert client.post("/v1/ask", json={"question": QUESTION, "recipe": "e1"}).status_code == 403
    checked = client.post("/v1/check", json={"pipeline": bad["pipeline"]}).json()
    assert (checked["ok"], checked["allowed"]) == (True, False)
    with serving(trust_recipes=True) as trusting:
        assert trusting.post("/v1/retrieve", json=bad).status_code == 200


def test_a_server_for_others_needs_a_token():
    with fails("serve.open_without_token"):
        check_exposure(Listening("0.0.0.0"), options(), no_token=False)
    check_exposure(Listening("0.0.0.0"), options(token="x"), no_token=False)
    check_exposure(Listening("0.0.0.0"), options(), no_token=True)
    check_exposure(Listening(), options(), no_token=False)


def test_graphs_are_named_by_their_places():
    assert named_places(["a/films.graph", "x=b/films.graph"]) == {"films": "a/films.graph", "x": "b/films.graph"}
    assert list(named_places(["bolt://localhost:7687/films?timeout=5", "my films.graph"])) == ["films", "my-films"]
    with fails("serve.same_name", name="films"):
        named_places(["a/films.graph", "b/films.graph"])


# Runs at the same time


def test_a_gate_lets_some_in_others_wait_and_refuses_the_rest():
    async def run():
        gate = Gate(1, 1, "runs")
        await gate.enter()
        waiting = asyncio.ensure_future(gate.enter())
        await asyncio.sleep(0)
        with fails("busy", ServeError) as refused:
            await gate.enter()
        gate.leave(0.1)
        await waiting
        return gate, refused.value

    gate, refused = asyncio.run(run())
    assert (refused.status, refused.headers) == (429, {"Retry-After": "1"})
    assert (gate.running, gate.waiting) == (1, 0)


def with_runner(test, **changes):
    async def run():
        runner = Runner(options(**changes), Session())
        try:
            return await asyncio.wait_for(test(runner), 60)
        finally:
            runner.close()

    return asyncio.run(run())


def test_work_whose_client_left_is_cancelled_and_gives_its_place_back():
    async def test(runner):
        begun, ended = threading.Event(), threading.Event()
        budget = Budget(seconds=600)

        def work():
            begun.set()
            while True:
                try:
                    budget.check()
                except Exception:
                    ended.set()
                    raise
                time.sleep(0.001)

        async def left():
            while not begun.is_set():
                await asyncio.sleep(0.001)

        with pytest.raises(ClientLeftError):
            await runner.call(work, runner.kernels, budget, left)
        assert await asyncio.get_running_loop().run_in_executor(None, ended.wait, 60)
        assert await runner.call(lambda: 7, runner.kernels, Budget()) == 7
        return runner.kernels.running

    assert with_runner(test, kernels=1) == 0


def test_a_client_that_leaves_the_queue_never_runs():
    async def test(runner):
        release, ran = threading.Event(), []
        first = asyncio.ensure_future(runner.call(release.wait, runner.kernels, Budget()))
        while not runner.kernels.is_full:
            await asyncio.sleep(0)

        async def left():
            await asyncio.sleep(0)

        with pytest.raises(ClientLeftError):
            await runner.call(lambda: ran.append(1), runner.kernels, Budget(), left)
        release.set()
        await first
        return ran, runner.kernels.running, runner.kernels.waiting

    assert with_runner(test, kernels=1) == ([], 0, 0)


def test_work_that_never_looks_at_the_clock_is_answered_for(monkeypatch):
    monkeypatch.setattr("graphbrick.serve.limits.runner.GRACE", 0.02)

    async def test(runner):
        release = threading.Event()
        with fails("timeout", ServeError) as failed:
            await runner.call(release.wait, runner.kernels, Budget(seconds=0.01))
        held = runner.kernels.running  # its thread is still busy, so its place is not free
        release.set()
        while runner.kernels.running:
            await asyncio.sleep(0.001)
        return failed.value.status, held, runner.kernels.running

    assert with_runner(test) == (504, 1, 0)


def test_a_request_may_ask_for_less_but_not_for_more():
    async def test(runner):
        less, more = runner.budget({"seconds": 1.0, "tokens": 5}), runner.budget({"seconds": 99.0})
        return less.seconds, less.tokens, more.seconds, more.tokens

    assert with_runner(test, seconds=10.0, tokens=100) == (1.0, 5, 10.0, 100)


def test_too_many_requests_are_told_when_to_come_back():
    with serving(recipes={"paths": PATHS}, queue=1, kernels=1) as client:
        service = client.app.state.service
        service.runner.kernels._free._value = 0  # as if one ran
        service.runner.kernels.waiting = 1
        reply = client.post("/v1/ask", json=ASK)
        assert (reply.status_code, reply.json()["error"]["code"]) == (429, "busy")
        assert int(reply.headers["retry-after"]) >= 1
        for route, body in (("ask", ASK), ("retrieve", ASK), ("chat/completions", CHAT)):
            reply = client.post(f"/v1/{route}", json=body | {"stream": True})
            assert (reply.status_code, reply.json()["error"]["code"]) == (429, "busy")  # and no stream that says so
        service.runner.kernels.waiting = 0
        service.runner.kernels._free._value = 1
        assert client.post("/v1/ask", json=ASK).status_code == 200
