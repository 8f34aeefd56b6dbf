"""What `try_extras.py` does with each extra in an environment that has nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

LARGE = ("torch", "train", "spark")
"""Extras that are tried only by name: torch is gigabytes, Spark needs Java."""

_TRIPLES = "Kenya|capital|Nairobi\nUganda|capital|Kampala\nKenya|currency|Kenyan shilling\nKenya|borders|Uganda\n"
_QUESTION = "What is the capital of Kenya?"
_RANKED = "ShortestPaths() >> Rerank({}) >> PathAnswer()"
_PAGE = "<html><body><h1>Kenya</h1><p>Nairobi is the capital of Kenya. Lake Victoria borders Kenya.</p></body></html>"
_TURTLE = "@prefix a: <http://a.org/> .\na:Kenya a:capital a:Nairobi .\na:Uganda a:capital a:Kampala .\n"
_QUESTIONS = "".join(
    f'{{"question": "{text}", "seeds": ["Kenya"], "answers": ["{answer}"]}}\n'
    for text, answer in ((_QUESTION, "Nairobi"), ("What is the currency of Kenya?", "Kenyan shilling"))
)


@dataclass(frozen=True)
class Step:
    """One command.

    Attributes:
        arguments: Those of graphbrick; of Python if they begin with "-c".
        shows: A text that the output must have.
        code: The exit code that it must end with.
    """

    arguments: tuple[str, ...]
    shows: str = ""
    code: int = 0


@dataclass(frozen=True)
class Try:
    """What is done with an extra.

    Attributes:
        what: In a few words, for the table.
        steps: The commands, in this order.
        files: Texts of files that are there before, by name.
    """

    what: str
    steps: tuple[Step, ...]
    files: dict[str, str] = field(default_factory=lambda: {"triples.txt": _TRIPLES})


_BUILD = Step(("build", "triples.txt", "g.graph"), "4 triples")


def _ask(pipeline: str, shows: str = "Nairobi", *, code: int = 0) -> Step:
    return Step(("ask", "g.graph", _QUESTION, "--seed", "Kenya", "--pipeline", pipeline), shows, code)


def _unreachable(address: str) -> Step:
    return Step(("ask", address, _QUESTION), "is the server running there?", 1)


def _tables(source: str) -> Step:
    return Step(("build", source, "t.graph"), "1 entity")


def _no_tables(address: str) -> Step:
    return Step(("build", address, "t.graph"), "cannot be opened", 1)


def _python(code: str, shows: str) -> Step:
    return Step(("-c", code), shows)


_CORE = (
    _BUILD,
    _ask(_RANKED.format("BM25()")),
    Step(("info", "g.graph", "--check"), "every file has the checksum it was built with"),
    Step(("export", "g.graph", "g.graphml", "--to", "graphml"), "g.graphml"),
    Step(("build", "facts.parquet", "p.graph"), "graphbrick[parquet]", 1),
    Step(("build", "facts.ttl", "r.graph"), "graphbrick[rdf]", 1),
    Step(("learn", "g.graph"), "graphbrick[learn]", 1),
)
_PARQUET = (
    _BUILD,
    Step(("export", "g.graph", "tables", "--to", "parquet"), "tables"),
    Step(("build", "tables", "p.graph"), "4 triples"),
    Step(("info", "p.graph", "--check"), "every file has the checksum it was built with"),
)
_LEARN = (
    _BUILD,
    Step(("learn", "g.graph", "--questions", "100"), "ask it"),
    Step(("ask", "g.graph", _QUESTION), "Nairobi"),
)
_MODEL = """
from graphbrick import LLM, Generate, ShortestPaths
from graphbrick.testing import ScriptedLLM, tiny_graph
with ScriptedLLM(["Kenyan shilling"]) as server:
    pipeline = ShortestPaths() >> Generate(LLM(base_url=server.base_url))
    print(pipeline(tiny_graph(), "Which currency is used in Kenya?").texts)
"""
_LOCAL = "import xllamacpp\nfrom graphbrick import LocalLLM\nprint(LocalLLM('qwen2.5-coder-0.5b'), xllamacpp.Server)"
_SPARQL = "import httpx; print('httpx', bool(httpx.__version__))"
_SERVE = """
import subprocess, sys, urllib.request
command = [sys.executable, "-m", "graphbrick", "serve", "g.graph", "--port", "0"]
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
    address = next(line for line in server.stdout if "http://" in line)
    address = "http://" + address.split("http://")[1].split()[0].split("/")[0]
    print(urllib.request.urlopen(address + "/healthz").read().decode())
    server.terminate()
    server.communicate()
"""
_EXCEL = """
import openpyxl
book = openpyxl.Workbook()
for row in (("head", "relation", "tail"), ("Kenya", "capital", "Nairobi")):
    book.active.append(row)
book.save("facts.xlsx")
print("written")
"""
_TELEMETRY = """
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
import graphbrick.serve.telemetry
print(TracerProvider.__name__, OTLPSpanExporter.__name__)
"""
_WORLD = "from graphbrick.demo.graph import world_graph; print(world_graph().n_entities > 70_000)"
_INDEX = """
import faiss, numpy
index = faiss.IndexFlatIP(2)
index.add(numpy.eye(2, dtype="float32"))
print(index.search(numpy.eye(2, dtype="float32"), 1)[1].ravel().tolist())
"""
_SQLITE = """
import sqlite3
connection = sqlite3.connect("shop.db")
connection.executescript("CREATE TABLE shops(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO shops VALUES (1, 'Alba')")
print("made")
"""
_DUCKDB = _SQLITE.replace("sqlite3", "duckdb").replace("executescript", "execute")
_NEED_EMBEDDER = Step(("prepare", "vectors", "g.graph"), "graphbrick[minilm]", 1)
_LADYBUG = Step(("query", "g.graph", "MATCH (a)-[r]->(b) RETURN count(r) AS n"), "1 row")
_TOY = """
from pathlib import Path
from transformers import BertConfig, BertModel, BertTokenizerFast
words = "[PAD] [UNK] [CLS] [SEP] [MASK] what is the capital of kenya uganda nairobi kampala currency kenyan shilling"
Path("vocab.txt").write_text(words.replace(" ", chr(10)))
BertTokenizerFast(vocab_file="vocab.txt").save_pretrained("toy")
sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
BertModel(BertConfig(vocab_size=20, **sizes)).save_pretrained("toy")
print("toy made")
"""
_TOY_RANKED = _RANKED.format("EmbeddingModel('toy')")
_TRAIN = Step(
    ("train", "embedder", "g.graph", "q.jsonl", "--base", "toy", "--out", "tuned", "--epochs", "1"), "use it as"
)
_CSV = "head,relation,tail\n" + _TRIPLES.replace("|", ",")
_SPARK = Step(("spark", "build", "facts.csv", "--out", "g.graph", "--master", "local[1]"), "4 triples")
_RDF = Step(("build", "facts.ttl", "r.graph"), "2 triples")
_STUDY = Step(
    (
        "evaluate",
        "g.graph",
        "q.jsonl",
        "-p",
        "a: " + _RANKED.format("BM25()"),
        "-p",
        "b: ShortestPaths() >> PathAnswer()",
    )
)
_TUNE = Step(("tune", "g.graph", "q.jsonl", "--time", "5s"), "at least 8 questions", 1)
_COMPARE = Step(("compare", "runs.sqlite"), "McNemar")
_SEARCH = _python(_INDEX, "[0, 1]")
_NO_SPARQL = _unreachable("sparql+http://127.0.0.1:9/x")
_WORKBOOK = (_python(_EXCEL, "written"), Step(("build", "facts.xlsx", "x.graph"), "1 triple"))
_MANY = (*_LEARN, _LADYBUG, _RDF, _python(_SERVE, "ok"), _STUDY, _COMPARE)
_DOCUMENTS = (
    Step(("index", "page.html", "d.graph", "--no-embed"), "1 passage"),
    Step(("ask", "d.graph", "Which lake borders Kenya?", "--pipeline", "Passages() >> Quote(BM25())"), "Victoria"),
)
_PARTITIONS = (
    Step(("prepare", "partitions", "g.graph"), "partitions"),
    _ask("Communities() >> " + _RANKED.format("BM25()")),
)
_TEXTS = {
    "triples.txt": _TRIPLES,
    "page.html": _PAGE,
    "facts.ttl": _TURTLE,
    "facts.parquet": "PAR1",
    "q.jsonl": _QUESTIONS,
}
_ALL_DATABASES = (_BUILD, _LADYBUG, _RDF, _unreachable("bolt://127.0.0.1:9/x"), _unreachable("falkor://127.0.0.1:9/x"))

TRIES: dict[str, Try] = {
    "core": Try("builds a graph, asks it, exports it; names the extras of Parquet, RDF and learning", _CORE, _TEXTS),
    "minilm": Try("ranks paths by MiniLM()", (_BUILD, _ask(_RANKED.format("MiniLM()")))),
    "llm": Try("answers by a scripted model server", (_python(_MODEL, "('Kenyan shilling',)"),)),
    "local": Try("loads llama.cpp; no model was fetched", (_python(_LOCAL, "LocalLLM"),)),
    "text": Try("indexes a page, quotes it", _DOCUMENTS, _TEXTS),
    "statistical": Try("ranks paths by LSA()", (_BUILD, _ask(_RANKED.format("LSA(components=2)")))),
    "evaluate": Try("evaluates and compares two pipelines", (_BUILD, _STUDY, _COMPARE), _TEXTS),
    "torch": Try("ranks paths by a toy model in torch", (_python(_TOY, "toy made"), _BUILD, _ask(_TOY_RANKED, " -> "))),
    "train": Try("trains a toy embedder", (_python(_TOY, "toy made"), _BUILD, _TRAIN), _TEXTS),
    "learn": Try("learns a graph, answers without a pipeline", _LEARN),
    "tune": Try("learns a graph; refuses to tune by 2 questions", (*_LEARN, _TUNE), _TEXTS),
    "communities": Try("splits a graph, asks within a part", (_BUILD, *_PARTITIONS)),
    "vectors": Try("searches an index; names the extra that embeds", (_BUILD, _SEARCH, _NEED_EMBEDDER)),
    "rdf": Try("builds a graph from Turtle", (_RDF,), _TEXTS),
    "parquet": Try("writes tables, builds a graph from them", _PARQUET),
    "sql": Try("builds a graph by SQLAlchemy", (_python(_SQLITE, "made"), _tables("sqlite+pysqlite:///shop.db"))),
    "postgresql": Try("names a server that is not there", (_no_tables("postgresql://127.0.0.1:9/x"),)),
    "mysql": Try("names a server that is not there", (_no_tables("mysql://127.0.0.1:9/x"),)),
    "duckdb": Try("builds a graph from a file", (_python(_DUCKDB, "made"), _tables("shop.db"))),
    "ladybug": Try("runs Cypher over a folder", (_BUILD, _LADYBUG)),
    "neo4j": Try("names a server that is not there", (_unreachable("bolt://127.0.0.1:9/x"),)),
    "falkordb": Try("names a server that is not there", (_unreachable("falkor://127.0.0.1:9/x"),)),
    "sparql": Try("names a server that is not there", (_python(_SPARQL, "httpx True"), _NO_SPARQL)),
    "databases": Try("Cypher, Turtle, servers that are not there", _ALL_DATABASES, _TEXTS),
    "serve": Try("starts the server, reads its health", (_BUILD, _python(_SERVE, "ok"))),
    "spark": Try("builds a graph by Spark, asks it", (_SPARK, _ask(_RANKED.format("BM25()"))), {"facts.csv": _CSV}),
    "excel": Try("builds a graph from a workbook", _WORKBOOK),
    "telemetry": Try("loads the exporter", (_python(_TELEMETRY, "OTLPSpanExporter"),)),
    "demo": Try("builds the world graph", (_python(_WORLD, "True"),)),
    "all": Try(
        "documents, learning, Cypher, server, comparison",
        (*_MANY, *_DOCUMENTS),
        _TEXTS,
    ),
}  # fmt: skip
