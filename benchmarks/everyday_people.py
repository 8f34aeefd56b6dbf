"""Make a set for `everyday.py` out of generated data: the staff database of a company, as its HR department keeps it.

    python benchmarks/everyday_people.py WORK [--package UNPACKED]

Writes WORK/people, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out
of the questions in `everyday_people.txt`. There are employees with their jobs, grades, contracts and pay, whom they
report to and who mentors whom, in which departments they are and were, their offices, skills and languages, projects
with the hours planned and booked, courses that they attended, leave that they took, and the devices that they have.

No package was found that has real data of this kind, so the data are made up here with a fixed seed and end with 2024.
The names of the people are those of faker (MIT), for the countries of the offices: none of the people exist. Names of
departments, projects, courses and devices are written down in this file. Columns have the names that tables of such
databases have. An empty `to_date` means that it is still so. faker is fetched with pip unless a path to it is given.
"""

from __future__ import annotations

import sys
import unicodedata
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

import everyday_people_lists as lists
from everyday_gold import Row, tables_and_ends, write_set
from everyday_sets import Tables

PACKAGE = "faker==37.12.0"
SEED = 20241231
LAST_DAY = date(2024, 12, 31)


def rows(text: str) -> list[list[str]]:
    """Return the cells of a table written with bars."""
    return [line.split("|") for line in text.strip().splitlines()]


def parts(text: str) -> list[str]:
    """Return the parts of a text with commas between them."""
    return [part for part in text.split(", ") if part]


def plain(text: str) -> str:
    """Return a name as it stands in an address of mail."""
    text = text.lower().replace("ß", "ss").replace("ł", "l")
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "".join(sign for sign in text if sign.isalpha() or sign == "-")


def nodes(label: str, found: list[Row]) -> pd.DataFrame:
    """Return a table of nodes; rows have an `id` and a `name`."""
    return pd.DataFrame([{"id": row["id"], "label": label} | row for row in found]).convert_dtypes()


def edges(kind: str, found: list[Row]) -> pd.DataFrame:
    """Return a table of edges; rows have a `start` and an `end`."""
    return pd.DataFrame([{"start": row["start"], "end": row["end"], "type": kind} | row for row in found])


class Company:
    """Draws the data, one kind of them per method."""

    def __init__(self, fakers: dict[str, Any]) -> None:
        """Take a faker for each locale."""
        self.fakers = fakers
        self.random = Random(SEED)
        columns = "name code cost budget size jobs".split()
        self.depts = [dict(zip(columns, row, strict=True)) for row in rows(lists.DEPARTMENTS)]
        self.offices = rows(lists.OFFICES)
        self.staff: list[Row] = []
        self.member: list[Row] = []
        self.reports: list[Row] = []
        self.heads: dict[str, str] = {}
        self.dept_of: dict[str, str] = {}
        self.native: dict[str, str] = {}

    def day(self, first: date, last: date) -> str:
        """Return a weekday of a time, as text."""
        found = first + timedelta(self.random.randint(0, max((last - first).days, 0)))
        while found.weekday() > 4:
            found -= timedelta(1)
        return max(found, first).isoformat()

    def named(self, locale: str, woman: bool) -> str:
        """Return a name that nobody has yet."""
        taken = {row["name"] for row in self.staff}
        faker = self.fakers[locale]
        while True:
            first = faker.first_name_female() if woman else faker.first_name_male()
            last = faker.last_name_female() if woman else faker.last_name_male()
            name = f"{first.split()[0]} {last}"
            if name not in taken and name.count(" ") == 1:
                return name

    def hire(self, number: int, job: str, grade: int, dept: Row) -> str:
        """Add somebody and return the id."""
        draw = self.random
        weights = [int(row[-1]) for row in self.offices]
        office = draw.choices(self.offices, weights)[0] if grade < 9 else self.offices[0]
        locale = office[-2] if draw.random() < 0.8 else draw.choice(sorted(lists.NATIVE))
        woman = draw.random() < (0.3 if dept["code"] in ("ENG", "ITO") else 0.54)
        name = self.named(locale, woman)
        key = f"emp-{1001 + number}"
        self.native[key] = lists.NATIVE[locale]
        years = int(draw.triangular(0, 15, 2 + grade / 2))
        opened = date.fromisoformat(office[6])
        hired = self.day(max(opened, date(2024 - years, 1, 8)), min(LAST_DAY, date(2024 - years, 12, 2)))
        hired = max(hired, opened.isoformat())
        age = int(draw.triangular(22, 60, 24 + 2 * grade)) + min(years, 3)
        born = date(2024 - min(age, 63), 1, 1) + timedelta(draw.randint(0, 364))
        contract = "PERM" if grade > 6 else draw.choices(["PERM", "FTC", "INTERN"], [84, 12, 4 if grade < 6 else 0])[0]
        if contract != "PERM":
            hired = self.day(date(2023, 6, 1), date(2024, 11, 4))
        fte = 100 if grade > 8 else draw.choices([100, 80, 60, 50], [82, 10, 5, 3])[0]
        pay = lists.PAY[grade] * draw.uniform(0.88, 1.14) * (0.86 if office[1] in ("Lisbon", "Krakow") else 1)
        pay = 24000 if contract == "INTERN" else round(pay / 50) * 50
        remote = grade < 9 and draw.random() < (0.42 if dept["code"] in ("ENG", "DAT", "DSG", "CSU") else 0.15)
        self.staff.append(
            {
                "id": key,
                "name": name,
                "emp_no": 1001 + number,
                "job_title": job,
                "grade": f"G{grade}",
                "gender": "F" if woman else "M",
                "birth_dt": born.isoformat(),
                "hire_date": hired,
                "contract": contract,
                "contract_end": self.day(date(2025, 1, 31), date(2026, 6, 30)) if contract != "PERM" else None,
                "fte_pct": fte,
                "base_salary_eur": pay,
                "bonus_pct": {10: 30, 9: 20, 8: 12}.get(grade, 15 if dept["code"] == "SAL" else draw.choice([0, 5, 8])),
                "is_remote": remote,
                "email": f"{plain(name.split()[0])}.{plain(name.split()[1])}@nordlicht.example",
                "phone_ext": f"{draw.randint(2, 8)}{number:03d}",
                "leave_entl_days": 26 + draw.choice([0, 0, 2, 4]),
                "_office": office,
                "_grade": grade,
            }
        )
        self.dept_of[key] = dept["code"]
        return key

    def employ(self) -> None:
        """Add everybody, whom they report to, and in which departments they are and were."""
        draw = self.random
        for dept in self.depts:
            jobs = [job.rpartition(" ")[::2] for job in parts(dept["jobs"])]
            size = int(dept["size"])
            leads = max(1, round(size / 8)) if size > 4 else 0
            plan = [jobs[0]] + [jobs[1]] * (leads if len(jobs) > 2 and jobs[1][1] == "8" else 0)
            rest = [job for job in jobs[1:] if job[1] != "8"]
            while len(plan) < size:
                plan.append(draw.choice(rest))
            team: list[str] = []
            for job, grade in plan:
                key = self.hire(len(self.staff), job, int(grade), dept)
                boss = self.heads.get("EXE") if not team else team[0]
                if len(team) > leads and leads and draw.random() < 0.9:
                    boss = team[draw.randint(1, leads)]
                if boss:
                    self.reports.append({"start": key, "end": boss})
                team.append(key)
            self.heads[dept["code"]] = team[0]
        for row in self.staff:
            hired, code = date.fromisoformat(row["hire_date"]), self.dept_of[row["id"]]
            end = f"dept-{code}"
            others = [dept["code"] for dept in self.depts if dept["code"] not in (code, "EXE")]
            moves = draw.choices([0, 1, 2], [62, 30, 8])[0] if (LAST_DAY - hired).days > 900 else 0
            days = sorted(self.day(hired + timedelta(200), LAST_DAY - timedelta(120)) for _ in range(moves))
            if len(set(days)) < len(days):
                days = days[:1]
            starts = [row["hire_date"], *days]
            path = [f"dept-{other}" for other in draw.sample(others, len(days))] + [end]
            for place, first, last in zip(path, starts, [*days, None], strict=True):
                self.member.append({"start": row["id"], "end": place, "from_date": first, "to_date": last})

    def skilled(self) -> list[Row]:
        """Return who has which skill."""
        draw = self.random
        kinds = {kind: parts(names) for kind, names in rows(lists.SKILLS)}
        every = [name for names in kinds.values() for name in names]
        found = []
        for row in self.staff:
            likely = [name for kind in lists.TASTES[self.dept_of[row["id"]]].split() for name in kinds[kind]]
            names = dict.fromkeys(draw.sample(likely, draw.randint(2, 5)) + draw.sample(every, draw.randint(0, 2)))
            for name in names:
                level = min(5, max(1, round(draw.gauss(row["_grade"] / 2, 1))))
                facts = {"lvl": level, "assessed_on": self.day(date(2023, 1, 9), LAST_DAY)}
                found.append({"start": row["id"], "end": self.key("skill", name)} | facts)
        return found

    def key(self, kind: str, name: str) -> str:
        """Return the id of a node."""
        return f"{kind}-{'-'.join(plain(part) or part for part in name.replace('&', '').split())}"

    def spoken(self) -> list[Row]:
        """Return who speaks which language."""
        draw, found = self.random, []
        for row in self.staff:
            levels = {self.native[row["id"]]: "native"}
            levels.setdefault("English", draw.choice(["B2", "C1", "C1", "C2"]))
            for name in draw.sample(lists.LANGUAGES, draw.choices([0, 1, 2], [45, 40, 15])[0]):
                levels.setdefault(name, draw.choice(["A2", "B1", "B1", "B2", "C1"]))
            found += [{"start": row["id"], "end": self.key("lang", name), "cefr": levels[name]} for name in levels]
        return found

    def projects(self) -> tuple[list[Row], list[Row], list[Row], list[Row], list[Row]]:
        """Return projects, who is on them, who leads them, whose they are and which skills they need."""
        draw = self.random
        found, team, lead, owner, needs = [], [], [], [], []
        for number, (name, code, status, first, last, budget, skills) in enumerate(rows(lists.PROJECTS)):
            key = f"proj-{number + 101}"
            row = {"id": key, "name": name, "proj_code": f"P{number + 101}", "status": status, "start_dt": first}
            found.append(row | {"end_dt": last, "budget_keur": int(budget)})
            own = [one["id"] for one in self.staff if self.dept_of[one["id"]] == code and one["_grade"] < 9]
            other = [one["id"] for one in self.staff if self.dept_of[one["id"]] != code and one["_grade"] < 9]
            people = draw.sample(own, min(len(own), draw.randint(3, 11)))
            people += draw.sample(other, draw.randint(2, 6 + int(budget) // 70))
            for place, person in enumerate(people):
                hours = draw.choice([40, 60, 80, 120, 160, 200, 240, 320, 400])
                share = {"completed": draw.uniform(0.8, 1.2), "planned": 0}.get(status, draw.uniform(0.1, 0.9))
                role = "lead" if not place else draw.choices(["member", "reviewer", "advisor"], [75, 15, 10])[0]
                facts = {"role": role, "hrs_alloc": hours, "hrs_booked": round(hours * share)}
                team.append({"start": person, "end": key} | facts)
            lead.append({"start": key, "end": people[0]})
            owner.append({"start": key, "end": f"dept-{code}"})
            for skill in parts(skills):
                needs.append({"start": key, "end": self.key("skill", skill), "min_lvl": draw.choice([2, 3, 3, 4])})
        return found, team, lead, owner, needs

    def attended(self) -> list[Row]:
        """Return who attended which course."""
        draw, found = self.random, []
        courses = rows(lists.COURSES)
        for row in self.staff:
            first = max(date.fromisoformat(row["hire_date"]), date(2022, 1, 10))
            for course in courses:
                if draw.random() < (0.86 if course[3] == "true" else 0.085):
                    score = min(100, round(draw.gauss(78, 12)))
                    facts = {"attended_on": self.day(first, LAST_DAY), "score_pct": score, "passed": score >= 60}
                    found.append({"start": row["id"], "end": self.key("course", course[0])} | facts)
        return found

    def left(self) -> list[Row]:
        """Return who took which leave in 2023 and 2024."""
        draw, found = self.random, []
        kinds = {name: self.key("leave", name) for name, *_ in rows(lists.LEAVE)}
        for row in self.staff:
            first = max(date.fromisoformat(row["hire_date"]) + timedelta(10), date(2023, 1, 9))
            span = (LAST_DAY - first).days / 720
            plan = ["Annual leave"] * round(draw.randint(3, 6) * span)
            plan += ["Sick leave"] * round(draw.randint(0, 4) * span)
            for name, chance in (("Parental leave", 0.06), ("Unpaid leave", 0.05), ("Study leave", 0.07)):
                plan += [name] * (draw.random() < chance)
            plan += ["Special leave"] * (draw.random() < 0.12)
            taken: set[date] = set()
            for name in plan:
                length = {"Annual leave": draw.choice([1, 2, 5, 5, 10]), "Parental leave": draw.choice([20, 40, 60])}
                days = length.get(name, draw.randint(1, 5))
                begin = date.fromisoformat(self.day(first, LAST_DAY - timedelta(days * 7 // 5 + 3)))
                every = [day.date() for day in pd.bdate_range(begin, periods=days)]
                if first <= begin and not taken & set(every) and every[-1] <= LAST_DAY:
                    taken |= set(every)
                    facts = {"start_dt": every[0].isoformat(), "end_dt": every[-1].isoformat(), "days": days}
                    found.append({"start": row["id"], "end": kinds[name]} | facts)
        return found

    def devices(self) -> tuple[list[Row], list[Row]]:
        """Return devices, and who has them."""
        draw, found, given = self.random, [], []
        chances = {"Laptop": 0.93, "Mobile phone": 0.3, "Monitor": 0.24, "Headset": 0.16, "Tablet": 0.05}
        for name, code, models in rows(lists.DEVICES):
            people = [row for row in self.staff if draw.random() < chances[name]] + [None] * (len(code) + 2)
            for number, person in enumerate(people):
                model, _, price = draw.choice(parts(models)).partition(":")
                bought = date.fromisoformat(self.day(date(2021, 1, 11), date(2024, 10, 31)))
                key = f"{code}-{number + 1:04d}"
                facts = {"category": name, "model": model, "purch_dt": bought.isoformat(), "price_eur": int(price)}
                facts |= {"warranty_until": bought.replace(year=bought.year + 3, day=min(bought.day, 28)).isoformat()}
                found.append({"id": key, "name": key} | facts | {"state": "in_use" if person else "in_stock"})
                if person:
                    first = max(bought + timedelta(3), date.fromisoformat(person["hire_date"]))
                    day = self.day(first, min(LAST_DAY, first + timedelta(60)))
                    given.append({"start": key, "end": person["id"], "issued_on": day})
        return found, given

    def mentors(self) -> list[Row]:
        """Return who mentors whom."""
        draw, found = self.random, []
        old = [row["id"] for row in self.staff if row["_grade"] > 6 and row["hire_date"] < "2021"]
        new = [row["id"] for row in self.staff if row["_grade"] < 7 and row["hire_date"] > "2022"]
        hired = {row["id"]: date.fromisoformat(row["hire_date"]) for row in self.staff}
        for person in draw.sample(new, min(len(new), 34)):
            since = self.day(max(date(2023, 3, 1), hired[person]), LAST_DAY)
            found.append({"start": draw.choice(old), "end": person, "since": since})
        return found

    def listed(self) -> tuple[list[Row], list[Row], list[tuple[str, str]], list[Row], list[Row]]:
        """Return offices, departments, skills with their kinds, courses and kinds of absence."""
        offices = "id name city country addr postcode desks opened_on lease_end rent_eur_pm".split()
        sites: list[Row] = [
            dict(zip(offices, [f"site-{row[1].lower()}", *row[:9]], strict=True)) for row in self.offices
        ]
        for row in sites:
            row |= {"desks": int(row["desks"]), "rent_eur_pm": int(row["rent_eur_pm"])}
        depts = [
            {"id": f"dept-{row['code']}", "name": row["name"], "dept_code": row["code"], "cost_ctr": row["cost"]}
            | {"budget_eur": int(row["budget"]) * 1000}
            for row in self.depts
        ]
        skills = [(name, kind) for kind, names in rows(lists.SKILLS) for name in parts(names)]
        courses = [
            {"id": self.key("course", row[0]), "name": row[0], "provider": row[1], "duration_h": int(row[2])}
            | {"mandatory": row[3] == "true", "delivery": row[4]}
            for row in rows(lists.COURSES)
        ]
        leave = [
            {"id": self.key("leave", row[0]), "name": row[0], "abs_code": row[1], "paid": row[2] == "true"}
            for row in rows(lists.LEAVE)
        ]
        return sites, depts, skills, courses, leave

    def tables(self) -> Tables:
        """Return the tables of nodes and edges."""
        self.employ()
        sites, depts, skills, courses, leave = self.listed()
        heads = [{"start": f"dept-{code}", "end": person} for code, person in self.heads.items()]
        based = [
            {"start": row["id"], "end": f"site-{row['_office'][1].lower()}", "desk_no": None}
            if row["is_remote"]
            else {"start": row["id"], "end": f"site-{row['_office'][1].lower()}", "desk_no": f"D{number + 1:03d}"}
            for number, row in enumerate(self.staff)
        ]
        taught = [
            {"start": self.key("course", row[0]), "end": self.key("skill", row[5])}
            for row in rows(lists.COURSES)
            if row[5]
        ]
        projects, team, lead, owner, needs = self.projects()
        devices, given = self.devices()
        staff = [{name: value for name, value in row.items() if name[0] != "_"} for row in self.staff]
        return {
            "nodes_employee": nodes("Employee", staff),
            "nodes_department": nodes("Department", depts),
            "nodes_office": nodes("Office", sites),
            "nodes_skill": nodes(
                "Skill", [{"id": self.key("skill", name), "name": name, "category": kind} for name, kind in skills]
            ),
            "nodes_language": nodes(
                "Language", [{"id": self.key("lang", name), "name": name} for name in lists.LANGUAGES]
            ),
            "nodes_project": nodes("Project", projects),
            "nodes_course": nodes("Course", courses),
            "nodes_absence_type": nodes("AbsenceType", leave),
            "nodes_asset": nodes("Asset", devices),
            "edges_reports_to": edges("REPORTS_TO", self.reports),
            "edges_dept_emp": edges("DEPT_EMP", self.member),
            "edges_headed_by": edges("HEADED_BY", heads),
            "edges_based_at": edges("BASED_AT", based),
            "edges_has_skill": edges("HAS_SKILL", self.skilled()),
            "edges_speaks": edges("SPEAKS", self.spoken()),
            "edges_allocated_to": edges("ALLOCATED_TO", team),
            "edges_project_lead": edges("PROJECT_LEAD", lead),
            "edges_owned_by_dept": edges("OWNED_BY_DEPT", owner),
            "edges_requires_skill": edges("REQUIRES_SKILL", needs),
            "edges_attended": edges("ATTENDED", self.attended()),
            "edges_teaches": edges("TEACHES", taught),
            "edges_took_absence": edges("TOOK_ABSENCE", self.left()),
            "edges_issued_to": edges("ISSUED_TO", given),
            "edges_mentors": edges("MENTORS", self.mentors()),
        }


def people(package: Path) -> Tables:
    """Return the tables of nodes and edges, given the unpacked faker."""
    sys.path.insert(0, str(package.resolve()))
    from faker import Faker  # type: ignore[import-not-found]

    fakers = {}
    for number, locale in enumerate(sorted(lists.NATIVE)):
        fakers[locale] = Faker(locale, use_weighting=True)
        fakers[locale].seed_instance(SEED + number)
    return Company(fakers).tables()


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, people, tables_and_ends)
