"""Commands whose model server answers badly: an answer or one line, no prompt elsewhere, no budget passed."""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

from lying_server import LyingServer
from trying import Done, Fault, Surface, forked, held, warmed

from graphbrick import build
from graphbrick.cli.app import main
from graphbrick.testing import TINY, ScriptedLLM
from index_kill import write_documents

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
_TEXT = 16  # characters, of which every tokenizer makes a token at least
_PATIENT = 45.0  # seconds: a client whose time-out is one second does not wait for a reply for so long
_ASKS = [
    "ShortestPaths() >> Generate({llm})",
    "ShortestPaths() >> Rerank(LLMListwiseScorer({llm}), n=4) >> Generate({llm})",
    "LinkWithLLM({llm}) >> ShortestPaths() >> PathAnswer()",
    "Agent({llm}, max_steps=6) >> Generate({llm})",
    "TextToQuery({llm}) >> Generate({llm})",
    "PlannedRelations({llm}) >> ShortestPaths() >> WriteAnswer({llm})",
    "FromModel({llm})",
]


class Models(Surface):
    """`ask` and `index` with a model server that lies."""

    tries = 400

    def prepare(self) -> None:
        """Ask each pipeline once with a good server, so that all that is needed is loaded."""
        os.environ["OPENAI_API_KEY"] = "sk-secret-0123456789"
        self.graph = build(TINY, self.folder / "tiny.graph").path
        write_documents(self.folder / "docs", 30, changed=False)
        with ScriptedLLM(["Kenyan shilling"]) as server:
            for text in _ASKS[:2]:
                warmed("ask", self.graph, QUESTION, "--pipeline", text.format(llm=_llm(server.base_url)))

    def attempt(self, draw: random.Random, work: Path) -> str:
        """Run a command with a server whose replies are bad, or whose figures lie."""
        indexes = draw.random() < 0.35
        budget = draw.choice((2_500, 6_000, 15_000)) if draw.random() < 0.6 else 0
        pipeline, only_usage = draw.choice(_ASKS), draw.random() < 0.3

        def run() -> int:
            with LyingServer(random.Random(draw.random()), only_usage=only_usage) as server:
                llm = _llm(server.base_url)
                command = ["ask", str(self.graph), QUESTION, "--pipeline", pipeline.format(llm=llm)]
                if indexes:
                    command = ["index", str(self.folder / "docs"), str(work / "n.graph"), "--no-embed", "--llm", llm]
                code = 0
                try:
                    main([*command, *(["--budget", f"tokens={budget}"] if budget else [])])
                except SystemExit as ended:
                    code = int(ended.code or 0)
                sizes = [len(body) for body in server.sent]
                sys.stdout.write(f"\x1e{json.dumps([server.trapped, server.longest, sizes])}")
                return code

        # Ladybug, to which text to query leads, reserves terabytes.
        done = held(forked(run, bounded="TextToQuery" not in pipeline), (0, 1, 2, 3))
        self._checked(done, budget)
        return ("answered", "refused", "nothing found", "stopped by the budget")[done.code]

    @staticmethod
    def _checked(done: Done, budget: int) -> None:
        """Raise `Fault` if the server saw what it should not see, or the command showed what it should not show."""
        trapped, longest, sizes = json.loads(done.out.rsplit("\x1e", 1)[1])
        if trapped:
            raise Fault("a prompt went to another host")
        if longest > _PATIENT:
            raise Fault(f"it waited {longest:.0f} s for the end of one reply")
        if len(sizes) > 400:
            raise Fault(f"it asked {len(sizes)} times")
        least = sum(sizes[:-1]) // (2 * _TEXT)  # half of a request may be names of JSON
        if budget and least > budget:
            raise Fault(f"it sent {sum(sizes):,} characters in {len(sizes)} calls with a budget of {budget:,} tokens")
        if "sk-secret" in done.out + done.err:
            raise Fault("it shows the key")
        if len(done.err) > 20_000:
            raise Fault(f"it printed {len(done.err):,} characters of errors: {done.err[:200]!r}")


def _llm(address: str) -> str:
    return f"LLM('m', base_url={address!r}, timeout=1.0, retries=0, parallel=2)"
