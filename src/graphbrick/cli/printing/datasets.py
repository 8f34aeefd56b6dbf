"""Terminal output of the commands about data sets."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.terminal import console, plain, print_json
from graphbrick.questions.fetching import Fetched, describe, fetched_splits, folder
from graphbrick.questions.table import Dataset

_UNCHECKED = "nothing could be checked: the table of data sets has no sha256"


def print_datasets(datasets: list[Dataset], *, as_json: bool) -> None:
    """Print every known data set, and which of its splits were fetched."""
    if as_json:
        print_json([describe(dataset) for dataset in datasets])
        return
    table = Table("data set", "about", "licence", "splits", "fetch", "fetched", box=None, pad_edge=False)
    for dataset in datasets:
        how = "yes" if dataset.files else "by hand" if dataset.by_hand else "no"
        cells = [dataset.graph, dataset.licence, " ".join(dataset.splits), how, " ".join(fetched_splits(dataset))]
        table.add_row(Text(dataset.name, style="bold"), *map(Text, cells))
    console().print(table)
    console().print(Text(plain(f"kept in {folder()}; graphbrick datasets show NAME tells more")))


def print_dataset(dataset: Dataset, *, as_json: bool) -> None:
    """Print all fields of a data set."""
    if as_json:
        print_json(describe(dataset))
        return
    rows = [("title", dataset.title), ("paper", dataset.paper), ("page", dataset.page), ("licence", dataset.licence)]
    rows += [("graph", dataset.graph), ("form", dataset.form), ("note", dataset.note)]
    for file in dataset.files:
        size = f"{file.bytes:,} bytes, " if file.bytes else ""
        rows.append(("file", f"{file.url} ({size}sha256 {file.sha256 or 'not known'})"))
    rows += [("by hand", f"{split}: {folder() / dataset.name / path}") for split, path in dataset.by_hand]
    rows.append(("splits", " ".join(dataset.splits)))
    rows.append(("fetched", " ".join(fetched_splits(dataset)) or "no"))
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in rows:
        if value:
            table.add_row(Text(name, style="bold"), Text(plain(value)))
    console().print(table)


def print_fetched(fetched: Fetched, *, named: bool, as_json: bool) -> None:
    """Print folder, licence and checksums; with ``named`` also how to use the data set by its name."""
    dataset = fetched.dataset
    if as_json:
        print_json(fetched.to_dict())
        return
    out = console()
    for file in fetched.files:
        out.print(Text(plain(f"{file.split or 'file'}: {file.path}")), soft_wrap=True)
    for source, (checksum, checked) in {f.source: (f.sha256, f.checked) for f in fetched.files}.items():
        checked_as = "as expected" if checked else _UNCHECKED
        out.print(Text(plain(f"{source}: sha256 {checksum} ({checked_as})")), soft_wrap=True)
    out.print(Text(plain(f"licence: {dataset.licence}; see {dataset.page}")), soft_wrap=True)
    if named and dataset.splits:
        one = f"{dataset.name}:{dataset.splits[-1]}"
        out.print(Text(f"graphbrick evaluate GRAPH {one} takes it by its name"), soft_wrap=True)
