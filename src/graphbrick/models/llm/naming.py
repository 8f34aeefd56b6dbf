"""Names of language models: those that people write, and those in records."""

from __future__ import annotations

from dataclasses import fields, replace

from graphbrick.core.errors import InputError
from graphbrick.models.llm.chat import ChatModel

_NO_MATTER = ("parallel", "retries", "timeout", "threads")
_LONG = 1500  # tokens of a reply in prose
_SAMPLING = 0.3  # temperature of a model whose samples are to differ


def name_of(llm: ChatModel) -> str:
    """Return the recipe text of a model without the parameters that do not affect its replies.

    >>> from graphbrick import LLM
    >>> name_of(LLM("gpt-4.1", parallel=8, timeout=10.0))
    "LLM(model='gpt-4.1')"
    """
    plain = {one.name: one.default for one in fields(llm) if one.name in _NO_MATTER}  # type: ignore[arg-type]
    return repr(replace(llm, **plain))  # type: ignore[type-var]


def model_text(name: str) -> str:
    """Return the recipe text of the model that a name means.

    >>> model_text("gpt-4.1"), model_text("models/tuned.gguf")
    ("LLM(model='gpt-4.1')", "LocalLLM(model='models/tuned.gguf')")
    """
    return repr(chat_model(name))


def chat_model(name: str) -> ChatModel:
    """Return the model that a name means, by its name or as a brick.

    >>> chat_model("gpt-4.1"), chat_model("LLM('gpt-4.1', structured=False)")
    (LLM(model='gpt-4.1'), LLM(model='gpt-4.1', structured=False))
    """
    from graphbrick.models.llm.llm import LLM
    from graphbrick.models.llm.local_llm import LocalLLM
    from graphbrick.models.store import known
    from graphbrick.pipeline.parsing import parse_brick

    if "(" not in name:
        local = name.lower().endswith(".gguf") or name in known()
        return LocalLLM(name) if local else LLM(name)
    brick = parse_brick(name)
    if not isinstance(brick, ChatModel):
        raise InputError(f"a language model is named such as gpt-4.1 or LLM('gpt-4.1'), got {brick!r}")
    return brick


def writing_model(name: str) -> ChatModel:
    """Return the model that a name means, for texts: by its name, with room for long replies, or as a brick.

    >>> writing_model("gpt-4.1"), writing_model("LLM('gpt-4.1')")
    (LLM(model='gpt-4.1', max_tokens=1500), LLM(model='gpt-4.1'))
    """
    from graphbrick.models.llm.llm import LLM
    from graphbrick.models.llm.local_llm import LocalLLM

    model = chat_model(name)
    return replace(model, max_tokens=_LONG) if "(" not in name and isinstance(model, LLM | LocalLLM) else model


def sampling_model(name: str) -> ChatModel:
    """Return the model that a name means, with a temperature, so that several samples differ.

    >>> sampling_model("gpt-4.1"), sampling_model("LLM('gpt-4.1', temperature=1.0)")
    (LLM(model='gpt-4.1', temperature=0.3), LLM(model='gpt-4.1', temperature=1.0))
    """
    from graphbrick.models.llm.llm import LLM
    from graphbrick.models.llm.local_llm import LocalLLM

    model = chat_model(name)
    if isinstance(model, LLM | LocalLLM) and not model.temperature:
        return replace(model, temperature=_SAMPLING)
    return model
