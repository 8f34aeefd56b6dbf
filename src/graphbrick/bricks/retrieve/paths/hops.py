"""Classifiers of questions by the number of hops."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Query, Subgraph
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.language.expressions.expression import Expression
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.replies.json_replies import json_object, whole_number
from graphbrick.models.llm.replies.replies import MARKDOWN, one_line, opened, shown
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline.brick import Brick

_INSTRUCTION = (
    "You are given a question to be answered from a knowledge graph of triples (head, relation, tail). Say how many "
    "triples have to be followed, one after the other, from the entities that the question names to its answer. "
    '"Which currency is used in Kenya?" takes 1, "Which currency is used in the country whose capital is Nairobi?" '
    "takes 2.\n"
)
# Key: whether the reply is JSON.
_REPLIES = {False: "Reply with that number only.", True: 'Reply with JSON that holds that number, such as {"hops": 2}.'}
_ENDINGS = {False: "Number", True: "Hops"}
_MOST = 9
_SCHEMA = json_object(hops=whole_number(1, _MOST))
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_NUMBER = Expression(rf"(?:[a-z ]+:\s*)?([1-9]|{'|'.join(_WORDS)})(?:[- ](?:hops?|triples?))?\W*", re.IGNORECASE)


class HopClassifier(Brick):
    """Base class of bricks that estimate how many hops a question takes."""

    @abstractmethod
    def hops(self, query: Query, subgraph: Subgraph) -> int:
        """Return the number of hops from the seeds to the answer, at least 1.

        Args:
            query: The question, with its seeds.
            subgraph: The subgraph to search for the answer.
        """


@dataclass(frozen=True, repr=False)
class LLMHops(HopClassifier):
    """A hop classifier that asks a language model, with a zero-shot prompt and the question only.

    A model that is ``structured`` is asked for JSON. A reply that is not a number from 1 to 9 is an event, and counts
    as 1, because most questions take one hop.

    Args:
        llm: The language model, such as LLM().
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (hop classifier)"

    llm: ChatModel = parameter(example="LLM()")

    def hops(self, query: Query, subgraph: Subgraph) -> int:
        """Return the number of hops in the reply of the model; 1 if it cannot be read."""
        as_json = self.llm.structured
        rules = _INSTRUCTION + _REPLIES[as_json]
        question = f"Question: {one_line(query.text)}\n{_ENDINGS[as_json]}:"
        reply = self.llm.complete(
            [{"role": "system", "content": rules}, {"role": "user", "content": question}], schema=_SCHEMA
        )
        text, value = opened(reply)
        if isinstance(value, dict) and len(value) == 1:
            text = str(next(iter(value.values())))
        for line in MARKDOWN.sub("", text).splitlines():
            number = _NUMBER.fullmatch(line.strip())
            if number:
                word = number.group(1).lower()
                return _WORDS.get(word) or int(word)
        event(
            f"{self.llm.model} was asked for a number of hops and replied {shown(reply)}; it was taken as 1",
            "hops.unread_reply",
            reply=reply,
        )
        return 1


@dataclass(frozen=True, repr=False)
class PatternHops(HopClassifier):
    """A hop classifier that takes the length of the best-scoring relation pattern around the seeds.

    The patterns are those of the shortest paths from the seeds, with types in place of all entities but the seed. Ties
    go to the pattern with the fewest hops. Without any path the result is 1.

    Args:
        scorer: Scores the patterns, such as BM25() or MiniLM().
        max_hops: Length of the longest pattern considered, from 1 to 100.

    Example:
        >>> from graphbrick import BM25
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("Which currency has the country with the capital Nairobi?", (graph.entity("Nairobi"),))
        >>> PatternHops(BM25()).hops(query, Subgraph(graph))
        2
    """

    scorer: Scorer = parameter(example="BM25()")
    max_hops: int = parameter(3, at_least=1, at_most=100, search=(2, 3, 4))

    def hops(self, query: Query, subgraph: Subgraph) -> int:
        """Return the number of hops of the best pattern."""
        lengths: dict[str, int] = {}
        for path in ShortestPaths(max_hops=self.max_hops).retrieve(query, subgraph).paths:
            lengths.setdefault(path.pattern_text, path.hops)  # shorter ones come first
        if not lengths:
            return 1
        best = int(np.argmax(self.scorer.rate(query.text, list(lengths))))
        return list(lengths.values())[best]
