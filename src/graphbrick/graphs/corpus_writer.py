"""Write the passages of a graph beside it; apart from reading them, which must not load a compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.graph import PassageText
from graphbrick.graphs.corpus import (
    BEGIN,
    BETWEEN,
    CLAIM_ENDS,
    CLAIMS,
    DESCRIPTIONS,
    KEYWORDS,
    MENTIONS,
    PLACES,
    SUPPORT,
    SUPPORT_BEGIN,
    WEIGHTS,
    Claim,
    corpus_place,
    searched_text,
)
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.word_index import WORDS, word_index
from graphbrick.graphs.store.writing.string_writer import write_strings


@dataclass
class Support:
    """Support of the triples of a graph by passages, by triple id.

    Attributes:
        weights: float32 [triples], the strength of the support of each triple, above 0.
        begin: int64 [triples + 1], the begin of the passages of each triple.
        passages: int32, the passages, ascending for each triple.
        descriptions: A description for each triple, empty for none.
        keywords: The topics of each triple, most important first.
        claims: Claims about entities, by passage.
    """

    weights: npt.NDArray[np.float32]
    begin: npt.NDArray[np.int64]
    passages: npt.NDArray[np.int32]
    descriptions: Iterable[str]
    keywords: Iterable[Iterable[str]]
    claims: Sequence[Claim] = field(default_factory=list)


def write_corpus(
    graph: Graph,
    passages: Callable[[], Iterable[PassageText]],
    mentions: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]],
    support: Support,
    state: str,
) -> None:
    """Write the passages of a graph beside it.

    Args:
        graph: The graph.
        passages: Returns all passages; their order gives their ids. Called several times, so that they need not all be
            in memory.
        mentions: As `TextGraph.mentions`; the entities of each passage are ascending.
        support: The support of the triples by them.
        state: The hash of the input of the graph; see `TextGraph.text_state`.

    Raises:
        GraphbrickError: They cannot be written.
    """

    def fill(folder: Path) -> dict[str, Any]:
        write_strings(folder, "texts", (passage.text for passage in passages()))
        write_strings(folder, "documents", (passage.document for passage in passages()))
        write_strings(folder, "titles", (passage.title for passage in passages()))
        write_strings(folder, "sections", (passage.section for passage in passages()))
        places = np.array([(passage.start, passage.end) for passage in passages()], dtype=np.int64).reshape(-1, 2)
        np.save(folder / PLACES, places)
        np.save(folder / BEGIN, mentions[0].astype(np.int64))
        np.save(folder / MENTIONS, mentions[1].astype(np.int32))
        _write_support(folder, support)
        word_index(searched_text(passage) for passage in passages()).save(folder)
        return {"passages": len(places), "state": state, "words": WORDS}

    corpus_place(graph).keep("the passages", fill)


def _write_support(folder: Path, support: Support) -> None:
    np.save(folder / WEIGHTS, support.weights.astype(np.float32))
    np.save(folder / SUPPORT_BEGIN, support.begin.astype(np.int64))
    np.save(folder / SUPPORT, support.passages.astype(np.int32))
    write_strings(folder, DESCRIPTIONS, support.descriptions)
    write_strings(folder, KEYWORDS, (BETWEEN.join(map(_one_line, words)) for words in support.keywords))
    write_strings(folder, CLAIMS, (BETWEEN.join(map(_one_line, claim[3:])) for claim in support.claims))
    ends = [(one.subject, -1 if one.object is None else one.object, one.passage) for one in support.claims]
    np.save(folder / CLAIM_ENDS, np.array(ends, dtype=np.int32).reshape(-1, 3))


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
