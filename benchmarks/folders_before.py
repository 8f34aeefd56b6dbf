"""Open with one source tree what another one wrote: graphs, learned patterns, vectors, documents, studies, caches.

    python benchmarks/folders_before.py BEFORE AFTER [--work FOLDER]

BEFORE and AFTER are checkouts with a ``src`` folder. BEFORE writes each kind of file by the commands that users run;
both trees then answer from the same files, and what they print has to be equal. The replies of a language model come
from a scripted server, recorded by BEFORE and replayed by AFTER without the server.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

TRIPLES = """head,relation,tail
Kenya,capital,Nairobi
Kenya,currency,Kenyan shilling
Kenya,borders,Uganda
Uganda,capital,Kampala
Uganda,currency,Ugandan shilling
Rwanda,capital,Kigali
Rwanda,borders,Uganda
Nairobi,mayor,Ada Moss
Kampala,mayor,Ben Lutz
"""
MORE = "head,relation,tail\nTanzania,capital,Dodoma\n"
QUESTIONS = """id,question,seeds,answers
1,What is the capital of Kenya?,Kenya,Nairobi
2,Which currency has Uganda?,Uganda,Ugandan shilling
3,Who is the mayor of the capital of Kenya?,Kenya,Ada Moss
"""
NOTES = {
    "kenya.txt": "Nairobi is the capital of Kenya. The Kenyan shilling is used in Kenya. Nairobi lies on a river.",
    "uganda.txt": "Kampala is the capital of Uganda. The Ugandan shilling is used there. Lake Victoria lies near it.",
}
ASKED = "What is the capital of Kenya?"
RECORD = """
import os, sys
from graphbrick.testing import ScriptedLLM
from graphbrick.cli.app import main
with ScriptedLLM(lambda request: "Nairobi [1]") as server:
    os.environ["OPENAI_BASE_URL"] = server.base_url
    print(server.base_url, file=sys.stderr)
    main(sys.argv[1:])
"""
MODEL = ("ask", "africa.graph", ASKED, "--llm", "tiny", "--cache-file", "replies.sqlite")


def run(tree: Path, folder: Path, *arguments: str, program: Sequence[str] = ("-m", "graphbrick"), **names: str) -> str:
    """Run a command with a tree; return what it prints, errors last if it is a program of its own."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree / "src"),
        "GRAPHBRICK_CACHE": str(folder / "cache"),
        "OPENAI_API_KEY": "none",
        **names,
    }
    command = [sys.executable, *program, *arguments]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{tree}: {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stderr if program[0] == "-c" else done.stdout


def write(tree: Path, folder: Path) -> str:
    """Write each kind of file with a tree; return the address of the model server whose replies were recorded."""
    for name, text in {"triples.csv": TRIPLES, "more.csv": MORE, "questions.csv": QUESTIONS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "notes").mkdir()
    for name, text in NOTES.items():
        (folder / "notes" / name).write_text(text, encoding="utf-8")
    run(tree, folder, "build", "triples.csv", "africa.graph")
    run(tree, folder, "learn", "africa.graph", "--questions", "200")
    run(tree, folder, "add", "africa.graph", "more.csv")
    run(tree, folder, "prepare", "vectors", "africa.graph")
    run(tree, folder, "index", "notes", "notes.graph")
    run(tree, folder, "ask", "notes.graph", ASKED)
    run(tree, folder, *STUDY)
    return run(tree, folder, *MODEL, "--cache", "record", program=("-c", RECORD)).splitlines()[0]


STUDY = ("evaluate", "africa.graph", "questions.csv", "--recipe", "1", "--out", "runs.sqlite")
READ: tuple[tuple[str, ...], ...] = (
    ("info", "africa.graph", "--json"),
    ("ask", "africa.graph", ASKED),
    ("ask", "africa.graph", "What is the capital of Tanzania?"),
    ("ask", "africa.graph", "How many countries border Uganda?"),
    ("ask", "notes.graph", "Which lake lies near Kampala?"),
    ("info", "notes.graph", "--json"),
    ("report", "runs.sqlite", "--markdown", "report.md"),
    ("recipes", "12"),
)


def differences(before: Path, after: Path, folder: Path) -> Sequence[str]:
    """Return the commands that print something else over the same files."""
    told = []
    for command in READ:
        first, second = (run(tree, folder, *command) for tree in (before, after))
        same = _without_times(first) == _without_times(second)
        print(f"{'same' if same else 'DIFFERENT':10}", " ".join(command), flush=True)
        if not same:
            told.append(f"{' '.join(command)}\n--- before\n{first}\n--- after\n{second}")
    return told


def _without_times(text: str) -> list[str]:
    return [line for line in text.splitlines() if " ms" not in line and " s" not in line.split("·")[-1]]


def main() -> None:
    """Write with one tree, read with both, and exit with 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])  # type: ignore[union-attr]
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--work", type=Path, help="An empty folder; a temporary one by default.")
    given = parser.parse_args()
    folder = given.work or Path(tempfile.mkdtemp(prefix="folders-before-"))
    before, after = given.before.resolve(), given.after.resolve()
    address = write(before, folder)
    told = list(differences(before, after, folder))
    replayed = run(after, folder, *MODEL, "--cache", "replay", OPENAI_BASE_URL=address)
    if "Nairobi" not in replayed:
        told.append(f"a recorded reply is not replayed:\n{replayed}")
    counted = run(after, folder, "report", "runs.sqlite", "--json")
    run(after, folder, *STUDY)
    if run(after, folder, "report", "runs.sqlite", "--json") != counted:
        told.append("a finished study was asked again")
    print(*told, sep="\n\n", end="\n" if told else "")
    sys.exit(bool(told))


if __name__ == "__main__":
    main()
