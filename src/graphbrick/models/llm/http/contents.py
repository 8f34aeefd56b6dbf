"""The parts of a chat completion: texts and thoughts of a message, reasons why it ended, tokens, probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphbrick.models.llm.messages import TokenLogprob, valid_text

_MOST_TOKENS = 2**53
_IMPOSSIBLE = -9999.0  # log probability; servers write this, -3.4e38 or -Infinity for a probability of 0
# The names that servers have for thoughts beside the text, and the kinds of parts that hold them.
_THOUGHTS = ("reasoning_content", "reasoning", "thinking", "thought", "reasoning_text")
_ENDS = {
    "length": ("max_tokens", "model_length", "max_output_tokens", "token_limit", "max_length"),
    "content_filter": ("safety", "recitation", "prohibited_content", "blocklist", "content_filtered", "refusal"),
    "stop": ("eos", "eos_token", "end_turn", "stop_sequence", "complete"),
    "tool_calls": ("tool_use", "function_call", "tool_call"),
    "": ("abort", "error", "null", "none", "incomplete"),
}
_END_NAMES = {other: name for name, others in _ENDS.items() for other in others}


@dataclass
class Content:
    """The texts of one message or piece.

    Attributes:
        texts: Pieces of the reply; they may hold thoughts between marks.
        thoughts: Thoughts that the server gives apart.
        refusal: Pieces of a refusal.
    """

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Content | None:
        """Return the texts of a message; None if it holds something that is not a text."""
        read = cls()
        content, refusal = message.get("content") or "", message.get("refusal") or ""
        if not isinstance(refusal, str):
            return None
        if isinstance(content, Mapping):
            content = [content]
        if isinstance(content, list):
            if not min([read._add_part(part) for part in content], default=True):
                return None
        elif isinstance(content, str):
            read.texts += [content] if content else []
        else:
            return None
        read.refusal += [refusal] if refusal else []
        # Some servers give the same thoughts under two names.
        thoughts = next(filter(None, (_thought(message.get(name)) for name in _THOUGHTS)), "")
        read.thoughts += [thoughts] if thoughts else []
        return read

    def _add_part(self, part: object) -> bool:
        """Add a part of a list of contents; return whether it is of a known kind."""
        if isinstance(part, str):
            self.texts.append(part)
            return True
        if not isinstance(part, Mapping):
            return part is None
        kind, text = str(part.get("type", "text")), part.get("text")
        if any(word in kind for word in ("think", "reason", "thought")):
            self.thoughts.append(_thought([value for name, value in part.items() if name != "type"]))
            return True
        if isinstance(text, Mapping):
            text = text.get("value")
        if isinstance(text, str):
            self.texts.append(text)
        elif isinstance(part.get("refusal"), str):
            self.refusal.append(part["refusal"])
        return isinstance(text, str) or "type" in part  # an image, or a document that is referred to


def _thought(value: object, depth: int = 0) -> str:
    """Return the texts in thoughts of any form, joined."""
    if isinstance(value, str):
        return value
    inner = list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else []
    return "".join(_thought(one, depth + 1) for one in inner) if depth < 6 else ""


def finish_reason(value: object) -> str:
    """Return why a reply ended, by the name that OpenAI has for it; empty if the reply may not be whole.

    >>> finish_reason("MAX_TOKENS"), finish_reason("stop"), finish_reason(None)
    ('length', 'stop', '')
    """
    name = valid_text(str(value or ""))
    return _END_NAMES.get(name.lower(), name)


def usage_of(usage: object) -> tuple[int, int] | None:
    """Return the tokens read and written; None unless both are sensible numbers."""
    if not isinstance(usage, dict):
        return None
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens", 0)]
    right = [isinstance(count, int | float) and 0 <= count < _MOST_TOKENS for count in counts]
    return (int(counts[0]), int(counts[1])) if all(right) else None


def logprobs_of(logprobs: object) -> Sequence[TokenLogprob]:
    """Return the log probabilities of tokens, without those that are not numbers."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    tokens = []
    for entry in content if isinstance(content, list) else ():
        pair = _pair(entry)
        if pair is not None:
            others = entry.get("top_logprobs")
            top = [_pair(other) for other in (others if isinstance(others, list) else ())]
            tokens.append(TokenLogprob(*pair, tuple(other for other in top if other is not None)))
    return tokens


def _pair(entry: object) -> tuple[str, float] | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("token"), str):
        return None
    logprob = entry.get("logprob")
    if not isinstance(logprob, int | float) or not logprob <= 1e-6:  # some round 1 to a little more
        return None
    return valid_text(entry["token"]), max(float(logprob), _IMPOSSIBLE)
