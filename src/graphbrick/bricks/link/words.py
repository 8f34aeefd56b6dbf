"""Words of questions that are not names: function words, titles, types and relations."""

from __future__ import annotations

import re
from itertools import pairwise

from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.language.folding import fold
from graphbrick.language.stems import root, spaced
from graphbrick.language.stop_words import QUESTION_WORDS

PARTICLES = frozenset(
    "al bin da de del della den der di do dos du el la le les of ten ter the van vom von y zu".split()
)
"""Words in lower case inside names: Guillermo del Toro, Ludwig van Beethoven."""

MONTHS = frozenset(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
COMPARES = re.compile(
    r"\b(?:no|not|never|neither|(?:any|no)(?: ?one|body)|nothing|anything|most|least|fewest|top|first|last|average|mean"
    r"|total|sum|how (?:many|much|old)|than|before|after|since|until|between|over|above|under|below|at least|at most"
    r"|today|yesterday|tomorrow|ago|(?:this|next|past|previous|current) (?:\w+ )?(?:day|week|month|quarter|year)s?|aged"
    rf"|(?:in|on|during) (?:\d|{'|'.join(sorted(MONTHS))})|[a-z]{{2,}}est\b)"
)
"""Words that compare, count, date, or say that nothing or anything is so."""
_RELATIONS_READ = 10_000


def roots(label: str) -> frozenset[str]:
    """Return the roots of the words of a relation or type label, without function words.

    >>> sorted(roots("film.film.directed_by")), sorted(roots("hasCapital"))
    (['direct', 'film'], ['capital'])
    """
    words = fold(spaced(label)).split()
    return frozenset(root(word) for word in words if word not in QUESTION_WORDS)


class Vocabulary:
    """Roots of the words of a graph's relation labels, of its properties and of the types of its entities.

    In a question such words speak of types and relations, even if an entity has the same name. Use `vocabulary`.
    """

    def __init__(self, graph: Graph) -> None:
        self.of_relation = [roots(graph.relation_label(i)) for i in range(min(graph.n_relations, _RELATIONS_READ))]
        properties = {column.name for column in graph.columns}
        pairs = (pairwise(fold(spaced(name)).replace("_", " ").split()) for name in properties)
        joined = {root(first + second) for own in pairs for first, second in own}  # «WiFi» of `hasWiFi`
        self._roots = joined.union(*self.of_relation, *map(roots, graph.type_labels()), *map(roots, properties))

    def __contains__(self, word: str) -> bool:
        return root(word) in self._roots

    def relation(self, number: int) -> frozenset[str]:
        """Return the roots of the label of a relation; none beyond the first 10,000 relations."""
        return self.of_relation[number] if number < len(self.of_relation) else frozenset()


def vocabulary(graph: Graph) -> Vocabulary:
    """Return the vocabulary of a graph, read once a session."""
    return current_session().get(("vocabulary",), lambda: Vocabulary(graph), of=graph)
