"""The commands that need no graph: `bricks`, `recipes` and `demo`; `graphbrick.cli.app` gives them their names."""

from __future__ import annotations

from typing import Annotated

import typer

from graphbrick.cli.options import Json
from graphbrick.cli.serve import Browse, Port

# Everything else is imported where it is used, so that help is shown at once.


def bricks(
    names: Annotated[list[str] | None, typer.Argument(metavar="[BRICK]...", help="Only these, in full.")] = None,
    as_json: Json = False,
) -> None:
    """List bricks with their parameters and papers."""
    from graphbrick.cli.printing.bricks import print_bricks

    print_bricks(names or (), as_json=as_json)


def recipes(
    name: Annotated[str | None, typer.Argument(metavar="[RECIPE]", help="One of them, with all that is known.")] = None,
    as_json: Json = False,
) -> None:
    """List the published recipes, or show one."""
    from graphbrick.cli.printing.bricks import print_recipe, print_recipes
    from graphbrick.recipes import all_recipes
    from graphbrick.recipes import recipe as find

    if name is None:
        print_recipes(list(all_recipes().values()), as_json=as_json)
    else:
        print_recipe(find(name), as_json=as_json)


def demo(
    text: Annotated[
        bool, typer.Option("--text", help="Ask documents instead: the Python language reference, with citations.")
    ] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Serve the graph and its page on this machine.")] = False,
    port: Port = 8000,
    browse: Browse = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build the graph again.")] = False,
) -> None:
    """Build a graph of the world and answer questions over it.

    The questions have one, two and three hops. With --text, documents are asked instead.
    """
    if serve:
        from graphbrick.cli.demo import serve_demo

        serve_demo(port, rebuild=rebuild, browse=browse)
    elif text:
        from graphbrick.cli.demo_text import run_text_demo

        run_text_demo(rebuild=rebuild)
    else:
        from graphbrick.cli.demo import run_demo

        run_demo(rebuild=rebuild)
