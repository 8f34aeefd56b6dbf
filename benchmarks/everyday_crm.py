"""Make a set for `everyday.py` out of public sample data: what an agency has in its CRM, whom it knows and sells to.

    python benchmarks/everyday_crm.py WORK [--data JSON]

Writes WORK/crm, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out of
the questions in `everyday_crm.txt`. There are companies, with their sectors, sizes, places and who looks after them,
the contacts that work there, with where they come from, when they were seen, their tags and how warm they are, deals
with their stages, amounts and dates, tasks with their types and when they are due, and who wrote which notes when.

The data are those of the demo of Atomic CRM, as a package of npm makes them, atomic-crm (MIT), with faker (MIT) and
date-fns (MIT): none of the people exist. The package has its generator as TypeScript, which esbuild (MIT) bundles. It
draws at random and counts back from today, so it is run with a seed and on a fixed day, the last one of 2024, and gives
the same data each time. All are fetched with npm and run with Node unless a path to what the generator gave is passed.
Columns have the names and values that they have there, but `name` is the whole name of contacts and sales reps and a
number of tasks, and times are in seconds. Notes are edges. Left out are pictures, texts of filler words, links, second
phones, columns that are the same in all rows, and who has a task, which is the administrator for all of them. Who looks
after a contact or a deal is who looks after its company; all three are edges. Needs pandas, npm and Node 20.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pandas as pd

from everyday_gold import Row, as_written, questions, tables_and_ends
from everyday_sets import Tables, from_node, save, unpacked_from_npm

PACKAGE = "atomic-crm@0.0.2"
NEEDED = ("faker@5.4.0", "date-fns@3.6.0", "esbuild@0.25.0")
RUN = """
import { build } from "esbuild";
const stub = (builder) => {
    builder.onResolve({ filter: /^@mui/ }, (given) => ({ path: given.path, namespace: "stub" }));
    builder.onLoad({ filter: /.*/, namespace: "stub" }, () => ({ contents: "export default null" }));
};
const contents = `
import faker from "faker/locale/en_US";
import generate from "./package/src/providers/fakerest/dataGenerator/index.ts";
faker.seed(20241231);
process.stdout.write(JSON.stringify(generate()));
`;
const made = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    platform: "node",
    format: "cjs",
    write: false,
    plugins: [{ name: "stub", setup: stub }],
});
const now = Date.parse("2024-12-31T12:00:00Z");
globalThis.Date = class extends Date {
    constructor(...given) { super(...(given.length ? given : [now])); }
    static now() { return now; }
};
const { createRequire } = await import("node:module");
new Function("require", "module", "exports", made.outputFiles[0].text)(createRequire(process.cwd() + "/"), {}, {});
"""
PLACE = "address zipcode city stateAbbr country"
COMPANY = f"sector size revenue website phone_number {PLACE} tax_identifier created_at nb_contacts nb_deals"
PHONE = "phone_1_number phone_1_type"
CONTACT = f"title gender email {PHONE} acquisition first_seen last_seen has_newsletter status nb_tasks"
DEAL = "category stage amount created_at updated_at expected_closing_date"
PERSON = "{first_name} {last_name}"
TIMES = ("date", "due_date", "created_at", "updated_at", "expected_closing_date", "first_seen", "last_seen")


def generated(work: Path) -> Path:
    """Run the package and return the path of the file with what it gives."""
    return from_node(unpacked_from_npm(PACKAGE, work).parent, NEEDED, RUN)


def picked(row: Row, columns: str) -> Row:
    """Return some columns of a row, times in seconds."""
    found = {column: row.get(column) for column in columns.split()}
    return {column: value[:19] if column in TIMES and value else value for column, value in found.items()}


def nodes(label: str, rows: list[Row], name: str, columns: str = "") -> pd.DataFrame:
    """Return a table of nodes with a label and some columns; `name` is a pattern for their names."""
    return pd.DataFrame(
        [
            {"id": f"{label.lower()}-{row['id']}", "label": label, "name": name.format(**row)} | picked(row, columns)
            for row in rows
        ]
    ).convert_dtypes()


def edges(kind: str, ends: str, rows: list[Row], columns: str = "") -> pd.DataFrame:
    """Return a table of edges of a kind with some columns.

    `ends` has the kinds and the columns of both ends, such as `contact.id company.company_id`.
    """
    (start, start_key), (end, end_key) = (part.split(".") for part in ends.split())
    return pd.DataFrame(
        [
            {"start": f"{start}-{row[start_key]}", "end": f"{end}-{row[end_key]}", "type": kind} | picked(row, columns)
            for row in rows
        ]
    )


def crm(raw: Row) -> Tables:
    """Return the tables of nodes and edges."""
    contacts, deals, sales = raw["contacts"], raw["deals"], raw["sales"]
    tagged = [{"id": row["id"], "tag": tag} for row in contacts for tag in row["tags"]]
    involved = [{"id": row["id"], "contact": contact} for row in deals for contact in row["contact_ids"]]
    return {
        "nodes_company": nodes("Company", raw["companies"], "{name}", COMPANY),
        "nodes_contact": nodes("Contact", contacts, PERSON, CONTACT),
        "nodes_deal": nodes("Deal", deals, "{name}", DEAL),
        "nodes_salesrep": nodes("SalesRep", sales, PERSON, "email administrator"),
        "nodes_tag": nodes("Tag", raw["tags"], "{name}", "color"),
        "nodes_task": nodes("Task", raw["tasks"], "Task {id}", "type due_date"),
        "edges_works_at": edges("WORKS_AT", "contact.id company.company_id", contacts),
        "edges_has_tag": edges("HAS_TAG", "contact.id tag.tag", tagged),
        "edges_deal_with": edges("DEAL_WITH", "deal.id company.company_id", deals),
        "edges_involves": edges("INVOLVES", "deal.id contact.contact", involved),
        "edges_account_of": edges("ACCOUNT_OF", "company.id salesrep.sales_id", raw["companies"]),
        "edges_contact_of": edges("CONTACT_OF", "contact.id salesrep.sales_id", contacts),
        "edges_deal_of": edges("DEAL_OF", "deal.id salesrep.sales_id", deals),
        "edges_task_for": edges("TASK_FOR", "task.id contact.contact_id", raw["tasks"]),
        "edges_wrote_contact_note": edges(
            "WROTE_CONTACT_NOTE", "salesrep.sales_id contact.contact_id", raw["contactNotes"], "date status"
        ),
        "edges_wrote_deal_note": edges("WROTE_DEAL_NOTE", "salesrep.sales_id deal.deal_id", raw["dealNotes"], "date"),
    }


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, help="what the generator of atomic-crm gave, as this file runs it")
    options = parser.parse_args()
    raw = json.loads((options.data or generated(options.work)).read_text(encoding="utf-8"))
    tables = crm(raw)
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "crm", tables, questions(text, tables_and_ends(as_written(tables))))


if __name__ == "__main__":
    main()
