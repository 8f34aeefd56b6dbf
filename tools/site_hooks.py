"""What the documentation site needs beside the pages in docs/: hooks of MkDocs, named in mkdocs.yml.

Pages link to files of the repository, as readers of the repository need it. Each linked file becomes part of the site,
under ``repository/``: Markdown as a page, anything else as a file. So the site needs no address of a repository.
A page that lists the decisions in docs/adr is written here, too.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
APART = "repository/"
# A link or an image; what stands in code is no link, so that code is matched first.
LINK = re.compile(r"(```.*?\n[ ]*```|``.*?``|`[^`\n]*`)|(\]\()([^)\s]+)(\))", re.DOTALL)
# Figures of a table such as «61 / 0 / 0» stay on one line.
FIGURES = re.compile(r"(?<=\d) / (?=\d)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the repository that pages link to, those that these link to, and the list of decisions."""
    docs = Path(config.docs_dir)
    left = [Path(file.abs_src_path) for file in files.documentation_pages() if file.abs_src_path]
    added: set[Path] = set()
    while left:
        page = left.pop()
        for target in LINK.finditer(page.read_text(encoding="utf-8")):
            there = _outside(target[3], page, docs)
            if there is None or there in added:
                continue
            if not there.is_file():
                raise PluginError(f"{page.relative_to(ROOT)} links to {target[3]}, which is no file")
            added.add(there)
            name = APART + there.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(there)))
            if there.suffix == ".md":
                left.append(there)
    files.append(File.generated(config, "adr/index.md", content=_decisions(docs / "adr")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to files of the repository lead to their copies in the site."""
    docs = Path(config.docs_dir)
    source = Path(page.file.abs_src_path or docs / page.file.src_uri)
    here = PurePosixPath(page.file.src_uri).parent

    def mended(match: re.Match[str]) -> str:
        target = match[3]
        if target is None or re.match(r"[a-z]+:|#", target):
            return match[0]
        path, sign, anchor = target.partition("#")
        there = (source.parent / unquote(path)).resolve()
        uri = (
            there.relative_to(docs).as_posix() if there.is_relative_to(docs) else APART + _named(there, target, source)
        )
        return f"{match[2]}{normpath(os.path.relpath(uri, here))}{sign}{anchor}{match[4]}"

    return FIGURES.sub("\u00a0/\u00a0", LINK.sub(mended, markdown))


def _named(path: Path, target: str, source: Path) -> str:
    if not path.is_relative_to(ROOT):
        raise PluginError(f"{source}: {target} is outside the repository")
    return path.relative_to(ROOT).as_posix()


def _outside(target: str | None, page: Path, docs: Path) -> Path | None:
    """Return the file outside docs that a link means; None for other links."""
    if target is None or re.match(r"[a-z]+:|#", target):
        return None
    there = (page.parent / unquote(target.partition("#")[0])).resolve()
    return None if there.is_relative_to(docs) else there


def _decisions(folder: Path) -> str:
    """Return a page with a line for each decision, the newest first."""
    rows = []
    for path in sorted(folder.glob("*.md"), reverse=True):
        title = re.sub(r"^# *(\d+ *[.:—-]+ *)?", "", path.read_text(encoding="utf-8").partition("\n")[0])
        rows.append(f"- {path.name[:4]} [{title}]({path.name})\n")
    return (
        "# Decisions\n\nEach page says what was decided about the design, why, and what was tried instead. "
        "The newest decision comes first.\n\n" + "".join(rows)
    )
