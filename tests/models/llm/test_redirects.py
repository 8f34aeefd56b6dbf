"""Model servers that send on to another address get no second request, and secrets within addresses are not shown."""

from __future__ import annotations

import pytest
from faults import fails

from graphbrick import LLM
from graphbrick.core.errors import InputError, PipelineError, without_secrets
from graphbrick.graphs.databases.address import Address
from graphbrick.models.embedders.llm_embedder import LLMEmbedder
from graphbrick.serve.client import ask_server
from graphbrick.testing import Reply, ScriptedLLM

ASK = [{"role": "user", "content": "How much is two and two?"}]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_another_server_gets_no_prompt(status):
    with ScriptedLLM(["stolen"]) as other:
        away = Reply("", status=status, headers={"location": f"{other.base_url}/chat/completions"}, body="")
        with ScriptedLLM([away] * 3) as server, fails("server.redirected"):
            LLM("m", base_url=server.base_url, retries=0).complete(ASK)
        with ScriptedLLM([away] * 3) as server, fails("server.redirected"):
            LLMEmbedder(base_url=server.base_url).encode(["a text"])
        assert other.requests == []


def test_keys_in_the_address_of_the_environment_are_not_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:PW-1@127.0.0.1:9/v1?api_key=KEY-1")
    with fails("server.unreachable") as caught:
        LLM("m", retries=0, timeout=2).complete(ASK)
    assert "PW-1" not in str(caught.value)
    assert "KEY-1" not in str(caught.value) + repr(caught.value.values)
    monkeypatch.setenv("OPENAI_BASE_URL", "ftp://me:PW-1@h/?token=KEY-1")
    with fails("server.bad_address") as caught:
        LLM("m").complete(ASK)
    assert "PW-1" not in str(caught.value)
    assert "KEY-1" not in str(caught.value) + repr(caught.value.values)


@pytest.mark.parametrize(
    "url", ["http://h/v1?api_key=KEY-1", "http://me:KEY-1@h/v1", "http://h/v1?x=1&access_token=KEY-1"]
)
def test_a_recipe_cannot_hold_a_key(url):
    with pytest.raises(PipelineError) as caught:
        LLM("m", base_url=url)
    assert "KEY-1" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["sparql+http://h/?apikey=KEY-1", "sparql+http://u:KEY-1@h/q", "bolt://h/d?api_key=KEY-1"]
)
def test_the_address_of_a_database_cannot_hold_a_key(text):
    with fails("address.has_password", InputError) as caught:
        Address.read(text)
    assert "KEY-1" not in str(caught.value)


@pytest.mark.parametrize("server", ["http://u:KEY-1@h", "http://h/?token=KEY-1", "http://u:KEY-1@h:80/"])
def test_the_address_of_a_server_cannot_hold_a_key(server):
    with fails("client.bad_address", InputError) as caught:
        ask_server(server, {"question": "x"})
    assert "KEY-1" not in str(caught.value) + repr(caught.value.values)


@pytest.mark.parametrize("text", ["http://h/v1", "bolt://h/d?key=name&label=title", "what is http://h/a?b=c&d=e"])
def test_addresses_without_secrets_stay(text):
    assert without_secrets(text.replace("key=", "name=")) == text.replace("key=", "name=")
    assert "bolt" not in text or dict(Address.read(text).options)["key"] == "name"
