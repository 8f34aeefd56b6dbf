"""Import graphs that other programs made from text."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from graphbrick.core.errors import InputError
from graphbrick.text.documents.imported import Imported
from graphbrick.text.exchange.graphrag.importing import import_graphrag
from graphbrick.text.exchange.graphrag.tables import is_graphrag
from graphbrick.text.exchange.lightrag.importing import import_lightrag
from graphbrick.text.exchange.lightrag.storage import is_lightrag
from graphbrick.text.exchange.open_ie_import import import_open_ie, is_open_ie


class Form(NamedTuple):
    """A form of folder or file that can be imported.

    Attributes:
        fits: Whether a folder or file is of this form.
        read: Makes a graph from one.
    """

    fits: Callable[[Path], bool]
    read: Callable[..., Imported]


FORMS = {
    "graphrag": Form(is_graphrag, import_graphrag),
    "lightrag": Form(is_lightrag, import_lightrag),
    "hipporag": Form(is_open_ie, import_open_ie),
}


def import_graph(
    source: str | PathLike[str], path: str | PathLike[str], *, form: str | None = None, overwrite: bool = False
) -> Imported:
    """Make a graph from the files that another program made from text.

    Args:
        source: The output folder of Microsoft GraphRAG, the storage folder of LightRAG, or the OpenIE file of HippoRAG.
        path: The graph folder to make.
        form: "graphrag", "lightrag" or "hipporag"; recognised from the files by default.
        overwrite: Replace a graph that was imported earlier.

    Raises:
        InputError: It is of no known form, or damaged.
        GraphbrickError: ``path`` cannot be written, or holds something else.
    """
    folder, names = Path(source), ", ".join(FORMS)
    if form is not None and form not in FORMS:
        raise InputError(
            f"there is no import of the form {form!r}; choose one of: {names}", code="import.unknown_form", form=form
        )
    known_form = form or next((name for name, one in FORMS.items() if one.fits(folder)), None)
    if known_form is None:
        raise InputError(
            f"{folder} is not of a form that can be imported ({names}); documents and triples are read by "
            "graphbrick index and build",
            code="import.no_form",
        )
    return FORMS[known_form].read(folder, path, overwrite=overwrite)
