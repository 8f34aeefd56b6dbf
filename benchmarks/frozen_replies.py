"""Replies of a benchmark, without the prompts, in a file small enough to be kept beside the script.

    python benchmarks/frozen_replies.py pack replies.db replies/published_systems.jsonl.xz
    python benchmarks/frozen_replies.py unpack replies/published_systems.jsonl.xz replies.db

A packed line is the digest of a request and its reply. A run over the unpacked file repeats what was measured without
a call, as long as graphs, prompts, the model's name and the address of its server are the same; what is not in it is
asked. ``graphbrick cache export`` writes replies with their prompts, which hold parts of the graph.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

from graphbrick.models.llm.reply_cache import ReplyCache


def pack(replies: Path, packed: Path) -> int:
    """Write the replies of a file, in the order of their digests; return how many there are."""
    with closing(sqlite3.connect(f"{replies.resolve().as_uri()}?mode=ro", uri=True)) as file:
        rows = file.execute("SELECT key, reply FROM replies ORDER BY key").fetchall()
    packed.parent.mkdir(parents=True, exist_ok=True)
    packed.write_bytes(lzma.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode(), preset=9))
    return len(rows)


def unpack(packed: Path, replies: Path) -> int:
    """Add packed replies to a file, which is made if there is none; return how many there are."""
    rows = [json.loads(line) for line in lzma.decompress(packed.read_bytes()).splitlines()]
    ReplyCache(replies).close()  # makes the table
    with closing(sqlite3.connect(replies)) as file, file:
        file.executemany("INSERT OR IGNORE INTO replies VALUES (?, '{}', ?, 0)", rows)
    return len(rows)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("action", choices=("pack", "unpack"))
    arguments.add_argument("source", type=Path)
    arguments.add_argument("target", type=Path)
    given = arguments.parse_args()
    count = (pack if given.action == "pack" else unpack)(given.source, given.target)
    print(f"{count:,} replies in {given.target}")


if __name__ == "__main__":
    main()
