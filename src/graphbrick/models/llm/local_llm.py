"""Language models that run on this machine, without a server to set up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from graphbrick.core.parameters import parameter
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.http.connection import Connection
from graphbrick.models.llm.messages import Request
from graphbrick.models.llm.prices import Hosted


@dataclass(frozen=True, repr=False)
class LocalLLM(ChatModel):
    """A chat model in GGUF format, run by llama.cpp on this machine: no key, no server, no cost.

    The model is loaded at the first call, into a process of its own that ends with this one, and is shared by all
    bricks that name it.

    Args:
        model: A model that ``graphbrick models fetch`` brought, or the path of a GGUF file.
        temperature: 0 for the likeliest reply, at most 2.
        max_tokens: Longest reply, in tokens; a model that thinks gets 4,096 more for its thoughts.
        timeout: Seconds to wait for a reply, or for more text of a streamed one; at most a day.
        structured: Whether to ask for replies by JSON schema if a brick has one.
        context: Tokens that the model reads and writes at most; memory grows with it.
        threads: Threads to compute with; 0 for the cores of this machine.
        reuse: Whether a prompt that begins like an earlier one, as with the same schema or tools, is computed only from
            where they differ: ten times faster. Sums differ in their last digits then, so that a reply may differ where
            two words are equally likely; without reuse, replies at temperature 0 are repeated exactly. Replies with
            probabilities never reuse a prompt.
        memory: Megabytes for the states of earlier prompts that ``reuse`` needs; 1,000 tokens of a model of 1.5B take
            about 28. More help where prompts of many kinds come in turns.
    """

    samples_at_once: ClassVar[bool] = False  # its server works on one reply at a time, and refuses more

    model: str = parameter("qwen2.5-coder-1.5b", path=True)
    temperature: float = parameter(0.0, at_least=0, at_most=2)
    max_tokens: int = parameter(256, at_least=1, search=(128, 256, 512))
    timeout: float = parameter(600.0, at_least=0.001, at_most=86_400, changes_results=False)
    structured: bool = parameter(True, search=(False, True))
    context: int = parameter(8192, at_least=512)
    threads: int = parameter(0, at_least=0, example=2, changes_results=False)
    reuse: bool = parameter(True)
    memory: int = parameter(256, at_least=0, example=1024, changes_results=False)

    @property
    def parallel(self) -> int:
        """One call at a time: several would share the same cores."""
        return 1

    def context_tokens(self) -> int:
        """Return how many tokens the model reads and writes at most."""
        return self.context

    def address(self) -> str:
        """Return "local": the model's name or path says the rest."""
        return "local"

    def _identity(self, request: Request) -> dict[str, Any]:
        """Return everything that a reply depends on, such as whether the server reuses its cache."""
        return super()._identity(request) | ({} if self.reuse else {"reuse": False})

    def connection(self) -> Connection:
        """Return the process that runs the model; it is started at the first call."""
        from graphbrick.models.llm.serving.serving import shared_server
        from graphbrick.models.store import resolve

        server = shared_server(resolve(self.model, "LocalLLM"), self.context, self.threads or None, self.memory)
        return Connection(server.base_url, "", self.timeout, 0, reuses_prompts=self.reuse)

    def price(self) -> Hosted:
        """Return a price of 0: the model runs on this machine."""
        return Hosted()
