"""Days of moments are those of ``--timezone``, whatever the machine's: against Python's own calendar."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.api import config
from duckrisk.base.errors import UsageError
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Resources, Session
from duckrisk.release import advice
from duckrisk.release.anonymization.recipe import load
from duckrisk.report.words import Words
from tests.cases import Cases
from tests.command import command, environment, measured_once, refused
from tests.tables import EXAMPLES, LIGHTER, connect

ZONES = ("UTC", "Asia/Tokyo", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati", "Europe/Berlin")
FIRST = datetime(2023, 12, 30, tzinfo=UTC)
#: Half-hours around the new year and around the two changes of clocks of 2024.
moments = st.builds(
    lambda start, halves: start + timedelta(minutes=30 * halves),
    st.sampled_from([FIRST, datetime(2024, 3, 9, tzinfo=UTC), datetime(2024, 3, 30, tzinfo=UTC)]),
    st.integers(0, 96),
)


def write(path: Path, seen: list[datetime | None]) -> Path:
    """Write a table of the moments at which people were seen, two records each."""
    with connect() as connection:
        connection.execute("CREATE TABLE t (person VARCHAR, seen TIMESTAMPTZ, shop INTEGER)")
        rows = [
            (f"p{n // 2:03d}", str(one) if one is not None else None, n % 3) for n, one in enumerate(seen)
        ]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        connection.execute(f"COPY t TO '{path}'")
    return path


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of 60 people, who were seen on 20 days of UTC, at 1 and at 23 o'clock in turn: 11 of Tokyo."""
    monkeypatch.chdir(tmp_path)
    return write(
        tmp_path / "visits.parquet",
        [FIRST + timedelta(days=n % 20, hours=23 if n % 2 else 1) for n in range(120)],
    )


@LIGHTER
@given(st.lists(st.none() | moments, min_size=1, max_size=20), st.sampled_from(ZONES))
def test_days_are_those_of_the_zone(
    tmp_path_factory: pytest.TempPathFactory, seen: list[datetime | None], zone: str
) -> None:
    folder = tmp_path_factory.mktemp("moments")
    days = [one and one.astimezone(ZoneInfo(zone)).date().isoformat() for one in seen]
    table = write(folder / "t.parquet", seen)
    steps = [{"method": "generalize", "column": "seen", "moment": "day"}]
    duckrisk.anonymize(table, folder / "r.csv", steps=steps, timezone=zone.lower())
    with (folder / "r.csv").open(encoding="utf-8", newline="") as file:
        released = [line["seen"] or None for line in csv.DictReader(file)]
    assert released == days
    local = [one.astimezone(ZoneInfo(zone)) for one in seen if one is not None]
    if len({*local}) < 2:  # one value is a constant, which nobody assesses
        return
    asked: dict[str, Any] = {"only": ["attribute_risk"], "known_records": 0, "user": "person"}
    report = duckrisk.assess(table, attributes=["seen.date", "seen.hour"], timezone=zone, **asked)
    assert report.settings.timezone == zone
    found = {risk.attribute: risk.distinct_values for risk in report.attribute_risk}
    assert found == {"seen.date": len({*days} - {None}), "seen.hour": len({one.hour for one in local})}


@pytest.mark.slow
def test_results_do_not_depend_on_the_machine(visits: Path) -> None:
    """With three zones of the machine, UTC counts where none is given, and the one that is given."""
    days = {}
    machines = ["Asia/Tokyo", "America/New_York", "UTC"]
    few = EXAMPLES < 20  # then two of the zones each
    for option, zones in (
        ((), machines[:2] if few else machines),
        (("--timezone", "Asia/Tokyo"), machines[1:] if few else machines),
    ):
        said = set()
        for machine in zones:
            words = ("assess", visits, "--attribute", "seen.date", "--only", "attribute_risk")
            call = [sys.executable, "-m", "duckrisk", *map(str, words), *option, "--format", "json"]
            ran = subprocess.run(
                call, env=environment(TZ=machine), capture_output=True, check=True, timeout=120
            )
            report = json.loads(ran.stdout)
            said.add(json.dumps([report["attribute_risk"], report["settings"]["timezone"]]))
        (only,) = said
        days[option] = json.loads(only)
    assert [zone for _, zone in days.values()] == ["UTC", "Asia/Tokyo"]
    utc, tokyo = (risks[0]["distinct_values"] for risks, _ in days.values())
    assert (utc, tokyo) == (20, 11)


def test_every_name_of_the_engine_is_a_zone() -> None:
    with connect() as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM pg_timezone_names()").fetchall()]
        assert {"UTC", "Asia/Tokyo", "Europe/Berlin"} <= {*names}
        for name in names:
            connection.execute(f"SET TimeZone = '{name}'")
    with Session(Resources(timezone="ASIA/TOKYO")) as session:
        assert session.timezone == "Asia/Tokyo"


COMMANDS = (
    "assess visits.parquet",
    "advise visits.parquet",
    "init visits.parquet -o own.toml",
    "anonymize visits.parquet -o release.csv --drop shop",
    "anonymize visits.parquet -o release.csv --to-policy public",
    "compare visits.parquet visits.parquet",
    "membership synthesize visits.parquet -o release.csv",
    "membership anneal visits.parquet -o release.csv --iterations 2",
    "membership risks visits.parquet visits.parquet",
    "membership utility visits.parquet visits.parquet",
    "membership attack visits.parquet visits.parquet --members visits.parquet",
    "membership score --population visits.parquet --members visits.parquet --guess x=visits.parquet",
    "pwscup anonymize visits.parquet -o release.csv --user person --date seen --item shop",
    "pwscup utility --original visits.parquet --release visits.parquet --user person --date seen --item shop",
    "pwscup score --original visits.parquet --release visits.parquet --user person --date seen --item shop",
    "pwscup attack --original visits.parquet --release visits.parquet --user person --date seen --item shop",
    "pwscup check --original visits.parquet visits.parquet --user person --date seen --item shop",
    "pwscup release visits.parquet -o release.csv --user person --date seen --item shop",
)


def test_an_unknown_zone_is_one_sentence(visits: Path) -> None:
    with Cases() as case:
        for line in COMMANDS:
            with case(line):
                words = [*line.split(), "--timezone", "Asia/Tokio"]
                refused(2, 'The time zone "Asia/Tokio" is not known', '"Asia/Tokyo"', arguments=words)
        for name in ("", "+09:00", "UTC'; DROP TABLE t; --", "x" * 5000):
            with case(name):
                refused(2, "is not known", arguments=["assess", visits, f"--timezone={name}"])
        with case("python"), pytest.raises(UsageError, match="is not known"):
            duckrisk.assess(visits, timezone="Asia/Tokio")
        with case("a settings file"):
            Path("own.toml").write_text('[source]\ntimezone = "Asia/Tokio"\n', encoding="utf-8")
            refused(2, "is not known", "own.toml", arguments=["assess", visits, "--config", "own.toml"])


@pytest.mark.slow
def test_the_screen_says_the_zone(visits: Path) -> None:
    """In both languages, with and without the option; the commands that it prints carry the option."""
    moments = [FIRST + timedelta(days=n % 6, hours=23 if n % 2 else 1) for n in range(40)]
    write(visits, moments)  # fewer: what can be advised is not the point
    plain = visits.with_name("plain.csv")
    plain.write_text("person,seen\n" + "".join(f"{n},2024-01-0{n % 9 + 1}\n" for n in range(40)), "utf-8")
    with measured_once(), measured_once(advice):
        for language in ("en", "ja"):
            for option, zone in (((), "UTC"), (("--timezone", "Asia/Tokyo"), "Asia/Tokyo")):
                for words in (("assess",), ("assess", "--full"), ("advise",)):
                    said = command(words[0], visits, *words[1:], *option, "--lang", language).out
                    assert zone in " ".join(said.split()), words
                    assert "--timezone" in " ".join(said.split()), words
                    lines = said.replace("\\\n", " ").splitlines()
                    printed = [line for line in lines if line.strip().startswith("duckrisk a")]
                    assert printed or words != ("assess",)  # these visits are too few for a release
                    assert not option or all("--timezone Asia/Tokyo" in line for line in printed), printed
            assert "UTC" not in command("assess", plain, "--full", "--lang", language).out


def test_many_columns_leave_it_a_screen(tmp_path: Path) -> None:
    with connect() as connection:
        many = ", ".join(
            f"TIMESTAMPTZ '2024-01-01' + INTERVAL (i * {n} % 50) HOUR AS seen{n}" for n in range(1, 40)
        )
        connection.execute(f"COPY (SELECT i, {many} FROM range(200) AS r(i)) TO '{tmp_path / 'm.parquet'}'")
    report = duckrisk.assess(tmp_path / "m.parquet", known_records=0)
    for language in ("en", "ja"):
        shown = report.to_text(language=language)
        assert len(shown.splitlines()) <= 40
        assert '"seen3"' in shown.replace("「", '"').replace("」", '"')
        assert "36" in shown
        assert "--timezone" in shown


def test_a_comparison_and_a_release_say_the_zone(visits: Path) -> None:
    made = command(
        "anonymize", visits, "-o", "r.parquet", "--generalize", "seen=day", "--timezone", "Asia/Tokyo"
    )
    said = (made.out + made.err).replace(f"{visits.parent}/", "")
    assert '"seen" are in Asia/Tokyo' in said
    assert "compare visits.parquet r.parquet --timezone Asia/Tokyo" in said
    compared = command("compare", visits, "r.parquet", "--timezone", "Asia/Tokyo", "--only", "information")
    assert "Asia/Tokyo" in compared.out


def test_the_recipe_holds_the_zone(visits: Path) -> None:
    """A recipe makes the same release again, under other settings too; an option replaces its zone."""
    day = ("--generalize", "seen=day")
    for zone in ("Asia/Tokyo", "UTC"):
        given = () if zone == "UTC" else ("--timezone", zone.upper())
        assert command("anonymize", visits, "-o", f"{zone[:3]}.csv", *day, *given).code == 0
        assert load(Path(f"{zone[:3]}.csv.recipe.toml")).timezone == zone
    Path("duckrisk.toml").write_text('[source]\ntimezone = "America/New_York"\n', encoding="utf-8")
    for zone in ("Asi", "UTC"):
        again = command("anonymize", visits, "-o", f"{zone}2.csv", "--recipe", f"{zone}.csv.recipe.toml")
        assert again.code == 0, again.err
        assert "duckrisk.toml" not in again.err
        assert Path(f"{zone}2.csv").read_bytes() == Path(f"{zone}.csv").read_bytes()
    other = ("--recipe", "UTC.csv.recipe.toml", "--timezone", "Asia/Tokyo")
    assert command("anonymize", visits, "-o", "other.csv", *other).code == 0
    assert Path("other.csv").read_bytes() == Path("Asi.csv").read_bytes()
    assert Path("UTC.csv").read_bytes() != Path("Asi.csv").read_bytes()
    duckrisk.anonymize(visits, "python.csv", recipe="Asi.csv.recipe.toml")
    assert Path("python.csv").read_bytes() == Path("Asi.csv").read_bytes()
    Path("plain.csv").write_text("a,b\n1,2\n2,3\n", encoding="utf-8")
    duckrisk.anonymize("plain.csv", "p.csv", steps=[{"method": "suppress", "column": "a", "drop": True}])
    assert "timezone" not in Path("p.csv.recipe.toml").read_text(encoding="utf-8")


def test_settings_have_a_zone(visits: Path) -> None:
    """An option wins over the settings file, which every form names; init writes the zone down."""
    Path("duckrisk.toml").write_text('[source]\ntimezone = "Asia/Tokyo"\n', encoding="utf-8")
    words = ("assess", visits, "--attribute", "seen.date", "--only", "attribute_risk", "--format", "json")
    settled = command(*words).json
    assert settled["settings"]["timezone"] == "Asia/Tokyo"
    assert [notice["setting"] for notice in settled["notices"]] == ["source.timezone"]
    given = command(*words, "--timezone", "UTC").json
    assert given["settings"]["timezone"] == "UTC"
    assert "notices" not in given
    assert [r["attribute_risk"][0]["distinct_values"] for r in (settled, given)] == [11, 20]
    for zone, more in (("UTC", ()), ("Europe/Berlin", ("--timezone", "Europe/Berlin"))):
        assert command("init", visits, "-o", "own.toml", "--overwrite", *more).code == 0
        assert config.load(Path("own.toml")).timezone == zone


def test_the_script_of_a_run_sets_the_zone(visits: Path) -> None:
    asked: dict[str, Any] = {"only": ["attribute_risk"], "sql_log": "log.sql"}
    duckrisk.assess(visits, timezone="Asia/Tokyo", **asked)
    assert Path("log.sql").read_text(encoding="utf-8").count("SET \"TimeZone\" = 'Asia/Tokyo'") == 1
    shown = command("sql", "show", "attribute_risk", visits, "--attribute", "seen.date").out
    assert "SET \"TimeZone\" = 'UTC'" in shown
    Path("duckrisk.toml").write_text('[source]\ntimezone = "Asia/Tokyo"\n', encoding="utf-8")
    shown = command("sql", "show", "attribute_risk", visits, "--attribute", "seen.date").out
    assert "SET \"TimeZone\" = 'Asia/Tokyo'" in shown


def test_both_languages_have_a_note() -> None:
    note = Sentence("source.timezone", names="seen", timezone="UTC")
    assert len({Words(language).format(note) for language in ("en", "ja")}) == 2
