"""Write the passages of a graph beside it; apart from reading them, which must not load a compiler."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.graph import PassageText
from graphbrick.graphs.corpus import BEGIN, MENTIONS, PLACES, WEIGHTS, corpus_place
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.string_writer import write_strings


def write_corpus(
    graph: Graph,
    passages: Sequence[PassageText],
    mentions: Sequence[Iterable[int]],
    weights: npt.NDArray[np.float32],
    state: str,
) -> None:
    """Write the passages of a graph beside it.

    Args:
        graph: The graph.
        passages: All passages; their order gives their ids.
        mentions: The entities that each of them mentions.
        weights: float32 [triples], how strongly each triple is supported.
        state: What the graph was made from; see `TextGraph.text_state`.

    Raises:
        GraphbrickError: They cannot be written.
    """

    def fill(folder: Path) -> dict[str, Any]:
        write_strings(folder, "texts", (passage.text for passage in passages))
        write_strings(folder, "documents", (passage.document for passage in passages))
        write_strings(folder, "titles", (passage.title for passage in passages))
        write_strings(folder, "sections", (passage.section for passage in passages))
        places = np.array([(passage.start, passage.end) for passage in passages], dtype=np.int64).reshape(-1, 2)
        rows = [np.array(sorted(set(entities)), dtype=np.int32) for entities in mentions]
        begin = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        np.save(folder / PLACES, places)
        np.save(folder / BEGIN, begin)
        np.save(folder / MENTIONS, np.concatenate([np.zeros(0, dtype=np.int32), *rows]))
        np.save(folder / WEIGHTS, weights.astype(np.float32))
        return {"passages": len(passages), "state": state}

    place = corpus_place(graph)
    try:
        place.write(fill)
    except OSError as error:
        raise GraphbrickError(
            f"the passages of {graph.path} cannot be kept in {place.parent} ({error.strerror or error}); "
            "put the graph where that folder can be written"
        ) from error
