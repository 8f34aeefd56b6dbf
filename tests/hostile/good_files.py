"""Small good files of every format, for the tries that change them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from pdf_files import pdf
from word_files import word

from graphbrick.core.files.zstd import zstd
from graphbrick.testing import TINY

KEYS = sorted({end for head, _, tail in TINY for end in (head, tail)})
_EX = "http://e/"
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _iri(text: str) -> str:
    return f"<{_EX}{text.replace(' ', '_')}>"


def _nt(end: str = " .\n") -> str:
    return "".join(f"{_iri(head)} {_iri(relation)} {_iri(tail)}{end}" for head, relation, tail in TINY)


def _rows(delimiter: str) -> str:
    return "".join(f"{delimiter.join(row)}\n" for row in (("head", "relation", "tail"), *TINY))


def _graphml() -> str:
    nodes = "".join(f'<node id="{key}"><data key="n">{key}</data><data key="a">{i}</data></node>' for i, key in
                    enumerate(KEYS))  # fmt: skip
    edges = "".join(f'<edge source="{h}" target="{t}"><data key="r">{r}</data></edge>\n' for h, r, t in TINY)
    return (
        f'{_XML}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="n" for="node" attr.name="name" attr.type="string"/><key id="a" for="node" attr.name="n" '
        'attr.type="int"/><key id="r" for="edge" attr.name="relation" attr.type="string"/>'
        f'<graph edgedefault="directed">{nodes}\n{edges}</graph></graphml>'
    )


def _gexf() -> str:
    nodes = "".join(f'<node id="{key}" label="{key}"/>' for key in KEYS)
    edges = "".join(f'<edge id="{i}" source="{h}" target="{t}" label="{r}"/>\n' for i, (h, r, t) in enumerate(TINY))
    graph = f'<graph defaultedgetype="directed"><nodes>{nodes}</nodes><edges>{edges}</edges></graph>'
    return f'{_XML}<gexf xmlns="http://gexf.net/1.3" version="1.3">{graph}</gexf>'


def _node_link() -> str:
    nodes = [{"id": key, "name": key, "size": i, "tags": ["a", key]} for i, key in enumerate(KEYS)]
    links = [{"source": h, "target": t, "relation": r, "since": "2020-01-02"} for h, r, t in TINY]
    return json.dumps({"directed": True, "multigraph": True, "graph": {}, "nodes": nodes, "links": links})


def _cytoscape() -> str:
    nodes = [{"data": {"id": key, "name": key}} for key in KEYS]
    edges = [{"data": {"source": h, "target": t, "interaction": r}} for h, r, t in TINY]
    return json.dumps({"elements": {"nodes": nodes, "edges": edges}})


def _obo() -> str:
    terms = ""
    for key in KEYS:
        lines = (f"relationship: {_joined(r)} {_joined(t)} ! {t}\n" for h, r, t in TINY if h == key)
        terms += f'[Term]\nid: {_joined(key)}\nname: {key}\ndef: "A {key}." [x:1]\n{"".join(lines)}\n'
    return f"format-version: 1.4\nontology: tiny\n\n{terms}"


def _joined(text: str) -> str:
    return f"X:{text.replace(' ', '_')}"


def _gml() -> str:
    nodes = "".join(f'  node [ id {i} label "{key}" ]\n' for i, key in enumerate(KEYS))
    edges = "".join(f'  edge [ source {KEYS.index(h)} target {KEYS.index(t)} label "{r}" ]\n' for h, r, t in TINY)
    return f"graph [\n  directed 1\n{nodes}{edges}]\n"


def _pajek() -> str:
    nodes = "".join(f'{i + 1} "{key}"\n' for i, key in enumerate(KEYS))
    edges = "".join(f'{KEYS.index(h) + 1} {KEYS.index(t) + 1} 1 l "{r}"\n' for h, r, t in TINY)
    return f"*Vertices {len(KEYS)}\n{nodes}*Arcs\n{edges}"


def _rdf_xml() -> str:
    parts = "".join(
        f'<rdf:Description rdf:about="{_EX}{h}"><e:{r.replace(" ", "_")} rdf:resource="{_EX}{t.replace(" ", "_")}"/>'
        "</rdf:Description>\n"
        for h, r, t in TINY
    )
    space = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    return f'{_XML}<rdf:RDF {space} xmlns:e="{_EX}">{parts}</rdf:RDF>'


def _json_ld() -> str:
    rows = [{"@id": _EX + h, _EX + r.replace(" ", "_"): {"@id": _EX + t.replace(" ", "_")}} for h, r, t in TINY]
    return json.dumps({"@context": {"e": _EX}, "@graph": rows}, indent=1)


def _jsonl() -> str:
    nodes = "".join(json.dumps({"id": key, "name": key, "kind": "Place", "n": i}) + "\n" for i, key in enumerate(KEYS))
    return nodes + "".join(json.dumps({"head": h, "relation": r, "tail": t, "since": 1999}) + "\n" for h, r, t in TINY)


def _excel() -> bytes:
    book, data = openpyxl.Workbook(), io.BytesIO()
    for row in (("head", "relation", "tail"), *TINY):
        book.active.append(row)
    book.save(data)
    return data.getvalue()


def _parquet() -> bytes:
    data = io.BytesIO()
    columns = zip(*TINY, strict=True)
    pq.write_table(
        pa.table({name: list(c) for name, c in zip(("head", "relation", "tail"), columns, strict=True)}), data
    )
    return data.getvalue()


GRAPHS: dict[str, bytes] = {
    "g.txt": "".join("|".join(row) + "\n" for row in TINY).encode(),
    "g.tsv": _rows("\t").encode(),
    "g.csv": ('"' + '","'.join(_rows("|").strip().replace("\n", '"\n"').split("|")) + '"\n').encode(),
    "g.psv": _rows("|").encode(),
    "g.nt": _nt().encode(),
    "g.nq": _nt(" <http://e/graph> .\n").encode(),
    "g.ttl": f"@prefix e: <{_EX}> .\n{_nt()}e:Kenya a e:Country ; e:size 5, 2.5, true, \"x\"@en .\n".encode(),
    "g.trig": f"@prefix e: <{_EX}> .\ne:g {{ {_nt()} }}\n".encode(),
    "g.rdf": _rdf_xml().encode(),
    "g.jsonld": _json_ld().encode(),
    "g.graphml": _graphml().encode(),
    "g.gexf": _gexf().encode(),
    "g.json": _node_link().encode(),
    "g.cyjs": _cytoscape().encode(),
    "g.jsonl": _jsonl().encode(),
    "g.obo": _obo().encode(),
    "g.sif": "".join("\t".join(row) + "\n" for row in TINY).encode(),
    "g.gml": _gml().encode(),
    "g.net": _pajek().encode(),
    "g.xlsx": _excel(),
    "g.parquet": _parquet(),
}  # fmt: skip
"""Files that `graphbrick build` reads, by name; all hold the tiny graph."""

PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}
"""How files are packed, by the ending that it adds."""

_TEXT = "The capital of Kenya is Nairobi.\n\nLake Victoria borders Kenya and Uganda. People of Kampala like it.\n"
DOCUMENTS: dict[str, bytes] = {
    "a.txt": _TEXT.encode(),
    "a.md": f"# Kenya\n\n{_TEXT}\n## Lakes\n\n- one\n- two\n\n| a | b |\n|---|---|\n| Kenya | 1 |\n".encode(),
    "a.html": f"<html><head><title>Kenya</title></head><body><h1>Kenya</h1><p>{_TEXT}<ul><li>x</ul>".encode(),
    "a.pdf": pdf(_TEXT, "Uganda is a country.", title="Kenya"),
    "a.docx": word(lambda document: document.add_paragraph(_TEXT)),
    "a.csv": f'title,text\nKenya,"{_TEXT.strip()}"\nUganda,Kampala is the capital.\n'.encode(),
    "a.jsonl": (json.dumps({"title": "Kenya", "text": _TEXT}) + "\n").encode(),
}
"""Files that `graphbrick index` reads, by name."""
