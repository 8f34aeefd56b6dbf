"""Make a set for `everyday.py` out of made-up records: what the office of an evening college keeps about its people.

    python benchmarks/everyday_college.py WORK [--package UNPACKED]

Writes WORK/college, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out
of the questions in `everyday_college.txt`. There are students with their programmes, tutors, courses, grades, exams,
fees, clubs and library loans, teachers with their departments, and rooms in buildings with the timetable.

The college and all its people are made up: this file draws them with a fixed seed. First names, last names, streets,
towns and publishers come from the lists of faker (MIT), for Great Britain, fetched with pip unless a path to it is
passed; titles, authors and years of most library books are those of real books, all else about them is made up. The
records stand as of the first of December 2024, in the middle of the autumn term. Columns have names as in the tables of
such an office, with codes: `study_mode` is FT, PT or EVE, `delivery` is ONS (on site), ONL (online) or HYB (both), and
a loan without `returned_dt` is still out. Needs pandas and what faker needs, python-dateutil and typing-extensions.
"""

from __future__ import annotations

import random
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

import everyday_college_lists as lists
from everyday_gold import Row, tables_and_ends, write_set
from everyday_sets import Tables

PACKAGE = "faker==30.8.2"
SEED = 20241201
NOW = date(2024, 12, 1)
STUDENTS = 280


def parts(text: str) -> list[str]:
    """Return the entries of a text that newlines and bars part."""
    return [entry.strip() for line in text.strip().splitlines() for entry in line.split("|")]


class Drawn:
    """The tables of one college, drawn at random.

    Attributes:
        tables: The rows of each table so far.
    """

    def __init__(self, package: Path) -> None:
        sys.path.insert(0, str(package))
        from faker import Faker

        self.random = random.Random(SEED)
        self.faker = Faker("en_GB")
        self.faker.seed_instance(SEED)
        self.tables: dict[str, list[Row]] = {}
        self.taken: set[str] = set()
        self.towns = [self.faker.unique.city() for _ in range(lists.TOWNS)]

    def node(self, label: str, name: str, **columns: Any) -> Row:
        """Add a node and return its row."""
        rows = self.tables.setdefault(f"nodes_{label.lower()}", [])
        rows.append({"id": f"{label.lower()}-{len(rows) + 1}", "label": label, "name": name} | columns)
        return rows[-1]

    def edge(self, kind: str, start: Row, end: Row, **columns: Any) -> None:
        """Add an edge."""
        rows = self.tables.setdefault(f"edges_{kind.lower()}", [])
        rows.append({"start": start["id"], "end": end["id"], "type": kind} | columns)

    def rows(self, label: str) -> list[Row]:
        """Return the nodes of a label."""
        return self.tables[f"nodes_{label}"]

    def weighted(self, weights: dict[Any, float]) -> Any:
        """Return one of the keys, by their weights."""
        return self.random.choices(list(weights), list(weights.values()))[0]

    def some(self, rows: list[Row], size: int) -> list[Row]:
        """Return some rows, the first ones rather more often."""
        found: dict[str, Row] = {}
        while len(found) < min(size, len(rows)):
            row = rows[int(len(rows) * self.random.random() ** 1.35)]
            found[row["id"]] = row
        return list(found.values())

    def day(self, first: date, last: date) -> date:
        """Return a day between two."""
        return first + timedelta(self.random.randint(0, (last - first).days))

    def person(self, sex: str) -> str:
        """Return a name that nobody has yet."""
        while True:
            first = self.faker.first_name_female() if sex == "F" else self.faker.first_name_male()
            name = f"{first} {self.faker.last_name()}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def house(self) -> None:
        """Add terms, buildings and rooms."""
        for code, (name, start, end) in lists.TERMS.items():
            self.node("Term", name, term_code=code, startDate=start, endDate=end)
        for entry in parts(lists.BUILDINGS):
            *words, year, storeys, lift = entry.split()
            floors = int(storeys)
            street = self.faker.street_name()
            house = self.node(
                "Building", " ".join(words), addr=street, yr_built=int(year), storeys=floors, has_lift=lift
            )
            letter = "".join(word[0] for word in words)
            for number in range(7 if floors > 1 else 5):
                floor = number % floors
                usual = {"classroom": 6, "lecture hall": 1, "computer lab": 2, "studio": 1, "office": 1}
                kind = "workshop" if words[0] == "Workshop" else self.weighted(usual)
                low, high = {"lecture hall": (80, 220), "office": (2, 6)}.get(kind, (12, 40))
                capacity = self.random.randint(low, high) // 2 * 2
                projector = "Y" if kind != "office" and self.random.random() < 0.7 else "N"
                room = self.node(
                    "Room",
                    f"{letter}{floor}{number + 1:02}",
                    room_type=kind,
                    capacity=capacity,
                    floor=floor,
                    has_projector=projector,
                )
                self.edge("LOCATED_IN", room, house)

    def staff(self) -> None:
        """Add departments, programmes, courses and teachers."""
        for entry in parts(lists.DEPARTMENTS):
            code, *words, budget = entry.split()
            tel = f"01632 960{self.random.randint(100, 999)}"
            office = self.node("Department", " ".join(words), dept_code=code, budget_gbp=int(budget), office_tel=tel)
            for number in range(self.random.randint(4, 6)):
                sex = self.weighted({"F": 11, "M": 9})
                name = self.person(sex)
                hired = self.day(date(1996, 1, 1), date(2023, 8, 31))
                title = self.weighted({"Dr": 5, "Prof": 1, ("Ms" if sex == "F" else "Mr"): 7})
                pay = 28500 + (NOW - hired).days // 365 * 780 + {"Dr": 4200, "Prof": 11500}.get(title, 0)
                teacher = self.node(
                    "Teacher",
                    name,
                    title=title,
                    staff_no=f"T{1000 + len(self.taken) * 7}",
                    email=f"{name[0]}.{name.split()[-1]}@northgate.example".lower(),
                    tel_ext=self.random.randint(2100, 2999),
                    hire_date=hired,
                    salary_gbp=pay + self.random.randint(0, 24) * 50,
                    fte_pct=self.weighted({100: 6, 80: 2, 60: 2, 50: 2, 20: 1}),
                    perm_contract=int(self.random.random() < 0.7),
                )
                self.edge("WORKS_IN", teacher, office, since=hired)
                if not number:
                    self.edge("HEADS", teacher, office, from_yr=self.random.randint(max(2012, hired.year), 2024))
        for line in lists.COURSES.strip().splitlines():
            code, titles = line.split(" ", 1)
            office = next(row for row in self.rows("department") if row["dept_code"] == code)
            for title in titles.split(", "):
                self.course(office, title)
        by_name = {row["name"]: row for row in self.rows("course")}
        for entry in parts(lists.PREREQUISITES):
            course, needed = entry.split(" < ")
            grade = self.weighted({"D": 5, "C": 4, "B": 1})
            self.edge("HAS_PREREQ", by_name[course], by_name[needed], min_grade=grade)
            by_name[course]["lvl"] = by_name[needed]["lvl"] + 1
        for entry in parts(lists.PROGRAMMES):
            code, *words, level, months, fee = entry.split()
            self.programme(code, " ".join(words), int(level), int(months), int(fee))

    def course(self, office: Row, title: str) -> None:
        """Add a course of a department with who teaches it where in which terms."""
        code = office["dept_code"]
        number = len(self.tables.get("nodes_course", []))
        credit = self.weighted({10: 5, 15: 3, 20: 3, 5: 1})
        course = self.node(
            "Course",
            title,
            course_code=f"{code}{101 + number * 7}",
            credits=credit,
            lvl=1,
            hrs_wk=self.weighted({2: 5, 3: 4, 4: 2, 1.5: 2}),
            max_seats=self.random.randint(6, 16) * 2,
            delivery=self.weighted({"ONS": 6, "HYB": 3, "ONL": 2}),
        )
        self.edge("OFFERED_BY", course, office)
        ids = {row["start"] for row in self.tables["edges_works_in"] if row["end"] == office["id"]}
        team = self.some([row for row in self.rows("teacher") if row["id"] in ids], 2)
        rooms = [row for row in self.rows("room") if row["room_type"] != "office"]
        terms = [row for row in self.rows("term") if self.random.random() < 0.52] or [self.rows("term")[-1]]
        for term in terms:
            last_day = date.fromisoformat(str(term["endDate"]))
            self.edge("RUNS_IN", course, term)
            teacher = self.weighted({team[0]["id"]: 3, team[-1]["id"]: 1})
            self.edge("TEACHES", {"id": teacher}, course, term_code=term["term_code"])
            if course["delivery"] != "ONL":
                start = self.weighted({"17:30": 2, "18:00": 4, "18:30": 3, "19:00": 2, "09:30": 1, "14:00": 1})
                day = self.weighted({"Mon": 4, "Tue": 5, "Wed": 5, "Thu": 4, "Fri": 1, "Sat": 1})
                room = self.random.choice(rooms)
                self.edge("TIMETABLED", course, room, term_code=term["term_code"], wkday=day, start_time=start)
            top = self.weighted({100: 6, 80: 2, 60: 2, 50: 1})
            exam = self.node(
                "Exam",
                f"{course['course_code']} Final {term['term_code']}",
                exam_dt=self.day(last_day - timedelta(9), last_day),
                start_time=self.weighted({"18:00": 4, "10:00": 2, "14:00": 2}),
                dur_min=self.weighted({60: 2, 90: 4, 120: 3, 180: 1}),
                max_pts=top,
                pass_pts=top * 2 // 5,
            )
            self.edge("EXAM_FOR", exam, course)
            self.edge("HELD_IN", exam, self.random.choice(rooms))

    def programme(self, code: str, name: str, level: int, months: int, fee: int) -> None:
        """Add a programme with its courses."""
        short = "".join(word[0] for word in name.split() if word[0].isupper()) + f"-{code}"
        found = self.node("Programme", name, prog_code=short, qual_lvl=level, dur_months=months, tuition_gbp_pa=fee)
        own = [row for row in self.rows("course") if row["course_code"][:3] == code]
        other = [row for row in self.rows("course") if row["course_code"][:3] != code]
        for row in sorted(self.random.sample(own, min(len(own), 6)), key=lambda row: row["course_code"]):
            self.edge("INCLUDES", found, row, core=self.weighted({"Y": 3, "N": 1}))
        for row in self.random.sample(other, 2):
            self.edge("INCLUDES", found, row, core="N")

    def students(self) -> None:
        """Add students with programmes, tutors, enrolments, exams and fees."""
        for entry in parts(lists.FEES):
            *words, code, amount = entry.split()
            self.node("Fee", " ".join(words), fee_code=code, std_amt_gbp=int(amount))
        for term in self.rows("term"):
            self.node("Fee", f"Tuition {term['name']}", fee_code=f"TUI-{term['term_code']}", std_amt_gbp=None)
        programmes = self.rows("programme")
        for number in range(STUDENTS):
            sex = self.weighted({"F": 11, "M": 9})
            name = self.person(sex)
            term = self.random.choice(self.rows("term"))
            start = term["startDate"] - timedelta(self.random.randint(5, 80))
            age = 18 + int(self.random.expovariate(1 / 11)) % 50
            student = self.node(
                "Student",
                name,
                stu_no=f"N{start:%y}{1001 + number}",
                sex=sex,
                dob=start - timedelta(age * 365 + self.random.randint(10, 360)),
                email=f"{name.split()[0]}.{name.split()[-1]}{number % 90 + 10}@mail.example".lower(),
                mob_no=f"07700 900{self.random.randint(100, 999)}",
                addr_line1=self.faker.street_address().replace("\n", ", "),
                town=self.weighted({town: 12 / (place + 1) for place, town in enumerate(self.towns)}),
                postcode=self.faker.postcode(),
                enrolDate=start,
                study_mode=self.weighted({"EVE": 5, "PT": 3, "FT": 2}),
                intl_flag="Y" if self.random.random() < 0.11 else "N",
                status="active",
                credits_earned=0,
            )
            programme = self.some(programmes, 1)[0]
            self.edge("REGISTERED_ON", student, programme, start_term=term["term_code"])
            self.study(student, programme, term)
            self.pay(student, programme)

    def study(self, student: Row, programme: Row, first: Row) -> None:
        """Add the enrolments of a student since a term, and the exams."""
        included = {row["end"] for row in self.tables["edges_includes"] if row["start"] == programme["id"]}
        code = programme["prog_code"][-3:]
        teachers = [row for row in self.rows("teacher") if row["id"] in self.members(code)]
        self.edge("HAS_TUTOR", student, self.some(teachers, 1)[0])
        ability, passed = self.random.gauss(62, 12), set()
        stop = self.weighted({"active": 70, "on leave": 6, "withdrawn": 9, "graduated": 15})
        terms = [row for row in self.rows("term") if row["startDate"] >= first["startDate"]]
        if stop != "active":
            terms = terms[: max(1, len(terms) - 1)] if first["term_code"] != "A24" else terms
        new = first["term_code"] == "A24" or (stop == "graduated" and len(terms) < 3)
        student["status"] = "active" if new else stop
        for term in terms:
            runs = {row["start"] for row in self.tables["edges_runs_in"] if row["end"] == term["id"]}
            offered = [row for row in self.rows("course") if row["id"] in runs - passed]
            offered.sort(key=lambda row: row["id"] not in included)
            size = {"FT": 3, "PT": 2, "EVE": self.random.randint(1, 2)}[student["study_mode"]]
            for course in self.some(offered, size):
                self.enrol(student, course, term, ability, passed)

    def members(self, code: str) -> set[str]:
        """Return the ids of the teachers of a department."""
        office = next(row for row in self.rows("department") if row["dept_code"] == code)
        return {row["start"] for row in self.tables["edges_works_in"] if row["end"] == office["id"]}

    def enrol(self, student: Row, course: Row, term: Row, ability: float, passed: set[str]) -> None:
        """Add one enrolment, with the exam if it was taken."""
        day = term["startDate"] - timedelta(self.random.randint(-6, 30))
        known = {"term_code": term["term_code"], "enrol_dt": max(day, student["enrolDate"])}
        if term["term_code"] == "A24":
            status = self.weighted({"enrolled": 17, "waitlisted": 2, "dropped": 1})
            self.edge("ENROLLED_IN", student, course, **known, status=status, grade=None, final_pct=None)
            return
        if self.random.random() < 0.08:
            self.edge("ENROLLED_IN", student, course, **known, status="dropped", grade=None, final_pct=None)
            return
        percent = round(min(98, max(11, self.random.gauss(ability, 11))))
        grade = next(letter for least, letter in lists.GRADES if percent >= least)
        status = "failed" if grade == "F" else "completed"
        self.edge("ENROLLED_IN", student, course, **known, status=status, grade=grade, final_pct=percent)
        if status == "completed":
            passed.add(course["id"])
            student["credits_earned"] += course["credits"]
        name = f"{course['course_code']} Final {term['term_code']}"
        exam = next(row for row in self.rows("exam") if row["name"] == name)
        if self.random.random() < 0.94:
            share = min(1, max(0.05, (percent + self.random.gauss(0, 5)) / 100))
            points = round(exam["max_pts"] * share * 2) / 2
            self.edge("SAT_EXAM", student, exam, pts=points, passed="Y" if points >= exam["pass_pts"] else "N")

    def pay(self, student: Row, programme: Row) -> None:
        """Add the fees of a student."""
        fees = {row["fee_code"]: row for row in self.rows("fee")}
        charges = [("REG", student["enrolDate"] + timedelta(14))]
        taken = [row for row in self.tables["edges_enrolled_in"] if row["start"] == student["id"]]
        for code in sorted({row["term_code"] for row in taken}):
            charges.append((f"TUI-{code}", lists.TERMS[code][1] + timedelta(28)))
        for code in ("EXM", "RES", "ART", "LAB", "LAT", "PKG", "IDC"):
            if self.random.random() < {"EXM": 0.25, "RES": 0.15, "PKG": 0.2}.get(code, 0.1):
                charges.append((code, self.day(student["enrolDate"] + timedelta(20), NOW + timedelta(50))))
        for code, due in charges:
            amount = fees[code]["std_amt_gbp"] or programme["tuition_gbp_pa"] / 2
            if code.startswith("TUI") and student["study_mode"] != "FT":
                amount = round(amount * 0.6, 2)
            states = {"full": 88, "part": 6, "none": 6} if due < NOW else {"full": 5, "part": 1, "none": 5}
            state = self.weighted(states)
            paid = {"full": amount, "part": round(amount * self.random.choice((0.25, 0.5, 0.5)), 2), "none": 0}[state]
            when = min(due + timedelta(self.random.randint(-25, 20)), NOW) if paid else None
            method = self.weighted({"card": 5, "bank transfer": 4, "cash": 1, "direct debit": 2}) if paid else None
            self.edge(
                "CHARGED",
                student,
                fees[code],
                amt_due_gbp=float(amount),
                amt_paid_gbp=float(paid),
                due_dt=due,
                paid_dt=when,
                pay_method=method,
            )

    def life(self) -> None:
        """Add clubs and their members, books and loans."""
        students, rooms = self.rows("student"), [row for row in self.rows("room") if row["room_type"] != "office"]
        for entry in parts(lists.CLUBS):
            *words, year, day, dues = entry.split()
            club = self.node("Club", " ".join(words), founded_yr=int(year), meets_on=day, dues_gbp_yr=int(dues))
            self.edge("MEETS_IN", club, self.random.choice(rooms))
            self.edge("ADVISES", self.random.choice(self.rows("teacher")), club)
            roles = ["president", "treasurer", "secretary"] + ["member"] * self.random.randint(8, 28)
            for role, student in zip(roles, self.random.sample(students, len(roles)), strict=True):
                joined = self.day(student["enrolDate"], NOW)
                self.edge("MEMBER_OF", student, club, role=role, joined_dt=joined)
        titles = [
            tuple(entry.strip().split("/")) for line in lists.BOOKS.strip().splitlines() for entry in line.split(";")
        ]
        for course in self.rows("course"):
            if self.random.random() < 0.6:
                title = self.random.choice(lists.PRIMERS).format(course["name"])
                author = self.person(self.weighted({"F": 1, "M": 1}))
                titles.append((title, author, str(self.random.randint(1994, 2023))))
        for title, author, year in titles:
            isbn = int(self.faker.isbn13(separator=""))
            shelf = f"{self.random.randint(0, 999):03}.{self.random.randint(1, 99)} {author.split()[-1][:3].upper()}"
            copies = self.weighted({1: 4, 2: 4, 3: 2, 5: 1})
            book = self.node(
                "Book", title, author=author, first_pub_yr=int(year), isbn13=isbn, shelfmark=shelf, n_copies=copies
            )
            if len(self.rows("book")) > len(titles) - 30:
                named = next((row for row in self.rows("course") if row["name"] in title), None)
                if named:
                    self.edge("SET_TEXT", named, book, required=self.weighted({"Y": 2, "N": 1}))
        books = list(self.rows("book"))
        self.random.shuffle(books)
        for student in students:
            for book in self.some(books, self.weighted({0: 5, 1: 5, 2: 3, 3: 2, 5: 1})):
                lent = self.day(student["enrolDate"] + timedelta(10), NOW)
                due = lent + timedelta(21)
                back = lent + timedelta(max(1, int(self.random.gauss(17, 8))))
                out = back > NOW or self.random.random() < 0.03
                late = 0 if out else max(0, (back - due).days)
                terms = {"loan_dt": lent, "due_dt": due, "returned_dt": None if out else back}
                fine, renewed = round(late * 0.2, 2), self.weighted({0: 7, 1: 2, 2: 1})
                self.edge("BORROWED", student, book, **terms, fine_gbp=fine, n_renewals=renewed)


def college(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    drawn = Drawn(package)
    drawn.house()
    drawn.staff()
    drawn.students()
    drawn.life()
    return {key: pd.DataFrame(rows).convert_dtypes() for key, rows in sorted(drawn.tables.items(), reverse=True)}


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, college, tables_and_ends)
