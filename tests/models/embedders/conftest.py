"""A small embedding model in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx_models import write_embedder
from word_vectors import TABLE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_embedder(tmp_path / "model", TABLE)
    return tmp_path / "model"
