"""Keep a small graph, documents, learned words and a study as this version writes them, for later versions to open.

    python tools/keep_release.py

Writes ``tests/released/VERSION.zip`` and never replaces one. ``tests/test_released.py`` opens all that are there, and
knows by hand what they must answer. Run it once for each release, in an environment with the extra ``dev``.
"""

from __future__ import annotations

import os
import re
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx

from graphbrick import EmbeddingModel, Graph, build, evaluate, index, learn
from graphbrick.core import __version__
from graphbrick.graphs.changes.delta import change

RELEASED = Path(__file__).parent.parent / "tests" / "released"
_WHEN = (2020, 1, 1, 0, 0, 0)  # the same content gives the same file

FACTS = """head,relation,tail,since:int
Kenya,capital,Nairobi,1963
Uganda,capital,Kampala,1962
Tanzania,capital,Dodoma,1974
Rwanda,capital,Kigali,1962
Ethiopia,capital,Addis Ababa,1886
Kenya,currency,Kenyan shilling,1966
Uganda,currency,Ugandan shilling,1987
Rwanda,currency,Rwandan franc,1964
Kenya,borders,Uganda,
Kenya,borders,Tanzania,
Kenya,borders,Ethiopia,
Uganda,borders,Rwanda,
Uganda,borders,Tanzania,
"""
PEOPLE = "id,label,type,population:int\n" + "".join(
    f"{name},{name},country,{count}\n" for name, count in (("Kenya", 55_000_000), ("Uganda", 48_000_000))
)
NOTES = """# Lakes

Lake Victoria borders Kenya, Uganda and Tanzania. It is the largest lake of Africa.

# Mountains

Mount Kenya is the highest mountain of Kenya.
"""
QUESTIONS = '{"question": "What is the capital of Kenya?", "seeds": ["Kenya"], "answers": ["Nairobi"]}\n'


def write(folder: Path) -> None:
    """Write what is kept into the working folder, from which the learned words name their embedder."""
    for name, text in (
        ("facts.csv", FACTS),
        ("countries.csv", PEOPLE),
        ("lakes.md", NOTES),
        ("asked.jsonl", QUESTIONS),
    ):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    place = folder / "facts.graph"
    build(folder / "facts.csv", place, nodes=folder / "countries.csv")
    change(place, add=[("Burundi", "capital", "Gitega")], delete=[("Ethiopia", "capital", "Addis Ababa")])
    learn(Graph.open(place), n=100, embedder=embedder())
    build([("a", "r", "b"), ("b", "r", "c")], folder / "plain.graph")
    index([folder / "lakes.md"], folder / "notes.graph")
    recipes = {"near": "ShortestPaths() >> Rerank(BM25()) >> PathAnswer()"}
    evaluate(Graph.open(place), folder / "asked.jsonl", recipes, out=folder / "runs.sqlite")


def embedder() -> EmbeddingModel:
    """Return a model of 16 numbers a word, in the working folder; with MiniLM the file would be ten times larger."""
    sys.path.insert(0, str(RELEASED.parent / "support"))
    from onnx_models import write_embedder

    words = sorted(
        set(re.findall("[a-z]+", (FACTS + QUESTIONS + "what which who is are of in the country has").lower()))
    )
    rows = np.random.default_rng(0).normal(size=(len(words), 16)).round(3)
    table = dict(zip(words, rows.tolist(), strict=True))
    file = write_embedder(Path("words.model"), table, output="sentence_embedding")
    model = onnx.load(file)
    (weights,) = (part for part in model.graph.initializer if part.name == "table")
    values = onnx.numpy_helper.to_array(weights).copy()
    values[2] = 0.01  # of the mark before each text, so that no text is without a vector
    weights.CopyFrom(onnx.numpy_helper.from_array(values, "table"))
    onnx.save(model, file)
    return EmbeddingModel("words.model")


def main() -> None:
    """Write the file of this version, unless there is one."""
    target = RELEASED / f"{__version__}.zip"
    if target.exists():
        sys.exit(f"{target} is there: what a release wrote stays as it is; raise the version first")
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        write(folder)
        os.chdir(RELEASED.parent)
        passing = (".lock", "-shm", "-wal")
        files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.endswith(passing))
        RELEASED.mkdir(exist_ok=True)
        with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for file in files:
                packed.writestr(zipfile.ZipInfo(file.relative_to(folder).as_posix(), _WHEN), file.read_bytes(),
                                zipfile.ZIP_DEFLATED, 9)  # fmt: skip
        print(f"{target}: {target.stat().st_size:,} bytes, {len(files)} files")


if __name__ == "__main__":
    main()
