"""Graphs from text: documents become passages, and passages become a graph."""

from graphbrick.text.chunks import ByHeading, ByParagraph, ByTokens
from graphbrick.text.describe import Describe
from graphbrick.text.extract_claims import ExtractClaims
from graphbrick.text.extract_graph import ExtractGraph
from graphbrick.text.from_file import FromFile
from graphbrick.text.open_ie import OpenIE
from graphbrick.text.phrases import Phrases
from graphbrick.text.spacy_phrases import SpacyPhrases

BRICKS = (
    ByHeading,
    ByParagraph,
    ByTokens,
    Describe,
    ExtractClaims,
    ExtractGraph,
    FromFile,
    OpenIE,
    Phrases,
    SpacyPhrases,
)

__all__ = [
    "BRICKS",
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
]
