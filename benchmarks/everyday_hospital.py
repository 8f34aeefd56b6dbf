"""Make a set for `everyday.py` out of public data: half a year of a small hospital in Massachusetts.

    python benchmarks/everyday_hospital.py WORK [--data SIMULATED]

Writes WORK/hospital, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_hospital.txt`.
The hospital has departments, wards and staff. Its patients have conditions and allergies, come as outpatients, to the
emergency department or are admitted, and get diagnoses, laboratory results, prescriptions and procedures. The patients
are those who came to the emergency department or were admitted from January to June 2024, with all their encounters.

The data are made by clinosim (MIT), a package of the Python index that simulates the records of a hospital: none of
the people exist, and the same seed gives the same files. It and mpmath (BSD) are fetched with pip, and run (one minute)
unless a path to what clinosim wrote is given. Columns and values have the names that the package gives them, diagnoses
and allergens those of their codes. Needs pandas, and what clinosim needs: httpx, numpy, pydantic, PyYAML, scipy.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import yaml  # type: ignore[import-untyped]

from everyday_gold import TOOLS, Row, as_written, questions
from everyday_sets import Tables, save, unpacked

PACKAGES = ("clinosim==0.6.5", "mpmath==1.4.1")
RUN = "import sys; from clinosim.simulator.cli import main; sys.exit(main())"
OPTIONS = "simulate --country US --population 2000 --seed 11 --start 2024-01-01 --end 2024-06-30 --format cif --output"
ACUTE = ("emergency", "inpatient")
PATIENT = (
    "patient_id date_of_birth date_of_death age sex blood_type rh_factor height_cm weight_kg bmi race ethnicity"
    " marital_status employment_status occupation insurance_type smoking_status alcohol_use household_id line1 city"
    " state postal_code phone_primary emergency_contact_name emergency_contact_phone emergency_contact_relationship"
)
ENCOUNTER = (
    "encounter_type status admission_datetime discharge_datetime chief_complaint severity priority bed_number"
    " discharge_disposition triage_level triage_arrival_mode"
)
CONDITION, ALLERGY = "onset_date severity controlled stage", "category criticality"
LAB, DRUG = "result_datetime value unit flag", "dose route frequency duration_days"
STAFF = "staff_id role specialty qualification_year sex phone email"
PROCEDURE = "start_datetime end_datetime duration_minutes anesthesia_type asa_class estimated_blood_loss_ml"


def picked(row: Row, columns: str) -> Row:
    """Return some columns of a row: nothing where a text is empty, and times in seconds."""
    found = {column: None if row.get(column) == "" else row.get(column) for column in columns.split()}
    return {column: value[:19] if value and column.endswith("_datetime") else value for column, value in found.items()}


def simulated(work: Path) -> Path:
    """Run the package and return the folder with what it writes."""
    folder = work / "packages" / "clinosim-hospital"
    if not folder.exists():
        paths = [str(unpacked(package, work).resolve()) for package in PACKAGES]
        command = [sys.executable, "-c", RUN, *OPTIONS.split(), str(folder)]
        subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)}, stdout=sys.stderr)
    return folder


def codes(package: Path, system: str) -> dict[str, str]:
    """Return the English names of the codes of a system, as the package has them."""
    path = next(package.rglob(f"codes/data/{system}.yaml"))
    found = yaml.safe_load(path.read_text(encoding="utf-8"))["codes"]
    return {str(code): names["en"] for code, names in found.items()}


class Hospital:
    """The nodes and edges of the hospital, as they are read.

    Attributes:
        nodes: The rows of each kind, by their ids.
        edges: The rows of each relation.
    """

    def __init__(self, package: Path) -> None:
        self.icd, self.short, self.snomed = (
            codes(package, system) for system in ("icd-10-cm", "condition-short-name", "snomed-ct")
        )
        self.nodes: dict[str, dict[str, Row]] = {}
        self.edges: dict[str, list[Row]] = {}

    def node(self, kind: str, name: str, key: str = "", **more: Any) -> str:
        """Add a node, if it is new, and return its id."""
        row = {"id": f"{kind}-{key or name}", "label": kind.title().replace("_", ""), "name": name}
        return str(self.nodes.setdefault(kind, {}).setdefault(row["id"], row | more)["id"])

    def edge(self, relation: str, start: str, end: str, **more: Any) -> None:
        """Add an edge."""
        self.edges.setdefault(relation, []).append({"start": start, "end": end, "type": relation} | more)

    def diagnosis(self, code: str) -> str:
        """Add a diagnosis: a code without a name has that of its first three signs, or of the first code below it."""
        below = (name for known, name in self.icd.items() if known.startswith(code))
        name = self.icd.get(code) or self.icd.get(code[:3]) or next(below)
        return self.node("diagnosis", name, code, icd10_code=code, short_name=self.short.get(code[:3]))

    def add_house(self, hospital: Row) -> None:
        """Add departments, wards and staff."""
        for department, wards in hospital["config"]["wards"].items():
            for ward in wards:
                beds = hospital["config"]["ward_capacity"].get(ward)
                self.edge("BELONGS_TO", self.node("ward", ward, beds=beds), self.node("department", department))
        for row in hospital["staff"]:
            worker = self.node("staff", row["name"], row["staff_id"], **picked(row, STAFF))
            self.edge("WORKS_IN", worker, self.node("department", row["department"]))
            if row["ward"]:
                self.edge("ASSIGNED_TO", worker, self.node("ward", row["ward"]))

    def add_patient(self, record: Row) -> str:
        """Add the patient of a record, when new with conditions and allergies, and return the id."""
        row = record["patient"] | record["patient"]["address"] | record["patient"]["contact"]
        is_new = f"patient-{row['patient_id']}" not in self.nodes.get("patient", {})
        patient = self.node("patient", row["name"]["display_name"], row["patient_id"], **picked(row, PATIENT))
        for known in row["chronic_conditions"] if is_new else ():
            self.edge("HAS_CONDITION", patient, self.diagnosis(known["code"]), **picked(known, CONDITION))
        for known in row["allergies"] if is_new and not row["allergies"][0]["is_nka"] else ():
            name = self.snomed[known["allergen_code"]]
            reaction = "; ".join(self.snomed[found["manifestation_snomed"]] for found in known["reactions"])
            target = self.node("allergen", name, known["allergen_code"])
            self.edge("ALLERGIC_TO", patient, target, **picked(known, ALLERGY), reaction=reaction)
        return patient

    def add_encounters(self, record: Row, patient: str) -> None:
        """Add the encounters of a record."""
        for row in record["encounters"]:
            row |= {f"triage_{key}": value for key, value in (row["triage_data"] or {}).items()}
            encounter = self.node("encounter", row["encounter_id"], **picked(row, ENCOUNTER))
            self.edge("HAS_ENCOUNTER", patient, encounter)
            self.edge("IN_DEPARTMENT", encounter, self.node("department", row["department_id"]))
            self.edge("ATTENDED_BY", encounter, f"staff-{row['attending_physician_id']}")
            if row["ward_id"]:
                self.edge("STAYED_ON", encounter, self.node("ward", row["ward_id"]))

    def add_treatment(self, record: Row) -> None:
        """Add what was found and done at the first encounter of a record."""
        encounter, found = f"encounter-{record['encounters'][0]['encounter_id']}", record["clinical_diagnosis"]
        complications = "|".join(row["name"] for row in record["complications_occurred"]) or None
        self.nodes["encounter"][encounter] |= picked(record, "icu_transferred") | {"complications": complications}
        if code := found["discharge_diagnosis_code"] or found["admission_diagnosis_code"]:
            self.edge("DIAGNOSED_WITH", encounter, self.diagnosis(code))
        if record["prior_encounter_id"]:
            self.edge("READMISSION_OF", encounter, f"encounter-{record['prior_encounter_id']}")
        for row in record["lab_results"]:
            self.edge("LAB_RESULT", encounter, self.node("lab_test", row["lab_name"]), **picked(row, LAB))
        for row in (record["discharge_prescription"] or {}).get("items", []):
            self.edge("PRESCRIBED", encounter, self.node("drug", row["drug_name"]), **picked(row, DRUG))
        for row in record["procedures"]:
            target = self.node("procedure", row["procedure_type"], cpt_code=row["procedure_code"])
            self.edge("UNDERWENT", f"encounter-{row['encounter_id']}", target, **picked(row, PROCEDURE))


def treating(data: Path, package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    hospital = Hospital(package)
    hospital.add_house(json.loads((data / "cif" / "hospital.json").read_text(encoding="utf-8")))
    paths = sorted((data / "cif" / "structural" / "patients").glob("*.json"))
    records = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    came = [row for record in records for row in record["encounters"] if row["encounter_type"] in ACUTE]
    acute = {row["patient_id"] for row in came}
    for record in [record for record in records if record["patient"]["patient_id"] in acute]:
        hospital.add_encounters(record, hospital.add_patient(record))
        hospital.add_treatment(record)
    nodes, edges = hospital.nodes.items(), hospital.edges.items()
    tables = {f"nodes-{kind}": pd.DataFrame(found.values()).convert_dtypes() for kind, found in nodes}
    return tables | {f"edges-{key.lower()}": pd.DataFrame(found).convert_dtypes() for key, found in edges}


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the tables by their kinds, and the names of all nodes."""
    nodes = pd.concat([table[["id", "name"]] for key, table in tables.items() if key.startswith("nodes-")])
    found = {key[6:]: table for key, table in tables.items()} | {"names": nodes.set_index("id")["name"]}
    return found | TOOLS


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, help="what clinosim wrote, with the options that stand in this file")
    options = parser.parse_args()
    tables = treating(options.data or simulated(options.work), unpacked(PACKAGES[0], options.work))
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "hospital", tables, questions(text, scope(as_written(tables))))


if __name__ == "__main__":
    main()
