"""Makes a third set for `benchmarks/everyday.py` out of real public data: films up to 2014 that critics reviewed.

    python benchmarks/everyday_films.py WORK [--films UNPACKED]

Writes WORK/films, a folder like those that `everyday_sets.py` makes, out of the questions in `everyday_films.txt`.

The films come with bokeh-sampledata (the package is BSD; the data are a snapshot of Wikidata, CC0).
"""

from __future__ import annotations

import argparse
import sqlite3
from pathlib import Path

import pandas as pd

from everyday_sets import Tables, edges, nodes, questions, save, unpacked

REVIEWS = 60
SHARED = {"directed_by": "Director", "written_by": "Writer", "acted_in": "Cast"}
GROUPS = {"genre": "Genre", "country": "Country", "language": "Language", "studio": "Production"}


def split(table: pd.DataFrame, column: str, kind: str) -> pd.DataFrame:
    """Return one row per film and name in a column with lists of names."""
    lists = table[column].fillna("").str.split(r", (?!(?:Jr|Sr|Inc|LLC|Ltd)\b)", regex=True)
    found = table[["ID"]].assign(**{kind: lists}).explode(kind)
    return found[found[kind] != ""].drop_duplicates()


def films(package: Path) -> Tables:
    """Return the tables of the films."""
    with sqlite3.connect(next(package.rglob("movies.db"))) as base:
        film = pd.read_sql(
            "select o.*, t.Meter, t.Rating as Critics, t.Reviews, t.BoxOffice, t.Production"
            f" from omdb o join tomatoes t using (ID) where t.Reviews >= {REVIEWS} order by ID",
            base,
        )
    film["Nominated"] = film.Awards.str.extract(r"Nominated for (\d+)")[0].astype("float")
    for column in ("Runtime", "Metacritic", "Meter", "Reviews", "BoxOffice", "Nominated"):
        film[column] = film[column].round().astype("Int64")
    film["Released"] = film.Released.where(~film.Released.str.endswith("-01-01"))  # only the year is known
    roles = {role: split(film, column, "person") for role, column in SHARED.items()}
    groups = {kind: split(film, column, kind) for kind, column in GROUPS.items()}
    kept = {"person": pd.concat(list(roles.values())), **groups}
    named = {kind: pd.DataFrame({"name": sorted(set(table[kind]))}) for kind, table in kept.items()}
    number = {kind: pd.Series(table.index + 1, index=table["name"]) for kind, table in named.items()}
    for kind, tables in {"person": roles.values(), **{kind: [table] for kind, table in groups.items()}}.items():
        named[kind]["id"] = number[kind].to_numpy()
        for table in tables:
            table[kind] = table[kind].map(number[kind])
    scores = "tomatometer=Meter critics_rating=Critics reviews=Reviews metacritic=Metacritic"
    more = "box_office=BoxOffice oscars=Oscars oscar_nominations=Nominated imdb_id=imdbID"
    about = f"year=Year released=Released runtime=Runtime age_rating=Rating {scores} {more}"
    return {
        "nodes_film": nodes(film, "film", f"id=ID name=Title {about}"),
        **{f"nodes_{kind}": nodes(table, kind, "id name") for kind, table in named.items()},
        "edges_directed_by": edges(roles["directed_by"], "film.ID", "person.person"),
        "edges_written_by": edges(roles["written_by"], "film.ID", "person.person"),
        "edges_acted_in": edges(roles["acted_in"], "person.person", "film.ID"),
        "edges_has_genre": edges(groups["genre"], "film.ID", "genre.genre"),
        "edges_made_in": edges(groups["country"], "film.ID", "country.country"),
        "edges_in_language": edges(groups["language"], "film.ID", "language.language"),
        "edges_produced_by": edges(groups["studio"], "film.ID", "studio.studio"),
    }


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--films", type=Path, help="an unpacked bokeh-sampledata")
    options = parser.parse_args()
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    blocks = dict(block.split("\n", 1) for block in text.split("# ")[1:])
    tables = films(options.films or unpacked("bokeh-sampledata==2026.1", options.work))
    save(options.work / "films", tables, questions(blocks["films"], tables))


if __name__ == "__main__":
    main()
