"""Change the code in small ways and see whether the tests notice: a sampled mutation run.

    python tools/mutants.py                       # 100 mutants of the seed 1, two at a time
    python tools/mutants.py --seed 7 --count 20
    python tools/mutants.py --list                # only show them

Each mutant is made in a copy of the tree, never in the checkout. The tests that fit it best are run there: the doctests
of its module, the test file of the same name, and test files that import it. A mutant is killed if one of them fails
or does not end. Survivors are printed as diffs. ``tools/equivalent_mutants.txt`` lists mutants that change nothing.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from mutations import Mutant, mutants_of

ROOT = Path(__file__).parent.parent
PACKAGE = Path("src/graphbrick")
TARGETS = (
    "core/**/*.py",
    "pipeline/**/*.py",
    "kernels/**/*.py",
    "study/metrics/*.py",
    "graphs/queries/guard.py",
    "graphs/queries/check*.py",
    "graphs/queries/tokens.py",
    "graphs/queries/limits.py",
    "graphs/queries/edits.py",
    "graphs/queries/cypher_clauses.py",
    "models/llm/reply_cache.py",
)
EQUIVALENT = Path("tools/equivalent_mutants.txt")
FILES = 10  # test files a mutant is tried with, at most
SLOW = 60.0  # seconds; slower test files are left out
PATIENCE = 90.0  # seconds that a run may take beyond five times what it takes without a mutant


@dataclass(frozen=True)
class Tests:
    """Test files, what each imports, and its text; and which modules of the package import a module."""

    imports: dict[Path, frozenset[str]]
    texts: dict[Path, str]
    users: dict[str, set[str]]

    def for_mutant(self, mutant: Mutant) -> list[Path]:
        """Return the test files that are most likely to notice a mutant, best first."""
        module = module_name(mutant.path)
        folder = Path("tests") / mutant.path.relative_to(PACKAGE).parent

        users = self.users.get(module, set())

        def rank(path: Path) -> tuple[bool, bool, bool, bool, int, Path]:
            names = path.stem.removeprefix("test_"), mutant.path.stem.rstrip("s")
            by_name = path.parent == folder and (names[0].startswith(names[1]) or names[1].startswith(names[0]))
            mentions = re.search(rf"\b{mutant.scope or '-'}\b", self.texts[path]) is not None
            imported = module in self.imports[path]
            return not by_name, not mentions, not imported, path.parent != folder, len(self.texts[path]), path

        def fits(path: Path) -> bool:
            return module in self.imports[path] or path.parent == folder or bool(users & self.imports[path])

        return sorted(filter(fits, self.imports), key=rank)[:FILES]


def module_name(path: Path) -> str:
    """Return the dotted name of a module of the package.

    >>> module_name(Path("src/graphbrick/core/files/__init__.py"))
    'graphbrick.core.files'
    """
    return ".".join(path.relative_to("src").with_suffix("").parts).removesuffix(".__init__")


def imported(tree: ast.Module, homes: dict[str, set[str]]) -> set[str]:
    """Return the modules that a file imports; a name imported from a package counts for the module that defines it."""
    modules = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("graphbrick"):
            for name in (alias.name for alias in node.names):
                inside = [home for home in homes.get(name, ()) if home.startswith(f"{node.module}")]
                modules |= {f"{node.module}", f"{node.module}.{name}", *inside}
    return modules


def read_tests(root: Path) -> Tests:
    """Read which test files there are, and what they and the modules of the package import."""
    sources = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((root / PACKAGE).rglob("*.py"))}
    homes: dict[str, set[str]] = {}
    for path, tree in sources.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                homes.setdefault(node.name, set()).add(module_name(path.relative_to(root)))
    users: dict[str, set[str]] = {}
    for path, tree in sources.items():
        for module in imported(tree, homes):
            users.setdefault(module, set()).add(module_name(path.relative_to(root)))
    imports, texts = {}, {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "pytestmark = pytest.mark." in text.replace("pytestmark = pytest.mark.usefixtures", ""):
            continue  # needs a browser, real models, servers
        imports[path.relative_to(root)] = frozenset(imported(ast.parse(text), homes))
        texts[path.relative_to(root)] = text
    return Tests(imports, texts, users)


def sampled(root: Path, count: int, seed: int) -> list[Mutant]:
    """Return ``count`` mutants of the targets, drawn by a seed, without those listed as equivalent."""
    known = set((root / EQUIVALENT).read_text(encoding="utf-8").splitlines())
    paths = sorted({path for pattern in TARGETS for path in (root / PACKAGE).glob(pattern)})
    every = [
        mutant for path in paths for mutant in mutants_of(path.relative_to(root), path.read_text(encoding="utf-8"))
    ]
    drawn = random.Random(seed).sample(every, min(count, len(every)))
    return [mutant for mutant in drawn if mutant.name not in known]


def copy_of(root: Path, place: Path) -> Path:
    """Copy the tree with its compiled kernels, whose files have to keep their times."""
    left_out = shutil.ignore_patterns(".git", ".venv*", ".mypy_cache", ".pytest_cache", ".ruff_cache", "*.egg-info")
    shutil.copytree(root, place, ignore=left_out, symlinks=True)
    return place


def run_tests(place: Path, files: list[Path], seconds: float, *options: str) -> int:
    """Run test files in a copy of the tree; return the exit status of pytest, or -1 if it did not end in time."""
    environment = os.environ | {"PYTHONPATH": str(place / "src"), "CI": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *map(str, files)]
    process = subprocess.Popen(
        command,
        cwd=place,
        env=environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return -1
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)
            process.wait()


def seconds_of(place: Path, files: list[Path], workers: int) -> dict[Path, float]:
    """Run test files without a mutant; return the seconds of each that passes."""
    report = place / "baseline.xml"
    run_tests(
        place, files, 3600.0, f"--junitxml={report}", "-o", "junit_family=xunit1", "-n", f"{workers}", "--dist=loadfile"
    )
    seconds, failed = dict.fromkeys(files, 0.0), set[Path]()
    for case in ElementTree.parse(report).iter("testcase"):
        path = Path(case.get("file", ""))
        seconds[path] = seconds.get(path, 0.0) + float(case.get("time", 0))
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(path)
    for path in sorted(failed):
        print(f"left out, as it fails without a mutant: {path}", flush=True)
    return {path: spent for path, spent in seconds.items() if path not in failed and spent <= SLOW}


def is_killed(mutant: Mutant, place: Path, files: list[Path], seconds: float) -> bool:
    """Make a mutant in a copy of the tree, run tests, and put back what was there."""
    target = place / mutant.path
    original, stat = target.read_text(encoding="utf-8"), target.stat()
    kernels = {path: path.read_bytes() for path in target.parent.glob(f"__pycache__/{target.stem}.*.nb?")}
    target.write_text(mutant.changed(original), encoding="utf-8")
    try:
        doctests = [mutant.path] if ">>>" in original else []
        return run_tests(place, [*doctests, *files], 5 * seconds + PATIENCE, "-x", "-n0") not in (0, 5)
    finally:
        target.write_text(original, encoding="utf-8")
        os.utime(target, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        for path in target.parent.glob(f"__pycache__/{target.stem}.*"):
            path.unlink()
        for path, content in kernels.items():
            path.write_bytes(content)


def diff_of(mutant: Mutant, root: Path) -> str:
    """Return a mutant as a diff with one line of context."""
    before = (root / mutant.path).read_text(encoding="utf-8")
    after = mutant.changed(before)
    lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return "".join(difflib.unified_diff(*lines, fromfile=str(mutant.path), tofile=mutant.name, n=1))


def tried(mutants: list[Mutant], folder: Path, workers: int) -> list[Mutant]:
    """Try mutants in copies of the tree; return those that survive."""
    first = copy_of(ROOT, folder / "0")
    tests = read_tests(first)
    chosen = {mutant: tests.for_mutant(mutant) for mutant in mutants}
    seconds = seconds_of(first, sorted({path for files in chosen.values() for path in files}), workers)
    copies: queue.Queue[Path] = queue.Queue()
    for place in (first, *(copy_of(first, folder / str(number)) for number in range(1, workers))):
        copies.put(place)
    done = []

    def survives(mutant: Mutant) -> bool:
        place = copies.get()
        try:
            files = [path for path in chosen[mutant] if path in seconds]
            killed = is_killed(mutant, place, files, sum(seconds[path] for path in files))
        finally:
            copies.put(place)
        done.append(killed)
        print(f"{len(done):4} {'killed  ' if killed else 'SURVIVED'} {mutant.name}", flush=True)
        return not killed

    with ThreadPoolExecutor(workers) as pool:
        return [mutant for mutant, alive in zip(mutants, pool.map(survives, mutants), strict=True) if alive]


def main() -> None:
    """Draw mutants, try them, and print the share killed and the survivors."""
    parser = argparse.ArgumentParser(description="Change the code in small ways and see whether the tests notice.")
    parser.add_argument("-n", type=int, default=2, help="mutants that are tried at the same time")
    parser.add_argument("--count", type=int, default=100, help="mutants drawn")
    parser.add_argument("--seed", type=int, default=1, help="which are drawn")
    parser.add_argument("--only", default="", help="only drawn mutants whose line starts with this")
    parser.add_argument("--list", action="store_true", help="print the drawn mutants and end")
    options = parser.parse_args()
    mutants = [mutant for mutant in sampled(ROOT, options.count, options.seed) if mutant.name.startswith(options.only)]
    if options.list:
        print(*(diff_of(mutant, ROOT) for mutant in mutants), sep="\n")
        return
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants") as folder:
        survivors = tried(mutants, Path(folder), options.n)
    for mutant in survivors:
        print(f"\n{diff_of(mutant, ROOT)}", end="")
    killed, minutes = len(mutants) - len(survivors), (time.monotonic() - start) / 60
    share = killed / max(1, len(mutants))
    print(f"\n{killed} of {len(mutants)} mutants killed ({share:.0%}); seed {options.seed}, {minutes:.0f} minutes")


if __name__ == "__main__":
    main()
