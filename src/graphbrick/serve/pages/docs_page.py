"""The page about the API: plain HTML from the OpenAPI description, without scripts or anything from elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>graphbrick API</title><link rel="icon" href="page/icon.svg" type="image/svg+xml"><style>
:root { color-scheme: light dark; } body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
padding: 0 1rem; } code, pre { font: 14px/1.45 ui-monospace, monospace; } pre { overflow: auto; padding: .7rem;
border: 1px solid #8886; border-radius: 6px; } table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid #8883; }
h2 { margin-top: 2.5rem; } h3 { margin: 1.8rem 0 .3rem; } .method { font-weight: 700; margin-right: .5rem; }
</style></head><body><main>
"""


def docs_page(api: Mapping[str, Any]) -> str:
    """Return the page.

    Args:
        api: The OpenAPI description.
    """
    parts = [_HEAD, f"<h1>graphbrick {escape(api['info']['version'])}: API</h1>", _text(api["info"]["description"])]
    parts.append('<p>The same as a description for programs: <a href="openapi.json">openapi.json</a>.</p>')
    groups: dict[str, list[str]] = {}
    for path, methods in api["paths"].items():
        for method, route in methods.items():
            tag = (route.get("tags") or ["other"])[0]
            groups.setdefault(tag, []).append("".join(_route(api, path, method, route)))
    for tag, routes in groups.items():
        parts += [f"<h2>{escape(tag.capitalize())}</h2>", *routes]
    return "".join([*parts, "</main></body></html>\n"])


def _route(api: Mapping[str, Any], path: str, method: str, route: Mapping[str, Any]) -> Iterator[str]:
    """Yield one route: address, text, parameters, body, and an example to type."""
    yield f"<h3><code><span class=method>{method.upper()}</span>{escape(path)}</code></h3>"
    yield f"<p><strong>{_code(route.get('summary', ''))}.</strong></p>{_text(route.get('description', ''))}"
    rows = [
        (one["name"], one["schema"], one.get("required"), one.get("description")) for one in route.get("parameters", ())
    ]
    content = route.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = _resolved(api, content.get("schema", {}))
    needed = schema.get("required", ())
    rows += [(name, one, name in needed, one.get("description")) for name, one in schema.get("properties", {}).items()]
    if rows:
        yield "<table><tr><th>field</th><th>type</th><th></th></tr>"
        for name, one, required, about in rows:
            mark = " (needed)" if required else _default(one)
            yield f"<tr><td><code>{escape(name)}</code></td><td>{escape(_type(one))}{escape(mark)}</td>"
            yield f"<td>{_code(about or one.get('description') or '')}</td></tr>"
        yield "</table>"
    for example in schema.get("examples", ()):
        body = json.dumps(example, indent=1)
        call = f"curl -H 'content-type: application/json' http://localhost:8000{path} -d '{body}'"
        yield f"<pre>{escape(call)}</pre>"


def _resolved(api: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return api["components"]["schemas"][name] if name else schema


def _type(schema: Mapping[str, Any]) -> str:
    """Return the type of a field in a few words, with its range."""
    if "anyOf" in schema:
        return " or ".join(kind for one in schema["anyOf"] if (kind := _type(one)) != "null")
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    kind = str(schema.get("type", "any"))
    if kind == "array":
        kind = f"list of {_type(schema.get('items', {}))}"
    words = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "maxLength": "up to", "maxItems": "up to"}
    limits = [f"{word} {schema[name]:,}" for name, word in words.items() if name in schema]
    return f"{kind} {' '.join(limits)}".strip()


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    return "" if default in (None, [], {}) else f" [{json.dumps(default)}]"


def _text(text: str) -> str:
    """Return a description as paragraphs."""
    return "".join(f"<p>{_code(part)}</p>" for part in text.split("\n\n") if part.strip())


def _code(text: str) -> str:
    """Return a text of a docstring as HTML, in which ``code`` is marked as code."""
    return re.sub(r"``?([^`]+)``?", r"<code>\1</code>", escape(text))
