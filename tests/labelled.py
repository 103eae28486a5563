"""The labelled collection of columns: what each holds as evidence, and the roles that follow from it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from duckrisk.roles import classification, persons, words
from duckrisk.roles.model import FEW, ColumnProfile, Decision
from duckrisk.source.model import Column

COLLECTION = Path(__file__).parent / "roles" / "collection.txt"
ROLES = {
    "u": ("user",),
    "d": ("direct_identifier",),
    "t": ("date_time",),
    "a": ("attribute", "constant"),
    "k": ("event_key",),
    "f": ("free_text",),
    "i": ("ignored", "event_key"),
}
_TYPES = {
    "int": "BIGINT",
    "real": "DOUBLE",
    "text": "VARCHAR",
    "ts": "TIMESTAMP",
    "date": "DATE",
    "bool": "BOOLEAN",
    "time": "TIME",
}
_KINDS = {
    "email": "e-mail address",
    "phone": "telephone number",
    "card": "payment card number",
    "mynumber": "My Number",
    "iban": "bank account (IBAN)",
    "vin": "vehicle identification number",
    "ssn": "US social security number",
    "ip": "network address",
    "mac": "device address (MAC)",
    "postal": "postal code",
    "url": "web address",
}


@dataclass
class Labelled:
    """A table: what its columns hold, the roles that are right, and the share of the commonest values."""

    name: str
    records: int
    evidence: list[ColumnProfile] = field(default_factory=list)
    right: list[tuple[str, ...]] = field(default_factory=list)
    top: list[float] = field(default_factory=list)


def collection() -> Iterator[Labelled]:
    made: Labelled | None = None
    for line in COLLECTION.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            if made is not None:
                yield made
            _, name, records = line.split()
            made = Labelled(name, int(records))
        elif made is not None:
            _add(made, shlex.split(line))
    assert made is not None
    yield made


def _add(table: Labelled, parts: list[str]) -> None:
    labels, name, kind, *rest = parts
    distinct = int(rest.pop(0)) if rest and rest[0].isdigit() else 0
    flags: dict[str, float] = {}
    lowest = highest = None
    mean, longest = 0.0, 0
    for text in rest:
        if number := re.fullmatch(r"(-?[\d.]+?)\.\.(-?[\d.]+)", text):
            lowest, highest = float(number[1]), float(number[2])
        elif length := re.fullmatch(r"(\d+)/(\d+)", text):
            mean, longest = float(length[1]), int(length[2])
        elif share := re.fullmatch(r"(m|top|words)(0?\.\d+)", text.replace("words.", "words0.")):
            flags[share[1]] = float(share[2])
        else:
            flags[text] = 1.0
    present = round(table.records * (1 - flags.get("m", 0)))
    distinct = min(distinct or 2, present)
    wordy = max(flags.get("words", 0), flags.get("jwords", 0))
    found = ColumnProfile(
        Column(len(table.evidence), name, _TYPES[kind]),
        table.records,
        present,
        distinct,
        distinct <= 1,
        mean_length=mean,
        longest=longest,
        wordy_values=round(wordy * present),
        moments=present if "moment" in flags else 0,
        with_at=present if "email" in flags else 0,
        lowest=lowest,
        highest=highest,
        fractions=round(0.9 * present) if kind == "real" and "whole" not in flags else 0,
        kinds=tuple((_KINDS[flag], 1.0) for flag in flags if flag in _KINDS),
    )
    if found.is_text:
        digital = {"code", "digits", "number", "day", "phone", "card", "ssn", "ip", "mac", "vin", "iban"}
        shares = {
            "digits": float(bool(digital & set(flags) or "mynumber" in flags)),
            "numbers": float(bool({"number", "digits", "card", "mynumber"} & set(flags))),
            "days": float("day" in flags),
            "blanks": 1.0 if wordy or (mean > 11 and not digital & set(flags)) else 0.0,
        }
        found = ColumnProfile(**{**vars(found), **shares, "is_sampled": classification.must_sample(found)})
    table.evidence.append(found)
    table.right.append(tuple(role for label in labels.split("/") for role in ROLES[label]))
    table.top.append(flags.get("top", min(1.0, 2 / distinct if distinct else 1.0)))


def decided(table: Labelled) -> list[Decision]:
    """The roles by the rules that the engine is asked nothing for; records of each user are taken from the
    shape."""
    decisions = classification.classify_columns(table.evidence)
    for candidate in persons.rank_candidates(decisions, table.evidence):
        place = candidate.decision.column.position
        held = table.evidence[place]
        most = round(table.top[place] * held.present)
        if (sure := persons.rate_by_records(candidate, held.present, held.distinct, most)) is not None:
            candidate.decision.decide("user", candidate.decision.reason, sure)
            for decision, one in zip(decisions, table.evidence, strict=True):
                classification.revise_by_users(decision, one, held.distinct)
            break
    for decision, one in zip(decisions, table.evidence, strict=True):
        least = 2 if words.user_score(one.column.name) else FEW
        if decision.role == "attribute" and one.present >= least and one.distinct == one.present:
            sure = classification.rate_unique_column(one)
            if sure is not None:
                decision.decide("direct_identifier", decision.reason, sure)
    return decisions


@dataclass
class Score:
    """Counts over tables: of users, direct identifiers, free text and all columns."""

    tables: int = 0
    users: int = 0
    named: int = 0
    named_right: int = 0
    wanted: int = 0
    wanted_found: int = 0
    texts: int = 0
    texts_right: int = 0
    columns: int = 0
    columns_right: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, name: str, decisions: list[Decision], right: list[tuple[str, ...]]) -> None:
        self.tables += 1
        user = [place for place, one in enumerate(decisions) if one.role == "user"]
        must = [place for place, roles in enumerate(right) if "user" in roles]
        fine = "user" in right[user[0]] if user else all(roles[0] != "user" for roles in right)
        fine = fine or (not user and all(len(right[place]) > 1 for place in must))
        self.users += fine
        if not fine:
            self.wrong.append(f"{name}: the user is {[decisions[place].column.name for place in user]}")
        for decision, roles in zip(decisions, right, strict=True):
            role = str(decision.role)
            # Where another column is the person, a second number of a person may be either.
            ok = role in roles or (set(roles) == {"user"} and role == "direct_identifier" and fine)
            self.columns += 1
            self.columns_right += ok
            if role == "direct_identifier":
                self.named += 1
                self.named_right += ok
            if roles == ("direct_identifier",):
                self.wanted += 1
                self.wanted_found += role in ("direct_identifier", "user")
            if role == "free_text" or roles == ("free_text",):
                self.texts += 1
                self.texts_right += ok
            if not ok:
                self.wrong.append(f"{name}.{decision.column.name}: {role}, not {'/'.join(roles)}")

    def shares(self) -> dict[str, float]:
        return {
            "users": self.users / self.tables,
            "identifiers precise": self.named_right / max(1, self.named),
            "identifiers found": self.wanted_found / max(1, self.wanted),
            "free text": self.texts_right / max(1, self.texts),
            "all columns": self.columns_right / self.columns,
        }
