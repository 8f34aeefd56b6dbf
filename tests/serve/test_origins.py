"""Web pages that may call the server, and those that may not."""

from __future__ import annotations

import pytest
from served import PATHS, QUESTION, serving

ASK = {"question": QUESTION, "recipe": "paths"}
TOKEN = "a-very-secret-token"
PROTOCOL = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
CHAT = {"model": "paths", "messages": [{"role": "user", "content": QUESTION}]}


@pytest.mark.whole
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/mcp", LIST),
        ("/v1/ask", ASK),
        ("/v1/retrieve", ASK),
        ("/v1/chat/completions", CHAT),
        ("/v1/responses", {"model": "paths", "input": QUESTION}),
        ("/v1/check", {"pipeline": PATHS}),
    ],
)
def test_web_pages_of_other_origins_are_refused(path, body):
    page = {"origin": "https://page.example"}
    others = [{"origin": origin} for origin in ("http://evil.example", "null", "http://localhost:3000", "file://")]
    own = [{}, {"origin": "http://localhost"}, {"origin": "https://kb.example", "sec-fetch-site": "same-origin"}]
    with serving(token=TOKEN) as client:
        token = {"authorization": f"Bearer {TOKEN}"}
        for origin in (*others, page, {"origin": "https://kb.example", "sec-fetch-site": "cross-site"}):
            reply = client.post(path, json=body, headers=PROTOCOL | token | origin)
            assert (reply.status_code, reply.json()["error"]["code"]) == (403, "other_origin"), origin
        for origin in own:
            assert client.post(path, json=body, headers=PROTOCOL | token | origin).status_code == 200, origin
    with serving(origins=("https://page.example",)) as client:
        assert client.post(path, json=body, headers=PROTOCOL | page).status_code == 200
        assert client.post(path, json=body, headers=PROTOCOL | others[0]).status_code == 403
    with serving(origins=("*",)) as client:
        assert client.post(path, json=body, headers=PROTOCOL | others[0]).status_code == 200


def test_pages_of_other_origins_are_refused_unless_named():
    ask = {"origin": "https://page.example", "access-control-request-method": "POST"}
    with serving() as client:
        assert "access-control-allow-origin" not in client.options("/v1/ask", headers=ask).headers
    with serving(origins=("https://page.example",), token=TOKEN) as client:
        reply = client.options("/v1/ask", headers=ask)
        assert reply.headers["access-control-allow-origin"] == "https://page.example"
        assert client.post("/v1/ask", json=ASK, headers=ask).status_code == 401
        sent = {"access-control-request-headers": "authorization,content-type,x-stainless-lang,x-stainless-os"}
        reply = client.options("/v1/chat/completions", headers=ask | sent)  # what OpenAI's client for browsers asks for
        assert (reply.status_code, "x-stainless-os" in reply.headers["access-control-allow-headers"]) == (200, True)
