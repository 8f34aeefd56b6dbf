"""The systems of an evaluation on documents: how each makes its graph, and how it answers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.parsing import parse, parse_brick
from graphbrick.text.chunks import Chunker
from graphbrick.text.extraction import Extractor

_NO_NAME = re.compile(r"[^\w.+-]+")
_KEYS = ("name", "pipeline", "extract", "chunks", "communities")


@dataclass(frozen=True)
class RagSystem:
    """One system.

    Attributes:
        name: Its name in tables.
        pipeline: How it answers.
        extractor: Finds the entities of its graph; None for the default of `graphbrick.text.index`.
        chunker: Cuts documents into passages; None for the default.
        communities: Whether nested communities of entities are found.
    """

    name: str
    pipeline: Pipeline
    extractor: Extractor | None = None
    chunker: Chunker | None = None
    communities: bool = False

    @property
    def folder(self) -> str:
        """Name of the folder of its graph.

        >>> from graphbrick import parse
        >>> RagSystem("recipe 12, llm=a/b", parse("PPR()")).folder
        'recipe-12-llm-a-b'
        """
        return _NO_NAME.sub("-", self.name).strip("-.") or "system"


def default_systems(answer: str) -> list[RagSystem]:
    """Return three systems without a model at indexing: passages by words, by meaning, and by walks over the graph.

    Args:
        answer: Recipe text of the stage that answers from passages, such as ``Quote(MiniLM())``.
    """
    texts = {
        "words": f"Passages(n=5) >> {answer}",
        "meaning": f"Passages(MiniLM(), n=5, by='meaning') >> {answer}",
        "walk": f"PassageRank(MiniLM(), n=5, facts=0, names=1.0) >> {answer}",
    }
    return [RagSystem(name, parse(text)) for name, text in texts.items()]


def read_systems(file: Path) -> list[RagSystem]:
    """Return the systems of a TOML file: tables ``[[system]]`` with ``name`` and ``pipeline``.

    ``extract`` and ``chunks`` are bricks as for ``graphbrick index``; ``communities = true`` finds communities.

    Raises:
        InputError: The file cannot be read, or a table is not as described.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"it cannot be read as TOML ({error})", file) from error
    tables = content.get("system")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise InputError("it has no [[system]]; give each system a table with a name and a pipeline", file)
    return [_system(table, number, file) for number, table in enumerate(tables, 1)]


def _system(table: Mapping[str, Any], number: int, file: Path) -> RagSystem:
    unknown = [key for key in table if key not in _KEYS]
    if unknown:
        raise InputError(f"system {number} has {unknown[0]!r}; there is {', '.join(_KEYS)}", file)
    wrong = [key for key in _KEYS[:4] if not isinstance(table.get(key, ""), str)]
    if wrong or not isinstance(table.get("communities", False), bool):
        raise InputError(f"system {number}: {wrong[0] if wrong else 'communities'} has a value of another type", file)
    if not table.get("name") or not table.get("pipeline"):
        raise InputError(f"system {number} needs a name and a pipeline", file)
    try:
        extractor = parse_brick(table["extract"]) if table.get("extract") else None
        chunker = parse_brick(table["chunks"]) if table.get("chunks") else None
        if not isinstance(extractor, Extractor | None) or not isinstance(chunker, Chunker | None):
            raise InputError("extract is a brick such as Phrases(), chunks one such as ByHeading(n=200)")
        return RagSystem(
            table["name"], parse(table["pipeline"]), extractor, chunker, communities=table.get("communities", False)
        )
    except GraphbrickError as error:
        raise InputError(f"system {number} ({table['name']}): {error}", file) from error
