"""Tokens, as servers and clients take them."""

from __future__ import annotations

from graphbrick.core.errors import InputError


def check_token(token: str) -> None:
    """Raise InputError unless a token can be sent in a header; the message does not repeat it."""
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            "a token has printable ASCII characters without spaces, but this one has others; "
            "a file may have a line end",
            code="token.bad_characters",
        )
