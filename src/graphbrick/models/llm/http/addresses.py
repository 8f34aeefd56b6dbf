"""Addresses of model servers, and the keys that belong to them."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit

from graphbrick.core.errors import ModelError, PipelineError, without_secrets
from graphbrick.pipeline.brick import Brick

OPENAI = "https://api.openai.com/v1"


def require_address(brick: Brick, base_url: str) -> None:
    """Raise `PipelineError` if the ``base_url`` of a brick holds a password or key."""
    if without_secrets(base_url) != base_url:
        raise PipelineError(
            f"{type(brick).__name__} base_url must not hold a name, password or key: recipes are shown; use "
            "GRAPHBRICK_API_KEYS or OPENAI_API_KEY",
            code="server.password",
        )


def server_address(base_url: str) -> str:
    """Return the address of a ``base_url`` without its secrets; empty means OPENAI_BASE_URL, or OpenAI.

    >>> server_address("http://localhost:8080/v1/")
    'http://localhost:8080/v1'
    """
    return without_secrets(address_of(base_url)).rstrip("/")


def server_of(base_url: str) -> str:
    """Return host and port of the server that a ``base_url`` leads to now.

    >>> server_of("http://localhost:8080/v1")
    'localhost:8080'
    """
    return urlsplit(server_address(base_url)).netloc


def is_loopback(server: str) -> bool:
    """Return whether a server, as host and port, is this machine.

    >>> is_loopback("localhost:8080"), is_loopback("api.openai.com")
    (True, False)
    """
    host = urlsplit(f"//{server}").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def api_key(base_url: str) -> str:
    """Return the key for the server that a ``base_url`` leads to; empty if none is set for that server.

    OPENAI_API_KEY belongs to the server of OPENAI_BASE_URL, or to OpenAI if that is not set. Keys of other servers are
    in GRAPHBRICK_API_KEYS, such as ``https://api.example.com=KEY http://gpu-box:8000=KEY``. Two addresses are the same
    server if scheme, host and port are the same, so that a recipe cannot have a key sent elsewhere.

    Raises:
        ModelError: GRAPHBRICK_API_KEYS cannot be read, or a key holds characters that keys do not have.
    """
    origin = origin_of(address_of(base_url))
    keys = configured_keys()
    if origin == origin_of(address_of("")):
        keys.setdefault(origin, os.environ.get("OPENAI_API_KEY", "").strip())
    key = keys.get(origin, "")
    if not (key.isascii() and key.isprintable()):
        name = "OPENAI_API_KEY" if origin == origin_of(address_of("")) else "GRAPHBRICK_API_KEYS"
        raise ModelError(
            f"{name} holds characters that no key has; copy the key again", code="server.bad_key", variable=name
        )
    return key


def key_advice(base_url: str) -> str:
    """Return what to set so that a server gets its key."""
    origin = origin_of(address_of(base_url))
    if origin == origin_of(address_of("")):
        return "check OPENAI_API_KEY"
    scheme, host, port = origin
    return (
        f"set GRAPHBRICK_API_KEYS='{scheme}://{host}{'' if port is None else f':{port}'}=KEY' (OPENAI_API_KEY is sent "
        "to the server of OPENAI_BASE_URL only)"
    )


def configured_keys() -> dict[tuple[str, str, int | None], str]:
    """Return the keys of GRAPHBRICK_API_KEYS by scheme, host and port."""
    keys = {}
    for entry in os.environ.get("GRAPHBRICK_API_KEYS", "").split():
        address, equals, key = entry.partition("=")
        if not equals or not key or urlsplit(address).scheme not in ("http", "https"):
            raise ModelError(  # without the entry: it may be a key
                "GRAPHBRICK_API_KEYS must hold entries such as https://api.example.com=KEY, with spaces between them",
                code="server.bad_keys",
            )
        keys[origin_of(address)] = key
    return keys


def address_of(base_url: str) -> str:
    """Return the address that a ``base_url`` means: its own, OPENAI_BASE_URL, or OpenAI."""
    return base_url.strip() or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI


def origin_of(address: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port; the port is None if it is that of the scheme."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "", address, None  # it is refused when it is connected to
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", None if port == usual else port
