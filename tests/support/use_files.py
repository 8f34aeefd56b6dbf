"""A small model in the form of the multilingual Universal Sentence Encoder, with random weights."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[np.float32]]
WORDS = ("▁", "▁kenya", "▁currency", "▁capital", "▁what", "▁is", "the", "▁the", *"abcdefghijklmnopqrstuvwxyz")
PIECES = ("<unk>", "<s>", "</s>", *WORDS)


def _part(field: int, content: bytes) -> bytes:
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([size & 0x7F | 0x80, size >> 7])
    return bytes([field << 3 | 2]) + length + content


def _piece(text: str, score: float) -> bytes:
    return _part(1, _part(1, text.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18\x01")


def write_use(folder: Path) -> Arrays:
    """Write the two files of a model into a folder; return its arrays, with the table of pieces as ``table``."""
    folder.mkdir(parents=True, exist_ok=True)
    scores = [0.0, 0.0, 0.0, *(-1.0 - len(PIECES) / 100 * (len(text) < 3) for text in WORDS)]
    rules = struct.pack("<I", 2048) + bytes(2048)  # a normaliser that changes nothing
    pieces = b"".join(_piece(text, score) for text, score in zip(PIECES, scores, strict=True))
    (folder / "sp.model").write_bytes(pieces + _part(3, b"\x08\x01" + _part(2, rules)))
    random = np.random.default_rng(3)

    def made(*shape: int) -> npt.NDArray[np.float32]:
        return (random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    rows = -(-len(PIECES) // 17)
    arrays: Arrays = {"scale": made(17) / 64, "lo": made(17), "eps": np.array(1e-6)}
    for width in (2, 3, 5):
        arrays |= {f"proj{width}": made(512, 256), f"proj_b{width}": made(256)}
        arrays |= {f"ln_g{width}": made(256), f"ln_b{width}": made(256)}
        for layer in (1, 2):
            arrays |= {f"w{layer}_{width}": made(256 * width, 256), f"b{layer}_{width}": made(256)}
    arrays |= {"ln_g": made(1280), "ln_b": made(1280), "cnn_W": made(1280, 512), "cnn_b": made(512)}
    arrays |= {"d0": made(512, 320), "d1": made(320, 320), "p1": made(512, 320)}
    arrays |= {"d2": made(320, 512), "p3": made(320, 512), "d3": made(512, 512)}
    tables = {f"q{i + 1}": random.integers(0, 256, (rows, 512), dtype=np.uint8) for i in range(17)}
    np.savez(folder / "weights.npz", **arrays, **tables)
    numbers = np.arange(rows * 17)
    codes = np.stack([tables[f"q{i % 17 + 1}"][i // 17] for i in numbers]).astype(np.float32)
    arrays["table"] = codes * arrays["scale"][numbers % 17, None] + arrays["lo"][numbers % 17, None]
    return arrays
