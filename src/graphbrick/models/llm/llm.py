"""Language models behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.core.parameters import parameter
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.http.addresses import is_loopback, require_address, server_address, server_of
from graphbrick.models.llm.http.connection import Connection, connect
from graphbrick.models.llm.prices import Hosted, hosted

_CONTEXT = 8192  # tokens, if nothing is known of a model


@dataclass(frozen=True, repr=False)
class LLM(ChatModel):
    """A chat model behind an OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp and others.

    ``OPENAI_API_KEY`` is sent to the server of ``OPENAI_BASE_URL`` only, or to OpenAI if that is not set; the keys of
    other servers are in ``GRAPHBRICK_API_KEYS`` (docs/llm.md). A key is never part of a recipe. Costs come from a table
    of prices that ``GRAPHBRICK_PRICES`` can extend; a server on this machine costs nothing unless its model is there.

    Args:
        model: The model's name at the server.
        base_url: The server, such as "http://localhost:8080/v1"; empty for OPENAI_BASE_URL, or OpenAI.
        temperature: 0 for the likeliest reply, at most 2.
        max_tokens: Longest reply, in tokens; a model that thinks gets 4,096 more for its thoughts.
        timeout: Seconds to wait for a reply, or for more text of a streamed one; at most a day.
        retries: How often to try again after a lost connection, a time-out, or the status 408, 409, 429 or 5xx.
        parallel: Calls in flight at the same time, at least 1.
        structured: Whether to ask for replies by JSON schema if a brick has one; small models may do better without.
        context: Tokens that the model reads and writes at most; 0 for what the table of prices says, else 8,192.
        tokenizer: A tokenizer.json or a model's name on the Hugging Face hub, to count tokens with before a call; empty
            for an estimate.
    """

    model: str = parameter("gpt-4.1-mini")
    base_url: str = parameter("", may_be_empty=True, example="http://localhost:8080/v1")
    temperature: float = parameter(0.0, at_least=0, at_most=2)
    max_tokens: int = parameter(256, at_least=1, search=(128, 256, 512))
    timeout: float = parameter(60.0, at_least=0.001, at_most=86_400, changes_results=False)
    retries: int = parameter(2, at_least=0, changes_results=False)
    parallel: int = parameter(8, at_least=1, changes_results=False)
    structured: bool = parameter(True, search=(False, True))
    context: int = parameter(0, at_least=0, example=32_768)
    tokenizer: str = parameter("", may_be_empty=True, path=True, example="tokenizer.json")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_address(self, self.base_url)

    def context_tokens(self) -> int:
        """Return how many tokens the model reads and writes at most."""
        known = hosted(self.model)
        return self.context or (known.context if known else 0) or _CONTEXT

    def address(self) -> str:
        """Return the address of the server, as the environment names it now."""
        return server_address(self.base_url)

    def connection(self) -> Connection:
        """Return the server, as the environment names it now."""
        return connect(
            self.base_url,
            self.timeout,
            self.retries,
            kind="language model",
            instead="PathAnswer() answers without a model",
        )

    def price(self) -> Hosted | None:
        """Return what the table of prices says; nothing for a server on this machine."""
        return hosted(self.model) or (Hosted() if is_loopback(server_of(self.base_url)) else None)
