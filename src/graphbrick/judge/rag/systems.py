"""The systems of an evaluation on documents: how each makes its graph, and how it answers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.naming import with_model
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.parsing import parse, parse_brick
from graphbrick.recipes import recipe
from graphbrick.text.documents.chunks import Chunker
from graphbrick.text.extract.extraction import Extractor

_LONGEST = 100  # bytes of the name of a folder
_NO_NAME = re.compile(r"[^\w.+-]+")
_TEXTS = ("name", "pipeline", "extract", "chunks", "published")
_KEYS = (*_TEXTS, "communities", "reports")
_RECIPES = ("pipeline", "extract", "chunks", "reports")


@dataclass(frozen=True)
class RagSystem:
    """One system.

    Attributes:
        name: Its name in tables.
        pipeline: How it answers.
        extractor: Finds the entities of its graph; None for the default of `graphbrick.text.index`.
        chunker: Cuts documents into passages; None for the default.
        communities: Whether nested communities of entities are found.
        reports: Whether there are reports on them.
        reporter: The model that writes these; None for sentences of the documents.
        published: Name of the recipe whose published figures stand beside its own; empty for none.
    """

    name: str
    pipeline: Pipeline
    extractor: Extractor | None = None
    chunker: Chunker | None = None
    communities: bool = False
    reports: bool = False
    reporter: ChatModel | None = None
    published: str = ""

    @classmethod
    def of_text(
        cls,
        name: str,
        pipeline: str | Pipeline,
        *,
        extract: str = "",
        chunks: str = "",
        communities: bool = False,
        reports: bool | str = False,
        published: str = "",
    ) -> RagSystem:
        """Return a system whose bricks are given as recipe text.

        Args:
            name: Its name.
            pipeline: How it answers.
            extract: The extractor; empty for the default.
            chunks: The chunker; empty for the default.
            communities: Whether communities are found.
            reports: Whether there are reports, or the model that writes them.
            published: Name of the recipe whose published figures stand beside its own; empty for none.

        Raises:
            GraphbrickError: A text is not that of such a brick, or there is no such recipe.
        """
        extractor = parse_brick(extract) if extract else None
        chunker = parse_brick(chunks) if chunks else None
        if not isinstance(extractor, Extractor | None) or not isinstance(chunker, Chunker | None):
            raise InputError(
                "extract is a brick such as Phrases(), chunks one such as ByHeading(n=200)", code="rag_system.bad_brick"
            )
        reporter = parse_brick(reports) if isinstance(reports, str) and reports else None
        if not isinstance(reporter, ChatModel | None):
            raise InputError(
                f"reports are written by a language model such as LLM(), got {reports}", code="rag_system.bad_reporter"
            )
        answering = parse(pipeline) if isinstance(pipeline, str) else pipeline
        named = recipe(published).name if published else ""
        return cls(name, answering, extractor, chunker, communities or bool(reports), bool(reports), reporter, named)

    @property
    def folder(self) -> str:
        """Name of the folder of its graph.

        >>> from graphbrick import parse
        >>> RagSystem("recipe 12, llm=a/b", parse("PPR()")).folder
        'recipe-12-llm-a-b'
        """
        name = _NO_NAME.sub("-", self.name).strip("-.") or "system"
        if len(name.encode()) <= _LONGEST:
            return name
        return f"{name.encode()[:_LONGEST].decode(errors='ignore')}-{sha256(name.encode()).hexdigest()[:8]}"


def default_systems(answer: str) -> list[RagSystem]:
    """Return three systems that index without a model: by words, by meaning, and by graph walks.

    Args:
        answer: Recipe text of the stage that answers from passages, such as ``Quote(MiniLM())``.
    """
    texts = {
        "words": f"Passages(n=5) >> {answer}",
        "meaning": f"Passages(MiniLM(), n=5, by='meaning') >> {answer}",
        "walk": f"PassageRank(MiniLM(), n=5, facts=0) >> {answer}",
    }
    return [RagSystem(name, parse(text)) for name, text in texts.items()]


def read_systems(file: Path, llm: str | None = None) -> list[RagSystem]:
    """Return the systems of a TOML file: tables ``[[system]]`` with ``name`` and ``pipeline``.

    ``extract`` and ``chunks`` are bricks as for ``graphbrick index``; ``communities = true`` finds communities;
    ``reports = true`` makes reports on them of sentences, ``reports = "LLM('...')"`` lets a model write them.
    ``published`` names a recipe whose published figures stand beside those of the system.

    Args:
        file: The file.
        llm: A language model that stands for every ``LLM()`` without a name, as for ``--llm``; None for none.

    Raises:
        InputError: The file cannot be read, or a table is not as described.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"it cannot be read as TOML ({error})", file, code="rag_system.not_toml") from error
    tables = content.get("system")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        reason = "it has no [[system]]; give each system a table with a name and a pipeline"
        raise InputError(reason, file, code="rag_system.no_table")
    return [_system(table, number, file, llm) for number, table in enumerate(tables, 1)]


def _system(table: Mapping[str, Any], number: int, file: Path, llm: str | None) -> RagSystem:
    unknown = [key for key in table if key not in _KEYS]
    if unknown:
        reason = f"system {number} has {unknown[0]!r}; there is {', '.join(_KEYS)}"
        raise InputError(reason, file, code="rag_system.unknown_key", number=number, key=unknown[0])
    wrong = [key for key in _TEXTS if not isinstance(table.get(key, ""), str)]
    wrong += [] if isinstance(table.get("communities", False), bool) else ["communities"]
    wrong += [] if isinstance(table.get("reports", False), bool | str) else ["reports"]
    if wrong:
        reason = f"system {number}: {wrong[0]} has a value of another type"
        raise InputError(reason, file, code="rag_system.bad_type", number=number, key=wrong[0])
    if not table.get("name") or not table.get("pipeline"):
        raise InputError(
            f"system {number} needs a name and a pipeline", file, code="rag_system.incomplete", number=number
        )
    try:
        filled: dict[str, Any] = {
            key: with_model(value, llm) if llm and key in _RECIPES and isinstance(value, str) else value
            for key, value in table.items()
        }
        return RagSystem.of_text(**filled)
    except GraphbrickError as error:
        raise InputError(
            f"system {number} ({table['name']}): {error}",
            file,
            code="rag_system.bad_system",
            number=number,
            name=table["name"],
        ) from error
