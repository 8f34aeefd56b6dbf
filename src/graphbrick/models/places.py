"""Names of text models: those of ``graphbrick models list``, folders, and names of a hub."""

from __future__ import annotations

import os
from pathlib import Path


def folder_of(model: str, brick: str = "") -> Path:
    """Return the folder that the name of a text model means; there may be none, if it is a name of the hub.

    Args:
        model: A model of ``graphbrick models list``, a folder, or a name of the Hugging Face hub.
        brick: The brick that reads the model, such as "CrossEncoder"; empty for any.

    Raises:
        ModelError: A listed model was not fetched, or another brick reads it; or a folder here has its name too.
    """
    if _is_path(model):
        return Path(model).expanduser()
    from graphbrick.models.store import listed  # only now: it loads what fetching needs

    return listed(model, brick) or Path(model)


def template_of(model: str) -> str:
    """Return how a listed re-ranker wants question and text as one text; empty for all others."""
    if _is_path(model):
        return ""
    from graphbrick.models.store import known

    return known()[model].template if model in known() else ""


def called(model: str) -> str:
    """Return the subject of an error about a model of a hub: its name, and the listed models that it may mean.

    >>> called("BAAI/bge-small-en-v1.5")
    'BAAI/bge-small-en-v1.5'
    >>> called("rerankr")
    "'rerankr' is no folder and no listed model (did you mean reranker?); as a hub's name it"
    """
    listed = near(model)
    return f"{model!r} is no folder and no listed model ({listed.strip()}); as a hub's name it" if listed else model


def near(model: str) -> str:
    """Return which listed models a wrong name may mean, with a space before it; empty for a path or an owner's name."""
    if _is_path(model):
        return ""
    from graphbrick.models.store import suggestion

    return f" {suggestion(model)}"


def _is_path(model: str) -> bool:
    """Return whether a name cannot be that of a listed model."""
    return "/" in model or os.sep in model
