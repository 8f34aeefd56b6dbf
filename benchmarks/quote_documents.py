"""The documents of four sets of quotes.py, from packages of Debian 12: printer, devref, manuals, mailtools.

python benchmarks/quote_documents.py FOLDER

It downloads the packages with apt-get, unpacks them and copies what the questions were written from: the HTML manual of
a printer driver (hplip-doc 3.22.10), a handbook in three languages (developers-reference 12.18), PDFs (ledger 3.3.0,
bash-doc 5.2.15, debian-history 2.28), and FAQs, release notes and readmes as they lie in /usr/share/doc, most of them
without a suffix (fetchmail 6.4.37, procmail 3.22, units 2.22, xboard 4.9.1). The questions were written from the
documents before the product was asked, by someone who had read the code that chooses sentences, and no other question.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

_DOC = "usr/share/doc"
_REFERENCE = "usr/share/developers-reference"
# By set: package, the files in it, and the folder in the set that they go to.
SOURCES = {
    "printer": (("hplip-doc", f"{_DOC}/hplip-doc/*.html", ""),),
    "devref": (
        ("developers-reference", f"{_REFERENCE}/*.html", "en"),
        ("developers-reference-de", f"{_REFERENCE}/de/*.html", "de"),
        ("developers-reference-fr", f"{_REFERENCE}/fr/*.html", "fr"),
    ),
    "manuals": (
        ("ledger", f"{_DOC}/ledger/ledger3.pdf", ""),
        ("bash-doc", f"{_DOC}/bash/bashref.pdf", ""),
        ("debian-history", f"{_DOC}/debian-history/docs/project-history.e[ns].pdf", ""),
    ),
    "mailtools": (
        ("fetchmail", f"{_DOC}/fetchmail/*", ""),
        ("procmail", f"{_DOC}/procmail/*", "procmail"),
        ("units", f"{_DOC}/units/*", "units"),
        ("xboard", f"{_DOC}/xboard/FAQ.html", "xboard"),
        ("xboard", f"{_DOC}/xboard/NEWS.gz", "xboard"),
        ("xboard", f"{_DOC}/xboard/README", "xboard"),
        ("xboard", f"{_DOC}/xboard/zippy.README.gz", "xboard"),
    ),
}
_LEFT_OUT = frozenset(("developers-reference.html", "search.html"))  # all chapters in one page; a form


def main() -> None:
    """Make the folders of the sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.absolute()
    unpacked = folder / "unpacked"
    for name, sources in SOURCES.items():
        for package, pattern, place in sources:
            if not (unpacked / package).exists():
                _unpack(package, unpacked)
            target = folder / name / place
            target.mkdir(parents=True, exist_ok=True)
            files = [file for file in (unpacked / package).glob(pattern) if file.is_file()]
            for file in files:
                if file.name not in _LEFT_OUT:
                    shutil.copy(file, target)
            if not files:
                raise SystemExit(f"{package} has no {pattern}; is it the version of Debian 12?")


def _unpack(package: str, folder: Path) -> None:
    """Download a package and unpack it below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", package], cwd=folder, check=True)
    file = next(folder.glob(f"{package}_*.deb"))
    subprocess.run(["dpkg", "-x", file.name, package], cwd=folder, check=True)


if __name__ == "__main__":
    main()
