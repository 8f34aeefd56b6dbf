"""Install a package file in empty environments, each extra alone, and use what the extra is for.

    python tools/try_extras.py dist/graphbrick-*.whl                     # the core, and every extra that is not large
    python tools/try_extras.py dist/*.tar.gz --extra core --python python3.13
    python tools/try_extras.py dist/*.whl --extra torch --extra train    # the large ones, by name

Each extra gets an environment of its own. The table says what it adds to the core in MB (files of site-packages
without bytecode), and whether its command did what it should. The exit code is 1 if one did not. Packages come from
the index that pip is set up for, or uv, which is taken where it is installed, as it is ten times faster.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from extras_to_try import LARGE, TRIES, Try

ROOT = Path(__file__).parent.parent
MB = 1_000_000


@dataclass(frozen=True)
class Result:
    """How one environment did.

    Attributes:
        megabytes: Size of its site-packages in MB of 1,000,000 bytes.
        packages: Number of distributions installed, without pip.
        fault: What went wrong; empty if nothing did.
        seconds: Time of the install on the clock.
    """

    megabytes: float
    packages: int
    fault: str
    seconds: float


def extras() -> list[str]:
    """Return the extras of the project for users, in the order of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [name for name in project["optional-dependencies"] if name != "dev"]


def _program(place: Path, name: str) -> Path:
    return place / ("Scripts" if os.name == "nt" else "bin") / name


def _size(place: Path) -> tuple[float, int]:
    """Return the MB of the packages of an environment, without pip, and how many there are."""
    code = "import sysconfig; print(sysconfig.get_path('purelib')); print(sysconfig.get_path('platlib'))"
    done = subprocess.run([_program(place, "python"), "-c", code], capture_output=True, text=True, check=True)
    folders = {Path(line).resolve() for line in done.stdout.split("\n") if line}
    own = [path for folder in folders for path in folder.iterdir() if not path.name.startswith(("pip", "setuptools"))]
    files = [file for path in own for file in ([path] if path.is_file() else path.rglob("*"))]
    size = sum(file.stat().st_size for file in files if file.suffix != ".pyc" and file.is_file())
    return size / MB, sum(path.name.endswith(".dist-info") for path in own)


def _run(command: Sequence[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    own = {"PATH": f"{_program(Path(command[0]).parent.parent, '')}{os.pathsep}{os.environ['PATH']}"}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GRAPHBRICK_"))}
    cache = {"GRAPHBRICK_CACHE": str(folder / "cache"), "PYTHONUTF8": "1", "PYTHONWARNINGS": "default"}
    return subprocess.run(
        [str(part) for part in command], cwd=folder, env={**clean, **own, **cache}, capture_output=True, text=True,
        timeout=900, check=False, encoding="utf-8", errors="replace",
    )  # fmt: skip


def _faults(one: Try, place: Path, folder: Path) -> Iterator[str]:
    """Run the steps of a try; yield what did not come out as it should."""
    for name, text in one.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for step in one.steps:
        program = "python" if step.arguments[0] == "-c" else "graphbrick"
        done = _run([_program(place, program), *step.arguments], folder)
        output = done.stdout + done.stderr
        if done.returncode != step.code or step.shows not in output or "Traceback" in output:
            shown = f"{program} {' '.join(step.arguments)[:60]!r} ended with {done.returncode}, expected {step.code}"
            yield f"{shown} and {step.shows!r}: {output.strip()[-600:]}"
            return


def _install(place: Path, wanted: str, python: str) -> subprocess.CompletedProcess[str]:
    """Make an environment and install a package into it."""
    uv = shutil.which("uv")
    own = str(_program(place, "python"))
    if uv is None:
        subprocess.run([python, "-m", "venv", place], check=True)
        command = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted]
    else:
        subprocess.run([uv, "venv", "--quiet", "--python", python, place], check=True)
        command = [uv, "pip", "install", "--quiet", "--python", own, wanted]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def try_one(package: Path, extra: str, python: str) -> Result:
    """Install a package with an extra into a new environment and use it; "core" stands for no extra."""
    with tempfile.TemporaryDirectory(prefix=f"try-{extra}-") as name:
        place, folder = Path(name, "venv"), Path(name, "work")
        folder.mkdir()
        wanted = str(package.resolve()) + ("" if extra == "core" else f"[{extra}]")
        begin = time.perf_counter()
        done = _install(place, wanted, python)
        seconds = time.perf_counter() - begin
        if done.returncode:
            return Result(0, 0, f"not installed: {done.stderr.strip()[-600:]}", seconds)
        size, packages = _size(place)
        return Result(size, packages, next(_faults(TRIES[extra], place, folder), ""), seconds)


def main() -> None:
    """Try the extras that are named and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, help="A wheel or an sdist of graphbrick.")
    parser.add_argument("--extra", action="append", help="core or an extra; may be repeated [all but the large ones].")
    parser.add_argument("--python", default=sys.executable, help="The Python to make environments with.")
    given = parser.parse_args()
    names = given.extra or ["core", *(name for name in extras() if name not in LARGE)]
    unknown = sorted(set(names) - {"core", *extras()})
    if unknown:
        parser.error(f"no extra is called {', '.join(unknown)}; there are {', '.join(('core', *extras()))}")
    print(f"{given.package.name}, {subprocess.check_output([given.python, '--version'], text=True).strip()}")
    print("| extra | adds MB | packages | install s | tried |\n|---|---|---|---|---|", flush=True)
    core, failed = 0.0, False
    for name in ["core", *(name for name in names if name != "core")]:
        result = try_one(given.package, name, given.python)
        core = result.megabytes if name == "core" else core
        adds = result.megabytes if name == "core" else result.megabytes - core
        failed = failed or bool(result.fault)
        shown = TRIES[name].what if not result.fault else f"FAILED: {result.fault}".replace("\n", " ")
        print(f"| {name} | {adds:,.0f} | {result.packages} | {result.seconds:.0f} | {shown} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
