"""Finished attacks on a release, and the forms they can take."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from duckrisk.report.markdown import inline, table_lines
from duckrisk.report.pwscup.lines import plain, wrapped
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number, visible

_RATES = ("strict", "cell", "active_cell", "row")
_READING = (
    "Strict: users whose pseudonyms are right in all periods. Cell: right pseudonyms among all users and "
    "periods; active: among those that have one. Row: released records whose user is guessed rightly.",
    "Chance: strict, were the pseudonyms of each period dealt out anew. An attack that is no better has "
    "found nothing.",
    "The committee's S1 to S6 and paper- take the last match; vote- counts the matches of a period, overlap- "
    "compares all items of a user (weak where little is known), combined weighs all columns.",
)
_NO_TRUTH = (
    "A link is a guess: how many are right is measured where the original is given with --original, or the "
    "true pseudonyms with --truth."
)


@dataclass(frozen=True)
class Attack:
    """The result of attacks. ``data["attacks"]`` has an entry for each attack and share (``alpha``, percent):
    how many ``linked_users``, ``guessed_cells``, ``linked_pseudonyms`` and ``linked_records`` there are, and
    where the truth is known ``strict``, ``cell``, ``active_cell`` and ``row``, and by chance ``blind_strict``
    and so on."""

    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"<duckrisk Attack: {len(self.data['attacks'])} on {self.data['release']['name']}>"

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data, as in the JSON report."""
        made: dict[str, Any] = json.loads(self.to_json())
        return made

    def to_json(self) -> str:
        """The JSON report: the same bytes for the same files and settings."""
        return json.dumps(self.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """The attacks as Markdown text; every piece of data is escaped."""
        lines = ["# Attacks on a release", "", inline(Data(_summary(self.data))), ""]
        lines += [*table_lines(_attacks(self.data)), ""]
        for entry in _shown(self.data):
            lines += [f"## {inline(Data(_title(entry)))}", "", *table_lines(_links(entry)), ""]
        lines += [f"- {sentence}" for sentence in _reading(self.data)]
        return "\n".join(lines).rstrip() + "\n"

    def to_text(self) -> str:
        """What the command prints."""
        lines = [*wrapped(visible(_summary(self.data))), "", *plain(_attacks(self.data))]
        for entry in _shown(self.data):
            lines += ["", _title(entry), *plain(_links(entry))]
        lines.append("")
        for sentence in _reading(self.data):
            lines += wrapped(sentence)
        return "\n".join(line.rstrip() for line in lines) + "\n"


def _summary(data: dict[str, Any]) -> str:
    release, known = data["release"], data["known"]
    period = data["period"] + ("" if data["periods"] == 1 else "s")
    held = ", ".join(
        f"{number(one['records'])} records" + (f" ({one['alpha']:g} %)" if one["alpha"] is not None else "")
        for one in known
    )
    return (
        f"The release {release['name']}: {number(release['records'])} records, "
        f"{number(release['pseudonyms'])} pseudonyms in {number(data['periods'])} {period}, "
        f"{number(data['users'])} users. The attacker knows {held}."
    )


def _rated(data: dict[str, Any]) -> bool:
    return all("strict" in entry for entry in data["attacks"])


def _reading(data: dict[str, Any]) -> tuple[str, ...]:
    return _READING if _rated(data) else (_NO_TRUTH,)


def _title(entry: dict[str, Any]) -> str:
    return str(entry["attack"]) + ("" if entry["alpha"] is None else f", {entry['alpha']:g} %")


def _shown(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in data["attacks"] if entry.get("links")]


def _attacks(data: dict[str, Any]) -> Table:
    rated = _rated(data)
    rows = []
    for entry in data["attacks"]:
        row = [entry["attack"], "" if entry["alpha"] is None else f"{entry['alpha']:g} %"]
        if rated:
            row += [_rate(entry[name]) for name in (*_RATES, "blind_strict")]
        else:
            row += [number(entry[f"linked_{what}"]) for what in ("users", "pseudonyms", "records")]
        rows.append(tuple(row))
    heads = ("Strict", "Cell", "Active", "Row", "Chance") if rated else ("Users", "Pseudonyms", "Records")
    return Table(("Attack", "Knows", *heads), tuple(rows), tuple(range(1, 2 + len(heads))))


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.3f}"


def _links(entry: dict[str, Any]) -> Table:
    rows = [
        (Data(link["user"]), number(link["period"] + 1), Data(link["pseudonym"])) for link in entry["links"]
    ]
    return Table(("User", "Period", "Pseudonym"), tuple(rows), (1,))
