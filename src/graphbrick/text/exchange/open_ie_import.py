"""Make a graph from the OpenIE file of HippoRAG: passages and triples in one step."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.build.atomic import check_place
from graphbrick.language.counting import counted
from graphbrick.text.documents.chunks import ByTokens
from graphbrick.text.documents.imported import Imported
from graphbrick.text.extract.from_file import FromFile
from graphbrick.text.indexing.indexing import index
from graphbrick.text.sources.tables import SourceOptions

_WHOLE = ByTokens(n=100_000, overlap=0)  # a passage of the file stays one
_READ = 4096


def is_open_ie(source: Path) -> bool:
    """Return whether a file is an OpenIE file of HippoRAG: ``openie_results_ner_gpt-4o-mini.json``."""
    if not source.is_file() or source.suffix != ".json":
        return False
    with source.open("rb") as file:
        return b'"docs"' in file.read(_READ)


def import_open_ie(source: str | PathLike[str], path: str | PathLike[str], *, overwrite: bool = False) -> Imported:
    """Make a graph from HippoRAG's OpenIE file: its triples, and each passage as a document.

    It is ``graphbrick index FILE GRAPH --extract "FromFile('FILE')"`` with whole passages, which also brings the graph
    up to date.

    Args:
        source: The file, with a list ``docs`` of objects with ``idx``, ``passage`` and ``extracted_triples``.
        path: The graph folder to make.
        overwrite: Bring a graph up to date that was imported from the file earlier.

    Raises:
        InputError: The file cannot be read, or is of another form.
        GraphbrickError: ``path`` cannot be written, or holds something else.
    """
    file = Path(source).absolute()
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"it cannot be read as JSON ({error})", file, code="import_open_ie.not_json") from error
    if not isinstance(value, dict) or not isinstance(value.get("docs"), list):
        raise InputError(
            "the OpenIE file of HippoRAG is a JSON object with a list docs", file, code="import_open_ie.no_docs"
        )
    if not overwrite:
        check_place(Path(path), overwrite=False)
    done = index(
        [file],
        path,
        chunker=_WHOLE,
        extractor=FromFile(str(file)),
        options=SourceOptions(text="passage", key="idx"),
        skip_bad=True,
    )
    if done.reading.problems:
        raise InputError(done.reading.problems[0][1], file, code="import_open_ie.bad_documents")
    notes = [f"without a triple: {counted(len(done.empty), 'passage')}"] if done.empty else []
    notes += [f"triples left out: {count:,} {reason}" for reason, count in done.extraction.dropped.most_common()]
    return Imported(done.graph, 0, 0, 0, notes)
