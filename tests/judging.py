"""Every command whose report is judged, on small tables; and what SARIF asks of what they write."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tests import pwscup_oracle as oracle
from tests.fitting import fit

#: In every value of the tables but those that a contest prescribes.
SECRET = "zqx"


def _of(properties: Mapping[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """An object that has no other properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def _several(shape: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": shape, **more}


_WORD = {"type": "string", "minLength": 1}
_TEXT = _of({"text": _WORD}, "text")
#: A reference to a file as RFC 3986 writes it: no scheme, or that of files.
_REFERENCE = r"^(file:///)?(([A-Za-z0-9._~@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+(/|$))+$"
#: What SARIF 2.1.0 has of the properties that are written here: those that it requires (of a log, version
#: and runs; of a run, its tool; of a component, its name; of a rule, its id; of a result, its message), the
#: values that it knows, the formats, the least numbers, what may not repeat. What it leaves open, but without
#: which nobody could show a finding, is required too: its rule, its level and where it is.
_LOCATION = _of(
    {
        "physicalLocation": _of(
            {
                "artifactLocation": _of({"uri": {"type": "string", "pattern": _REFERENCE}}, "uri"),
                "region": _of({"startLine": {"type": "integer", "minimum": 1}}, "startLine"),
            },
            "artifactLocation",
        ),
        "logicalLocations": _several(_of({"name": _WORD}, "name"), minItems=1, uniqueItems=True),
    },
    "physicalLocation",
)
_RESULT = _of(
    {
        "ruleId": _WORD,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": _TEXT,
        "locations": _several(_LOCATION, minItems=1),
    },
    *("ruleId", "ruleIndex", "level", "message", "locations"),
)
_RULE = _of({"id": _WORD, "shortDescription": _TEXT}, "id", "shortDescription")
_DRIVER = _of(
    {"name": _WORD, "version": _WORD, "rules": _several(_RULE, uniqueItems=True)}, "name", "version", "rules"
)
_RUN = _of({"tool": _of({"driver": _DRIVER}, "driver"), "results": _several(_RESULT)}, "tool", "results")
_LOG = _of(
    {
        "$schema": {"type": "string", "pattern": r"^https://[^\s]+/sarif-schema-2\.1\.0\.json$"},
        "version": {"const": "2.1.0"},
        "runs": _several(_RUN, minItems=1, maxItems=1),
    },
    *("$schema", "version", "runs"),
)


def sarif(text: str) -> list[dict[str, Any]]:
    """The results of a log that is as the standard asks for."""
    log = json.loads(text, parse_constant=_no_number)
    fit(log, _LOG)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    results: list[dict[str, Any]] = run["results"]
    for result in results:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert not {"\n", "\r", "\x1b", "\u202e"} & set(result["message"]["text"])
    return results


def _no_number(text: str) -> float:
    raise AssertionError(f"{text} is not JSON")


def annotations(text: str) -> list[tuple[str, str, str, str]]:
    """Level, file, title and message of each command of a workflow, read as its runner reads them."""
    read = []
    for line in text.removesuffix("\n").split("\n"):
        parts = re.fullmatch(r"::(error|warning) file=([^,:\r]*),title=([^,:\r]*)::([^\r]*)", line)
        assert parts is not None, line
        level, *values = parts.groups()
        file, title, message = map(_unescaped, values)
        read.append((level, file, title, message))
    return read


def _unescaped(text: str) -> str:
    for sign, written in (("\r", "%0D"), ("\n", "%0A"), (":", "%3A"), (",", "%2C"), ("%", "%25")):
        text = text.replace(written, sign)
    return text


# --- the commands --------------------------------------------------------------------------------

#: By command, a number of its report, which is between 1 and 10,000 for :func:`judged_commands`.
NUMBERS = {
    "assess": "source.records",
    "advise": "records",
    "compare": "tables.records",
    "sequence": "together.people",
    "tables": "tables.cells",
    "anonymize": "released",
    "attack": "release.records",
    "pwscup check": "original.periods",
    "pwscup attack": "release.records",
    "pwscup utility": "original.records",
    "pwscup score": "original.records",
    "pwscup lifetimes": "original.records",
    "pwscup score-2018": "records",
    "membership attack": "population.records",
    "membership utility": "original.records",
    "membership exposed": "original.records",
    "membership risks": "original.records",
    "membership score": "population.records",
}


def judged_commands(folder: Path, mark: str = "") -> dict[str, list[str]]:
    """The words of each command on tables in a folder: ``mark`` is in the name of each of their files and
    columns, but for those that a contest prescribes."""

    def file(name: str) -> str:
        return str(folder / f"{mark}{name}")

    def put(name: str, columns: Mapping[str, Sequence[Any]]) -> str:
        frame = pd.DataFrame({f"{mark}{column}": values for column, values in columns.items()})
        frame.to_parquet(file(name))
        return file(name)

    def people(name: str, records: int, **more: Sequence[Any]) -> str:
        ages, cities = [20 + i for i in range(records)], [f"{SECRET}{i % 5}" for i in range(records)]
        return put(name, {"age": ages, "city": cities, **more})

    many = people("people.parquet", 80, mail=[f"{SECRET}{i}@example.org" for i in range(80)])
    known = people("known.parquet", 60, id=[f"{SECRET}{i}" for i in range(60)])
    counted = put("counted.parquet", {"city": [f"{SECRET}{i}" for i in range(5)], "people": [20] * 5})
    everybody, few = people("everybody.parquet", 60), people("few.parquet", 30)
    (folder / f"{mark}guess.csv").write_text("".join(f"{row}\n" for row in range(10)))
    original, _ = oracle.contest(3, customers=8)
    oracle.write(Path(file("T.csv")), original)
    oracle.write(Path(file("A.csv")), oracle.submission(original, 1))
    for name, cell in (("2018-T.csv", "4"), ("2018-A.csv", "[3;6]")):
        lines = [f"{i},2010/12/{i},{SECRET},1.00,{cell}\n" for i in range(1, 9)]
        (folder / f"{mark}{name}").write_text("".join(lines))
    heads = {"user": 0, "date": 2, "item": 4, "price": 5, "quantity": 6}
    cells = {name: [row[at] for row in original] for name, at in heads.items()}
    history = put("history.parquet", cells)
    layout = [f"--{name}={mark}{name}" for name in heads]
    both = ["--original", file("T.csv"), "--release", file("A.csv")]
    quick = ["--attack", "paper-date", "--alpha", "50"]
    return {
        "assess": ["assess", many, "--user", ""],
        "advise": ["advise", many, "--user", ""],
        "compare": ["compare", everybody, few, "--only", "risk"],
        "sequence": ["sequence", known, known, f"--user={mark}id"],
        "tables": ["tables", counted, f"--count={mark}people"],
        "anonymize": ["anonymize", many, "-o", file("out.csv"), "--overwrite", f"--drop={mark}mail"],
        "attack": ["attack", history, history, "--attack", "paper-date", *layout],
        "pwscup check": ["pwscup", "check", "--original", file("T.csv"), file("A.csv")],
        "pwscup attack": ["pwscup", "attack", *both, *quick],
        "pwscup utility": ["pwscup", "utility", *both],
        "pwscup score": ["pwscup", "score", *both, "--alpha", "50"],
        "pwscup lifetimes": ["pwscup", "lifetimes", file("T.csv"), "--life", "1", "--alpha", "50"],
        "pwscup score-2018": ["pwscup", "score-2018", file("2018-T.csv"), file("2018-A.csv")],
        "membership attack": ["membership", "attack", everybody, few, "--guesses", "5"],
        "membership utility": ["membership", "utility", everybody, few],
        "membership exposed": ["membership", "exposed", everybody],
        "membership risks": ["membership", "risks", everybody, few, "--attacks-per-risk", "5"],
        "membership score": [
            *("membership", "score", "--population", everybody, "--members", few),
            *("--guess", f"x={file('guess.csv')}"),
        ],
    }
