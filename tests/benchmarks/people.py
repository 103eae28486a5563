"""Measure how often the person of a table is found, on the shapes of public tables in many languages.

``python -m tests.benchmarks.people`` prints the shares by language and trade. The third of the shapes that
was never used for tuning stands apart; ``--wrong`` lists the tables that were read otherwise. A shape is what
the documentation of a table says: names, types, how many values, what depends on what, and who the person is.
No value is taken from a table: they are drawn here, from nothing but the shape.

A line is ``name|trade language|person|records|columns``. The person is a column, ``a+b`` for two together,
or ``-`` where each record is one or none is there. ``mixed`` after it leaves the records in no order, else
those of a person lie together. A column is ``name:kind*values@key``. It is drawn anew for each value of the
key, or for each record without one. ``!`` before the name: it identifies directly; ``~`` stands for a blank.

A column counts as an identifier where a verdict takes it for one. It counts as asked where it leaves the
verdict open: codes of which nobody said whether they lead to people, and guesses. What is asked is neither
precise nor found, and a label that is asked about is left out of the share. The person's column is found.
"""

from __future__ import annotations

import hashlib
import random
import sys
import uuid
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from duckrisk import roles
from duckrisk.decision.assessment.verdict import is_open_code
from duckrisk.engine.session import Session
from duckrisk.roles import word_lists
from duckrisk.source import Request, open_source

SHAPES = Path(__file__).parent / "shapes"
_NAMES = ("Alda", "Bero", "Cato", "Dina", "Egon", "Fara", "Gero", "Hila", "Ivo", "Jula", "Kato", "Lena")
_SYLLABLES = {"ja": "桜山田川村東西北南上", "zh": "安平大海江河山石林华", "ko": "가나다라마바사아자하"}
_SEXES = {
    "ja": ("男", "女"),
    "zh": ("男", "女"),
    "ko": ("남", "여"),
    "de": ("m", "w"),
    "nl": ("man", "vrouw"),
}


class Column(NamedTuple):
    """A column of a shape."""

    name: str
    kind: str
    values: int
    key: str | None
    identifies: bool


@dataclass(frozen=True)
class Shape:
    """A table by its documentation."""

    name: str
    trade: str
    language: str
    person: tuple[str, ...]
    records: int
    mixed: bool
    columns: tuple[Column, ...]

    @property
    def held_out(self) -> bool:
        """Whether no rule was ever tuned on it."""
        return zlib.crc32(self.name.encode()) % 3 == 0


def shapes() -> Iterator[Shape]:
    """Yield all shapes."""
    for path in sorted(SHAPES.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                yield read(line)


def read(line: str) -> Shape:
    """Read a line."""
    name, about, person, records, columns = line.split("|")
    trade, language = about.split()
    who, *order = person.split()
    named = () if who == "-" else tuple(part.replace("~", " ") for part in who.split("+"))
    return Shape(
        name, trade, language, named, int(records), bool(order), tuple(map(_column, columns.split()))
    )


def _column(text: str) -> Column:
    name, _, rest = text.rpartition(":")
    rest, _, key = rest.partition("@")
    kind, _, values = rest.partition("*")
    identifies, name = name.startswith("!"), name.removeprefix("!").replace("~", " ")
    return Column(name, kind, int(values or 0), key.replace("~", " ") or None, identifies)


# --- values --------------------------------------------------------------------------------------


def draw(shape: Shape) -> pa.Table:
    """Draw the records of a shape."""
    chosen = random.Random(shape.name)
    drawn: dict[str, list[int]] = {}
    for column in shape.columns:
        if column.key is None and column.kind != "seq":
            drawn[column.name] = _numbers(chosen, column, shape.records)
    order = list(range(shape.records))
    keys = [name for name in shape.person if name in drawn]
    order = order if shape.mixed else sorted(order, key=lambda i: [drawn[name][i] for name in keys])
    for name, numbers in drawn.items():
        drawn[name] = (
            numbers if name not in keys and not _is_new(shape, name) else [numbers[i] for i in order]
        )
    waiting = [column for column in shape.columns if column.name not in drawn]
    while waiting:
        ready = [c for c in waiting if all(part in drawn for part in (c.key or "").split("+"))]
        assert ready, f"{shape.name}: {waiting[0].name} depends on no column"
        for column in ready:
            drawn[column.name] = _dependent(shape, column, drawn)
        waiting = [column for column in waiting if column not in ready]
    cells = {c.name: _cells(shape, c, drawn[c.name]) for c in shape.columns}
    return pa.table(cells)


def _is_new(shape: Shape, name: str) -> bool:
    return all(column.kind not in ("u", "un", "ux") for column in shape.columns if column.name == name)


def _numbers(chosen: random.Random, column: Column, records: int) -> list[int]:
    """Return which value each record has: all of them, most with some records more than others."""
    many = column.values or {"mf": 2, "bool": 2, "year": 70, "date": 400}.get(column.kind, 0)
    if column.kind in ("u", "ux", "un") or not many:
        return list(range(records))
    if column.kind in ("int", "year"):
        return [min(many - 1, max(0, round(chosen.gauss(many / 2, many / 5)))) for _ in range(records)]
    if column.kind in ("even", "evenum"):
        return [i * many // records for i in range(records)]
    weights = [chosen.uniform(0.3, 1.7) for _ in range(many)]
    first = list(range(many)) if many <= records else []
    numbers = first + chosen.choices(range(many), weights, k=records - len(first))
    chosen.shuffle(numbers)
    return numbers


def _dependent(shape: Shape, column: Column, drawn: dict[str, list[int]]) -> list[int]:
    """Return which value each record has by its key: the same for equal keys, or numbers within them."""
    rows = list(zip(*(drawn[part] for part in (column.key or "").split("+")), strict=True))
    if column.kind in ("seq", "day"):
        seen: Counter[Any] = Counter()
        numbers = []
        for row in rows:
            numbers.append(seen[row])
            seen[row] += 1
        return numbers
    many = column.values or {"mf": 2, "bool": 2, "year": 70, "date": 400, "age": 70}.get(column.kind, 0)
    places = {row: place for place, row in enumerate(sorted(set(rows)))}
    if not many:
        return [places[row] for row in rows]
    drawn_for = {row: random.Random(f"{shape.name}/{column.name}/{row}").randrange(many) for row in places}
    return [drawn_for[row] for row in rows]


def _cells(shape: Shape, column: Column, numbers: list[int]) -> list[Any]:
    """Return the cells of a column."""
    chosen = random.Random(f"{shape.name}/{column.name}")
    make = _KINDS[column.kind]
    made = {number: make(shape, column, number, chosen) for number in sorted(set(numbers))}
    if column.kind in ("real", "money", "text") and column.key is None:
        return [make(shape, column, number, chosen) for number in numbers]
    return [made[number] for number in numbers]


def _word(shape: Shape, column: Column, number: int, chosen: random.Random) -> str:
    letters = _SYLLABLES.get(shape.language)
    if letters:
        return "".join(letters[int(digit)] for digit in str(number + 10))
    kinds = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu")
    return "".join(kinds[int(digit)] for digit in str(number + 10)).capitalize()


def _token(shape: Shape, column: Column, number: int, chosen: random.Random) -> str:
    return hashlib.blake2s(f"{shape.name}/{column.name}/{number}".encode(), digest_size=8).hexdigest()


def _sparse(shape: Shape, column: Column, number: int, chosen: random.Random) -> int:
    return 100_000 + number * 97 + int(_token(shape, column, number, chosen)[:6], 16) % 97


def _full_name(shape: Shape, column: Column, number: int, chosen: random.Random) -> str:
    if shape.language in ("ja", "zh", "ko"):
        return _word(shape, column, number, chosen) + " " + chosen.choice("一二三四五六七八九十")
    return f"{_NAMES[number % 12]} {_word(shape, column, number // 3, chosen)}"


def _day(number: int) -> date:
    return date(2010 + number // 336 % 15, number // 28 % 12 + 1, number % 28 + 1)


def _moment(number: int) -> datetime:
    return datetime.combine(_day(number), time(number % 24, number * 7 % 60, number * 11 % 60))


_Make = Callable[[Shape, Column, int, random.Random], Any]
_KINDS: dict[str, _Make] = {
    "u": lambda s, c, n, r: n + 1,
    "un": _sparse,
    "ux": _token,
    "num": _sparse,
    "evenum": _sparse,
    "run": lambda s, c, n, r: n + 1,
    "seq": lambda s, c, n, r: n + 1,
    "code": lambda s, c, n, r: f"{c.name[:1].upper() if c.name.isascii() else 'K'}-{n * 7 + 1003:05}",
    "even": lambda s, c, n, r: f"{n * 3 + 1001:05}",
    "hex": _token,
    "uuid": lambda s, c, n, r: str(uuid.UUID(hex=_token(s, c, n, r) * 2)),
    "name": _full_name,
    "word": _word,
    "cat": lambda s, c, n, r: _word(s, c, n, r)[:3] + (str(n) if c.values > 9 else ""),
    "mf": lambda s, c, n, r: _SEXES.get(s.language, ("M", "F"))[n % 2],
    "bool": lambda s, c, n, r: n % 2 == 0,
    "level": lambda s, c, n, r: n + 1,
    "int": lambda s, c, n, r: n,
    "age": lambda s, c, n, r: 18 + n,
    "year": lambda s, c, n, r: 1935 + n,
    "real": lambda s, c, n, r: round(r.gauss(50, 17), 3),
    "money": lambda s, c, n, r: round(r.lognormvariate(4, 1), 2),
    "date": lambda s, c, n, r: _day(n),
    "day": lambda s, c, n, r: _day(n),
    "ts": lambda s, c, n, r: _moment(n),
    "zip": lambda s, c, n, r: f"{10115 + n * 37:05}",
    "text": lambda s, c, n, r: " ".join(_word(s, c, r.randrange(900), r) for _ in range(14)),
    "email": lambda s, c, n, r: f"{_NAMES[n % 12].lower()}{n}@example.org",
    "phone": lambda s, c, n, r: f"+49 30 {2_000_000 + n * 331}",
    "ip": lambda s, c, n, r: f"10.{n // 65_000 % 250}.{n // 250 % 250}.{n % 250 + 1}",
    "street": lambda s, c, n, r: f"{_word(s, c, n, r)}strasse {n % 90 + 1}",
}


# --- figures -------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What was right in some tables."""

    tables: int = 0
    right: int = 0
    missed: int = 0
    undecided: int = 0
    named: int = 0
    named_right: int = 0
    wanted: int = 0
    found: int = 0
    asked: int = 0
    wrong: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        """Return the shares as a line of a table."""
        right, undecided = self.right / max(1, self.tables), self.undecided / max(1, self.tables)
        return (
            f"{name:22} {self.tables:6d} {right:6.1%} {self.missed:6d} {undecided:9.1%} "
            f"{_share(self.named_right, self.named)} {_share(self.found, self.wanted)} {self.asked:5d}"
        )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:7.1%}" if whole else f"{'-':>7}"


def identifiers(found: roles.Roles) -> tuple[set[str], set[str]]:
    """Return the columns that a verdict takes for identifiers, and those that leave it open."""
    user = found.user.name if found.user is not None else None
    direct, asked = set(), set()
    for one in found.decisions:
        leads = one.role == "user" and one.kind in word_lists.LEADING
        if is_open_code(one.role, one.kind, user, given=one.given) or (
            one.confidence == "guess" and not leads
        ):
            asked.add(one.column.name)
        elif leads or one.role == "direct_identifier":
            direct.add(one.column.name)
    return direct, asked


def judge(shape: Shape, tallies: list[Tally]) -> None:
    """Look for the person of a table, and add what was found."""
    with Session() as session:
        drawn = draw(shape)
        source = open_source(session, Request(drawn))
        found = roles.infer(session, source, roles.RoleOverrides())
    open_ = found.user_confidence == "guess"
    user = (found.user.name,) if found.user is not None else ()
    first = getattr(found, "candidates", ())[:1] or ((user,) if user else ())
    who = first[0] if first else ()
    each = found.user is None or found.users == found.records
    single = (
        not shape.person
        or drawn.select(list(shape.person)).group_by(list(shape.person)).aggregate([]).num_rows
        == drawn.num_rows
    )
    right = who == shape.person or (single and each and not who[1:])
    missed = bool(shape.person) and not right and not open_
    direct, asked = identifiers(found)
    person = {user[0]} if user and right else set()
    asked -= set(user)
    wanted = {column.name for column in shape.columns if column.identifies} - asked
    for tally in tallies:
        tally.tables += 1
        tally.right += right
        tally.missed += missed
        tally.undecided += open_
        tally.named += len(direct)
        tally.named_right += len(direct & wanted)
        tally.wanted += len(wanted)
        tally.found += len((direct | person) & wanted)
        tally.asked += len(asked)
        if not right or missed or direct | person != wanted | person or open_:
            flaws = [*(["WRONG"] if not right else []), *(["MISSED"] if missed else [])]
            flaws += [f"+{name}" for name in sorted(direct - wanted)]
            flaws += [f"-{name}" for name in sorted(wanted - direct - person)]
            persons = f"{'+'.join(shape.person) or '-'} read as {'+'.join(who) or '-'}"
            tally.wrong.append(f"{shape.name}: {persons} ({found.user_confidence}) {' '.join(flaws)}")


def measure(chosen: Callable[[Shape], bool] = lambda shape: True) -> dict[str, Tally]:
    """Return the tallies of all shapes that were chosen, in all and by their groups."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for shape in filter(chosen, shapes()):
        part = "held out" if shape.held_out else "tuned on"
        groups = ("all", part, f"language {shape.language}", f"trade {shape.trade}")
        judge(shape, [tallies[group] for group in groups])
    return tallies


def main() -> None:
    """Print the figures; ``--every N`` looks at every Nth shape alone."""
    parts = {"--tuned": "tuned on", "--held-out": "held out"}
    asked = next((part for flag, part in parts.items() if flag in sys.argv), None)
    every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
    chosen = {shape.name for shape in list(shapes())[::every]}
    tallies = measure(
        lambda shape: shape.name in chosen and (asked is None or shape.held_out == (asked == "held out"))
    )
    print(f"{'':22} tables  right missed undecided precise   found asked")
    for name in sorted(tallies):
        print(tallies[name].line(name))
    if "--wrong" in sys.argv:
        print("\n".join(tallies["all"].wrong))


if __name__ == "__main__":
    main()
