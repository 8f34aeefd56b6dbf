"""Graphs behind a SPARQL endpoint."""

from __future__ import annotations

import json
import os
import re
import ssl
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn

from graphbrick.core.errors import GraphbrickError, UnavailableError
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.databases.errors import QueryError, TooSlowError, in_one_line, too_slow
from graphbrick.graphs.databases.graph import USER, needed_module
from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph, Solutions
from graphbrick.graphs.databases.sparql.rdf_terms import Term

_MOST_BYTES = 256 << 20  # of one reply
_TRIES = 3
_CONNECT = 10.0  # seconds, with the encryption
_DATASET, _MODIFIED = "http://rdfs.org/ns/void#Dataset", "http://purl.org/dc/terms/modified"
_TRUTH = "__ASK_RETVAL"  # the column in which Virtuoso sends the result of an ASK
_STATE_WITHIN = 200  # bytes of an error, in which Virtuoso names its kind
_PAUSE = 1.0  # seconds before another try when the server does not say
_ACCEPTED = "application/sparql-results+json, application/json;q=0.5"


class SparqlGraph(RdfGraph):
    """A graph behind a SPARQL 1.1 endpoint such as Virtuoso, GraphDB, Fuseki, QLever or Oxigraph.

    Replies are read in pieces, up to 256 MB; each request has a time-out of its own, which also ends replies that
    trickle. A request to a busy server (429 or 503) is repeated at most twice. Results that the server cut are marked,
    also those that Virtuoso sends as complete (``X-SQL-State: S1TAT``). User and password are sent as the server asks
    for them, with Basic or Digest authentication.
    """

    OPTIONS = (*RdfGraph.OPTIONS, "graph")
    _is_virtuoso = False  # as its replies say
    _wants_digest = False  # set when it refuses Basic authentication

    def can_ask(self, term: Term) -> bool:
        """Return False for blank nodes, which have other names in each reply."""
        return term.kind != "bnode"

    def mark(self) -> dict[str, Any] | None:
        """Return the date of the last change of the graph (``dcterms:modified``) and its number of statements.

        The graph is the one that ``?graph=`` names, or else every ``void:Dataset``. None if there is no date.
        """
        name = self.option("graph")
        dataset = f"VALUES ?d {{ <{name}> }} " if name else f"?d a <{_DATASET}> . "
        rows = self.solutions(f"SELECT (MAX(?m) AS ?when) WHERE {{ {dataset}?d <{_MODIFIED}> ?m }}", 1).rows
        when = rows[0][0] if rows else None
        if when is None or not when.value:
            return None
        (count,) = self.solutions("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", 1).rows[0]
        return {"modified": when.value, "statements": None if count is None else count.plain}

    def contains(self, text: str) -> str:
        """Return a pattern: ?name contains a text; for Virtuoso it uses the index, which finds whole words."""
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
            result = json.loads(data)
            if "boolean" in result:
                return _truth(bool(result["boolean"]))
            columns = tuple(map(str, result["head"]["vars"]))
            if columns == (_TRUTH,):
                return _truth(result["results"]["bindings"][0][_TRUTH]["value"] == "1")
            solved = [
                tuple(None if name not in row else Term.of(row[name]) for name in columns)
                for row in result["results"]["bindings"][: limit + 1]
            ]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            kind = headers.get("content-type", "no content type")
            raise GraphbrickError(
                f"{self.url} sent something that is not a SPARQL result in JSON "
                f"({kind}): {_first_line(data)}; is it an endpoint?",
                code="sparql.not_a_result",
                content_type=kind,
                reply=_first_line(data),
            ) from error
        is_partial = headers.get("x-sql-state", "").upper() == "S1TAT"
        if is_partial:
            text = f"{self.url} ran out of its own time and sent only a part of the rows ({len(solved):,})"
            event(text, "sparql.partial_result", rows=len(solved))
        is_full = headers.get("x-sparql-maxrows", "")
        if is_full:
            event(f"{self.url} sends at most {is_full} rows; there are more", "sparql.rows_held_back", at_most=is_full)
        is_cut = is_partial or bool(is_full) or len(solved) > limit
        return Solutions(columns, solved[:limit], is_cut)

    def _reply(self, text: str) -> tuple[bytes, Mapping[str, str]]:
        """Return the body of a reply and its headers, after tries at a busy server."""
        httpx = needed_module("httpx", "sparql")
        deadline = time.monotonic() + self.timeout
        form, user = {"query": text}, os.environ.get(USER, "")
        if self.option("graph"):
            form["default-graph-uri"] = self.option("graph")
        for attempt in range(_TRIES):
            try:
                status, headers, data = self._post(httpx, form, deadline)
            except httpx.ConnectTimeout as error:
                self._no_connection(f"none within {_CONNECT:g} s", error)
            except httpx.TimeoutException as error:
                raise too_slow(self.address, self.timeout) from error
            except httpx.HTTPError as error:
                self._no_connection(str(error) or type(error).__name__, error)
            except httpx.InvalidURL as error:
                self._fail(str(error), error, code="sparql.bad_url")
            if status == 401 and user:  # Virtuoso asks for Digest only where Basic was not tried
                self._wants_digest = not self._wants_digest
                if self._wants_digest:
                    continue
            if status not in (429, 503):
                break
            pause = _retry_after(headers)
            if attempt + 1 == _TRIES or time.monotonic() + pause > deadline:
                wish = f"; it asks to wait {pause:g} seconds" if "retry-after" in headers else ""
                self._fail(
                    f"it is busy (HTTP {status}){wish}; try again later", status=status, pause=pause, code="sparql.busy"
                )
            message = f"{self.url} is busy (HTTP {status}); asked again after {pause:g} seconds"
            event(message, "sparql.asked_again", status=status, pause=pause)
            time.sleep(pause)
        if status >= 300:
            self._refused(status, data)
        return data, headers

    def _post(self, httpx: Any, form: dict[str, str], deadline: float) -> tuple[int, Mapping[str, str], bytes]:
        """Send one request; return status, headers and body. A reply that is not complete in time is an error."""
        left = max(deadline - time.monotonic(), 0.001)
        patience = httpx.Timeout(left, connect=min(left, _CONNECT))
        parts: list[bytes] = []
        size = 0
        with self._client(httpx).stream(
            "POST", self.url, data=form, headers={"Accept": _ACCEPTED}, timeout=patience
        ) as response:
            for part in response.iter_bytes():
                parts.append(part)
                size += len(part)
                if time.monotonic() > deadline:
                    raise too_slow(self.address, self.timeout)
                if size > _MOST_BYTES:
                    megabytes = _MOST_BYTES >> 20
                    raise GraphbrickError(
                        f"the reply of {self.url} is longer than {megabytes} MB; ask for fewer rows or columns",
                        code="sparql.reply_too_long",
                        megabytes=megabytes,
                    )
            return response.status_code, response.headers, b"".join(parts)

    def _client(self, httpx: Any) -> Any:
        user, password = os.environ.get(USER, ""), os.environ.get("GRAPHBRICK_PASSWORD", "")

        def connect() -> Any:
            login = httpx.DigestAuth(user, password) if self._wants_digest else (user, password)
            # Certificates take 20 ms to load; http needs none, and redirects are not followed.
            verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if self.url.lower().startswith("http:") else True
            return httpx.Client(auth=login if user else None, headers={"User-Agent": "graphbrick"}, verify=verify)

        key = ("sparql", self.url, user, hash(password), self._wants_digest)
        return current_session().get(key, connect, close=lambda client: client.close())

    def _refused(self, status: int, data: bytes) -> NoReturn:
        if status in (401, 403):
            self._fail(
                f"it refuses access (HTTP {status}); set GRAPHBRICK_USER and GRAPHBRICK_PASSWORD",
                code="sparql.no_access",
            )
        if status == 404:
            reason = "there is nothing at this address (HTTP 404); endpoints often end in /sparql or /query"
            self._fail(reason, code="sparql.not_found")
        if status < 400:
            self._fail(f"it sends on to another address (HTTP {status}); use that one", code="sparql.redirects")
        if status > 500:
            self._fail(f"HTTP {status}: {_first_line(data)}", status=status, code="sparql.server_error")
        if b"S1T00" in data[:_STATE_WITHIN]:
            text = f"{self.url} gave the query up after its own limit of time; ask for less"
            raise TooSlowError(text, code="sparql.out_of_time")
        reason = _first_line(data)
        text = f"{self.url} refuses the query (HTTP {status}): {reason}"
        raise QueryError(text, code="sparql.refused_query", reason=reason)

    def _no_connection(self, said: str, error: Exception) -> NoReturn:
        """Raise the error about a connection that failed, with advice."""
        reason = f"the connection failed ({in_one_line(said)}); is the server running there?"
        if self.address.scheme == "sparql+https":
            reason = (
                f"the encrypted connection failed ({in_one_line(said)}); check the certificate, set SSL_CERT_FILE to "
                "your own, or use sparql+http:// if the server has no TLS"
            )
        self._fail(reason, error, code="sparql.no_connection")

    def _fail(self, reason: str, error: Exception | None = None, *, code: str, **values: object) -> NoReturn:
        text = f"{self.url} did not answer the query: {reason}"
        raise UnavailableError(text, code=code, **values) from error


def _truth(value: bool) -> Solutions:
    """Return the result of an ASK query."""
    return Solutions(("result",), [(Term("literal", str(value).lower(), "http://www.w3.org/2001/XMLSchema#boolean"),)])


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
    text = text.partition("\nSPARQL query:")[0]  # Virtuoso repeats the query
    text = re.sub(r"(?is)<(script|style|title|head)\b.*?</\1>|<[^>]*>", " ", text)
    return " ".join(text.split())[:200] or "an empty reply"
