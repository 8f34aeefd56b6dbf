"""What must not run in two threads at once."""

from __future__ import annotations

import threading

AST = threading.Lock()
"""Held while `ast` parses, as numpy does to read the head of an array file too.

CPython 3.11 counts the recursion in one place for all threads and can fail with a SystemError when two parse at once.
"""
