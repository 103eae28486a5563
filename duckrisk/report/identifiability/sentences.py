"""The sentences on who can be singled out, which all forms of a report share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from duckrisk.report.tables import column_names, has_values, section
from duckrisk.report.text import (
    Data,
    Joined,
    Sentence,
    knowledge,
    listed,
    number,
    publication,
    say,
    share,
    word,
)

#: Above this ease the record itself names its person.
_NAMED = 2
_MOST_UNLEVELED = 5
#: Records of which the same is said, by their numbers.
_MOST_ALIKE = 5


# --- numbers -------------------------------------------------------------------------------------


def amount(value: float | None) -> str:
    """A sum of money without its currency: whole from 100 on, below with up to two decimals."""
    if value is None:
        return "-"
    if abs(value) >= 99.5 or value == int(value):
        return f"{round(value):,}"
    return f"{value:.2f}"


def short_amount(value: float) -> str:
    """A sum of money in three significant digits from a million on: "147 million"."""
    for size, name in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if value >= 0.9995 * size:
            return word(name).format(amount=f"{value / size:,.{max(0, 3 - len(str(round(value / size))))}f}")
    return amount(value)


def money(value: float | None, found: dict[str, Any]) -> Sentence:
    """A sum of money with its currency."""
    return say("money", amount=amount(value), currency=Data(found["currency"]))


def ease(value: float | None) -> str:
    """An ease with up to three decimals, never rounded down to nobody."""
    if value is None:
        return "-"
    if 0 < value < 0.001:
        return "< 0.001"
    shown = f"{value:.3f}".rstrip("0")
    return "0" if value == 0 else shown + "0" * shown.endswith(".")


def change(value: float | None) -> str:
    """A change as a signed share."""
    if value is None:
        return "-"
    return share(0.0) if value == 0 else f"{'-' if value < 0 else '+'}{share(abs(value))}"


# --- the main sentences --------------------------------------------------------------------------


def headline(data: dict[str, Any]) -> Sentence | None:
    """How many can be singled out and what a leak would tell, in one sentence."""
    found = section(data)
    if found is None:
        return None
    if found["unknown"]:
        key = "single.open"
    elif found["singled_out"] == 0:
        key = "single.nobody"
    else:
        key = "single.every" if found["singled_out"] == found["records"] else "single.some"
    return say(
        key,
        singled_out=number(found["singled_out"]),
        records=number(found["records"]),
        value=money(found["total_value"], found),
        jo=money(found["jo_total_value"], found),
    )


def about_ease(found: dict[str, Any]) -> list[Sentence]:
    """What ease means."""
    named = any(entry["ease"] > _NAMED for entry in found["distribution"])
    return [say("single.ease"), *([say("single.named")] if named else [])]


def by_jo(found: dict[str, Any]) -> list[Sentence]:
    """JO's own figures."""
    jo = found["jo"]
    lines = [
        say(
            "single.jo",
            each=money(jo["value_per_record"], found),
            sensitivity=number(found["sensitivity"]),
            identifiability=number(jo["identifiability"]),
            total=money(found["jo_total_value"], found),
        )
    ]
    if jo["social_responsibility"] * jo["post_response"] != 1:
        lines.append(
            say(
                "single.compensation",
                social=number(jo["social_responsibility"]),
                response=number(jo["post_response"]),
                compensation=money(jo["total_compensation"], found),
            )
        )
    return lines


# --- scenarios -----------------------------------------------------------------------------------


def scenarios(data: dict[str, Any], most: int, names: int = 8) -> tuple[list[Sentence], int]:
    """The most valuable scenarios, at most so many sentences, and how many records they speak of. Records of
    which the same is said share a sentence; of many attributes only ``names`` are told."""
    found = section(data)
    if found is None:
        return [], 0
    alike: dict[Any, list[dict[str, Any]]] = {}
    for entry in found["scenarios"]:
        told = str([entry[key] for key in ("attributes", "learns", "ease", "value", "also")])
        alike.setdefault((entry["record"] if has_values(data) else told), []).append(entry)
    groups = list(alike.values())[:most]
    return [_of_group(data, found, group, names) for group in groups], sum(map(len, groups))


def _of_group(
    data: dict[str, Any], found: dict[str, Any], group: list[dict[str, Any]], names: int
) -> Sentence:
    made, others = scenario(data, found, group[0], names), group[1:]
    if not others:
        return made
    records = listed((number(entry["record"]) for entry in others), most=_MOST_ALIKE)
    return say("scenario.like_one" if len(others) == 1 else "scenario.like", scenario=made, records=records)


def scenario(data: dict[str, Any], found: dict[str, Any], entry: dict[str, Any], names: int) -> Sentence:
    """Which record is singled out by what, what is learnt, and what that is worth."""
    cells = [_cell(data, entry, name) for name in entry["attributes"]]
    made = say(
        "scenario.named" if entry["ease"] > _NAMED else "scenario",
        record=number(entry["record"]),
        cells=_joined(cells),
        learns=say("scenario.learns", names=listed(entry["learns"], most=names))
        if entry["learns"]
        else say("scenario.learns_nothing"),
        value=money(entry["value"], found),
    )
    if not entry["also"]:
        return made
    others = len(entry["also"])
    return say("scenario.also_one" if others == 1 else "scenario.also", scenario=made, count=number(others))


def _cell(data: dict[str, Any], entry: dict[str, Any], name: str) -> Sentence:
    cell: Any = word("scenario.masked")
    if has_values(data) and entry["cells"] is not None:
        value = entry["cells"].get(name)
        cell = Data(value) if value is not None else word("scenario.missing")
    return say("scenario.cell", name=Data(name), cell=cell)


def _joined(cells: list[Sentence]) -> Sentence:
    if len(cells) == 1:
        return cells[0]
    return say("and", first=Joined(tuple(cells[:-1])), last=cells[-1])


def scenario_notes(data: dict[str, Any], shown: int) -> list[Sentence]:
    """How many scenarios are shown of how many, whether their other sets are all told, and what stands for a
    value."""
    found = section(data)
    if found is None or not found["scenarios"]:
        return []
    lines = []
    if found["singled_out"] > shown:
        lines.append(say("scenario.first", shown=number(shown), count=number(found["singled_out"])))
    if not found["ties_complete"]:
        lines.append(say("scenario.ties"))
    if not has_values(data):
        lines.append(say("scenario.masked_note"))
    return lines


# --- what would help -----------------------------------------------------------------------------


def helps(data: dict[str, Any]) -> list[Sentence]:
    """How far the value falls by the coarser form and by the attribute left out that help most."""
    found = section(data)
    if found is None:
        return []
    lines = []
    names = column_names(data)
    coarser = _best(found["coarser"], "change")
    if coarser is not None:
        lines.append(
            say(
                "helps.coarser",
                coarser=publication(coarser["coarser"], names),
                what=knowledge(coarser["attribute"], names),
                after=money(coarser["total_value"], found),
                before=money(found["total_value"], found),
                change=change(coarser["change"]),
                singled_out=number(coarser["singled_out"]),
            )
        )
    without = _best(found["attributes"], "change_without")
    if without is not None:
        lines.append(
            say(
                "helps.without",
                what=knowledge(without["attribute"], names),
                after=money(without["total_value_without"], found),
                before=money(found["total_value"], found),
                change=change(without["change_without"]),
            )
        )
    return lines


def _best(entries: Iterable[dict[str, Any]], field: str) -> dict[str, Any] | None:
    falls = [entry for entry in entries if entry[field] is not None and entry[field] < 0]
    return min(falls, key=lambda entry: entry[field]) if falls else None


def about_parts(found: dict[str, Any]) -> list[Sentence]:
    """How to read the table of attributes."""
    without = any(entry["total_value_without"] is not None for entry in found["attributes"])
    return [say("read.parts_short"), *([say("read.without_short")] if without else [])]


def helps_missing(found: dict[str, Any]) -> Sentence | None:
    """Why there is nothing on what would help, where there is nothing."""
    computed = found["coarser"] or any(e["total_value_without"] is not None for e in found["attributes"])
    if computed or not found["singled_out"]:
        return None
    return say("helps.not_asked" if found["complete"] else "helps.incomplete")


# --- how sure it is ------------------------------------------------------------------------------


def search(found: dict[str, Any]) -> Sentence:
    """How many sets were examined, of how many, and why the others were not."""
    examined, left = found["sets_examined"], found["sets_not_examined"]
    if not any(left.values()):
        only = found.get("sets_possible", examined) == 1
        return say("search.one") if only else say("search.all", possible=number(examined))
    why = Joined(tuple(say(f"search.{key}", count=number(count)) for key, count in left.items() if count))
    possible = examined + sum(left.values())
    return say("search.some", examined=number(examined), possible=number(possible), why=why)


def limit(found: dict[str, Any], unit: str = "records") -> Sentence:
    """What a limit left unknown, or that nothing is."""
    if found["limit"] is None:
        return say("search.exact")
    ended = say(f"limit.{found['limit']}")
    if not found["unknown"]:
        return say("limit.settled", limit=ended)
    most = found["unknown_ease_at_most"]
    return say(
        "limit.open" if most is not None else "limit.open_any",
        limit=ended,
        unknown=number(found["unknown"]),
        unit=word(f"unit.{unit}"),
        ease=ease(most),
    )


def missing(found: dict[str, Any]) -> list[Sentence]:
    """How missing cells were taken, and what the other way would give."""
    if not found["missing_cells"]:
        return []
    lines = [say(f"missing.{found['missing_mode']}", cells=number(found["missing_cells"]))]
    other = found["other_missing_mode"]
    if other is not None:
        lines.append(
            say(
                f"missing.other_{other['missing_mode']}",
                singled_out=number(other["singled_out"]),
                value=money(other["total_value"], found),
            )
        )
    elif found["complete"]:
        lines.append(say("missing.other_not_searched"))
    return lines


def sureness(found: dict[str, Any]) -> list[Sentence]:
    """How the search went, what is not known, and what missing cells do to it."""
    lines = [say("two", first=search(found), second=limit(found))]
    gaps = missing(found)
    return [*lines, *([say("two", first=gaps[0], second=gaps[1])] if len(gaps) == 2 else gaps)]


def levels(found: dict[str, Any]) -> list[Sentence]:
    """Levels that nobody has confirmed, and columns that have none."""
    provisional = dict.fromkeys(entry["column"] for entry in found["attributes"] if entry["provisional"])
    lines = [say("levels.provisional", names=listed(provisional))] if provisional else []
    shown = found["unleveled"][:_MOST_UNLEVELED]
    for entry in shown:
        lines.append(
            say(
                "levels.unleveled",
                name=Data(f'"{entry["column"]}"'),
                types=listed(entry["nearest"]),
                line=Data(entry["line"]),
            )
        )
    left = found["unleveled"][len(shown) :]
    if left:
        names = listed(entry["column"] for entry in left)
        lines.append(say("levels.unleveled_more", count=number(len(left)), names=names))
    return lines


def units(found: dict[str, Any]) -> list[Sentence]:
    """The same with the user as the unit."""
    users = found["users"]
    if users is None:
        return []
    if users["singled_out"] == 0 and not users["unknown"]:
        return [say("units.nobody")]
    made = say(
        "units.open" if users["unknown"] else "units",
        singled_out=number(users["singled_out"]),
        users=number(users["users"]),
        value=money(users["total_value"], found),
        jo=money(users["jo_total_value"], found),
    )
    return [made, *([limit(users, "users")] if users["limit"] is not None else [])]
