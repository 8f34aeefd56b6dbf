"""Answers questions over knowledge graphs with retrieval pipelines built from interchangeable bricks.

>>> from graphbrick import BM25, PPR, PathAnswer, Rerank, ShortestPaths
>>> from graphbrick.testing import tiny_graph
>>> pipeline = PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()
>>> answer = pipeline(tiny_graph(), "Which currency is used in the country whose capital is Nairobi?")
>>> answer.texts, answer.evidence.items[0].text
(('Kenyan shilling',), 'Nairobi <- capital <- Kenya -> currency -> Kenyan shilling')
"""

from __future__ import annotations

import os as _os

from graphbrick import bricks, models, patterns, text
from graphbrick.core import __version__ as __version__

# No dependency sends usage data; they read this when they are loaded, and so do processes that are started.
for _name in ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
    _os.environ.setdefault(_name, "1")

TYPE_CHECKING = False  # as in typing, whose import would delay the moment from which Ctrl-C is handled
if TYPE_CHECKING:
    from graphbrick.bricks.agents.agent import Agent as Agent
    from graphbrick.bricks.agents.agent_tool import tool as tool
    from graphbrick.bricks.extract.communities import Communities as Communities
    from graphbrick.bricks.extract.communities import ReportedCommunities as ReportedCommunities
    from graphbrick.bricks.extract.expand import Expand as Expand
    from graphbrick.bricks.extract.k_hop import KHop as KHop
    from graphbrick.bricks.extract.page_rank import PageRank as PageRank
    from graphbrick.bricks.extract.planned_relations import PlannedRelations as PlannedRelations
    from graphbrick.bricks.extract.ppr import PPR as PPR
    from graphbrick.bricks.extract.random_walk import RandomWalk as RandomWalk
    from graphbrick.bricks.extract.sized_ppr import SizedPPR as SizedPPR
    from graphbrick.bricks.extract.sizers import LearnedSizer as LearnedSizer
    from graphbrick.bricks.extract.sizers import ShareSizer as ShareSizer
    from graphbrick.bricks.extract.solvers import AGP as AGP
    from graphbrick.bricks.extract.solvers import FORA as FORA
    from graphbrick.bricks.extract.solvers import ExactPPR as ExactPPR
    from graphbrick.bricks.extract.vector_neighbors import VectorNeighbors as VectorNeighbors
    from graphbrick.bricks.generate.from_model import FromModel as FromModel
    from graphbrick.bricks.generate.generate import Generate as Generate
    from graphbrick.bricks.generate.path_answer import PathAnswer as PathAnswer
    from graphbrick.bricks.generate.quote import Quote as Quote
    from graphbrick.bricks.generate.write_answer import WriteAnswer as WriteAnswer
    from graphbrick.bricks.link.labels import LinkLabels as LinkLabels
    from graphbrick.bricks.link.link_with_llm import LinkWithLLM as LinkWithLLM
    from graphbrick.bricks.prune.edges import PruneEdges as PruneEdges
    from graphbrick.bricks.prune.nodes import PruneNodes as PruneNodes
    from graphbrick.bricks.prune.triples import PruneTriples as PruneTriples
    from graphbrick.bricks.rerank.points import Points as Points
    from graphbrick.bricks.rerank.random_sample import RandomSample as RandomSample
    from graphbrick.bricks.rerank.rank_ends import RankEnds as RankEnds
    from graphbrick.bricks.rerank.rerank import Rerank as Rerank
    from graphbrick.bricks.rerank.supplement import Supplement as Supplement
    from graphbrick.bricks.retrieve.documents.community_reports import CommunityReports as CommunityReports
    from graphbrick.bricks.retrieve.documents.drift import Drift as Drift
    from graphbrick.bricks.retrieve.documents.facts import Facts as Facts
    from graphbrick.bricks.retrieve.documents.keyword_search import KeywordSearch as KeywordSearch
    from graphbrick.bricks.retrieve.documents.local_search import LocalSearch as LocalSearch
    from graphbrick.bricks.retrieve.documents.passage_rank import PassageRank as PassageRank
    from graphbrick.bricks.retrieve.documents.passages import Passages as Passages
    from graphbrick.bricks.retrieve.documents.relevance_search import RelevanceSearch as RelevanceSearch
    from graphbrick.bricks.retrieve.documents.reports import Reports as Reports
    from graphbrick.bricks.retrieve.operators.stage import Operators as Operators
    from graphbrick.bricks.retrieve.paths.all_paths import AllPaths as AllPaths
    from graphbrick.bricks.retrieve.paths.beam_search import BeamSearch as BeamSearch
    from graphbrick.bricks.retrieve.paths.by_hops import ByHops as ByHops
    from graphbrick.bricks.retrieve.paths.enough import EnoughPaths as EnoughPaths
    from graphbrick.bricks.retrieve.paths.enough import LLMEnough as LLMEnough
    from graphbrick.bricks.retrieve.paths.hops import LLMHops as LLMHops
    from graphbrick.bricks.retrieve.paths.hops import PatternHops as PatternHops
    from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths as ShortestPaths
    from graphbrick.bricks.retrieve.patterns.patterns import Patterns as Patterns
    from graphbrick.bricks.retrieve.patterns.planned_paths import PlannedPaths as PlannedPaths
    from graphbrick.bricks.retrieve.patterns.written_relations import WrittenRelations as WrittenRelations
    from graphbrick.bricks.retrieve.queries.text_to_query import TextToQuery as TextToQuery
    from graphbrick.bricks.retrieve.reasoning.constrained_paths import ConstrainedPaths as ConstrainedPaths
    from graphbrick.bricks.retrieve.reasoning.debate_on_graph import DebateOnGraph as DebateOnGraph
    from graphbrick.bricks.retrieve.reasoning.logical_forms import LogicalForms as LogicalForms
    from graphbrick.bricks.retrieve.reasoning.plan_on_graph import PlanOnGraph as PlanOnGraph
    from graphbrick.bricks.retrieve.reasoning.struct_gpt import StructGPT as StructGPT
    from graphbrick.bricks.retrieve.reasoning.think_on_graph import ThinkOnGraph as ThinkOnGraph
    from graphbrick.bricks.retrieve.whole.overview import Overview as Overview
    from graphbrick.bricks.retrieve.whole.records import Records as Records
    from graphbrick.bricks.retrieve.whole.sentences import Sentences as Sentences
    from graphbrick.core import Answer as Answer
    from graphbrick.core import Citation as Citation
    from graphbrick.core import Entity as Entity
    from graphbrick.core import Evidence as Evidence
    from graphbrick.core import Mention as Mention
    from graphbrick.core import Passage as Passage
    from graphbrick.core import Path as Path
    from graphbrick.core import Point as Point
    from graphbrick.core import Property as Property
    from graphbrick.core import Query as Query
    from graphbrick.core import Report as Report
    from graphbrick.core import Row as Row
    from graphbrick.core import Subgraph as Subgraph
    from graphbrick.core import Triple as Triple
    from graphbrick.core.errors import GraphbrickError as GraphbrickError
    from graphbrick.core.session import Session as Session
    from graphbrick.core.showing.progress import ProgressLine as ProgressLine
    from graphbrick.core.trace import Trace as Trace
    from graphbrick.graphs.build.builder import GraphBuilder as GraphBuilder
    from graphbrick.graphs.build.builder import build as build
    from graphbrick.graphs.changes.compact import compact as compact
    from graphbrick.graphs.changes.delta import Change as Change
    from graphbrick.graphs.changes.delta import change as change
    from graphbrick.graphs.databases.graph import DatabaseGraph as DatabaseGraph
    from graphbrick.graphs.export.place import Export as Export
    from graphbrick.graphs.graph import Graph as Graph
    from graphbrick.graphs.local.extracted import ExtractedGraph as ExtractedGraph
    from graphbrick.graphs.local.local import LocalAround as LocalAround
    from graphbrick.graphs.local.local import local_graph as local_graph
    from graphbrick.graphs.opening import open as open  # noqa: A004 - public as graphbrick.open
    from graphbrick.graphs.readers import ReadOptions as ReadOptions
    from graphbrick.graphs.readers.reader import FileReading as FileReading
    from graphbrick.graphs.readers.reader import Reader as Reader
    from graphbrick.graphs.records.records import EdgeRecord as EdgeRecord
    from graphbrick.graphs.records.records import EntityRecord as EntityRecord
    from graphbrick.graphs.records.records import RelationRecord as RelationRecord
    from graphbrick.learn.asking import ask as ask
    from graphbrick.learn.learning import learn as learn
    from graphbrick.models.embedders.embedder import Embedder as Embedder
    from graphbrick.models.embedders.embedding_model import EmbeddingModel as EmbeddingModel
    from graphbrick.models.embedders.llm_embedder import LLMEmbedder as LLMEmbedder
    from graphbrick.models.embedders.minilm import MiniLM as MiniLM
    from graphbrick.models.embedders.static import StaticEmbedder as StaticEmbedder
    from graphbrick.models.embedders.use import USE as USE
    from graphbrick.models.llm.llm import LLM as LLM
    from graphbrick.models.llm.local_llm import LocalLLM as LocalLLM
    from graphbrick.models.scorers.bm25 import BM25 as BM25
    from graphbrick.models.scorers.cross_encoder import CrossEncoder as CrossEncoder
    from graphbrick.models.scorers.lda import LDA as LDA
    from graphbrick.models.scorers.llm_listwise import LLMListwiseScorer as LLMListwiseScorer
    from graphbrick.models.scorers.llm_pointwise import LLMPointwiseScorer as LLMPointwiseScorer
    from graphbrick.models.scorers.llm_rating import LLMRatingScorer as LLMRatingScorer
    from graphbrick.models.scorers.lsa import LSA as LSA
    from graphbrick.models.scorers.ngram import NGram as NGram
    from graphbrick.models.scorers.scorer import Scorer as Scorer
    from graphbrick.patterns.alignment.word_alignment import WordAlignment as WordAlignment
    from graphbrick.patterns.by_relations import ByRelations as ByRelations
    from graphbrick.patterns.few_texts import FewTexts as FewTexts
    from graphbrick.patterns.model.scorer import PatternScorer as PatternScorer
    from graphbrick.patterns.planned.path_towers import PathTowers as PathTowers
    from graphbrick.pipeline import Condition as Condition
    from graphbrick.pipeline import ExpandStage as ExpandStage
    from graphbrick.pipeline import ExtractStage as ExtractStage
    from graphbrick.pipeline import GenerateStage as GenerateStage
    from graphbrick.pipeline import LinkStage as LinkStage
    from graphbrick.pipeline import Pipeline as Pipeline
    from graphbrick.pipeline import PruneStage as PruneStage
    from graphbrick.pipeline import Repeat as Repeat
    from graphbrick.pipeline import RerankStage as RerankStage
    from graphbrick.pipeline import RetrieveStage as RetrieveStage
    from graphbrick.pipeline.apply import Apply as Apply
    from graphbrick.pipeline.budget import Budget as Budget
    from graphbrick.pipeline.budget import spending as spending
    from graphbrick.pipeline.parsing import parse as parse
    from graphbrick.pipeline.run import Run as Run
    from graphbrick.recipes import recipe as recipe
    from graphbrick.study.runs.experiment import evaluate as evaluate
    from graphbrick.study.tune.search import tune as tune
    from graphbrick.text.documents.chunks import ByHeading as ByHeading
    from graphbrick.text.documents.chunks import ByParagraph as ByParagraph
    from graphbrick.text.documents.chunks import ByTokens as ByTokens
    from graphbrick.text.extract.extract_claims import ExtractClaims as ExtractClaims
    from graphbrick.text.extract.extract_graph import ExtractGraph as ExtractGraph
    from graphbrick.text.extract.from_file import FromFile as FromFile
    from graphbrick.text.extract.open_ie import OpenIE as OpenIE
    from graphbrick.text.extract.phrases import Phrases as Phrases
    from graphbrick.text.extract.spacy_phrases import SpacyPhrases as SpacyPhrases
    from graphbrick.text.indexing.describe import Describe as Describe
    from graphbrick.text.indexing.indexing import index as index
    from graphbrick.text.sources.sitemap import Sitemap as Sitemap
    from graphbrick.text.sources.tables import SourceOptions as SourceOptions
else:
    from graphbrick import learn as learn  # a module that can be called, as its name is that of an area and of a verb

# Public names that are not bricks, and where they live. They are imported when first used: importing numpy alone takes
# longer than showing a help text should.
_HOMES = {
    "bricks.agents.agent_tool": ("tool",),
    "core": (
        "Answer",
        "Citation",
        "Entity",
        "Evidence",
        "Mention",
        "Passage",
        "Path",
        "Point",
        "Property",
        "Query",
        "Report",
        "Row",
        "Subgraph",
        "Triple",
    ),
    "core.errors": ("GraphbrickError",),
    "core.session": ("Session",),
    "core.showing.progress": ("ProgressLine",),
    "core.trace": ("Trace",),
    "graphs.build.builder": (
        "GraphBuilder",
        "build",
    ),
    "graphs.changes.compact": ("compact",),
    "graphs.changes.delta": (
        "Change",
        "change",
    ),
    "graphs.databases.graph": ("DatabaseGraph",),
    "graphs.export.place": ("Export",),
    "graphs.graph": ("Graph",),
    "graphs.local.extracted": ("ExtractedGraph",),
    "graphs.local.local": (
        "LocalAround",
        "local_graph",
    ),
    "graphs.opening": ("open",),
    "graphs.readers": ("ReadOptions",),
    "graphs.readers.reader": (
        "Reader",
        "FileReading",
    ),
    "graphs.records.records": (
        "EdgeRecord",
        "EntityRecord",
        "RelationRecord",
    ),
    "learn.asking": ("ask",),
    "models.embedders.embedder": ("Embedder",),
    "models.scorers.scorer": ("Scorer",),
    "pipeline": (
        "Condition",
        "ExpandStage",
        "ExtractStage",
        "GenerateStage",
        "LinkStage",
        "Pipeline",
        "PruneStage",
        "RerankStage",
        "RetrieveStage",
    ),
    "pipeline.apply": ("Apply",),
    "pipeline.budget": (
        "Budget",
        "spending",
    ),
    "pipeline.parsing": ("parse",),
    "pipeline.run": ("Run",),
    "recipes": ("recipe",),
    "study.runs.experiment": ("evaluate",),
    "study.tune.search": ("tune",),
    "text.indexing.indexing": ("index",),
    "text.sources.sitemap": ("Sitemap",),
    "text.sources.tables": ("SourceOptions",),
}
_AREAS = {"bricks": bricks, "models": models, "patterns": patterns, "text": text}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_HOME |= {name: f"{area}.{home}" for area, package in _AREAS.items() for name, home in package.BRICKS.items()}
_HOME["Repeat"] = "pipeline.composition"
# Without `open`: `from graphbrick import *` would hide the one of Python.
__all__ = ["__version__", "learn", *sorted(_HOME.keys() - {"open"})]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'graphbrick' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"graphbrick.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_HOME})
