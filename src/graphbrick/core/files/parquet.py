"""The package that reads and writes Parquet files, which is large and an extra."""

from __future__ import annotations

from importlib import import_module

from graphbrick.core.errors import ModelError


def require_pyarrow(what: str) -> None:
    """Raise unless pyarrow is installed.

    Args:
        what: What needs it: the subject of the message.

    Raises:
        ModelError: It is not installed; the message names the extra.
    """
    try:
        import_module("pyarrow")
    except ModuleNotFoundError as error:
        text = f"{what} needs the package pyarrow: pip install 'graphbrick[parquet]'"
        raise ModelError(text, code="parquet.not_installed", package="pyarrow") from error
