"""The commands that serve graphs; `graphbrick.cli.app` gives them their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphbrick.cli.llm import BudgetText, LLMName, MaxTokens

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.serve.options import ServeOptions
    from graphbrick.serve.start import Listening

Graphs = Annotated[
    list[str],
    typer.Argument(
        metavar="GRAPH...", help="Folders or addresses of graphs; NAME=PLACE names one.", show_default=False
    ),
]
Recipes = Annotated[
    list[str] | None,
    typer.Option("--recipe", "-r", metavar="NAME=TEXT", help="A further recipe, or the name of a published one."),
]
Timeout = Annotated[float, typer.Option(min=0.001, metavar="SECONDS", help="Longest run.")]
Host = Annotated[str, typer.Option(metavar="NAME", help="Address to listen on; others need a token.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for a free one.")]
Token = Annotated[
    str | None,
    typer.Option(metavar="TEXT", envvar="GRAPHBRICK_TOKEN", help="What clients must send as a bearer token."),
]
Browse = Annotated[bool, typer.Option("--open", help="Open the page in a browser.")]


def serve(
    graphs: Graphs,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    token: Token = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Listen for other machines without a token: anybody there may ask.")
    ] = False,
    recipe: Recipes = None,
    llm: LLMName = None,
    max_tokens: MaxTokens = None,
    budget: BudgetText = None,
    study: Annotated[
        list[str] | None, typer.Option(metavar="RUNS", help="File of graphbrick evaluate, or a folder of them.")
    ] = None,
    tuned: Annotated[
        list[str] | None, typer.Option(metavar="FOLDER", help="Folder of graphbrick tune, or a folder of them.")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Answers that clients may label, from graphbrick judge sample."),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Let clients upload and delete documents, and mark answers.")
    ] = False,
    trust_recipes: Annotated[
        bool, typer.Option("--trust-recipes", help="Run recipes of clients with files, models and any size.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    runs: Annotated[int | None, typer.Option(min=1, help="Runs at once in a worker [its processors].")] = None,
    model_runs: Annotated[int, typer.Option(min=1, help="Runs with a language model at once in a worker.")] = 32,
    queue: Annotated[int, typer.Option(min=1, help="Requests that may wait in a worker; others get 429.")] = 256,
    timeout: Timeout = 60.0,
    max_body: Annotated[float, typer.Option(min=0.001, metavar="MB", help="Largest request.")] = 1.0,
    max_document: Annotated[float, typer.Option(min=0.001, metavar="MB", help="Largest document.")] = 32.0,
    origin: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="Web pages of this origin may call the server (CORS).")
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Another name under which the server is reached.")
    ] = None,
    telemetry: Annotated[bool, typer.Option("--telemetry", help="Send OpenTelemetry traces and metrics.")] = False,
    access_log: Annotated[bool, typer.Option("--access-log/--no-access-log", help="Log requests.")] = True,
    browse: Browse = False,
) -> None:
    """Serve graphs over HTTP: a web page, REST, OpenAI API, MCP."""
    from dataclasses import replace

    from graphbrick.core.compute import usable_cores
    from graphbrick.core.errors import InputError

    needed()
    from graphbrick.serve.limits.guard import host_of
    from graphbrick.serve.options import ServeOptions, named_places
    from graphbrick.serve.start import LOOPBACK, LOOPBACK_HOSTS, Listening, check_exposure

    listening = Listening(host, port, workers, access_log)
    options = ServeOptions(
        named_places(graphs),
        recipes=_recipes(recipe or []),
        llm=_model(llm, max_tokens),
        token=token or "",
        origins=_origins(origin or []),
        trust_recipes=trust_recipes,
        write=write,
        studies=tuple(study or ()),
        tuned=tuple(tuned or ()),
        labels=labels or "",
        kernels=runs or usable_cores(),
        model_runs=model_runs,
        queue=queue,
        **_limits(budget, timeout),
        body_bytes=int(_finite("--max-body", max_body) * 2**20),
        document_bytes=int(_finite("--max-document", max_document) * 2**20),
        telemetry=telemetry,
    )
    if labels and workers > 1:
        raise InputError("--labels needs one process, as one writes the file; leave --workers out")
    check_exposure(listening, options, no_token=no_token)
    if allow_host or (host in LOOPBACK and not token):
        options = replace(options, hosts=(*LOOPBACK_HOSTS, *map(host_of, allow_host or ())))
    run_server(options, listening, browse=browse)


def mcp(
    graphs: Graphs,
    recipe: Recipes = None,
    llm: LLMName = None,
    max_tokens: MaxTokens = None,
    budget: BudgetText = None,
    timeout: Timeout = 60.0,
) -> None:
    """Give an assistant tools over graphs by MCP.

    The tools, such as schema, search, paths and answer, are served on standard input and output.
    """
    import threading

    needed()
    from graphbrick.serve.options import ServeOptions, named_places
    from graphbrick.serve.service import Service
    from graphbrick.serve.start import log_to_stderr
    from graphbrick.serve.tools import mcp_server

    log_to_stderr(access=False)
    service = Service(
        ServeOptions(
            named_places(graphs),
            recipes=_recipes(recipe or []),
            llm=_model(llm, max_tokens),
            **_limits(budget, timeout),
        )
    )
    service.start()
    threading.Thread(target=service.warm, name="graphbrick-warm", daemon=True).start()
    try:
        mcp_server(service).run("stdio")
    finally:
        service.close()


def _model(llm: str | None, max_tokens: int | None) -> str:
    from graphbrick.cli.llm import with_max_tokens
    from graphbrick.models.llm.naming import model_text

    named = with_max_tokens(llm, max_tokens)
    return "" if named is None else model_text(named)


def _origins(texts: list[str]) -> tuple[str, ...]:
    """Return the origins as browsers send them, without a path."""
    from urllib.parse import urlsplit

    from graphbrick.core.errors import InputError

    origins = []
    for text in texts:
        address = urlsplit(text)
        if text != "*" and (not address.netloc or address.path.strip("/")):
            raise InputError(f"--origin is scheme and host, as in https://page.example, got {text!r}")
        origins.append(text if text == "*" else f"{address.scheme}://{address.netloc}".lower())
    return tuple(origins)


def _limits(budget: str | None, timeout: float) -> dict[str, Any]:
    """Return the limits of one request."""
    from graphbrick.pipeline.budget import Budget

    timeout = _finite("--timeout", timeout)
    limits = Budget() if budget is None else Budget.parse(budget)
    return {"seconds": min(timeout, limits.seconds or timeout), "tokens": limits.tokens, "usd": limits.usd}


def _finite(option: str, value: float) -> float:
    """Return what an option gives; infinity is an error."""
    from math import isfinite

    from graphbrick.core.errors import InputError

    if not isfinite(value):
        raise InputError(f"{option} must be a finite number, got {value}")
    return value


def needed() -> None:
    """Raise ModelError unless the packages of the server are installed."""
    from importlib.util import find_spec

    from graphbrick.core.errors import ModelError

    for name in ("fastapi", "uvicorn", "mcp"):
        if find_spec(name) is None:
            raise ModelError(f"the server needs {name}, which is not installed: pip install 'graphbrick[serve]'")


def run_server(options: ServeOptions, listening: Listening, *, browse: bool = False) -> None:
    """Serve until a signal stops it, and print the address."""
    from graphbrick.serve.start import serve

    def started(address: str) -> None:
        page = f"{address}/"
        typer.echo(f"serving {', '.join(options.graphs)} at {page}; Ctrl-C stops it")
        if browse:
            import webbrowser

            webbrowser.open(page)

    serve(options, listening, started)


def _recipes(texts: list[str]) -> dict[str, str]:
    """Return recipe texts by name; a published recipe may be named alone."""
    from graphbrick.core.errors import InputError
    from graphbrick.recipes import recipe as find

    recipes = {}
    for text in texts:
        name, equals, pipeline = text.partition("=")
        if not equals or "(" in name:
            name, pipeline = find(text).name, text
        if name.strip() in recipes or name.strip() == "default":
            raise InputError(f"there is a recipe {name.strip()!r} already; give it another name")
        recipes[name.strip()] = pipeline
    return recipes
