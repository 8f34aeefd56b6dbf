"""Fill in what depends on where the repository is: project URLs, and links of the README that are relative.

A release sets GRAPHBRICK_REPOSITORY to its own address, such as ``https://host/owner/name``. Without it a package has
no URLs, and its README is as it stands here. ``pyproject.toml`` names no address, so that a fork never points to
another repository.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?://)([^)\s]+)\)")
_RELATIVE = re.compile(r"\]\((?!https?://|#|mailto:)([^)\s]+)\)")
_SOURCE = re.compile(r'(<(?:img|source)\b[^>]*?\bsrc(?:set)?=")(?!https?://)([^"]+)"')


class Addresses(MetadataHookInterface):
    """The hook that hatchling calls."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme and the URLs of the project."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        repository = os.environ.get("GRAPHBRICK_REPOSITORY", "").rstrip("/")
        metadata["urls"] = urls(repository) if repository else {}
        content = absolute(text, f"{repository}/raw/v{metadata['version']}") if repository else text
        metadata["readme"] = {"content-type": "text/markdown", "text": content}


def urls(repository: str) -> dict[str, str]:
    """Return the URLs of a project at this address."""
    return {
        "Homepage": repository,
        "Documentation": f"{repository}/tree/main/docs",
        "Source": repository,
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
        "Security": f"{repository}/security/policy",
    }


def absolute(text: str, files: str) -> str:
    """Return a README whose relative links lead to an address: pictures to the file, pages to how it is shown."""
    shown = files.replace("/raw/", "/blob/")
    text = _PICTURE.sub(rf"![\1]({files}/\2)", text)
    return _SOURCE.sub(rf'\1{files}/\2"', _RELATIVE.sub(rf"]({shown}/\1)", text))


def get_metadata_hook() -> type[MetadataHookInterface]:
    """Return the hook of this file."""
    return Addresses
