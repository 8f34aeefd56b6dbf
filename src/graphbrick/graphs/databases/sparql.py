"""Graphs behind a SPARQL endpoint."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn

from graphbrick.core.errors import GraphbrickError, UnavailableError
from graphbrick.core.trace import event
from graphbrick.graphs.databases.graph import needed_module
from graphbrick.graphs.databases.rdf_graph import RdfGraph, Solutions
from graphbrick.graphs.databases.rdf_terms import Term
from graphbrick.session import current_session

_MOST_BYTES = 256 << 20  # of one reply
_TRIES = 3
_PAUSE = 1.0  # seconds before another try when the server does not say
_ACCEPTED = "application/sparql-results+json, application/json;q=0.5"


class SparqlGraph(RdfGraph):
    """A graph behind a SPARQL 1.1 endpoint such as Virtuoso, GraphDB, Fuseki, QLever or Oxigraph.

    Replies are read in pieces, up to 256 MB; each request has a time-out of its own, which also ends replies that
    trickle. A server that is busy (429 or 503) is asked again at most twice. Results that the server cut are marked,
    also those that Virtuoso sends as complete (``X-SQL-State: S1TAT``).
    """

    OPTIONS = (*RdfGraph.OPTIONS, "graph")
    _is_virtuoso = False  # as its replies say

    def can_ask(self, term: Term) -> bool:
        """Return False for blank nodes, which have other names in each reply."""
        return term.kind != "bnode"

    def contains(self, text: str) -> str:
        """Return a pattern: ?name contains a text; Virtuoso is asked by its index, which finds whole words."""
        words = re.findall(r"\w+", text)
        if not self._is_virtuoso or not words:
            return super().contains(text)
        return ". ?name bif:contains " + Term("literal", " AND ".join(f"'{word}'" for word in words)).text

    @property
    def url(self) -> str:
        """The address of the endpoint."""
        return f"{self.address.scheme.removeprefix('sparql+')}://{self.address.host}/{self.address.name}"

    def solutions(self, text: str, limit: int, values: Mapping[str, Term] | None = None) -> Solutions:
        """Run a query; see `RdfGraph.solutions`."""
        if values:
            names, terms = " ".join(f"?{name}" for name in values), " ".join(term.text for term in values.values())
            text = f"{text}\nVALUES ({names}) {{ ({terms}) }}"
        data, headers = self._reply(text)
        self._is_virtuoso = self._is_virtuoso or "virtuoso" in headers.get("server", "").lower()
        try:
            found = json.loads(data)
            if "boolean" in found:
                value = str(bool(found["boolean"])).lower()
                return Solutions(("result",), [(Term("literal", value, "http://www.w3.org/2001/XMLSchema#boolean"),)])
            columns = tuple(map(str, found["head"]["vars"]))
            solved = [
                tuple(None if name not in row else Term.of(row[name]) for name in columns)
                for row in found["results"]["bindings"][: limit + 1]
            ]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            kind = headers.get("content-type", "no content type")
            raise GraphbrickError(
                f"{self.url} sent what is no SPARQL result in JSON ({kind}): {_first_line(data)}; is it an endpoint?"
            ) from error
        is_partial = headers.get("x-sql-state", "").upper() == "S1TAT"
        if is_partial:
            event(f"{self.url} ran out of its own time and sent only a part of the rows ({len(solved):,})")
        is_cut = is_partial or "x-sparql-maxrows" in headers or len(solved) > limit
        return Solutions(columns, solved[:limit], is_cut)

    def _reply(self, text: str) -> tuple[bytes, Mapping[str, str]]:
        """Return the body of a reply and its headers, after tries at a busy server."""
        httpx = needed_module("httpx", "sparql")
        deadline = time.monotonic() + self.timeout
        form = {"query": text}
        if self.option("graph"):
            form["default-graph-uri"] = self.option("graph")
        for attempt in range(_TRIES):
            try:
                status, headers, data = self._post(httpx, form, deadline)
            except httpx.TimeoutException as error:
                raise self._late() from error
            except httpx.HTTPError as error:
                self._fail(_reason(error), error)
            except httpx.InvalidURL as error:
                self._fail(str(error), error)
            if status not in (429, 503):
                break
            pause = _retry_after(headers)
            if attempt + 1 == _TRIES or time.monotonic() + pause > deadline:
                wish = f"; it asks to wait {pause:g} seconds" if "retry-after" in headers else ""
                self._fail(f"it is busy (HTTP {status}){wish}; try again later")
            event(f"{self.url} is busy (HTTP {status}); asked again after {pause:g} seconds")
            time.sleep(pause)
        if status >= 300:
            self._refused(status, data)
        return data, headers

    def _post(self, httpx: Any, form: dict[str, str], deadline: float) -> tuple[int, Mapping[str, str], bytes]:
        """Send one request; return status, headers and body. A reply that goes on after the deadline is too late."""
        left = max(deadline - time.monotonic(), 0.001)
        parts: list[bytes] = []
        size = 0
        with self._client(httpx).stream(
            "POST", self.url, data=form, headers={"Accept": _ACCEPTED}, timeout=left
        ) as response:
            for part in response.iter_bytes():
                parts.append(part)
                size += len(part)
                if time.monotonic() > deadline:
                    raise self._late()
                if size > _MOST_BYTES:
                    megabytes = _MOST_BYTES >> 20
                    raise GraphbrickError(
                        f"the reply of {self.url} is longer than {megabytes} MB; ask for fewer rows or columns"
                    )
            return response.status_code, response.headers, b"".join(parts)

    def _client(self, httpx: Any) -> Any:
        user, password = os.environ.get("GRAPHBRICK_USER", ""), os.environ.get("GRAPHBRICK_PASSWORD", "")
        return current_session().get(
            ("sparql", self.url, user, hash(password)),
            lambda: httpx.Client(auth=(user, password) if user else None, headers={"User-Agent": "graphbrick"}),
            close=lambda client: client.close(),
        )

    def _late(self) -> GraphbrickError:
        return GraphbrickError(
            f"{self.url} did not answer within {self.timeout:g} seconds; ask for less, or raise ?timeout="
        )

    def _refused(self, status: int, data: bytes) -> NoReturn:
        if status in (401, 403):
            self._fail(f"it refuses access (HTTP {status}); set GRAPHBRICK_USER and GRAPHBRICK_PASSWORD")
        if status == 404:
            self._fail("there is nothing at this address (HTTP 404); endpoints often end in /sparql or /query")
        if status < 400:
            self._fail(f"it sends on to another address (HTTP {status}); use that one")
        if status > 500:
            self._fail(f"HTTP {status}: {_first_line(data)}")
        raise GraphbrickError(f"{self.url} refuses the query (HTTP {status}): {_first_line(data)}")

    def _fail(self, reason: str, error: Exception | None = None) -> NoReturn:
        raise UnavailableError(f"{self.url} did not answer the query: {reason}") from error


def _reason(error: Exception) -> str:
    """Return what went wrong with a connection, in a line."""
    text = str(error) or type(error).__name__
    if "CERTIFICATE_VERIFY_FAILED" in text or "SSL" in text.upper():
        return f"the encrypted connection failed ({text}); check the certificate, or set SSL_CERT_FILE to your own"
    return f"the connection failed ({text})"


def _retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that a busy server asks to wait."""
    text = headers.get("retry-after", "")
    if text.strip().isdecimal():
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except ValueError:
        return _PAUSE


def _first_line(data: bytes) -> str:
    """Return the beginning of an error page without tags, in one line."""
    text = data[:20_000].decode("utf-8", "replace")
    text = re.sub(r"(?is)<(script|style|title|head)\b.*?</\1>|<[^>]*>", " ", text)
    return " ".join(text.split())[:200] or "an empty reply"
