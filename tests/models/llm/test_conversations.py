"""Many requests, each reply taken as it comes."""

from __future__ import annotations

import pytest
from faults import fails

from graphbrick import LLM
from graphbrick.core.errors import ModelError
from graphbrick.models.llm.conversations import each_reply
from graphbrick.models.llm.messages import Request, user
from graphbrick.testing import Reply, ScriptedLLM
from graphbrick.testing.llm_server import Request as Received

REQUESTS = [Request([user(f"number {i}")]) for i in range(40)]


@pytest.mark.whole
@pytest.mark.parametrize("parallel", [1, 3, 8])
def test_every_reply_comes_with_its_place(parallel: int) -> None:
    def script(request: Received) -> str | Reply:
        number = int(request.prompt.split()[-1])
        return Reply("not this one", status=400) if number == 7 else str(number)

    with ScriptedLLM(script) as server:
        found = dict(each_reply(LLM("m", base_url=server.base_url, parallel=parallel), REQUESTS))
    assert sorted(found) == list(range(40))
    assert isinstance(found.pop(7), ModelError)
    assert all(reply == str(place) for place, reply in found.items())


@pytest.mark.parametrize("good", [0, 1, 5, 39])
def test_after_a_failure_no_call_begins_and_what_came_is_kept(good: int) -> None:
    left = good

    def script(request: Received) -> str | Reply:
        nonlocal left
        left -= 1
        return Reply(status=401) if left < 0 else "good"

    found: list[int] = []

    def take(server: ScriptedLLM) -> None:
        for place, _ in each_reply(LLM("m", base_url=server.base_url, parallel=4), REQUESTS):
            found.append(place)

    with ScriptedLLM(script) as server:
        with fails("server.key_refused", has_key=False):
            take(server)
        assert len(found) == good
        assert len(server.requests) <= good + 4
