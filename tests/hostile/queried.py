"""Hostile queries to a server and to `graphbrick query`: ended in time, nothing is written, others are answered."""

from __future__ import annotations

import contextlib
import importlib.util
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mutating import TOKENS, mutated_text
from trying import Fault, Surface, command, held, same

import hostile_queries
from hostile_query_texts import CYPHER, SPARQL
from server_process import ServerProcess

_SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "hostile_queries.py"  # another module has its name
_SPEC = importlib.util.spec_from_file_location("heavy_queries", _SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
heavy_queries = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(heavy_queries)

_SECONDS, _MEMORY = 3.0, 512
_MOST = 2_048  # megabytes of a query of a folder, which has no address to set it in
_LATE = 40.0  # seconds: two busy cores do not take as long to end a process
_SLACK = 700.0  # megabytes that a process has without queries
_GRAPHS = {"ladybug": "Cypher", "folder": "Cypher", "oxigraph": "SPARQL"}
_GOOD = {
    "Cypher": "MATCH (a)-[r]->(b) RETURN count(*) AS n, max(a.key) AS m, min(b.key) AS k",
    "SPARQL": "SELECT (COUNT(*) AS ?n) (MAX(STR(?a)) AS ?m) { ?a ?b ?c }",
}
_READS = {
    "Cypher": [
        "MATCH (a)-[r]->(b) WHERE a.key = 'n1' RETURN b.key ORDER BY b.key LIMIT 9",
        "MATCH (a) WITH a, size(a.key) AS n WHERE n > 2 RETURN count(*), collect(a.key)[1:3]",
        "MATCH (a)-[*1..2]->(b) RETURN DISTINCT a.key, b.key SKIP 3 LIMIT 4",
        "UNWIND [1, 2, 3] AS x RETURN x * 2 AS y UNION ALL RETURN 7 AS y",
        "MATCH (a {key: 'n7'}) OPTIONAL MATCH (a)-[:likes]->(b) RETURN a.key, CASE WHEN b IS NULL THEN 0 ELSE 1 END",
    ],
    "SPARQL": [
        "SELECT ?b { <http://e/n1> <http://e/knows> ?b } ORDER BY ?b LIMIT 9",
        "PREFIX e: <http://e/> SELECT DISTINCT ?a { ?a e:knows+ e:n2 . FILTER(STRLEN(STR(?a)) > 3) }",
        "ASK { ?a ?b ?c . OPTIONAL { ?c ?d ?e } MINUS { ?a <http://e/likes> ?c } }",
        "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o . BIND(STR(?o) AS ?t) } GROUP BY ?p HAVING(COUNT(*) > 2)",
        "SELECT * { { ?a <http://e/likes> ?b } UNION { VALUES ?a { <http://e/n1> UNDEF } } } LIMIT 3",
    ],
}


def disguised(draw: random.Random, text: str) -> str:
    """Return a query whose words look otherwise: upper and lower case, comments, blanks, quotes, other letters."""
    for _ in range(draw.randint(1, 3)):
        kind = draw.randrange(6)
        if kind == 0:
            text = "".join(draw.choice((letter.lower(), letter.upper())) for letter in text)
        elif kind == 1:
            text = re.sub(r" ", lambda _: draw.choice((" ", "/**/", "\t", "\n", " /* x */ ", "\u00a0")), text)
        elif kind == 2:
            text = draw.choice(("", "/* */", "// x\n", "PROFILE ", "EXPLAIN ", "# x\n", "\ufeff", ";")) + text
        elif kind == 3:
            text += draw.choice(("", ";", " // x", "; MATCH (n) RETURN n", "\x00", " RETURN 1", "}"))
        elif kind == 4:
            text = mutated_text(draw, text)
        else:
            at = draw.randrange(len(text) + 1)
            text = text[:at] + draw.choice(("\\u0045", "`", "'", '"', "\u0435", "\u200b", "\u2028", "${x}")) + text[at:]
    return text


class Queries(Surface):
    """Queries that take all, that write in disguise, and that are broken, over three kinds of graph."""

    tries = 700

    def prepare(self) -> None:
        """Make the graphs, start a server, and query it."""
        self.addresses = heavy_queries.made(self.folder, _SECONDS, _MEMORY)
        recipe = "paths=ShortestPaths() >> PathAnswer()"
        self.server = ServerProcess(*self.addresses, "--timeout", f"{_SECONDS:g}", "--recipe", recipe)
        self.server.wait_until_ready()
        self.known = {graph: self.rows(graph, _GOOD[language]) for graph, language in _GRAPHS.items()}
        self.hostile: dict[str, list[str]] = {"Cypher": [], "SPARQL": []}
        for language, text in hostile_queries.HOSTILE:
            self.hostile[language].append(text)

    def rows(self, graph: str, text: str) -> Any:
        """Return the rows of a good query."""
        start = time.monotonic()
        while True:  # a busy server says so
            status, reply = heavy_queries.posted(self.server, "/v1/query", {"graph": graph, "query": text})
            if status in (200, 503, 504) and (status == 200 or time.monotonic() - start > 2 * _LATE):
                break
            if status not in (200, 503, 504):
                raise Fault(f"a good query of {graph}: {status} {reply}")
        return reply.get("rows", reply)

    def attempt(self, draw: random.Random, work: Path) -> str:
        """Send a query, and then a good one."""
        graph = draw.choice(list(_GRAPHS))
        language = _GRAPHS[graph]
        kind = draw.random()
        if kind < 0.12:
            text = draw.choice(list((CYPHER if language == "Cypher" else SPARQL).values()))
        elif kind < 0.55:
            text = disguised(draw, draw.choice(self.hostile[language]))
        elif kind < 0.95:
            text = mutated_text(draw, draw.choice(_READS[language]))
        else:
            text = draw.choice(TOKENS).decode(errors="replace") * draw.choice((1, 1_000))
        by_command = graph != "folder" and draw.random() < 0.05
        outcome = self._by_command(graph, text) if by_command else self._by_server(graph, text)
        same(self.rows(graph, _GOOD[language]), self.known[graph], f"the rows of {graph} after {text[:200]!a}")
        return outcome

    def _by_server(self, graph: str, text: str) -> str:
        tried = heavy_queries.by_server(self.server, graph, text)
        wrong = heavy_queries.fault(tried._replace(seconds=0.0, memory=0.0), _SECONDS, _MEMORY)
        # The most of any process: that of a folder, which may take more, can be asked at the same time or hold its own.
        if wrong or tried.seconds > _LATE or tried.memory > _MOST + _SLACK:
            raise Fault(f"{graph}: {wrong} {tried} to {text[:200]!a}")
        return f"{tried.outcome.split()[0][0]}xx"

    def _by_command(self, graph: str, text: str) -> str:
        address = next(one for one in self.addresses if one.startswith(graph)).partition("=")[2]
        done = held(command("query", address, "--limit", "1000", "--", text, bounded=False), (0, 1, 2))
        return "2xx" if done.code != 1 else "4xx"

    def finish(self) -> Iterator[str]:
        """Stop the server; yield what it logged, and processes that are left."""
        if not hasattr(self, "server"):
            return
        children = heavy_queries.children(self.server.process.pid)
        log = self.server.log()
        if "Traceback" in log:
            yield f"the server logged a traceback: {log[log.index('Traceback') :][-400:]!r}"
        self.server.stop()
        time.sleep(1.0)
        left = [pid for pid in children if Path(f"/proc/{pid}/statm").exists()]
        with contextlib.suppress(OSError):
            left = [pid for pid in left if Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[0] != "0"]
        if left:
            yield f"processes are left: {left}"
