"""Check the packages of a release: how large they are, and that nothing is in them that does not belong there.

    python tools/check_dist.py dist

Part of ``make dist``. The wheel may have 4 MB.
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

LIMIT = 4_000_000
"""Bytes of a wheel."""
_FOREIGN = ("tests/", "benchmarks/", ".venv", "__pycache__", ".graph/", ".sqlite")


def faults(folder: Path) -> Iterator[str]:
    """Yield a message for each fault of the packages in a folder."""
    wheels, sources = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sources) != 1:
        yield f"{folder} has {len(wheels)} wheels and {len(sources)} sdists, expected one of each"
        return
    wheel, source = wheels[0], sources[0]
    if wheel.stat().st_size > LIMIT:
        yield f"{wheel} has {wheel.stat().st_size:,} bytes, at most {LIMIT:,}"
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    yield from (f"{wheel.name} has {name}" for name in names if any(part in name for part in _FOREIGN))
    if not any(name.endswith("py.typed") for name in names):
        yield f"{wheel.name} has no py.typed"
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    needed = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE", "tests/test_package.py", "Makefile")
    yield from (f"{source.name} lacks {name}" for name in needed if name not in inside)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, {len(names)} files; ", end="")
    print(f"{source.name}: {source.stat().st_size / 1e6:.2f} MB, {len(inside)} files")


def main() -> None:
    """Print the sizes and what is wrong; exit with 1 if something is."""
    wrong = list(faults(Path(sys.argv[1])))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
