"""Data sets of questions: read published or own files, ground questions in a graph, draw samples.

>>> from graphbrick.evaluate.datasets import FORMS
>>> FORMS
('auto', 'plain', 'metaqa', 'webqsp', 'cwq', 'grailqa', 'webquestions', 'hetionet', 'rog', 'hotpotqa', 'musique')
"""

from graphbrick.evaluate.datasets.coverage import Coverage
from graphbrick.evaluate.datasets.fetching import Fetched, FetchedFile, fetch_dataset, load_all, split_files
from graphbrick.evaluate.datasets.grounding import Grounded, GroundedQuestion, ground
from graphbrick.evaluate.datasets.loading import FORMS, load
from graphbrick.evaluate.datasets.question import Question, grouped
from graphbrick.evaluate.datasets.sampling import sample, sample_each
from graphbrick.evaluate.datasets.table import Dataset, PublishedFile, known, published

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
