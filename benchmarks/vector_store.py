"""The store of embeddings beside a graph, compared with LMDB on the same work.

    pip install lmdb
    python benchmarks/vector_store.py [--texts 50000]

Two processes write vectors of 384 half-precision numbers in batches of 256 texts; then one process reads 5,000 random
texts in batches of three sizes (the best of seven rounds, files in the page cache). Then a writer is killed
with SIGKILL while it works, and every text that it had reported as written is looked up.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.models.vectors.segments import hash_texts
from graphbrick.models.vectors.store import VectorStore

DIMENSIONS, BATCH, READS = 384, 256, 5_000
Vectors = npt.NDArray[np.float16]


def text(i: int) -> str:
    return f"entity number {i} -> relation -> another entity {i % 97}"


def vectors_of(texts: Sequence[str]) -> Vectors:
    """A vector for each text that depends on its number only."""
    numbers = np.array([int(t.split()[2]) for t in texts], dtype=np.float32)
    return np.sin(numbers[:, None] * np.arange(1, DIMENSIONS + 1, dtype=np.float32)).astype(np.float16)


class Model:
    """Stands in for an embedder."""

    identity = "benchmark"

    def made(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts."""
        return vectors_of(texts)


class Ours:
    """graphbrick's segment files."""

    def __init__(self, folder: Path) -> None:
        self._store = VectorStore(folder / "store.vectors")

    def write(self, texts: list[str]) -> None:
        """Add texts with their vectors."""
        self._store.get(Model(), texts)  # type: ignore[arg-type]

    def flush(self) -> None:
        """Write what is in memory to disk."""
        self._store.flush()

    def missing(self, texts: list[str]) -> list[str]:
        """Return the texts that are not there."""
        return self._store.missing(Model(), texts)  # type: ignore[arg-type]

    def read(self, texts: list[str]) -> Vectors:
        """Return the vectors of texts."""
        return self._store.get(Model(), texts)  # type: ignore[arg-type]


class Lmdb:
    """One LMDB environment; a key is the same 128-bit hash, a value the bytes of the vector."""

    def __init__(self, folder: Path) -> None:
        import lmdb

        self._env = lmdb.open(str(folder), map_size=1 << 36, readahead=False)
        self._fresh: list[tuple[bytes, bytes]] = []

    def write(self, texts: list[str]) -> None:
        """Add texts with their vectors."""
        self._fresh += zip(self._keys(texts), (vector.tobytes() for vector in vectors_of(texts)), strict=True)
        if len(self._fresh) >= 16_384:
            self.flush()

    def flush(self) -> None:
        """Write what is in memory to disk."""
        with self._env.begin(write=True) as transaction:
            transaction.cursor().putmulti(sorted(self._fresh), overwrite=False)
        self._fresh = []

    def missing(self, texts: list[str]) -> list[str]:
        """Return the texts that are not there."""
        with self._env.begin() as transaction:
            keys = zip(texts, self._keys(texts), strict=True)
            return [one for one, key in keys if transaction.get(key) is None]

    def read(self, texts: list[str]) -> Vectors:
        """Return the vectors of texts."""
        with self._env.begin(buffers=True) as transaction:
            rows = b"".join([transaction.get(key) for key in self._keys(texts)])
        return np.frombuffer(rows, dtype=np.float16).reshape(-1, DIMENSIONS)

    @staticmethod
    def _keys(texts: list[str]) -> list[bytes]:
        raw = hash_texts(texts).tobytes()
        return [raw[i : i + 16] for i in range(0, len(raw), 16)]


STORES = {"graphbrick": Ours, "lmdb": Lmdb}


def write(name: str, folder: Path, first: int, last: int) -> None:
    """Write texts in a process of its own."""
    store = STORES[name](folder)
    for start in range(first, last, BATCH):
        store.write([text(i) for i in range(start, min(start + BATCH, last))])
    store.flush()


def write_until_killed(name: str, folder: Path) -> None:
    """Write for ever, and report after each batch how many texts are on disk."""
    store = STORES[name](folder)
    for start in range(0, 1 << 30, BATCH):
        store.write([text(i) for i in range(start, start + BATCH)])
        store.flush()
        print(start + BATCH, flush=True)


def start(*arguments: object, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.Popen(command, text=True, **options)  # type: ignore[call-overload, no-any-return]


def measure(name: str, folder: Path, n: int) -> str:
    """One row of the table."""
    began = time.perf_counter()
    writers = [start("--write", name, folder, first, first + n // 2) for first in (0, n // 2)]
    assert not any(writer.wait() for writer in writers)
    written = time.perf_counter() - began
    size = sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())
    store, columns = STORES[name](folder), []
    texts = [text(int(i)) for i in np.random.default_rng(7).integers(0, n, READS)]
    assert (store.read(texts) == vectors_of(texts)).all()
    for batch in (64, 1_000, 5_000):
        rounds = []
        for _ in range(7):
            began = time.perf_counter()
            for i in range(0, READS, batch):
                store.read(texts[i : i + batch])
            rounds.append(time.perf_counter() - began)
        columns.append(f"{min(rounds) * 1e3:.1f}")
    return f"| {name} | {written:.1f} | {size / 1e6:.0f} | {' | '.join(columns)} | {killed(name, folder / 'killed')} |"


def killed(name: str, folder: Path) -> str:
    """Kill a writer five times; how many of the texts that it reported are there afterwards."""
    lost = reported = 0
    for _ in range(5):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        writer = start("--write-until-killed", name, folder, stdout=subprocess.PIPE)
        assert writer.stdout is not None
        time.sleep(1.5)
        writer.kill()
        lines = writer.stdout.read().split("\n")[:-1]
        done = int(lines[-1]) if lines else 0
        texts = [text(i) for i in range(done)]
        reported, lost = reported + done, lost + len(STORES[name](folder).missing(texts))
    return f"{lost} of {reported:,}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--texts", type=int, default=50_000)
    arguments.add_argument("--write", nargs=4, help=argparse.SUPPRESS)
    arguments.add_argument("--write-until-killed", nargs=2, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.write:
        name, folder, first, last = options.write
        write(name, Path(folder), int(first), int(last))
    elif options.write_until_killed:
        name, folder = options.write_until_killed
        write_until_killed(name, Path(folder))
    else:
        print("| store | write s | size MB | read 5,000, by 64, ms | by 1,000 | by 5,000 | lost after kill |")
        print("|---|---|---|---|---|---|---|")
        for name in STORES:
            with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
                print(measure(name, Path(folder), options.texts))


if __name__ == "__main__":
    main()
