from __future__ import annotations

from pathlib import Path

import pytest
from made_study import Madeup, write_study


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pipelines, 60 questions of two data sets, one pipeline with a language model."""
    pipelines = [
        Madeup("recipe 1", right=0.5, ms=4),
        Madeup("recipe 12", right=0.75, ms=25),
        Madeup("recipe 13", right=0.97, ms=2400, tokens=1800, failed=0.05),
    ]
    return write_study(tmp_path_factory.mktemp("study") / "runs.sqlite", pipelines, 60, datasets=("metaqa", "webqsp"))
