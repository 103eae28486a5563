"""What a report says about the smallest attribute sets that identify."""

from __future__ import annotations

from typing import Any

from duckrisk.report.disclosure.sets import LIMITS, MISSING, compared, overlapping, short
from duckrisk.report.parts import Part
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number, share

_KEYS_LIMITS = {
    "too_many_sets": "The search ended early: too many sets could be keys, and larger ones are not listed.",
    "time_limit": "Time ended the search: there may be more.",
}
_MOST = 20


def parts(section: dict[str, Any]) -> list[Part]:
    """What is told of the section ``minimal_keys``."""
    unit = section["unit"]
    whole = section["users"] if unit == "user" else section["records"]
    missing = MISSING[section["missing_mode"]]
    wildcard = overlapping(section)
    alone = "agree with nobody else" if wildcard else "have a class for themselves"
    told = [Part(f"{_keys(section)} Of {number(whole)} {unit}s; {missing}.")]
    told += [Part(f"Key: {' + '.join(names)}") for names in section["keys"][:_MOST]]
    if section["keys_found"] > _MOST:
        told.append(Part(f"The JSON report lists more, {number(section['keys_found'])} were found."))
    told += _rules(section)
    looked = (
        f"{number(section['sets_examined'])} sets of up to {number(section['max_size'])} attributes were "
        "looked at; none that holds a listed one"
    )
    if section["limit"] is not None:
        looked += f", and not all larger ones: {LIMITS[section['limit']]}"
    told.append(
        Part(
            f"{_smallest(section['singling_out_found'], 'single')} out {share(section['share'])} of "
            f"the {unit}s or more: so many {alone}. {looked}."
        )
    )
    told += _sets(section["singling_out"], section["singling_out_found"])
    told.append(
        Part(
            f"{_smallest(section['below_k_found'], 'leave')} "
            f"{'a record that agrees with' if wildcard else 'a class of'} fewer than "
            f"{number(section['k'])} records{', itself among them' if wildcard else ''}."
        )
    )
    return told + _sets(section["below_k"], section["below_k_found"])


def _rules(section: dict[str, Any]) -> list[Part]:
    """What the rules for missing cells change."""
    keys, singling_out = section["keys"], section["singling_out"]
    first = {
        "smallest_key": keys[0] if keys else None,
        "smallest_singling_out": singling_out[0] if singling_out else None,
    }
    told = compared(section, ("Alike", "Keys", "Smallest", "Single out", "Smallest"), _cells, first)
    if not section["other_rules"]:
        return told
    told.append(
        Part(
            "Alike: records that equal or agree with another on all attributes, which leaves no key; single "
            f"out: the smallest sets that single out {share(section['share'])} or more; smallest: the "
            "attributes of the smallest of these."
        )
    )
    return told + [
        Part(f"Smallest key by {entry['missing']}: {' + '.join(entry['smallest_key'])}")
        for entry in section["other_rules"]
        if entry["smallest_key"] is not None
    ]


def _cells(entry: dict[str, Any]) -> tuple[str, ...]:
    """The figures of a rule for missing cells."""
    if entry["keys_found"] is None:
        return ("-",) * 5
    key, singling_out = entry["smallest_key"], entry["smallest_singling_out"]
    least = "at least " if entry["limit"] == "time_limit" else ""
    return (
        number(entry["duplicate_records"]),
        f"{'' if entry['keys_complete'] else 'at least '}{number(entry['keys_found'])}",
        number(len(key) if key is not None else None),
        f"{least}{number(entry['singling_out_found'])}",
        number(len(singling_out["attributes"]) if singling_out is not None else None),
    )


def _smallest(found: int, verb: str) -> str:
    return f"1 smallest set {verb}s" if found == 1 else f"{number(found)} smallest sets {verb}"


def _keys(section: dict[str, Any]) -> str:
    other = "a record of another user" if section["unit"] == "user" else "another record"
    if section["duplicate_records"]:
        same = "agree with" if overlapping(section) else "equal"
        return (
            f"No attribute set is a key: {number(section['duplicate_records'])} records {same} {other} on "
            "all attributes."
        )
    limit = _KEYS_LIMITS[section["keys_limit"]] + " " if section["keys_limit"] else ""
    if section["keys_found"] == 0:
        told = "No attribute set was found that is a key."
    elif section["keys_found"] == 1:
        told = f"1 smallest attribute set is a key: it tells every two {section['unit']}s apart."
    else:
        told = (
            f"{number(section['keys_found'])} smallest attribute sets are keys: each tells every two "
            f"{section['unit']}s apart."
        )
    return f"{told} {limit}".strip()


def _sets(entries: list[dict[str, Any]], found: int) -> list[Part]:
    if not entries:
        return []
    rows = tuple(
        (
            Data(short(entry["attributes"])),
            number(entry["singled_out"]),
            share(entry["share_singled_out"]),
            number(entry["smallest_class"]),
        )
        for entry in entries[:_MOST]
    )
    heads = ("Attributes", "Singled out", "Share", "Smallest class")
    return [Part(table=Table(heads, rows, (1, 2, 3), found - len(rows)))]
