"""The searches for pipelines that a server shows: folders that ``graphbrick tune`` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files.digests import file_stamp
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.parsing import parse
from graphbrick.study.tune.result.reading import is_search, read_search
from graphbrick.study.tune.result.writing import FIGURES


class Searches:
    """Reads the folders of searches anew when they change.

    Args:
        places: Folders of searches, or folders of such folders.
    """

    def __init__(self, places: Sequence[str]) -> None:
        self._places = [Path(place) for place in places]
        self._pipelines: dict[Path, tuple[object, list[Pipeline]]] = {}

    def folders(self) -> dict[str, Path]:
        """Return the folders by name; those within a folder are looked for anew, as searches add them."""
        named: dict[str, Path] = {}
        for place in self._places:
            within = [] if is_search(place) or not place.is_dir() else sorted(filter(is_search, place.iterdir()))
            for folder in within or [place]:
                name, number = folder.resolve().name, 1
                while name in named:
                    number += 1
                    name = f"{folder.resolve().name}-{number}"
                named[name] = folder
        return named

    def pipelines(self) -> list[Pipeline]:
        """Return the pipelines of all results, which clients may run; those that cannot be read are left out."""
        runnable: list[Pipeline] = []
        for folder in self.folders().values():
            stamp = file_stamp(folder / FIGURES)
            if folder not in self._pipelines or self._pipelines[folder][0] != stamp:
                self._pipelines[folder] = stamp, _pipelines(folder)
            runnable += self._pipelines[folder][1]
        return runnable


def _pipelines(folder: Path) -> list[Pipeline]:
    try:
        result: dict[str, Any] = read_search(folder)
    except GraphbrickError:
        return []  # the list of searches says why
    pipelines = []
    for text in dict.fromkeys(entry["text"] for name in ("recommended", "measured") for entry in result[name]):
        try:
            pipelines.append(parse(text))
        except GraphbrickError:
            continue  # with a plug-in that is not installed here; the page says so when it is used
    return pipelines
