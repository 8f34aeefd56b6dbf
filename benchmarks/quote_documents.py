"""The documents of nine sets of quotes.py, from packages of Debian 12: printer to mailtools, and book to school-pt.

python benchmarks/quote_documents.py FOLDER

It downloads the packages with apt-get, unpacks them and copies what the questions were written from: the HTML manual of
a printer driver (hplip-doc 3.22.10), a handbook in three languages (developers-reference 12.18), PDFs (ledger 3.3.0,
bash-doc 5.2.15, debian-history 2.28), and FAQs, release notes and readmes as they lie in /usr/share/doc, most of them
without a suffix (fetchmail 6.4.37, procmail 3.22, units 2.22, xboard 4.9.1). Five more: a book on computers and society
(cfi-en 3.0), the PDFs of two programs of biologists (hmmer-doc 3.3.2, phyml 3.3.20220408), the manual and changelog of
a music library (beets-doc 1.6.0), the manual of a home server in Spanish (freedombox-doc-es 23.6.2), and that of a
school network in Portuguese (debian-edu-doc-pt-pt 2.12.23). The questions were written from the documents before the
product was asked, by someone who had read the code that chooses sentences, and no other question.
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
    "book": (("cfi-en", f"{_DOC}/cfi-en/html/*.htm", ""),),
    "science": (
        ("hmmer-doc", f"{_DOC}/hmmer/Userguide.pdf.gz", ""),
        ("phyml", f"{_DOC}/phyml/phyml_manual.pdf", ""),
    ),
    "music": (
        ("beets-doc", f"{_DOC}/beets/html/faq.html", ""),
        ("beets-doc", f"{_DOC}/beets/html/changelog.html.gz", ""),
        *(("beets-doc", f"{_DOC}/beets/html/{part}/*.html", part) for part in ("guides", "reference", "plugins")),
    ),
    "home-es": (("freedombox-doc-es", "usr/share/freedombox/manual/es/*.part.html", ""),),
    "school-pt": (("debian-edu-doc-pt-pt", f"{_DOC}/debian-edu-doc-pt-pt/debian-edu-bookworm-manual.html", ""),),
}
# All chapters in one page; a form.
_LEFT_OUT = frozenset(("developers-reference.html", "search.html", "Manual.part.html", "freedombox-manual.part.html"))


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
