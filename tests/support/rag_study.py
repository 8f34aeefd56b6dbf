"""A small evaluation of systems on documents, with a scripted model that writes questions and scores answers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from graphbrick import LLM, parse
from graphbrick.judge.rag.building import Documents
from graphbrick.judge.rag.experiment import RagStudy, evaluate_rag
from graphbrick.judge.rag.questions import QuestionWriting
from graphbrick.judge.rag.systems import RagSystem
from graphbrick.testing import ScriptedLLM
from graphbrick.testing.llm_server import Request

TEXTS = {
    "nairobi.txt": "Nairobi is the capital of Kenya. The Green City lies near Mount Kenya.",
    "kisumu.txt": "Kisumu is a port on Lake Victoria. Kisumu trades with Uganda.",
    "mombasa.txt": "Mombasa lies on the Indian Ocean. Mombasa has the Fort Jesus.",
}
CALLS = 1 + 3 + 6  # for two and three questions, and for a score of each answer that is not empty
WORDS, FIRST = "Passages(n=2) >> Quote(BM25(), n=1)", "Passages(n=1) >> Quote(BM25(), n=2)"


def systems() -> list[RagSystem]:
    return [RagSystem("words", parse(WORDS)), RagSystem("first", parse(FIRST))]


def script(request: Request) -> str:
    """Write questions, and score answers by the towns that they name."""
    if "You judge" in request.prompt:
        answer = request.prompt.rpartition("Answer:")[2]
        return json.dumps({"reason": "seen", "score": 80 if "Kisumu" in answer else 20})
    n = re.search(r"Write (\d+) different", request.prompt)
    if n:
        known = request.prompt.count("\n- ")
        made = [{"question": f"What do towns share, part {known + i}?", "answer": "Water."} for i in range(int(n[1]))]
        return json.dumps({"questions": made})
    title = re.search(r"Title: (\w*)", request.prompt)
    return json.dumps({"question": f"Where does {title[1] if title else ''} lie?"})


def compare(documents: Path, folder: Path, server: ScriptedLLM, **options: object) -> RagStudy:
    llm = LLM("model", base_url=server.base_url)
    writing = QuestionWriting(llm, overall=2, single=3)
    return evaluate_rag(Documents([documents]), systems(), folder, questions=writing, judge=llm, **options)  # type: ignore[arg-type]
