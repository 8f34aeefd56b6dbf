"""Retrieve stages: find reasoning paths."""

from graphbrick.retrieve.all_paths import AllPaths
from graphbrick.retrieve.beam_search import BeamSearch
from graphbrick.retrieve.by_hops import ByHops
from graphbrick.retrieve.community_reports import CommunityReports
from graphbrick.retrieve.constrained_paths import ConstrainedPaths
from graphbrick.retrieve.debate_on_graph import DebateOnGraph
from graphbrick.retrieve.drift import Drift
from graphbrick.retrieve.enough import EnoughPaths, LLMEnough
from graphbrick.retrieve.facts import Facts
from graphbrick.retrieve.hops import LLMHops, PatternHops
from graphbrick.retrieve.keyword_search import KeywordSearch
from graphbrick.retrieve.local_search import LocalSearch
from graphbrick.retrieve.logical_forms import LogicalForms
from graphbrick.retrieve.operators import Operators
from graphbrick.retrieve.passage_rank import PassageRank
from graphbrick.retrieve.passages import Passages
from graphbrick.retrieve.patterns import Patterns
from graphbrick.retrieve.plan_on_graph import PlanOnGraph
from graphbrick.retrieve.planned_paths import PlannedPaths
from graphbrick.retrieve.relevance_search import RelevanceSearch
from graphbrick.retrieve.reports import Reports
from graphbrick.retrieve.shortest_paths import ShortestPaths
from graphbrick.retrieve.struct_gpt import StructGPT
from graphbrick.retrieve.text_to_query import TextToQuery
from graphbrick.retrieve.think_on_graph import ThinkOnGraph
from graphbrick.retrieve.written_relations import WrittenRelations

BRICKS = (
    AllPaths,
    ShortestPaths,
    BeamSearch,
    Patterns,
    Operators,
    PlannedPaths,
    ByHops,
    CommunityReports,
    LLMHops,
    PatternHops,
    EnoughPaths,
    LLMEnough,
    TextToQuery,
    Passages,
    PassageRank,
    LocalSearch,
    Reports,
    Drift,
    RelevanceSearch,
    KeywordSearch,
    Facts,
    ConstrainedPaths,
    ThinkOnGraph,
    StructGPT,
    PlanOnGraph,
    DebateOnGraph,
    LogicalForms,
    WrittenRelations,
)

__all__ = [
    "BRICKS",
    "AllPaths",
    "BeamSearch",
    "ByHops",
    "CommunityReports",
    "ConstrainedPaths",
    "DebateOnGraph",
    "Drift",
    "EnoughPaths",
    "Facts",
    "KeywordSearch",
    "LLMEnough",
    "LLMHops",
    "LocalSearch",
    "LogicalForms",
    "Operators",
    "PassageRank",
    "Passages",
    "PatternHops",
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
]
