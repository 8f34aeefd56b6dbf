"""Zstandard: Python's own module from 3.14 on, before that its backport, which writes the same bytes."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["zstd"]
