"""A model whose replies come from a file: for measuring with a model that this machine cannot call.

    python benchmarks/file_model.py FOLDER COMMAND ...

Runs a command with ``OPENAI_BASE_URL`` set to a server of its own. A request that ``FOLDER/replies.jsonl`` answers, by
the "id" that its messages have, gets that "reply"; any other is written to ``FOLDER/missing.jsonl``, and is refused
with status 400. Whoever has the model adds the replies, and the command is run again until nothing is missing::

    python benchmarks/file_model.py WORK python benchmarks/everyday.py hospital.graph questions.jsonl --llm big
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from graphbrick.testing import Reply, Request, ScriptedLLM


def main() -> None:
    """Run the command."""
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    known, missing = folder / "replies.jsonl", folder / "missing.jsonl"
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    replies = {one["id"]: one["reply"] for one in map(json.loads, lines)}
    wanted: dict[str, object] = {}

    def reply(request: Request) -> Reply:
        messages = request.body["messages"]
        name = hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:16]
        if name in replies:
            return Reply(replies[name])
        wanted[name] = messages
        return Reply("this reply is missing", status=400)

    with ScriptedLLM(reply) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"}
        code = subprocess.run(sys.argv[2:], env=environment, check=False).returncode
    asked = (json.dumps({"id": name, "messages": messages}) + "\n" for name, messages in wanted.items())
    missing.write_text("".join(asked), encoding="utf-8")
    print(f"{len(wanted)} replies are missing: {missing}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
