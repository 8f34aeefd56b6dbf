"""The experiment files of two papers, cut down to graphs at hand, a small local model and a few questions.

    python benchmarks/papers_in_small.py FOLDER [DATA] [--llm "LocalLLM('qwen2.5-coder-1.5b')"] [--each 2]
    cd FOLDER; graphbrick prepare reports metaqa.graph (and the others); graphbrick evaluate lego.toml

DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds ``metaqa/``, ``freebase/`` and ``hetionet/``. FOLDER gets the
graphs, their questions in files, and ``lego.toml`` and ``strategies.toml`` as they come with the package, but with
these models, samples and data: MetaQA; the questions of WebQSP and CWQ over a core of Freebase; and Hetionet, whose
relations have labels in words. A study goes on when the command is repeated with a larger ``--each``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import hetionet_questions
from extraction_recall import graph_of
from metaqa import DATA
from unlabelled import hetionet_named

Row = dict[str, Any]
STUDIES = {"lego": ("MetaQA", "WebQSP", "CWQ", "Hetionet"), "strategies": ("Hetionet",)}
GRAPHS = {"MetaQA": "metaqa", "WebQSP": "freebase", "CWQ": "freebase", "Hetionet": "hetionet-named"}


def rows(file: Path) -> Iterator[Row]:
    """Yield the questions of a file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def questions(data: Path, name: str) -> Iterable[Row]:
    """Yield the questions of a data set, with seeds, answers and hops."""
    if name == "MetaQA":
        for file in sorted((data / "metaqa").glob("*.jsonl.gz")):
            yield from rows(file)
    elif name == "Hetionet":
        for one in hetionet_questions.questions(data):
            yield {"id": one.id, "question": one.text, "seeds": one.seeds, "answers": one.answers, "hops": one.hops}
    else:
        yield from (
            row for row in rows(data / "freebase/questions_dev.jsonl.gz") if row["dataset"].startswith(name.lower())
        )


def experiment(name: str, llm: str, each: int) -> str:
    """Return an experiment file of the package with this model, this sample and the data of this folder."""
    text = resources.files("graphbrick.study.experiments.shipped").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    text, *rest = re.split(r"^\[\[data\]\]\n(?:.+\n)+\n", text, flags=re.MULTILINE)
    text = re.sub(r"^models = .*\n(each = .*\n)?(by = .*\n)?", "", text, flags=re.MULTILINE)
    head, paper = text.split("[paper]", 1)
    head += f'models = [{json.dumps(llm)}]\neach = {each}\nby = "complexity"\n\n'
    sets = "".join(
        f'[[data]]\nname = "{data}"\ngraph = "{GRAPHS[data]}.graph"\nquestions = "{data.lower()}.jsonl"\n\n'
        for data in STUDIES[name]
    )
    tables = "".join(rest).replace("LLM('o3-mini')", llm)
    lines = [
        line for line in tables.splitlines(keepends=True)
        if not (of := re.search(r'measure = .*, data = "(.+?)"', line)) or of[1] in STUDIES[name]
    ]  # fmt: skip
    return head + "[paper]" + paper + sets + "".join(lines)


def main() -> None:
    """Write graphs, questions and experiment files."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument("--llm", default="LocalLLM('qwen2.5-coder-1.5b')")
    arguments.add_argument("--each", type=int, default=2, help="simple questions, and so many complex ones")
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in ("metaqa", "freebase"):
        graph_of(given.data, name, given.folder)
    hetionet_named(given.data, given.folder)
    for name in GRAPHS:
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in questions(given.data, name)]
        (given.folder / f"{name.lower()}.jsonl").write_text("".join(lines), encoding="utf-8")
        print(f"{name}: {len(lines):,} questions")
    for name in STUDIES:
        (given.folder / f"{name}.toml").write_text(experiment(name, given.llm, given.each), encoding="utf-8")


if __name__ == "__main__":
    main()
