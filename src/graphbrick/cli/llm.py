"""The parts of the command line about language models: which one, what it may cost, and recorded replies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from graphbrick.cli.options import Json

LLMName = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar="MODEL",
        help="Let a language model answer what rules and paths leave open, and choose in recipes: "
        "a model of this machine (graphbrick models list, or "
        "a GGUF file), one of the server that OPENAI_BASE_URL names, or LLM('gpt-4.1', temperature=0.2).",
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        min=1,
        metavar="N",
        help="Longest reply of --llm, in tokens; models that think need 4000 or more.",
    ),
]
BudgetText = Annotated[
    str | None,
    typer.Option(
        "--budget", metavar="LIMITS", help="Stop before it costs more, such as tokens=20000,usd=0.05,seconds=60."
    ),
]
CacheMode = Annotated[
    str,
    typer.Option(
        "--cache",
        metavar="MODE",
        help="Replies of language models: record and reuse them, replay them without any call, or off.",
    ),
]
CacheFile = Annotated[
    Path | None,
    typer.Option("--cache-file", help="Where replies are recorded [replies.sqlite in the user's cache folder]."),
]

cache = typer.Typer(help="Show, export, import or clear recorded replies of models.", no_args_is_help=True)
"""``graphbrick cache``."""


def with_max_tokens(llm: str | None, max_tokens: int | None) -> str | None:
    """Return what ``--llm`` names, with the longest reply that ``--max-tokens`` allows.

    >>> with_max_tokens("gpt-4.1", 4000), with_max_tokens("gpt-4.1", None)
    ("LLM(model='gpt-4.1', max_tokens=4000)", 'gpt-4.1')
    """
    from graphbrick.core.errors import InputError

    if max_tokens is None:
        return llm
    if llm is None:
        raise InputError("--max-tokens is the longest reply of --llm; name the model too", code="cli.no_llm")
    from graphbrick.models.llm.naming import chat_model  # loads what talks to model servers

    return repr(replace(chat_model(llm), max_tokens=max_tokens))  # type: ignore[type-var]


@contextmanager
def limits(budget: str | None, cache_mode: str, cache_file: Path | None) -> Iterator[None]:
    """Context manager that keeps the runs inside to a budget, and records or replays what models reply."""
    if (budget, cache_mode, cache_file) == (None, "off", None):  # most commands, which need none of this
        yield
        return
    from graphbrick.core.errors import InputError
    from graphbrick.core.session import Session
    from graphbrick.models.llm.reply_cache import MODES, current_cache, default_path
    from graphbrick.pipeline.budget import Budget, spending

    if cache_mode not in MODES:
        raise InputError(f"--cache is one of {', '.join(MODES)}, got {cache_mode!r}")
    if cache_mode == "off" and cache_file is not None:
        raise InputError("--cache-file is for --cache record or replay; give it too")
    with ExitStack() as stack:
        if cache_mode != "off":
            stack.enter_context(Session(replies=cache_file or default_path(), reply_mode=cache_mode))
            current_cache()  # so that a file that cannot be used is an error before anything is done
        if budget is not None:
            stack.enter_context(spending(Budget.parse(budget)))
        yield


@cache.command("info")
def cache_info(cache_file: CacheFile = None, as_json: Json = False) -> None:
    """Say where replies are recorded, and how many there are."""
    from graphbrick.cli.printing.terminal import console, print_json
    from graphbrick.models.llm.reply_cache import ReplyCache, default_path

    path = cache_file or default_path()
    there = path.exists()  # a folder is an error
    facts = {
        "path": str(path),
        "replies": len(ReplyCache(path)) if there else 0,
        "bytes": path.stat().st_size if there else 0,
    }
    if as_json:
        print_json(facts)
    else:
        console().print(f"{facts['replies']:,} replies, {facts['bytes']:,} bytes, in {path}")


@cache.command("export")
def cache_export(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="JSON Lines to write.", show_default=False)],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file that is there.")] = False,
    cache_file: CacheFile = None,
) -> None:
    """Write the recorded replies to a file.

    A run can then be repeated elsewhere.
    """
    from graphbrick.cli.printing.terminal import console
    from graphbrick.core.errors import InputError
    from graphbrick.models.llm.reply_cache import ReplyCache, default_path

    path = cache_file or default_path()
    if target.resolve() == path.resolve():
        raise InputError(f"{target} would overwrite the recorded replies; name another file")
    if target.is_file() and not overwrite:
        raise InputError(f"{target} exists; replace it with --overwrite, or name another file")
    written = ReplyCache(path, "replay").export(target)
    console().print(f"{written:,} replies written to {target}")


@cache.command("import")
def cache_import(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="What cache export wrote.", show_default=False)],
    server: Annotated[
        str,
        typer.Option(
            "--server",
            metavar="URL",
            help="The server of replies that were recorded without one, as earlier versions did; local for LocalLLM.",
        ),
    ] = "",
    cache_file: CacheFile = None,
) -> None:
    """Add the replies of a file.

    Replies that are recorded already stay as they are.
    """
    from graphbrick.cli.printing.terminal import console
    from graphbrick.models.llm.reply_cache import ReplyCache, default_path

    path = cache_file or default_path()
    console().print(f"{ReplyCache(path).load(source, server):,} new replies in {path}")


@cache.command("clear")
def cache_clear(cache_file: CacheFile = None) -> None:
    """Remove the recorded replies."""
    from graphbrick.cli.printing.terminal import console
    from graphbrick.models.llm.reply_cache import ReplyCache, default_path

    path = cache_file or default_path()
    removed = ReplyCache(path).clear() if path.exists() else 0
    console().print(f"{removed:,} replies removed from {path}")
