"""Answers questions over knowledge graphs with retrieval pipelines built from interchangeable bricks.

>>> from graphbrick import BM25, PPR, PathAnswer, Rerank, ShortestPaths
>>> from graphbrick.testing import tiny_graph
>>> pipeline = PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()
>>> answer = pipeline(tiny_graph(), "Which currency is used in the country whose capital is Nairobi?")
>>> answer.texts, answer.evidence.items[0].text
(('Kenyan shilling',), 'Nairobi <- capital <- Kenya -> currency -> Kenyan shilling')
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # as in typing, whose import would delay the moment from which Ctrl-C is handled
if TYPE_CHECKING:
    from graphbrick.agents import Agent as Agent
    from graphbrick.core import Answer as Answer
    from graphbrick.core import Citation as Citation
    from graphbrick.core import Entity as Entity
    from graphbrick.core import Evidence as Evidence
    from graphbrick.core import Mention as Mention
    from graphbrick.core import Passage as Passage
    from graphbrick.core import Path as Path
    from graphbrick.core import Point as Point
    from graphbrick.core import Query as Query
    from graphbrick.core import Report as Report
    from graphbrick.core import Row as Row
    from graphbrick.core import Subgraph as Subgraph
    from graphbrick.core import Triple as Triple
    from graphbrick.core.errors import GraphbrickError as GraphbrickError
    from graphbrick.core.trace import Trace as Trace
    from graphbrick.embedders import USE as USE
    from graphbrick.embedders import EmbeddingModel as EmbeddingModel
    from graphbrick.embedders import LLMEmbedder as LLMEmbedder
    from graphbrick.embedders import MiniLM as MiniLM
    from graphbrick.extract import AGP as AGP
    from graphbrick.extract import FORA as FORA
    from graphbrick.extract import PPR as PPR
    from graphbrick.extract import Communities as Communities
    from graphbrick.extract import ExactPPR as ExactPPR
    from graphbrick.extract import Expand as Expand
    from graphbrick.extract import KHop as KHop
    from graphbrick.extract import LearnedSizer as LearnedSizer
    from graphbrick.extract import PageRank as PageRank
    from graphbrick.extract import PlannedRelations as PlannedRelations
    from graphbrick.extract import RandomWalk as RandomWalk
    from graphbrick.extract import ShareSizer as ShareSizer
    from graphbrick.extract import SizedPPR as SizedPPR
    from graphbrick.extract import VectorNeighbors as VectorNeighbors
    from graphbrick.generate import FromModel as FromModel
    from graphbrick.generate import Generate as Generate
    from graphbrick.generate import PathAnswer as PathAnswer
    from graphbrick.generate import Quote as Quote
    from graphbrick.generate import WriteAnswer as WriteAnswer
    from graphbrick.graphs.builder import GraphBuilder as GraphBuilder
    from graphbrick.graphs.builder import build as build
    from graphbrick.graphs.compact import compact as compact
    from graphbrick.graphs.delta import Change as Change
    from graphbrick.graphs.delta import change as change
    from graphbrick.graphs.extracted import ExtractedGraph as ExtractedGraph
    from graphbrick.graphs.graph import Graph as Graph
    from graphbrick.graphs.local import LocalAround as LocalAround
    from graphbrick.graphs.local import local_graph as local_graph
    from graphbrick.graphs.opening import open_graph as open_graph
    from graphbrick.graphs.readers import ReadOptions as ReadOptions
    from graphbrick.graphs.records import EntityRecord as EntityRecord
    from graphbrick.graphs.records import RelationRecord as RelationRecord
    from graphbrick.link import LinkLabels as LinkLabels
    from graphbrick.link import LinkWithLLM as LinkWithLLM
    from graphbrick.llm import LLM as LLM
    from graphbrick.llm import LocalLLM as LocalLLM
    from graphbrick.patterns import ByRelations as ByRelations
    from graphbrick.patterns import PathTowers as PathTowers
    from graphbrick.patterns import PatternScorer as PatternScorer
    from graphbrick.patterns import WordAlignment as WordAlignment
    from graphbrick.pipeline import Pipeline as Pipeline
    from graphbrick.pipeline import Repeat as Repeat
    from graphbrick.pipeline.budget import Budget as Budget
    from graphbrick.pipeline.budget import spending as spending
    from graphbrick.pipeline.parsing import parse as parse
    from graphbrick.pipeline.run import Run as Run
    from graphbrick.prune import PruneEdges as PruneEdges
    from graphbrick.prune import PruneNodes as PruneNodes
    from graphbrick.prune import PruneTriples as PruneTriples
    from graphbrick.recipes import recipe as recipe
    from graphbrick.rerank import Points as Points
    from graphbrick.rerank import RandomSample as RandomSample
    from graphbrick.rerank import RankEnds as RankEnds
    from graphbrick.rerank import Rerank as Rerank
    from graphbrick.rerank import Supplement as Supplement
    from graphbrick.retrieve import AllPaths as AllPaths
    from graphbrick.retrieve import BeamSearch as BeamSearch
    from graphbrick.retrieve import ByHops as ByHops
    from graphbrick.retrieve import CommunityReports as CommunityReports
    from graphbrick.retrieve import ConstrainedPaths as ConstrainedPaths
    from graphbrick.retrieve import DebateOnGraph as DebateOnGraph
    from graphbrick.retrieve import Drift as Drift
    from graphbrick.retrieve import EnoughPaths as EnoughPaths
    from graphbrick.retrieve import Facts as Facts
    from graphbrick.retrieve import KeywordSearch as KeywordSearch
    from graphbrick.retrieve import LLMEnough as LLMEnough
    from graphbrick.retrieve import LLMHops as LLMHops
    from graphbrick.retrieve import LocalSearch as LocalSearch
    from graphbrick.retrieve import LogicalForms as LogicalForms
    from graphbrick.retrieve import Operators as Operators
    from graphbrick.retrieve import PassageRank as PassageRank
    from graphbrick.retrieve import Passages as Passages
    from graphbrick.retrieve import PatternHops as PatternHops
    from graphbrick.retrieve import Patterns as Patterns
    from graphbrick.retrieve import PlannedPaths as PlannedPaths
    from graphbrick.retrieve import PlanOnGraph as PlanOnGraph
    from graphbrick.retrieve import RelevanceSearch as RelevanceSearch
    from graphbrick.retrieve import Reports as Reports
    from graphbrick.retrieve import ShortestPaths as ShortestPaths
    from graphbrick.retrieve import StructGPT as StructGPT
    from graphbrick.retrieve import TextToQuery as TextToQuery
    from graphbrick.retrieve import ThinkOnGraph as ThinkOnGraph
    from graphbrick.retrieve import WrittenRelations as WrittenRelations
    from graphbrick.scorers import BM25 as BM25
    from graphbrick.scorers import LDA as LDA
    from graphbrick.scorers import LSA as LSA
    from graphbrick.scorers import CrossEncoder as CrossEncoder
    from graphbrick.scorers import LLMListwiseScorer as LLMListwiseScorer
    from graphbrick.scorers import LLMPointwiseScorer as LLMPointwiseScorer
    from graphbrick.scorers import LLMRatingScorer as LLMRatingScorer
    from graphbrick.scorers import NGram as NGram
    from graphbrick.session import Session as Session
    from graphbrick.text import ByHeading as ByHeading
    from graphbrick.text import ByParagraph as ByParagraph
    from graphbrick.text import ByTokens as ByTokens
    from graphbrick.text import Describe as Describe
    from graphbrick.text import ExtractClaims as ExtractClaims
    from graphbrick.text import ExtractGraph as ExtractGraph
    from graphbrick.text import FromFile as FromFile
    from graphbrick.text import OpenIE as OpenIE
    from graphbrick.text import Phrases as Phrases
    from graphbrick.text import SpacyPhrases as SpacyPhrases
    from graphbrick.text.indexing import index as index
    from graphbrick.text.sources import SourceOptions as SourceOptions
    from graphbrick.text.sources.sitemap import Sitemap as Sitemap

# Public names and where they live. They are imported when first used: importing numpy alone takes longer than showing
# a help text should.
_HOMES = {
    "agents": ("Agent",),
    "pipeline.budget": ("Budget", "spending"),
    "core": (
        "Answer",
        "Citation",
        "Entity",
        "Evidence",
        "Mention",
        "Passage",
        "Path",
        "Point",
        "Query",
        "Report",
        "Row",
        "Subgraph",
        "Triple",
    ),
    "core.errors": ("GraphbrickError",),
    "extract": (
        "AGP",
        "Communities",
        "ExactPPR",
        "FORA",
        "Expand",
        "KHop",
        "LearnedSizer",
        "PPR",
        "PageRank",
        "PlannedRelations",
        "RandomWalk",
        "ShareSizer",
        "SizedPPR",
        "VectorNeighbors",
    ),
    "generate": ("FromModel", "Generate", "PathAnswer", "Quote", "WriteAnswer"),
    "graphs.builder": ("GraphBuilder", "build"),
    "graphs.compact": ("compact",),
    "graphs.delta": ("Change", "change"),
    "graphs.extracted": ("ExtractedGraph",),
    "graphs.graph": ("Graph",),
    "graphs.local": ("LocalAround", "local_graph"),
    "graphs.opening": ("open_graph",),
    "graphs.readers": ("ReadOptions",),
    "graphs.records": ("EntityRecord", "RelationRecord"),
    "link": ("LinkLabels", "LinkWithLLM"),
    "embedders": ("USE", "EmbeddingModel", "LLMEmbedder", "MiniLM"),
    "llm": ("LLM", "LocalLLM"),
    "patterns": ("ByRelations", "PathTowers", "PatternScorer", "WordAlignment"),
    "scorers": (
        "BM25",
        "CrossEncoder",
        "LDA",
        "LLMListwiseScorer",
        "LLMPointwiseScorer",
        "LLMRatingScorer",
        "LSA",
        "NGram",
    ),
    "pipeline.parsing": ("parse",),
    "text": (
        "ByHeading",
        "ByParagraph",
        "ByTokens",
        "Describe",
        "ExtractClaims",
        "ExtractGraph",
        "FromFile",
        "OpenIE",
        "Phrases",
        "SpacyPhrases",
    ),
    "text.indexing": ("index",),
    "text.sources": ("SourceOptions",),
    "text.sources.sitemap": ("Sitemap",),
    "pipeline": ("Pipeline", "Repeat"),
    "prune": ("PruneEdges", "PruneNodes", "PruneTriples"),
    "recipes": ("recipe",),
    "rerank": ("Points", "RandomSample", "RankEnds", "Rerank", "Supplement"),
    "retrieve": (
        "AllPaths",
        "BeamSearch",
        "ByHops",
        "CommunityReports",
        "ConstrainedPaths",
        "DebateOnGraph",
        "Drift",
        "EnoughPaths",
        "LLMEnough",
        "LLMHops",
        "Facts",
        "KeywordSearch",
        "LocalSearch",
        "LogicalForms",
        "PassageRank",
        "Passages",
        "PatternHops",
        "Operators",
        "Patterns",
        "PlanOnGraph",
        "PlannedPaths",
        "RelevanceSearch",
        "Reports",
        "ShortestPaths",
        "StructGPT",
        "TextToQuery",
        "ThinkOnGraph",
        "WrittenRelations",
    ),
    "pipeline.run": ("Run",),
    "session": ("Session",),
    "core.trace": ("Trace",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'graphbrick' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"graphbrick.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
