"""The commands about published data sets of questions; `graphbrick.cli.app` gives them their name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphbrick.cli.options import Json

# Everything else is imported where it is used, so that help is shown at once.
app = typer.Typer(
    name="datasets",
    help="List, show and fetch published data sets of questions.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

_Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A data set (graphbrick datasets list).", show_default=False)
]


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the data sets that are known, and say which were fetched."""
    from graphbrick.cli.printing.datasets import print_datasets
    from graphbrick.questions.table import known

    print_datasets(list(known().values()), as_json=as_json)


@app.command()
def show(name: _Name, as_json: Json = False) -> None:
    """Show what is known of a data set: paper, licence, page, files."""
    from graphbrick.cli.printing.datasets import print_dataset
    from graphbrick.questions.table import published

    print_dataset(published(name), as_json=as_json)


@app.command()
def fetch(
    name: _Name,
    to: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where its files go [its own in the user's cache folder].")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only the files that hold it: train, dev or test [all].")] = None,
    as_json: Json = False,
) -> None:
    """Fetch a data set from where its authors publish it.

    A fetch that was interrupted goes on with what is there.
    """
    from graphbrick.cli.printing.datasets import print_fetched
    from graphbrick.cli.progress import progress
    from graphbrick.questions.fetching import fetch_dataset

    with progress(unit="bytes") as report:
        fetched = fetch_dataset(name, to, split=split, progress=report)
    print_fetched(fetched, named=to is None, as_json=as_json)


@app.command()
def path(
    name: Annotated[
        str, typer.Argument(metavar="NAME[:SPLIT]", help="A data set, or a split of it.", show_default=False)
    ],
) -> None:
    """Print where the files of a data set lie that was fetched."""
    from graphbrick.questions.fetching import fetched_splits, split_files
    from graphbrick.questions.table import published

    of, colon, split = name.partition(":")
    dataset = published(of)
    for one in [split] if colon else fetched_splits(dataset) or dataset.splits or [""]:
        for file in split_files(of, one):
            typer.echo(file)
