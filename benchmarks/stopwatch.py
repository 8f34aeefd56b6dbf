"""Follow the README in an empty environment, and print how long each of its doors takes.

    python benchmarks/stopwatch.py --work FOLDER [--wheel FILE.whl]

A new virtual environment gets the checkout, or a wheel, with the extras ``learn`` and ``evaluate``. Then the commands
of each door are run as the README has them, in an empty folder with an empty cache, each in a new process. What they
print is compared with the README. The last rows are a table of one's own, which the README does not have: three
questions about it are asked before and after `learn`. Seconds of the clock and of the processor; the latter say more
on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOORS = {
    "I have a graph": "first answer",
    "I have documents": "first documents",
    "I compare methods": "first comparison",
}
# A table as somebody keeps it, with relations that no other file of the project has.
OWN = """boat,feature,value
Seagull,moored in,Harbour North
Seagull,owned by,Iris Vale
Kittiwake,moored in,Harbour South
Kittiwake,owned by,Tom Brock
Puffin,moored in,Harbour North
Puffin,owned by,Tom Brock
Harbour North,run by,Lena Moss
Harbour South,run by,Otto Reed
"""
QUESTIONS = {
    "Who owns the Seagull?": {"Iris Vale"},
    "Who runs the harbour in which the Kittiwake is moored?": {"Otto Reed"},
    "Which boats does Tom Brock own?": {"Kittiwake", "Puffin"},
}


@dataclass
class Watch:
    """Runs commands in a folder with the programs of an environment, and adds up their seconds."""

    folder: Path
    binaries: Path
    clock: float = 0.0
    processor: float = 0.0

    def run(self, command: str, *, check: bool = True) -> str:
        """Run a command; return what it prints."""
        environment = os.environ | {
            "PATH": f"{self.binaries}{os.pathsep}{os.environ['PATH']}",
            "GRAPHBRICK_CACHE": str(self.folder / "cache"),
            "COLUMNS": "100",
        }
        environment.pop("PYTHONPATH", None)
        begun, used = time.perf_counter(), _children()
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        self.clock += time.perf_counter() - begun
        self.processor += _children() - used
        if check and done.returncode != 0:
            sys.exit(f"{command}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def row(self, name: str, note: str = "") -> None:
        """Print a row of the table: what was used since the last one."""
        print(f"| {name} | {self.clock:.1f} | {self.processor:.1f} | {note} |", flush=True)
        self.clock = self.processor = 0.0


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def commands(readme: str, door: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a door of the README, and what it says that they print."""
    section = re.split(rf"^## {re.escape(door)}$", readme, flags=re.MULTILINE)[1].split("\n## ")[0]
    for block in re.findall(r"```console\n(.*?)```", section, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", part)[0]
            yield command.replace("\\\n", " ").strip(), part[len(command) :]


def walk(watch: Watch, readme: str, door: str) -> str:
    """Do what a door says; return what was not as it says."""
    differs = []
    for command, expected in commands(readme, door):
        if command.startswith("cat "):
            (watch.folder / command[4:]).write_text(expected, encoding="utf-8")
            continue
        printed = watch.run(command)
        printed = "\n".join(line.rstrip() for line in printed.splitlines()) + "\n"
        pattern = ".*".join(map(re.escape, expected.rstrip().split("...")))
        if not re.search(pattern, printed, re.DOTALL):
            differs.append(command)
    return f"other output: {'; '.join(differs)}" if differs else "as the README says"


def own_table(watch: Watch) -> None:
    """Build a table of one's own and ask it until an answer is right; then learn it and ask again."""
    (watch.folder / "boats.csv").write_text(OWN, encoding="utf-8")
    watch.run("graphbrick build boats.csv boats.graph --columns boat,feature,value")
    for name, command in (("not learned", ""), ("learned", "graphbrick learn boats.graph")):
        if command:
            watch.run(command)
        right = 0
        for place, (question, answers) in enumerate(QUESTIONS.items()):
            printed = json.loads(
                watch.run(f'graphbrick ask boats.graph "{question}" --json', check=False).partition("\n}\n")[0] + "\n}"
            )
            right += {answer["text"] for answer in printed["answers"]} == answers
            if place == 0:
                watch.row(f"first answer on a table of one's own, {name}", "right" if right else "wrong")
        watch.row(f"all three questions, {name}", f"{right} of 3 right")


def main() -> None:
    """Make the environment, go through the doors, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="an empty folder")
    parser.add_argument("--wheel", type=Path, help="install this wheel instead of the checkout")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if any(given.work.iterdir()):
        sys.exit(f"{given.work} is not empty")
    environment = given.work.resolve() / "venv"
    watch = Watch(given.work.resolve(), environment / "bin")
    print("| what | s | processor s | |\n|---|---|---|---|", flush=True)
    watch.run(f'"{sys.executable}" -m venv "{environment}"')
    source = given.wheel.resolve() if given.wheel else ROOT
    watch.run(f"pip install --quiet --disable-pip-version-check '{source}[learn,evaluate]'")
    watch.row("install", "wheel" if given.wheel else "checkout")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for door, name in DOORS.items():
        note = walk(watch, readme, door)
        watch.row(name, note)
    own_table(watch)


if __name__ == "__main__":
    main()
