"""Reading the result of a search from its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.study.statistics.intervals import Interval
from graphbrick.study.tune.result.changes import Effect
from graphbrick.study.tune.result.writing import FIGURES

_TEXTS = {
    "recommended": ("key", "aim", "name", "text"),
    "measured": ("name", "text"),
    "effects": ("of", "what", "text"),
}
_LISTS = ("recommended", "measured", "comparisons", "effects", "bricks", "notes")


def is_search(folder: Path) -> bool:
    """Return whether a folder holds the result of a search."""
    return (folder / FIGURES).is_file()


def read_search(folder: Path) -> dict[str, Any]:
    """Return the result as `write_files` wrote it, with a sentence per effect under ``words``.

    Raises:
        InputError: The folder holds no result, or one that cannot be read.
    """
    file = folder / FIGURES
    try:
        result = json.loads(file.read_text("utf-8"))
        if not _is_result(result):
            raise ValueError("it lacks parts of a result")
        result.setdefault("rules", [])  # a folder of an older version has none
        for effect in result["effects"]:
            effect["words"] = _words(effect)
    except OSError as error:
        raise InputError(
            f"{file} cannot be read ({error.strerror}); name a folder of graphbrick tune", code="tune.no_result"
        ) from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(
            f"{file} is not a result of graphbrick tune of this version ({error}); run the same command again",
            code="tune.bad_result",
            name=file.name,
        ) from error
    return result  # type: ignore[no-any-return]


def _is_result(result: Any) -> bool:
    """Return whether a JSON value has the form of a result, as far as texts and lists go."""
    return (
        isinstance(result, dict)
        and all(isinstance(result.get(name), list) for name in _LISTS)
        and all(isinstance(rule, str) for rule in result.get("rules", ()))
        and all(
            isinstance(entry, dict) and all(isinstance(entry.get(text), str) for text in texts)
            for name, texts in _TEXTS.items()
            for entry in result[name]
        )
    )


def _words(effect: dict[str, Any]) -> str:
    names = ("of", "what", "text", "quality", "p", "seconds", "tokens")
    values = {name: effect[name] for name in names}
    return Effect(**values | {"quality": Interval(**effect["quality"])}).words()
