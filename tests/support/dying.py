"""A stage that kills its process, as the system does when memory runs out."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from graphbrick import Evidence, Query
from graphbrick.pipeline import RerankStage


@dataclass(frozen=True, repr=False)
class Dies(RerankStage):
    """Kills its process at one question, so many times.

    Args:
        word: A word of that question.
        folder: Where a file is left at each death.
        times: How often.
    """

    word: str
    folder: str
    times: int

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        deaths = len(list(Path(self.folder).iterdir()))
        if self.word in query.text and deaths < self.times:
            (Path(self.folder) / f"{deaths}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return evidence
