"""What changes a verdict without standing on the command line is named in every form of every report."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import duckrisk
from duckrisk.api import config
from duckrisk.base.options.source import Request
from duckrisk.base.toml import format_entry
from duckrisk.decision import assessment, policy
from duckrisk.decision.assessment.verdict import HISTORY_LIMITS
from duckrisk.decision.notices import RECORD_SETTINGS, VERDICT_SETTINGS, FileSettings, list_notices
from duckrisk.decision.policy import Options, find_limits_source, list_changed_limits
from duckrisk.release import advice, anonymization, comparison
from duckrisk.release.advice import releasing
from duckrisk.report.words import Words
from tests.command import Result, command, measured_once, table
from tests.tables import LIGHTER, engine, thinned

#: 70 people, each of whom several columns single out: fails every preset.
PEOPLE = """
    SELECT 'p' || i AS person, i % 2 AS sex, 20 + i % 50 AS age, 'c' || (i * 7 % 9) AS city
    FROM range(70) AS r(i)
"""
#: 600 people in four large classes: keeps every preset.
HALVES = """
    SELECT 'p' || i AS person, i % 2 AS sex, (i // 25) % 2 AS smoker FROM range(600) AS r(i)
"""
#: The role of each column of PEOPLE, as the gate on a policy asks for.
ROLES = """
[columns]
person = "pseudonym"
sex = "quasi_identifier"
age = "quasi_identifier"
city = "quasi_identifier"
"""
LOOSE = "[policy]\nunique_people = 1.0\nsmallest_class = 1\none_fact = 1.0\nthree_facts = 1.0\n"
SILENT = {*HISTORY_LIMITS, "sensitive_disclosed"}
#: What the limits of a policy are about, without what takes longest.
JUDGED = [f"--only={part}" for part in ("attribute_risk", "uniqueness", "direct_identifiers")]
#: Settings that cannot move a verdict, each with the reason.
HARMLESS = {
    "fail_on": "gates are added to those of the command line",
    "measures.k": "rare values are counted; no limit is about them",
    "measures.models_of": "a figure of the report",
    "report.language": "words",
    "engine.scratch": "where the engine writes",
    "identifiability.profile": "levels and the value of a leak",
    "identifiability.compare_missing": "a search beside the verdict",
    "identifiability.max_sets": "the search of sets, no limit is about it",
    "identifiability.max_size": "the search of sets, no limit is about it",
    "identifiability.time_limit": "the search of sets, no limit is about it",
    "identifiability.thorough": "the search of sets, no limit is about it",
    "identifiability.what_if": "what would help",
    "identifiability.currency": "the value of a leak",
    "identifiability.base": "the value of a leak",
    "identifiability.social_responsibility": "the value of a leak",
    "identifiability.post_response": "the value of a leak",
}
#: Tables of settings that belong to parts that no verdict looks at.
HARMLESS_TABLES = ("disclosure", "context", "history", "hierarchies")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "people.parquet", PEOPLE)
    table(tmp_path / "halves.parquet", HALVES)
    return tmp_path


@contextlib.contextmanager
def settings(text: str, name: str = "duckrisk.toml") -> Iterator[Path]:
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    try:
        yield path
    finally:
        path.unlink()


def forms(*words: str, also: Sequence[str] = ()) -> dict[str, str]:
    """What a command says in each of its forms, to people and to pipelines."""
    with measured_once(_MODULES[words[0]]):
        return _forms(words, also)


def _forms(words: Sequence[str], also: Sequence[str]) -> dict[str, str]:
    said: dict[str, str] = {}
    for form in ("table", "json", "markdown", "html", "sarif", "github", *also):
        told = command(*words, "--format", form, "--junit", "junit.xml")
        text = told.out + (told.err if form == "csv" else "")
        text = re.sub(r"</?(bdi|span|code)[^>]*>", "", text) if form == "html" else text
        said[form] = " ".join(text.split())
        assert told.code in (0, 1), told.err
    said["junit"] = " ".join(Path("junit.xml").read_text(encoding="utf-8").split())
    full = command(*words, "--full") if words[0] == "assess" else None
    return said if full is None else {**said, "full": " ".join(full.out.split())}


def lacking(said: Mapping[str, str], *texts: str) -> list[tuple[str, str]]:
    """The forms that lack a text, whatever they escape."""
    plain = {
        form: one.replace("\\_", "_").replace("\\.", ".").replace("\\-", "-") for form, one in said.items()
    }
    plain = {form: one.replace("&#34;", '"').replace("&quot;", '"') for form, one in plain.items()}
    plain = {form: one.replace('\\"', '"').replace("%25", "%") for form, one in plain.items()}
    return [(form, text) for form, one in plain.items() for text in texts if text not in one]


# --- which settings there are ----------------------------------------------------------------------


def settable() -> list[str]:
    return [f"{t}.{n}" if t else n for t, own in config._settable_options().items() for n in (own or [""])]


def test_every_setting_is_known_to_move_a_verdict_or_not() -> None:
    limits = {f"policy.{name}" for name in policy.LIMITS}
    for name in settable():
        name = name.rstrip(".")
        moving = name in VERDICT_SETTINGS or name in RECORD_SETTINGS or name in limits
        harmless = name in HARMLESS or name.partition(".")[0] in HARMLESS_TABLES
        assert moving != harmless, name
    named = {name.rstrip(".") for name in settable()}
    assert {*VERDICT_SETTINGS, *RECORD_SETTINGS, *HARMLESS} <= named


#: A value of each setting that is not its default, as a file has it.
VALUES: dict[str, Any] = {
    "user": "person",
    "no_persons": True,
    "attributes": ["age"],
    "ignore": ["city"],
    "columns": {"sex": "attribute"},
    "levels": {"age": [1, 1]},
    "only": ["uniqueness"],
    "policy.name": "shared",
    "source.table": "t",
    "source.encoding": "cp932",
    "source.header": False,
    "source.skip_lines": 1,
    "source.beside": ["b=b.csv"],
    "source.timezone": "Asia/Tokyo",
    "source.read": ["age=text"],
    "source.earlier": ["before.parquet"],
    "source.key_tables": ["before.csv", "keys.csv"],
    "engine.engine": "sc://localhost:15002",
    "measures.method": "sample",
    "measures.samples": 7,
    "measures.confidence": 0.8,
    "measures.interval": "paper",
    "measures.seed": 3,
    "measures.known_records": 0,
    "measures.draws": 11,
    "measures.detailed": 0,
    "identifiability.missing": "value",
    "identifiability.missing_tokens": ["x"],
    "source.where": "sex = 1",
    "source.query": "FROM source WHERE sex = 1",
}


def toml_of(values: Mapping[str, Any]) -> str:
    """A settings file with these settings."""
    top = [
        format_entry(name, value)
        for name, value in values.items()
        if "." not in name and name not in ("columns", "levels")
    ]
    tables: dict[str, list[str]] = {}
    for name, value in values.items():
        head, dot, key = name.partition(".")
        if dot:
            tables.setdefault(head, []).append(format_entry(key, value))
        elif name in ("columns", "levels"):
            tables[name] = [format_entry(key, one) for key, one in value.items()]
    return "\n".join([*top, *(text for head, own in tables.items() for text in (f"[{head}]", *own))]) + "\n"


@pytest.mark.parametrize("name", [*VERDICT_SETTINGS, *RECORD_SETTINGS])
def test_each_setting_alone_has_its_notice(name: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(toml_of({name: VALUES[name]}), encoding="utf-8")
    found = config.load(path)
    notices = list_notices(found.file_settings, found.source, 60, 8, found.policy)
    assert notices is not None
    assert [(notice.setting, notice.origin) for notice in notices] == [(name, "own.toml")]
    text = Words().format(notices[0].text)
    assert "own.toml" in text
    assert name.rpartition(".")[2] in text or name in ("columns", "levels", *RECORD_SETTINGS)
    assert "own.toml" in Words("ja").format(notices[0].text)


def test_a_default_in_the_file_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[measures]\nknown_records = 4\n[policy]\nname = "public"\nsmallest_class = 11\n', "utf-8"
    )
    found = config.load(path)
    assert list_notices(found.file_settings, Request(), None, 8, found.policy) is None


# --- every form of every report --------------------------------------------------------------------

#: Files that together hold every setting that moves a verdict, but the address of an engine.
_TOGETHER = {
    name: value
    for name, value in VALUES.items()
    if name.partition(".")[0] not in ("source", "engine", "policy", "only")
    and name not in ("attributes", "no_persons")
}
_COMMANDS = {
    "assess": ["assess", "people.parquet", "-q"],
    "compare": ["compare", "people.parquet", "people.parquet", "-q"],
    "advise": ["advise", "people.parquet", "-q"],
    "anonymize": ["anonymize", "people.parquet", "-o", "r.csv", "--drop=age", "--overwrite"],
}
_MODULES: dict[str, Any] = {
    "assess": assessment,
    "compare": comparison,
    "advise": advice,
    "anonymize": anonymization,
}
#: Settings of tables that a command does not look at.
_UNUSED = {
    "advise": ("only", "measures."),
    "compare": ("only",),
    "anonymize": (
        "user",
        "attributes",
        "ignore",
        "columns",
        "levels",
        "only",
        "measures.",
        "identifiability.",
    ),
}


@pytest.mark.parametrize("name", list(_COMMANDS))
def test_every_form_names_every_setting(name: str, folder: Path) -> None:
    """All settings of a file at once, with changed limits and a condition; the count is by hand: 35 of 70.
    It is measured once, and read in Japanese too."""
    also = ("csv",) if name == "assess" else ()
    text = toml_of({**_TOGETHER, "source.where": "sex = 1"}) + LOOSE
    with settings(text), measured_once(_MODULES[name]):
        said = _forms(_COMMANDS[name], also)
        told = command(*_COMMANDS[name], "--lang", "ja", "--format", "markdown").out.replace("\\", "")
    assert "対象は70レコードのうちduckrisk.tomlの条件を満たす35レコード" in told
    assert name == "anonymize" or "（基準はduckrisk.tomlによる）" in told
    used = [one for one in _TOGETHER if not one.startswith(_UNUSED.get(name, ()))]
    keys = [one.rpartition(".")[2] for one in used if one not in ("columns", "levels")]
    records = "35 of 70 records, those that meet the condition of duckrisk.toml"
    limits = ["with limits of duckrisk.toml"] if name != "anonymize" else []
    missing = lacking(said, records, *limits, *keys)
    # What lists findings alone, or notices alone, has limits one by one.
    one_by_one = [(form, limits[0]) for form in ("csv", "json", "sarif", "github") if limits and form in said]
    one_by_one += [("junit", limits[0])] if name in ("compare", "advise") else []
    assert [pair for pair in missing if pair not in one_by_one] == []
    for form in {form for form, _ in one_by_one}:
        assert "Limit of duckrisk.toml" in said[form], form
        assert "100%" in said[form]


@pytest.mark.parametrize(
    ("text", "words"),
    thinned(
        [
            ('only = ["uniqueness"]', ["people.parquet"]),
            ('attributes = ["age.band(10)", "sex", "city"]', ["people.parquet"]),
            ('[policy]\nname = "internal"', ["people.parquet"]),
            ('[source]\ntable = "t"', ["people.duckdb"]),
            ('[source]\nencoding = "cp932"', ["people.csv"]),
            ("[source]\nheader = false", ["people.csv"]),
            ('[source]\nquery = "FROM source WHERE sex = 1"', ["people.parquet"]),
            (
                '[source]\nquery = "FROM source JOIN b USING (sex)"\nbeside = ["b=sexes.csv"]',
                ["people.parquet"],
            ),
        ]
    ),
)
def test_how_the_source_is_read_is_said_in_every_form(text: str, words: list[str], folder: Path) -> None:
    table(folder / "people.csv", PEOPLE)
    table(folder / "sexes.csv", "SELECT unnest([0, 1]) AS sex")
    with contextlib.suppress(FileExistsError):
        engine().execute(f"ATTACH '{folder}/people.duckdb' AS made")
        engine().execute(f"CREATE TABLE made.t AS {PEOPLE}")
        engine().execute("DETACH made")
    few = [] if text.startswith("only") else JUDGED
    with settings(text):
        said = forms("assess", *words, "-q", *few, also=("csv",) if few else ())
    key = text.splitlines()[-1].partition(" ")[0] if "query" not in text else "the query of duckrisk.toml"
    assert lacking(said, "duckrisk.toml", key) == []


# --- a policy that is named ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_named_policy_means_the_published_limits(folder: Path) -> None:
    gate = ["--fail-on", "policy", *JUDGED]
    with settings(LOOSE + ROLES):
        loose = command("assess", "people.parquet", "-q", *gate)
        assert loose.code == 0
        assert 'policy "public" with limits of duckrisk.toml' in " ".join(loose.out.split())
        for preset in policy.PRESETS:
            named = command("assess", "people.parquet", "--policy", preset, *gate, "--format", "json")
            assert named.code == 1
            report = named.json
            limits = {one["name"]: one["limit"] for one in report["verdict"]["findings"]}
            published = {one.name: one.value for one in policy.list_limits(Options(name=preset))}
            # One record a person, and no sensitive column: these limits say nothing of the table.
            assert limits == {name: published[name] for name in published.keys() - SILENT}
            assert "limits_from" not in report["verdict"]
        said = forms("assess", "people.parquet", "-q", "--policy", "public", *JUDGED, also=("csv",))
    told = "The limits of duckrisk.toml do not count: --policy public means the published limits."
    assert lacking(said, told, "leave --policy out") == []
    assert not any("with limits of" in one for one in said.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["advise", "compare"])
def test_a_named_policy_means_the_published_limits_elsewhere(name: str, folder: Path) -> None:
    words = [*_COMMANDS[name], "--fail-on", "policy", *(["--only", "risk"] if name == "compare" else [])]
    with settings(LOOSE + ROLES):
        told = command(*words, "--policy", "public")
        loose = command(*words, "--format", "json")
    assert "do not count: --policy public" in " ".join(told.out.split())
    assert loose.code == 0
    if name == "compare":
        assert told.code == 1


@pytest.mark.slow
def test_a_release_for_a_policy_by_name_and_by_the_settings(folder: Path) -> None:
    """Halves keep the published limits but for classes of 400, which a column less gives."""
    words = ["anonymize", "halves.parquet", "-o", "r.csv", "--overwrite", "-q", "--format", "json"]
    with settings('[columns]\nperson = "pseudonym"\n[policy]\nsmallest_class = 200\n'):
        named = command(*words, "--to-policy", "public")
        own = command(*words, "--to-policy", "settings")
        shown = command(*words[:-3], "--to-policy", "settings")
    assert named.code == 2
    assert 'keeps the limits of the policy "public" already' in named.err
    assert own.json["policy"]["verdict"]["limits_from"] == "duckrisk.toml"
    assert own.json["policy"]["smallest_class"] >= 200
    assert [one["setting"] for one in own.json["notices"]] == ["policy.smallest_class", "columns"]
    assert 'policy "public" with limits of duckrisk.toml' in " ".join(shown.out.split())
    assert "--policy public" not in shown.out  # which would judge by other limits
    told = command(*words, "--to-policy", "settings")
    assert told.code == 2
    assert "needs [policy] in the settings file" in told.err


@pytest.mark.slow
def test_a_release_for_a_named_policy_says_that_limits_do_not_count(folder: Path) -> None:
    table(folder / "some.parquet", f"SELECT *, 'x' || random() AS code FROM ({HALVES})")
    with settings("[policy]\nsmallest_class = 200\n"), measured_once(releasing, "release_of"):
        said = forms("anonymize", "some.parquet", "-o", "r.csv", "--overwrite", "--to-policy", "public")
    assert lacking(said, "do not count: --to-policy public", "--to-policy settings") == []


def test_advice_by_limits_of_a_file_has_a_command_that_uses_them(folder: Path) -> None:
    with settings("[policy]\nsmallest_class = 200\n", "own.toml"):
        told = command("advise", "halves.parquet", "-q", "--config", "own.toml").out
    assert "--to-policy settings" in told
    assert "--config own.toml" in told
    assert "--to-policy public" not in told


def test_explain_policy_names_changed_limits(folder: Path) -> None:
    before = command("explain", "policy").out
    with settings("[policy]\nsmallest_class = 3\none_fact = 0.09\n"):
        told = command("explain", "policy").out
    assert told.startswith(before.rstrip("\n"))
    assert "smallest_class: 3 (published: 11)" in told
    assert "one_fact: 9% (published" not in told
    assert "duckrisk.toml" in told.removeprefix(before.rstrip("\n"))


def test_changed_limits_by_hand() -> None:
    changed = Options(name="shared", smallest_class=5, one_fact=0.5)
    assert [(limit.name, limit.value, published) for limit, published in list_changed_limits(changed)] == [
        ("one_fact", 0.5, 0.2)
    ]
    assert find_limits_source(changed) == policy.ARGUMENTS
    assert find_limits_source(Options(name="shared", smallest_class=5)) is None


def test_python_says_it_too(folder: Path) -> None:
    with settings(LOOSE):  # no function of the package reads it
        plain = duckrisk.assess("people.parquet", policy="public", user="person")
    assert plain.verdict.limits_from is None
    assert plain.verdict.outcome == "fail"
    own = duckrisk.assess("people.parquet", policy={"smallest_class": 1}, where="sex = 1", user="person")
    assert own.verdict.limits_from == "arguments"
    assert "limits_from='arguments'" in repr(own.verdict)
    assert 'policy "public" with limits given in the call' in repr(own)
    assert "35 of 70 records, those that meet the condition given" in repr(own)
    assert "35 of 70 records" in own._repr_html_()
    assert own.notices is not None
    assert [(one.setting, one.value, one.without) for one in own.notices] == [
        ("policy.smallest_class", 1, 11),
        ("source.where", 35, 70),
    ]


# --- records that are chosen -----------------------------------------------------------------------


@pytest.mark.slow
def test_a_condition_of_the_command_line_is_counted(folder: Path) -> None:
    for words in (
        ["assess", "people.parquet", "--where", "age < 30", *JUDGED],
        ["advise", "people.parquet", "--where", "age < 30"],
        ["anonymize", "people.parquet", "-o", "r.csv", "--overwrite", "--drop=age", "--where", "age < 30"],
    ):
        (count,) = engine().execute(f"SELECT COUNT(*) FROM ({PEOPLE}) WHERE age < 30").fetchone() or ()
        said = forms(*words)
        assert lacking(said, f"{count} of 70 records, those that meet the condition given") == [], words


def test_all_records_are_counted_only_where_some_are_chosen(folder: Path) -> None:
    plain = duckrisk.assess("people.parquet", only=["direct_identifiers"])
    chosen = duckrisk.assess("people.parquet", only=["direct_identifiers"], where="sex = 1")
    names = [[statement.name for statement in report.statements] for report in (plain, chosen)]
    assert [own.count("count_unrestricted") for own in names] == [0, 1]


#: What is asked, and the records with and without it.
_COUNTED: list[tuple[dict[str, Any], list[tuple[float | None, float | None]]]] = [
    ({"where": "sex = 1"}, [(35, 70)]),
    ({"query": "FROM source WHERE age < 30"}, [(20, 70)]),
    ({"query": "FROM source WHERE age < 30", "where": "sex = 1"}, [(10, 70), (None, None)]),
]


# Paired where examples are few: every fourth is of another kind, and asks another thing.
@pytest.mark.parametrize(
    ("kind", "case"), thinned(itertools.product(("parquet", "csv", "json"), _COUNTED), 4)
)
def test_counts_of_any_source(kind: str, case: tuple[Any, Any], folder: Path) -> None:
    asked, expected = case
    table(folder / f"made.{kind}", PEOPLE)
    report = duckrisk.assess(f"made.{kind}", only=["direct_identifiers"], user="person", **asked)
    assert [(one.value, one.without) for one in report.notices or ()] == expected


def test_a_query_that_is_the_source_chooses_nothing(folder: Path) -> None:
    query = "SELECT * FROM 'people.parquet' WHERE sex = 1"
    few = ["direct_identifiers"]
    assert duckrisk.assess(query=query, only=few).notices is None
    counted = duckrisk.assess(query=query, where="age < 30", only=few).notices or ()
    assert [(one.setting, one.value, one.without) for one in counted] == [("source.where", 10, 35)]


@pytest.mark.slow
def test_a_recipe_chooses_the_same_records_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["-o", "r.csv", "--overwrite", "--drop", "age"]
    for text, asked in (
        ('[source]\nwhere = "city = \'c1\' OR \\"sex\\" = 1"\n', []),
        ('[source]\nquery = "SELECT * EXCLUDE (city) FROM source WHERE age < 30"\n', []),
        ('[source]\nwhere = "age < 30"\n', ["--where", "city = 'c2'"]),
        ("", ["--where", "city <> 'c2' -- a remark"]),
    ):
        with settings(text):
            made = command("anonymize", "people.parquet", *words, *asked, "--format", "json").json
        first = Path("r.csv").read_bytes()
        assert 0 < made["records"] < 70
        assert made["notices"][0]["without"] == 70
        away = folder / "away"
        away.mkdir(exist_ok=True)
        recipe = (folder / "r.csv.recipe.toml").read_bytes()
        with monkeypatch.context() as moved:
            moved.chdir(away)
            (away / "own.toml").write_bytes(recipe)
            with settings('[source]\nwhere = "age > 1000"\n'):  # what the recipe says wins
                again = command(
                    *("anonymize", "../people.parquet", "-o", "r.csv", "--overwrite", "--recipe", "own.toml"),
                    *("--format", "json"),
                )
            assert Path("r.csv").read_bytes() == first
            assert again.json["notices"][0]["origin"] == "own.toml"
            assert again.json["records"] == made["records"]
            python = duckrisk.anonymize("../people.parquet", "p.csv", recipe="own.toml", overwrite=True)
            assert (python.records, Path("p.csv").read_bytes()) == (made["records"], first)
            changed = command(
                *("anonymize", "../people.parquet", "-o", "q.csv", "--overwrite", "--recipe", "own.toml"),
                *("--where", "age = 20", "--format", "json"),
            )
        if "query" not in text:
            assert changed.json["notices"][0]["origin"] is None
            assert changed.json["records"] == 2


@pytest.mark.parametrize(
    "wrong", ["source = 1", "[source]\nwhere = 1", "[source]\nbeside = 'x'", "[source]\ntable = 't'"]
)
def test_a_recipe_that_chooses_wrongly_is_refused(wrong: str, folder: Path) -> None:
    Path("own.toml").write_text(f'{wrong}\n[[step]]\nmethod = "shuffle"\n', encoding="utf-8")
    told = command("anonymize", "people.parquet", "-o", "r.csv", "--recipe", "own.toml")
    assert told.code == 2
    assert "own.toml" in told.err
    assert not Path("r.csv").exists()


def test_the_next_command_reads_the_same_settings(folder: Path) -> None:
    """What a screen says to type next would otherwise treat all records."""
    with settings('user = "person"\n[columns]\ncity = "direct_identifier"\n', "own.toml"):
        told = command("assess", "people.parquet", "-q", "--config", "own.toml").out
    release = next(one for one in told.splitlines() if "duckrisk anonymize" in one)
    assert "--config own.toml" in release


# --- earlier reports -------------------------------------------------------------------------------


def test_a_baseline_says_which_settings_differ(folder: Path) -> None:
    def run(*words: str) -> Result:
        return command("assess", "halves.parquet", "-q", *JUDGED, *words)

    Path("then.json").write_text(run("--format", "json").out, encoding="utf-8")
    with (
        settings("[source]\nwhere = \"person < 'p5'\"\n[measures]\ndetailed = 0\n[policy]\none_fact = 0.5\n"),
        measured_once(),
    ):
        told = run("--baseline", "then.json")
        again = run("--baseline", "then.json", "--format", "json").json
        Path("now.json").write_text(run("--format", "json").out, encoding="utf-8")
        same = run("--baseline", "now.json", "--format", "json").json
    assert again["baseline"]["settings"] == ["policy.one_fact", "source.where", "measures.detailed"]
    assert "made with other settings: policy.one_fact, source.where, measures.detailed" in " ".join(
        told.out.split()
    )
    assert "settings" not in same["baseline"]


# --- no file can turn a verdict in silence ---------------------------------------------------------

_SOME: dict[str, st.SearchStrategy[Any]] = {
    "user": st.sampled_from(["person", "city", "sex", ""]),
    "attributes": st.lists(
        st.sampled_from(["sex", "age.band(50)", "city.prefix(1)", "city", "age"]), min_size=1, unique=True
    ),
    "ignore": st.lists(st.sampled_from(["age", "city", "sex"]), min_size=1, unique=True),
    "columns": st.dictionaries(
        st.sampled_from(["age", "city", "sex", "person"]),
        st.sampled_from(["ignored", "constant", "event_key", "free_text", "attribute"]),
        min_size=1,
    ),
    "only": st.just(["attribute_risk", "uniqueness", "direct_identifiers"]),
    "policy.name": st.sampled_from(policy.PRESETS),
    "policy.unique_people": st.just(1.0),
    "policy.smallest_class": st.just(1),
    "policy.one_fact": st.just(1.0),
    "policy.three_facts": st.just(1.0),
    "policy.identifying_columns": st.just(9),
    "source.where": st.sampled_from(["sex = 1", "age = 20", "city = 'c1'", "TRUE"]),
    "source.query": st.sampled_from(
        [
            "SELECT person, 1 AS sex, 2 AS age, 3 AS city FROM source",
            "SELECT 'p' || (i % 70) AS person, i % 2 AS sex, 1 AS age, 'c' AS city FROM range(9000) AS r(i)",
            "FROM source",
        ]
    ),
    "measures.method": st.sampled_from(["sample", "approximate"]),
    "measures.known_records": st.just(0),
    "measures.detailed": st.just(0),
    "identifiability.missing": st.just("value"),
    "identifiability.missing_tokens": st.just(["c1", "20"]),
}
_GATE = ["assess", "people.parquet", "-q", "--fail-on", "policy"]
_ALIKE = "SELECT person, sex, 1 + sex AS age, 'c' || sex AS city FROM source"


@LIGHTER
@example({"source.query": _ALIKE, "user": "person"})
@example({"ignore": ["age", "city"], "user": "person", "columns": {"sex": "attribute"}})
@example({"policy.smallest_class": 1, "policy.unique_people": 1.0, "policy.one_fact": 1.0})
@given(st.fixed_dictionaries({}, optional=_SOME))
def test_no_settings_turn_a_failure_in_silence(values: dict[str, Any]) -> None:
    """The table fails the policy that is named; where a file makes it pass, the headline names the file."""
    with _in_folder() as flips:
        with settings(toml_of(values)):
            told = command(*_GATE, "--policy", "public", *([] if "only" in values else JUDGED))
        if told.code == 0:
            flips.append(values)
            start = told.out.index("✓")
            headline = told.out[start : told.out.index("limit\n", start)]
            assert "duckrisk.toml" in headline, told.out


_FLIPS: list[Any] = []


@contextlib.contextmanager
def _in_folder() -> Iterator[list[Any]]:
    import tempfile

    with tempfile.TemporaryDirectory() as temporary, contextlib.chdir(temporary):
        table(Path(temporary) / "people.parquet", PEOPLE)
        yield _FLIPS


_KNOWN = dict.fromkeys(("sex", "age", "city"), "quasi_identifier")


@pytest.mark.slow
def test_some_settings_do_turn_it() -> None:
    """What the property is about happens: two of its examples pass, the one with limits alone does not."""
    for values, code in (
        ({"source.query": _ALIKE, "columns": {"person": "pseudonym", **_KNOWN}}, 0),
        ({"source.query": _ALIKE, "user": "person"}, 1),  # not every column has a declared role
        (
            {"columns": {"person": "pseudonym", **_KNOWN, "age": "insensitive", "city": "insensitive"}},
            0,
        ),
        ({"ignore": ["age", "city"], "user": "person", "columns": {"sex": "attribute"}}, 1),
        ({"policy.smallest_class": 1, "policy.unique_people": 1.0, "policy.one_fact": 1.0}, 1),
        ({}, 1),
    ):
        with _in_folder(), settings(toml_of(values)):
            told = command(*_GATE, "--policy", "public", *JUDGED)
        assert told.code == code, values


# --- what a person typed is shown, never obeyed ----------------------------------------------------


def test_no_form_has_a_control_character(folder: Path) -> None:
    hostile = "a\x1b[31m\x9b2J\u202e\n::error::x"
    text = toml_of(
        {
            "identifiability.missing_tokens": [hostile, ""],
            "source.where": "city <> 'x\x1b[31m\u202e\n::error::y'",
        }
    )
    name = "b\x1b[2J.toml"
    with settings(text, name), measured_once():
        for form in ("table", "json", "markdown", "html", "sarif", "github", "csv"):
            told = command("assess", "people.parquet", "--config", name, "--format", form, "--junit", "j.xml")
            assert told.code == 0, told.err
            shown = json.dumps(told.json["notices"], ensure_ascii=False) if form == "json" else told.out
            shown = shown.partition("<bdi>missing_tokens</bdi>")[0]  # a page's table of settings is as typed
            for said in (shown, told.err, Path("j.xml").read_text(encoding="utf-8")):
                steering = {c for c in said if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\t"}
                assert not steering - {"\r"}, (form, steering)
                assert not any(one.startswith("::error::") for one in said.splitlines())


def test_what_is_settled_is_json() -> None:
    """Numbers are numbers, and everything else is text."""
    found = list_notices(FileSettings("f", VALUES), Request(where="sex = 1"), 60, 8, Options(one_fact=0.5))
    data = json.loads(json.dumps([[one.setting, one.value, one.without] for one in found or ()]))
    assert ["policy.one_fact", 0.5, 0.09] in data
    assert ["source.where", 8, 60] in data
    assert ["measures.samples", 7, None] in data
