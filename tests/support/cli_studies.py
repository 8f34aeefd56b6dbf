"""Pipelines and questions of small studies on the command line."""

from __future__ import annotations

BM25 = "PPR(k=6) >> ShortestPaths() >> Rerank(BM25(), n=4) >> PathAnswer()"
NEAR = "ShortestPaths(max_hops=1) >> PathAnswer()"
ROWS = [
    {"question": "What is the capital of Kenya?", "seeds": ["Kenya"], "answers": ["Nairobi"], "hops": 1},
    {"question": "What is the capital of Uganda?", "seeds": ["Uganda"], "answers": ["Kampala"], "hops": 1},
    {"question": "Which currency is used around Nairobi?", "seeds": ["Nairobi"], "answers": ["Kenyan shilling"],
     "hops": 2},
    {"question": "Who rules Kenya?", "seeds": ["Kenya"], "answers": ["[the king]"], "hops": 1, "topic": "kings"},
]  # fmt: skip
