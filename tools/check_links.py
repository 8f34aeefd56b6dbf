"""Check the links of the documentation: every file and every heading that a link names is there.

    python tools/check_links.py                # the Markdown files of the repository, as GitHub shows them
    python tools/check_links.py --site site    # the pages of `make site`, which must load nothing from elsewhere

Links to other hosts are not followed. Part of ``make test`` and of ``make site``.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
MARKDOWN = MarkdownIt("commonmark").enable("table")
# Folders of Markdown files that are no documentation, or that tools made.
APART = re.compile(r"(^|/)(\.[^/]+|node_modules|site|dist|build|tests|src|shared)/")
LOADS = {"script": "src", "img": "src", "source": "src", "iframe": "src"}


def markdown_files(root: Path) -> list[Path]:
    """Return the Markdown files that people read: at the root, and in folders such as docs and examples."""
    return [path for path in sorted(root.rglob("*.md")) if not APART.search(path.relative_to(root).as_posix())]


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@cache
def read(path: Path) -> tuple[list[tuple[int, str]], frozenset[str]]:
    """Return the links of a Markdown file, with the line of each, and its anchors."""
    links: list[tuple[int, str]] = []
    anchors: list[str] = []
    tokens = MARKDOWN.parse(path.read_text(encoding="utf-8"))
    for place, token in enumerate(tokens):
        if token.type in ("html_block", "html_inline"):
            anchors += re.findall(r'\b(?:id|name)="([^"]+)"', token.content)
        if token.type != "inline":
            continue
        line = (token.map or [0])[0] + 1
        for part in token.children or []:
            if part.type == "html_inline":
                anchors += re.findall(r'\b(?:id|name)="([^"]+)"', part.content)
            target = part.attrGet("href" if part.type == "link_open" else "src")
            if target is not None:
                links.append((line, str(target)))
        if tokens[place - 1].type == "heading_open":
            text = "".join(part.content for part in token.children or [] if part.type in ("text", "code_inline"))
            anchor = slug(text)
            same = sum(
                known == anchor or re.fullmatch(re.escape(anchor) + r"-\d+", known) is not None for known in anchors
            )
            anchors.append(f"{anchor}-{same}" if same else anchor)
    return links, frozenset(anchors)


def broken_links(path: Path, root: Path) -> Iterator[str]:
    """Yield a message for each link of a Markdown file that leads nowhere."""
    for line, target in read(path)[0]:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        there = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
        place = f"{path.relative_to(root)}:{line}"
        if not there.is_relative_to(root.resolve()):
            yield f"{place}: {target} leaves the repository"
        elif not there.exists():
            yield f"{place}: {target} is not there"
        elif parts.fragment and there.suffix == ".md" and unquote(parts.fragment) not in read(there)[1]:
            yield f"{place}: {target}: no heading has this anchor"


class _Page(HTMLParser):
    """The anchors of a built page, its links, and what a browser loads for it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values and tag != "meta"}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(values.get("href", ""))
        elif tag in LOADS and values.get(LOADS[tag]):
            self.loads.append(values[LOADS[tag]])


def broken_pages(site: Path) -> Iterator[str]:
    """Yield a message for each link of a built site that leads nowhere, and for what is loaded from another host."""
    pages = {path.resolve(): _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        place = path.relative_to(site.resolve())
        for target in page.loads:
            parts = urlsplit(target)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                yield f"{place}: loads {target} from another host"
            elif not _on_disk(path, site, parts.path).is_file():
                yield f"{place}: loads {target}, which is not there"
        if place.name == "404.html":
            continue
        for target in page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            there = _on_disk(path, site, parts.path)
            if not there.exists():
                yield f"{place}: {target} is not there"
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].anchors:
                yield f"{place}: {target}: nothing has this anchor"
    for style in sorted(site.rglob("*.css")):
        for target in re.findall(r"url\(\s*['\"]?(https?:|//)[^)]*\)", style.read_text(encoding="utf-8")):
            yield f"{style.relative_to(site)}: loads {target} from another host"


def _on_disk(page: Path, site: Path, path: str) -> Path:
    """Return the file that a path on a page means."""
    if not path:
        return page
    there = (site if path.startswith("/") else page.parent) / unquote(path).lstrip("/" if path.startswith("/") else "")
    there = there.resolve()
    return there / "index.html" if there.is_dir() else there


def main() -> None:
    """Print the broken links; exit with 1 if there are some."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=Path, metavar="FOLDER", help="check a built site instead")
    site = parser.parse_args().site
    if site is not None:
        faults, checked = list(broken_pages(site)), f"{len(list(site.rglob('*.html')))} pages of {site}"
    else:
        files = markdown_files(ROOT)
        faults = [fault for path in files for fault in broken_links(path, ROOT)]
        checked = f"{sum(len(read(path)[0]) for path in files)} links of {len(files)} Markdown files"
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{checked}: {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
