"""Answer SPARQL over an Oxigraph store, in a process of `graphbrick.core.workers`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import pyoxigraph as ox

_XSD = "http://www.w3.org/2001/XMLSchema#"


def opened(folder: str) -> Callable[[dict[str, Any]], Any]:
    """Return the function that answers queries of a store, which is opened for reading."""
    store = ox.Store.read_only(folder)
    return lambda request: answer(store, request)


def answer(store: ox.Store, request: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a query: columns, rows of terms as in SPARQL results, and whether there are more.

    A request with ``dump`` writes the whole store to that file instead.
    """
    if "dump" in request:
        with _files_allowed():
            store.dump(request["dump"], format=ox.RdfFormat.N_QUADS)
        return {"columns": [], "rows": [], "is_cut": False}
    values: dict[ox.Variable, Any] = {ox.Variable(name): read(term) for name, term in request["values"].items()}
    result = store.query(request["text"], use_default_graph_as_union=True, substitutions=values)
    if isinstance(result, ox.QueryBoolean):
        value = {"type": "literal", "value": str(bool(result)).lower(), "datatype": f"{_XSD}boolean"}
        return {"columns": ["result"], "rows": [[value]], "is_cut": False}
    if not isinstance(result, ox.QuerySolutions):
        raise ValueError("only SELECT and ASK are answered")
    rows = [[written(term) for term in row] for row in islice(result, request["limit"] + 1)]
    limit = request["limit"]
    return {"columns": [name.value for name in result.variables], "rows": rows[:limit], "is_cut": len(rows) > limit}


@contextmanager
def _files_allowed() -> Iterator[None]:
    """Lift the limit on files, which is for queries, inside a block."""
    try:
        import resource
    except ImportError:  # Windows
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def read(term: dict[str, str]) -> Any:
    """Return the term of a request."""
    if term["type"] == "uri":
        return ox.NamedNode(term["value"])
    if term["type"] == "bnode":
        return ox.BlankNode(term["value"])
    if term.get("xml:lang"):
        return ox.Literal(term["value"], language=term["xml:lang"])
    return ox.Literal(term["value"], datatype=ox.NamedNode(term["datatype"]) if term.get("datatype") else None)


def written(term: Any) -> dict[str, str] | None:
    """Return a term as SPARQL results in JSON write it; None if the variable is not bound."""
    if term is None:
        return None
    if isinstance(term, ox.NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, ox.BlankNode):
        return {"type": "bnode", "value": term.value}
    if isinstance(term, ox.Literal):
        tag = {"xml:lang": term.language} if term.language else {"datatype": term.datatype.value}
        return {"type": "literal", "value": term.value, **tag}
    return {"type": "triple", "value": str(term)}
