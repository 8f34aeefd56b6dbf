"""Data sets of questions: read published or own files, ground questions in a graph, draw samples.

>>> from graphbrick.questions.loading import FORMS
>>> FORMS[:5]
('auto', 'plain', 'metaqa', 'webqsp', 'cwq')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.questions.coverage import Coverage as Coverage
    from graphbrick.questions.fetching import Fetched as Fetched
    from graphbrick.questions.fetching import FetchedFile as FetchedFile
    from graphbrick.questions.fetching import fetch_dataset as fetch_dataset
    from graphbrick.questions.fetching import load_all as load_all
    from graphbrick.questions.fetching import split_files as split_files
    from graphbrick.questions.grounding import Grounded as Grounded
    from graphbrick.questions.grounding import GroundedQuestion as GroundedQuestion
    from graphbrick.questions.grounding import ground as ground
    from graphbrick.questions.loading import FORMS as FORMS
    from graphbrick.questions.loading import load as load
    from graphbrick.questions.question import Question as Question
    from graphbrick.questions.question import grouped as grouped
    from graphbrick.questions.sampling import sample as sample
    from graphbrick.questions.sampling import sample_each as sample_each
    from graphbrick.questions.table import Dataset as Dataset
    from graphbrick.questions.table import PublishedFile as PublishedFile
    from graphbrick.questions.table import known as known
    from graphbrick.questions.table import published as published

_HOMES = {
    "Coverage": "coverage",
    "Dataset": "table",
    "FORMS": "loading",
    "Fetched": "fetching",
    "FetchedFile": "fetching",
    "Grounded": "grounding",
    "GroundedQuestion": "grounding",
    "PublishedFile": "table",
    "Question": "question",
    "fetch_dataset": "fetching",
    "ground": "grounding",
    "grouped": "question",
    "known": "table",
    "load": "loading",
    "load_all": "fetching",
    "published": "table",
    "sample": "sampling",
    "sample_each": "sampling",
    "split_files": "fetching",
}
__all__ = [
    "FORMS",
    "Coverage",
    "Dataset",
    "Fetched",
    "FetchedFile",
    "Grounded",
    "GroundedQuestion",
    "PublishedFile",
    "Question",
    "fetch_dataset",
    "ground",
    "grouped",
    "known",
    "load",
    "load_all",
    "published",
    "sample",
    "sample_each",
    "split_files",
]
__getattr__ = lazy_names(__name__, _HOMES)
