"""Names of language models: those that people write, and those in records."""

from __future__ import annotations

import ast
from dataclasses import fields, replace

from graphbrick.core.errors import InputError
from graphbrick.core.files.locks import AST
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


def with_model(text: str, name: str) -> str:
    """Return recipe text in which the model that a name means stands for every ``LLM()`` without a name.

    Other parameters of that ``LLM()`` stay, and go before those of the model. A text that is no recipe is returned as
    it is, for the parser to refuse.

    >>> with_model("Points(LLM(max_tokens=900)) >> Generate(LLM('gpt-4.1'))", "small")
    "Points(LLM(model='small', max_tokens=900)) >> Generate(LLM('gpt-4.1'))"
    """
    source = f"({text}\n)"
    try:
        with AST:
            tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return text
    starts = [0]  # of the lines, in bytes, as the places of nodes are
    starts += [starts[-1] + len(line) for line in source.encode().splitlines(keepends=True)]
    content = source.encode()
    for node in sorted(_nameless(tree), key=lambda call: (call.lineno, call.col_offset), reverse=True):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        content = content[:begin] + _filled(node, name).encode() + content[end:]
    return content.decode()[1:-2]


def _nameless(tree: ast.AST) -> list[ast.Call]:
    """Return the calls of LLM that name no model."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "LLM"
        and not node.args
        and all(one.arg not in ("model", None) for one in node.keywords)
    ]


def _filled(node: ast.Call, name: str) -> str:
    """Return the text of a model with the parameters of a call in place of its own."""
    model = ast.parse(model_text(name), mode="eval").body
    assert isinstance(model, ast.Call)
    own = {one.arg for one in node.keywords}
    model.keywords = [one for one in model.keywords if one.arg not in own] + node.keywords
    return ast.unparse(model)


def writing_model(name: str) -> ChatModel:
    """Return the model that a name means, for texts: by its name, with room for long replies, or as a brick.

    >>> writing_model("gpt-4.1"), writing_model("LLM('gpt-4.1')")
    (LLM(model='gpt-4.1', max_tokens=1500), LLM(model='gpt-4.1'))
    """
    model = chat_model(name)
    return model if "(" in name else with_room(model)


def with_room(model: ChatModel) -> ChatModel:
    """Return a model with room for a reply in prose, if the length of its replies was not chosen.

    >>> with_room(chat_model("gpt-4.1")), with_room(chat_model("LLM('gpt-4.1', max_tokens=100)"))
    (LLM(model='gpt-4.1', max_tokens=1500), LLM(model='gpt-4.1', max_tokens=100))
    """
    from graphbrick.models.llm.llm import LLM
    from graphbrick.models.llm.local_llm import LocalLLM

    if not isinstance(model, LLM | LocalLLM):
        return model
    usual = next(one.default for one in fields(model) if one.name == "max_tokens")
    return replace(model, max_tokens=_LONG) if model.max_tokens == usual else model


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
