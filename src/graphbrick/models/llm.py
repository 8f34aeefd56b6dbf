"""Language models behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphbrick.brick import Brick
from graphbrick.errors import ModelError
from graphbrick.models.openai_client import connection, require_address
from graphbrick.trace import count_call, event

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion


@dataclass(frozen=True, repr=False)
class LLM(Brick):
    """A chat model behind an OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp and others.

    The key comes from ``OPENAI_API_KEY`` and is never part of a recipe; a server named by ``base_url`` or
    ``OPENAI_BASE_URL`` may need none.

    Args:
        model: The model's name at the server.
        base_url: The server, such as "http://localhost:8080/v1"; empty for OPENAI_BASE_URL, or OpenAI.
        temperature: 0 for the likeliest reply, at most 2.
        max_tokens: Longest reply, in tokens.
        timeout: Seconds to wait for a reply, at most a day.
        retries: How often to try again after a lost connection, a time-out, or the status 408, 409, 429 or 5xx.
    """

    model: str = "gpt-4.1-mini"
    base_url: str = ""
    temperature: float = 0.0
    max_tokens: int = 256
    timeout: float = 60.0
    retries: int = 2

    def __post_init__(self) -> None:
        self.require_text("model", example="gpt-4.1-mini")
        require_address(self, self.base_url)
        self.require_number("temperature", minimum=0, maximum=2, example=0.0)
        self.require_int("max_tokens", minimum=1, example=256)
        self.require_number("timeout", minimum=0.001, maximum=86_400, example=60.0)
        self.require_int("retries", minimum=0, example=2)

    def complete(self, messages: list[dict[str, str]]) -> str:
        """The model's reply to some messages, each ``{"role": ..., "content": ...}``.

        Raises:
            ModelError: No key, or the server is away, refuses, or does not answer in time.
        """
        with connection(
            self.base_url,
            self.timeout,
            self.retries,
            kind="language model",
            instead="PathAnswer() answers without a model",
        ) as client:
            # A badly decoded name may hold lone surrogates, which cannot be sent.
            sent = [{name: text.encode("utf-8", "replace").decode() for name, text in m.items()} for m in messages]
            reply = client.chat.completions.create(
                model=self.model,
                messages=sent,  # type: ignore[arg-type]
                temperature=self.temperature,
                max_tokens=self.max_tokens,
            )
        return self._read(reply, str(client.base_url))

    def _read(self, reply: ChatCompletion, url: str) -> str:
        """The text of a reply; the client hands over whatever the server sent, of any type."""
        try:
            choice = reply.choices[0] if len(reply.choices) else None
            text = choice.message.content or "" if choice else ""
            cut = choice is not None and choice.finish_reason == "length"
            usage = reply.usage
            tokens = (int(usage.prompt_tokens or 0), int(usage.completion_tokens or 0)) if usage else None
        except (AttributeError, TypeError, ValueError) as error:
            raise ModelError(f"{url} gave a reply that is no chat completion; is it the right address?") from error
        if not isinstance(text, str):
            raise ModelError(f"{url} gave a reply whose content is no text but {text!r:.80}")
        if tokens is None:
            event(f"{self.model} did not report the tokens it used")
        count_call(tokens_in=tokens[0] if tokens else 0, tokens_out=tokens[1] if tokens else 0)
        if not text:
            event(f"{self.model} gave an empty reply")
        if cut:
            event(f"the reply of {self.model} was cut at {self.max_tokens} tokens")
        return text
