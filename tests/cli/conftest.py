"""The graph and the questions of small studies."""

from __future__ import annotations

import json

import pytest
from cli_studies import ROWS

from graphbrick import build
from graphbrick.testing import TINY


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "africa.graph"
    build(TINY, path)
    return path


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "mine.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    return path
