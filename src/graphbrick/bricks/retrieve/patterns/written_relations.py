"""Paths along relations that a small trained model writes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.core import Evidence, Path, Query, Subgraph, seeds_of
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.models.llm.replies.replies import one_line
from graphbrick.patterns.planned.relation_model import Relation, load_writer
from graphbrick.patterns.planned.relation_paths import Hop, instances
from graphbrick.patterns.text import masked
from graphbrick.pipeline import RetrieveStage


@dataclass(frozen=True, repr=False)
class WrittenRelations(RetrieveStage):
    """Every instance of the relation sequences that a small trained model writes, as in GSR.

    The model (``graphbrick train writer``) writes sequences of relations of the graph by beam search. The first
    ``beams`` of them that some seed has an instance of are kept; those that it has none of are passed over. No path
    visits an entity twice.

    Args:
        model: The file that ``graphbrick train writer`` wrote.
        beams: Sequences kept, at least 1.
        tried: Sequences written, at least 1.
        cap: Most paths, at least 1; reaching it is an event.

    Returns:
        Paths in the order of the sequences, then of the seeds, then of their triples. The score is the probability of
        the sequence.

    Raises:
        ModelError: The file is missing or damaged, or its embedder is not installed.
    """

    paper = "Huang et al., Less is More: Making Smaller Language Models Competent Subgraph Retrievers, EMNLP 2024"

    model: str = parameter(path=True, example="films.writer")
    beams: int = parameter(3, at_least=1, search=(1, 3, 5))
    tried: int = parameter(16, at_least=1, search=(8, 16, 32))
    cap: int = parameter(10_000, at_least=1)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the instances of the sequences that ground."""
        graph, seeds = subgraph.graph, seeds_of(query, subgraph)
        seeds = seeds if subgraph.nodes is None else subgraph.nodes[seeds]
        learned, model = load_writer(self.model)
        question = query.text
        names = {query.name_of(seed, graph.label(seed)) for seed in seeds.tolist()}
        for name in sorted(names, key=lambda name: (-len(name), name)):
            question = masked(question, name)
        sequences = model.written(learned.embedder.embed([question])[0].astype(np.float32), self.tried)
        ids = _ids(subgraph)
        paths: dict[Path, None] = {}
        grounded = 0
        for probability, sequence in sequences:
            hops = [ids.get(relation, frozenset[tuple[int, bool]]()) for relation in sequence]
            before = len(paths)
            for seed in seeds.tolist() if all(hops) else ():
                for instance in instances(graph, seed, hops, subgraph.triples):
                    if len(paths) == self.cap:
                        event(f"stopped at the cap of {self.cap:,} paths (cap)", "written_relations.cap", cap=self.cap)
                        return Evidence(tuple(paths))
                    paths.setdefault(Path(graph, *instance, probability, repr(self)))
            grounded += len(paths) > before
            if grounded == self.beams:
                break
        fact(sequences_kept=grounded)
        if not paths and len(seeds):
            event(
                f"none of the {len(sequences)} sequences that were written is found at the seeds",
                "written_relations.no_match",
                n=len(sequences),
            )
        return Evidence(tuple(paths))


def _ids(subgraph: Subgraph) -> dict[Relation, Hop]:
    """Return the relations of a label and direction."""
    graph = subgraph.graph
    ids_of: dict[Relation, set[tuple[int, bool]]] = {}
    for relation in range(graph.n_relations):
        for forward in (True, False):
            for label in {graph.relation_label(relation), one_line(graph.relation_label(relation))}:
                ids_of.setdefault((label, forward), set()).add((relation, forward))
    return {relation: frozenset(ids) for relation, ids in ids_of.items()}
