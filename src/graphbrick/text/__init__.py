"""Graphs from text: documents become passages, and passages become a graph."""

BRICKS = {
    "ByHeading": "documents.chunks",
    "ByParagraph": "documents.chunks",
    "ByTokens": "documents.chunks",
    "Describe": "indexing.describe",
    "ExtractClaims": "extract.extract_claims",
    "ExtractGraph": "extract.extract_graph",
    "FromFile": "extract.from_file",
    "OpenIE": "extract.open_ie",
    "Phrases": "extract.phrases",
    "SpacyPhrases": "extract.spacy_phrases",
}
"""The module of each brick, below this package, in the order in which lists show them."""
