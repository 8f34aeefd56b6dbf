"""Settings of a server."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from graphbrick.core.compute import usable_cores
from graphbrick.core.errors import InputError
from graphbrick.graphs.databases.address import is_address
from graphbrick.serve.tokens import check_token

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class ServeOptions:
    """Settings of a server; they never change while it runs.

    Args:
        graphs: Graph places by name; the first is the default.
        recipes: Recipe texts by name, in addition to ``default``.
        llm: The language model of ``default`` as recipe text; empty for none.
        token: Token that clients send as ``Authorization: Bearer ...``; empty for no authentication.
        hosts: Names under which the server may be reached, without port; empty for any.
        origins: Origins of web pages that may call the server (CORS); none by default.
        trust_recipes: Whether clients may send recipes with files, model servers and any size.
        write: Whether clients may upload and delete documents of graphs made from text, and mark answers.
        labels: CSV file of ``graphbrick judge sample`` that clients fill in; empty for none.
        studies: Files that ``graphbrick evaluate`` wrote, or folders of them.
        tuned: Folders that ``graphbrick tune`` wrote, or folders of them.
        kernels: Runs without a language model at the same time.
        model_runs: Runs with a language model at the same time; they mostly wait for it.
        queue: Requests that may wait for a run; further ones get status 429.
        seconds: Longest run.
        tokens: Most tokens of language models for one request; None for no limit.
        usd: Most dollars for one request; None for no limit.
        body_bytes: Largest request body; a document may have ``document_bytes``.
        document_bytes: Largest document that may be uploaded.
        body_seconds: Time in which a request body must arrive.
        poll: Seconds between two looks at whether a graph has changed.
        telemetry: Whether to send OpenTelemetry traces and metrics.
        threads: Threads of a model that runs on the processor; None for all cores.
        docs: Whether to show the page about the API at ``/docs``.
    """

    graphs: dict[str, str]
    recipes: dict[str, str] = field(default_factory=dict)
    llm: str = ""
    token: str = field(default="", repr=False)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    trust_recipes: bool = False
    write: bool = False
    labels: str = ""
    studies: tuple[str, ...] = ()
    tuned: tuple[str, ...] = ()
    kernels: int = field(default_factory=usable_cores)
    model_runs: int = 32
    queue: int = 256
    seconds: float = 60.0
    tokens: int | None = None
    usd: float | None = None
    body_bytes: int = 1 << 20
    document_bytes: int = 32 << 20
    body_seconds: float = 30.0
    poll: float = 1.0
    telemetry: bool = False
    threads: int | None = None
    docs: bool = True

    def __post_init__(self) -> None:
        if not self.graphs:
            raise InputError("name at least one graph to serve, such as films.graph", code="serve.no_graph")
        for name in (*self.graphs, *self.recipes):
            check_name(name)
        for name in ("kernels", "model_runs", "queue", "seconds", "body_bytes", "document_bytes", "body_seconds"):
            if getattr(self, name) <= 0:
                raise InputError(
                    f"the server's {name} must be above 0, got {getattr(self, name)!r}",
                    code="serve.not_positive",
                    name=name,
                )
        if self.token:
            check_token(self.token)


def check_name(name: str) -> None:
    """Raise InputError unless a name can stand in an address."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"the name of a graph or recipe has letters, digits, '.', '_' and '-', got {name[:80]!r}; "
            "give it one, as in films=/data/my films.graph",
            code="serve.bad_name",
            name=name,
        )


def named_places(places: tuple[str, ...] | list[str]) -> dict[str, str]:
    """Return graph places by name: ``NAME=PLACE``, or the name of the folder or database.

    Raises:
        InputError: Two graphs have one name.

    >>> named_places(["data/films.graph", "world=data/w1.graph"])
    {'films': 'data/films.graph', 'world': 'data/w1.graph'}
    """
    named: dict[str, str] = {}
    for text in places:
        name, equals, place = text.partition("=")
        if not equals or not _NAME.fullmatch(name):
            place, name = text, _name_of(text)
        if name in named:
            raise InputError(
                f"two graphs are called {name!r}; name them, as in {name}2={place}", code="serve.same_name", name=name
            )
        named[name] = place
    return named


def _name_of(place: str) -> str:
    """Return a name for a graph, from the end of its place."""
    end = place.rstrip("/").rpartition("/")[2].rpartition("?")[0] or place.rstrip("/").rpartition("/")[2]
    stem = end.partition(":")[2] if is_address(place) and ":" in end else end
    return re.sub(r"[^A-Za-z0-9._-]+", "-", Path(stem).stem).strip("-._") or "graph"
