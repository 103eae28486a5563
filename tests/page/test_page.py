"""What the page shows of a state, of faults, and of names and values that would rather be code."""

from __future__ import annotations

import dataclasses
import html
import re
import threading
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from duckrisk.api import config
from duckrisk.base.folders import create_private_folder
from duckrisk.decision.assessment import Settings
from duckrisk.engine.session import Resources
from duckrisk.page import view
from duckrisk.page.desk import Failed
from duckrisk.page.settings import Given, write_settings
from duckrisk.page.state import History, State
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.sections import verdict as verdicts
from duckrisk.report.words import LANGUAGES, Words
from tests.command import command, table
from tests.hostile import HOSTILE
from tests.outline import ALLOWED
from tests.page.opened import PATIENTS, Page, opened, patients, text_of
from tests.tables import thinned

#: Patients with the moment of a visit.
CODED = PATIENTS.replace(
    "SELECT ", "SELECT i, TIMESTAMP '2020-01-01' + to_minutes(CAST(i * 5003 AS INTEGER)) AS seen, ", 1
)


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the names that its labels hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


#: Elements of the page that a report lacks.
CONTROLS = {
    *("a", "br", "button", "datalist", "fieldset", "form", "input", "label", "legend", "link", "noscript"),
    *("option", "output", "script", "select"),
}


# --- states ----------------------------------------------------------------------------------------


def test_a_state_is_its_settings_file(tmp_path: Path) -> None:
    names = [
        name for name in HOSTILE if "\0" not in name and name.encode("utf-8", "replace").decode() == name
    ]
    state = State()
    for name in names:
        state = state.declare(name, "quasi_identifier")
    state = state.declare(names[0], "user").declare(names[1], "sensitive").declare(names[2], "keep")
    path = tmp_path / "duckrisk.toml"
    path.write_bytes(write_settings(Given("t.parquet"), state).encode())
    read = config.load(path).overrides
    assert read.user == names[0]
    assert dict(read.roles) == {name: role for name, role in state.roles if role != "user"}


def test_there_is_one_user() -> None:
    state = State().declare("a", "user").declare("b", "pseudonym")
    assert state.roles == (("b", "pseudonym"),)
    assert state.declare("b", "").roles == ()


def test_moves_can_be_undone() -> None:
    history = History.begin(State())
    one = history.move(history.state.publish("a", "month"), "one")
    two = one.move(one.state.publish("a", "out"), "two")
    assert two.move(two.state, "nothing") == two
    assert two.undo() == one
    assert one.undo() == history == history.undo()


def test_no_state_reads_as_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "duckrisk.toml"
    path.write_text(write_settings(Given("t.parquet"), State()), encoding="utf-8")
    assert config.load(path).overrides == Settings().overrides


# --- what is shown ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_verdict_is_that_of_the_command_line(tmp_path: Path) -> None:
    source = patients(tmp_path)
    with opened(source) as page:
        for column, role in (("patient_id", "pseudonym"), ("illness", "insensitive"), ("age", "keep")):
            page.post("/role", column=page.position(column), role=role)
            page.post("/policy", policy="shared")
            page.settle()
            typed = ["--policy", "shared"]
            for name, declared in page.board.state.roles:
                flag = {"keep": "--keep", "pseudonym": "--pseudonym"}.get(declared, f"--{declared}")
                typed += [flag, name]
            said = command("assess", source, *typed, "--quick", "--format", "json").json
            shown = page.board.verdict
            assert [f.value for f in shown.verdict.findings] == [
                f["value"] for f in said["verdict"]["findings"]
            ]
            assert shown.verdict.outcome == said["verdict"]["outcome"]


def without_blanks(page: str) -> str:
    """What a page says, without elements and blanks: commands in sentences are elements."""
    return "".join(html.unescape(re.sub(r"<[^>]+>", "", page)).split())


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_decision_is_worded_as_the_report_does(tmp_path: Path, language: str) -> None:
    """With its reservations, the lines that have no limit, and what a quick run leaves out."""
    source, words = patients(tmp_path), Words(language)
    typed = ("--policy", "public", "--quick", "--lang", language)
    assert command("assess", source, *typed, "-o", tmp_path / "report.html").code == 0
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    headline = re.search(r'<p class="verdict[^"]*">(.*?)</p>', report, re.DOTALL)
    with opened(source, language=language) as page:
        page.post("/policy", policy="public")
        text = page.settle()
        judged = page.board.verdict
    assert headline
    assert headline[1] in text
    said = without_blanks(text)
    lines = verdicts.list_limits(judged)
    assert len(lines) > len(judged.verdict.findings)
    sentences = [
        *judged.verdict.reservations,
        *judged.verdict.undecided_because,
        verdicts.describe_not_looked_at(judged),
        *(one for line in lines for one in (line.name, line.figure, line.remark)),
    ]
    for sentence in filter(None, sentences):
        assert "".join(words.format(sentence).split()) in said, sentence


@pytest.mark.slow
def test_settings_that_change_the_verdict_are_named(tmp_path: Path) -> None:
    """Of a settings file only the roles and the policy have controls; all others are said."""
    content: dict[str, Any] = {
        "user": "patient_id",
        "ignore": ["age"],
        "columns": {"illness": "sensitive"},
        "policy": {"name": "shared"},
        "measures": {"seed": 7},
    }
    with opened(patients(tmp_path), content=content) as page:
        for treat in (False, True):
            if treat:
                page.slide("zip", "prefix2")
            text = without_blanks(page.settle())
            for said in ('ignore=["age"]', "[measures]seed=7"):
                assert said in text
            for shown in ('user="patient_id"', '[policy]name="shared"'):
                assert shown not in text


@pytest.mark.slow
def test_limits_of_the_settings_file_stay_with_its_policy(tmp_path: Path) -> None:
    given: dict[str, Any] = {"policy": {"name": "shared", "smallest_class": 20}}
    lost = "they do not count here"
    with opened(patients(tmp_path), content=given) as page:

        def choose(policy: str) -> tuple[float, bool]:
            page.post("/policy", policy=policy)
            said = lost in page.settle()
            findings = page.board.verdict.verdict.findings
            return next(one.limit for one in findings if one.name == "smallest_class"), said

        assert choose("shared") == (20, False)
        assert choose("public") == (11, True)
        assert choose("shared") == (20, False)


@pytest.mark.slow
def test_the_figures_are_those_of_the_release(tmp_path: Path) -> None:
    """What a slider says without a release is what the assessment of the release finds."""
    with opened(patients(tmp_path)) as page:
        page.post("/role", column=page.position("patient_id"), role="pseudonym")
        page.post("/role", column=page.position("illness"), role="insensitive")
        for column, form in (("birth_date", "10years"), ("zip", "prefix2"), ("age", "10"), ("sex", "out")):
            assert page.slide(column, form).status_code == 200
            page.settle()
            figures, judged = page.board.figures, page.board.verdict.assessment.uniqueness
            assert figures.together.smallest_class == judged.all_attributes.smallest_class
            assert figures.together.people == judged.all_attributes.people
            assert figures.facts[-1].typical == pytest.approx(judged.facts[len(figures.facts) - 1].typical)
            assert 0 < figures.detail.detail_left < 1


@pytest.mark.slow
def test_figures_before_small_classes_go_say_so(tmp_path: Path) -> None:
    """What deleting them leaves is in the verdict on the release alone."""
    said = "before small classes are deleted"
    with opened(patients(tmp_path)) as page:
        page.slide("zip", "prefix2")
        page.settle()
        before = page.board.figures.together
        page.post("/below", below=5)
        text = text_of(page.settle())
        assert page.board.figures.together == before
        assert text.count(said) == 4
        page.post("/below", below=0)
        assert said not in text_of(page.settle())


def test_the_user_column_is_left_out_or_stays(tmp_path: Path) -> None:
    """Bands of it would be other people in the release than in the figures; random codes are not."""
    with opened(patients(tmp_path)) as page:

        def forms(column: str) -> tuple[str, ...]:
            return next(one.forms for one in page.board.columns if one.column == column)

        assert page.slide("zip", "prefix2").status_code == 200
        page.post("/role", column=page.position("zip"), role="user")
        assert page.board.state.forms == ()
        assert forms("zip") == ("", "pseudonym", "out")
        assert len(forms("patient_id")) > 2
        assert page.slide("zip", "out").status_code == 200
        page.post("/role", column=page.position("zip"), role="pseudonym")
        assert page.board.state.forms == (("zip", "out"),)
        page.post("/role", column=page.position("patient_id"), role="user")
        assert len(forms("zip")) > 2
        assert forms("patient_id") == ("", "pseudonym", "out")


@pytest.mark.slow
def test_a_change_is_of_its_column_and_of_what_was_measured(tmp_path: Path) -> None:
    """A column "sex.code" is no form of a column "sex", and what was not measured is no 0."""
    source = table(tmp_path / "t.parquet", f'SELECT *, i % 40 AS "sex.code" FROM ({CODED}) t')
    with opened(source) as page:
        page.post("/role", column=page.position("patient_id"), role="pseudonym")
        page.slide("sex", "out")
        page.slide("seen", "year")
        page.settle()
        first, judged = page.board.verdict_before, page.board.verdict
        changes = {change.column: change for change in view._list_changes(page.board, first, judged)}
        assert {name for name, change in changes.items() if change.is_changed} == {"seen", "sex"}
        assert changes["sex"].ranks[0].distinct_values == 2
        assert changes["sex"].ranks[1] is None
        assert changes["sex"].risk[1] == "-"
        seen = [ranks.distinct_values for ranks in changes["seen"].ranks]
        assert seen[0] > seen[1] > 0
        unknown = [
            dataclasses.replace(row, mean_risk=None, sampled=None, distinct_values=None)
            for row in first.attribute_risk
        ]
        first = dataclasses.replace(first, attribute_risk=tuple(unknown))
        judged = dataclasses.replace(judged, assessment=first)
        assert {change.risk for change in view._list_changes(page.board, first, judged)} == {("-", "-")}


@pytest.mark.slow
def test_columns_before_and_after_are_counted(tmp_path: Path) -> None:
    """The values of 240 zips by 24 numbers of 10 records; a limit of 11 people makes all of them rare."""
    with opened(patients(tmp_path)) as page:
        page.post("/policy", policy="public")
        page.slide("zip", "prefix1")
        text = text_of(page.settle())
        judged = page.board.verdict
        before, after = judged.before["zip"], judged.after["zip"]
        assert (judged.rare, before.distinct_values, before.rare_values, before.rare_share) == (
            11,
            24,
            24,
            1.0,
        )
        assert before.shares == (10 / 240,) * 20
        assert (after.distinct_values, after.rare_values, after.missing_share, after.shares) == (
            1,
            0,
            0,
            (1.0,),
        )
        assert "Distinct values 24 → 1 Rare values 24 → 0" in text
        assert "columns without a change" in text
        page.post("/undo")
        assert "Nothing is changed yet." in text_of(page.settle())


@pytest.mark.slow
def test_values_appear_only_where_they_are_asked_for(tmp_path: Path) -> None:
    cells = ("p17", "fracture", "asthma", "10700", "1950-01-01")
    with opened(patients(tmp_path)) as page:
        page.slide("zip", "prefix2")
        page.post("/export")
        text = text_of(page.settle())
        assert not any(cell in text for cell in cells)
        assert "9999-99-99" in text
    with opened(patients(tmp_path), show_values=True) as page:
        text = text_of(page.settle())
        assert "fracture" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_control_has_a_name(tmp_path: Path, language: str) -> None:
    with opened(patients(tmp_path), language=language) as page:
        text = page.settle()
    tags = Elements(text).tags
    labels = {attributes.get("for") for tag, attributes in tags if tag == "label"}
    for tag, attributes in tags:
        if tag == "select" or (tag == "input" and attributes.get("type") == "range"):
            assert attributes.get("aria-label") or attributes.get("id") in labels, attributes
    assert f'<html lang="{language}">' in text
    assert text.count("<h1") == 1
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def hostile_table(folder: Path, names: list[str]) -> Path:
    """A table whose columns and values are these names."""
    quoted = [name.replace('"', '""') for name in names]
    values = ["'" + name.replace("'", "''") + "'" for name in names]
    columns = ", ".join(f'{value} || i % 3 AS "{name}"' for name, value in zip(quoted, values, strict=True))
    return table(folder / "hostile.parquet", f"SELECT {columns} FROM range(60) t(i)")


NAMES = [name for name in HOSTILE if "\0" not in name and name.strip() and len({name.casefold()}) == 1]


def distinct(names: list[str]) -> list[str]:
    """Names that differ in more than case: no table can have two that do not."""
    return list({name.casefold(): name for name in names if not re.search("[\ud800-\udfff]", name)}.values())


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, 1])
def test_names_and_values_are_no_code(tmp_path: Path, part: int) -> None:
    names = [name for name in distinct(NAMES) if re.search(r"[<>&\"'`{}|\[\]=\\;$%#*\n]", name)][part::2][:12]
    with opened(hostile_table(tmp_path, names), show_values=bool(part)) as page:
        columns = [column.column for column in page.board.columns]
        for position in range(0, len(columns), 5):
            page.post("/role", column=position, role="sensitive")
            page.post("/form", column=position, level=1)
        text = page.settle()
    elements = Elements(text)
    assert {tag for tag, _ in elements.tags} <= ALLOWED | CONTROLS
    assert sum(tag == "script" for tag, _ in elements.tags) == 1
    for _, attributes in elements.tags:
        assert not any(name.startswith("on") or name in ("src", "style") for name in attributes)
    bodies = html.unescape(re.sub(r"<[^>]+>", "", text))
    assert sum(name in bodies or escape_unprintable(name) in bodies for name in columns) >= len(columns) * 0.8


@pytest.mark.slow
def test_a_wide_table(tmp_path: Path) -> None:
    columns = ", ".join(f"i * {n} % {30 + n} AS c{n}" for n in range(1, 75))
    with opened(table(tmp_path / "wide.parquet", f"SELECT {columns} FROM range(90) t(i)")) as page:
        assert page.slide("c31", "5").status_code == 200
        page.settle()
        assert page.board.figures.together.share == 1.0
        assert not isinstance(page.board.verdict, Failed)


def test_a_shape_holds_nothing_of_a_value(tmp_path: Path) -> None:
    """Letters and digits of any script become signs; the most frequent shape comes first."""
    cells = ["Ab-12 é", "東京都", "+81 (90)", "x@y.jp", "<b>&\"'", "٣٤"]
    written = ", ".join("'" + cell.replace("'", "''") + "'" for cell in cells)
    source = table(
        tmp_path / "t.parquet",
        f"SELECT [{written}][1 + i % 6] AS one, i AS two FROM range(60) t(i)"
        f" UNION ALL SELECT 'Zz-99 ß', 60 + i FROM range(9) t(i)",
    )
    page = Page.of(source)
    page.board.open_source(None)
    looks = page.board.bench.find().looks
    page.close()
    assert looks[0] == ("Aa-99 a", "+99 (99)", "99")
    assert looks[1] == ("99", "9")


# --- faults ----------------------------------------------------------------------------------------


def test_a_form_of_an_older_state_does_nothing(tmp_path: Path) -> None:
    """Two tabs: what the second one shows is not the state any more."""
    with opened(patients(tmp_path)) as page:
        seen = page.board.count
        page.post("/policy", policy="shared")
        answer = page.post("/policy", policy="internal", seen=f"{seen}")
        assert page.board.state.policy == "shared"
        assert "another tab" in answer.text
        assert page.post("/undo", seen=f"{seen}").status_code == 200
        assert page.board.state.policy == "shared"


def test_the_table_is_replaced_while_the_page_is_open(tmp_path: Path) -> None:
    source = patients(tmp_path)
    with opened(source) as page:
        table(source, f"SELECT * FROM ({PATIENTS}) LIMIT 50")
        page.slide("zip", "prefix2")
        page.post("/advice")
        text = page.settle()
        assert "changed while" in text or "was changed" in text or "changed" in text_of(text)
        assert isinstance(page.board.verdict, Failed)
        assert isinstance(page.board.advice, Failed)


def test_the_table_goes_while_the_page_is_open(tmp_path: Path) -> None:
    source = patients(tmp_path)
    with opened(source) as page:
        source.unlink()
        page.post("/policy", policy="internal")
        page.settle()
        assert isinstance(page.board.verdict, Failed)
        assert page.client.get("/").status_code == 200


@pytest.mark.slow
def test_the_engine_runs_out_of_memory(tmp_path: Path) -> None:
    """It says so, goes on to serve, and leaves nothing."""
    wide = ", ".join(f"md5(i || '{n}') AS c{n}" for n in range(8))
    source = table(tmp_path / "wide.parquet", f"SELECT {wide} FROM range(300000) t(i)")
    folder = tmp_path / "spill"
    folder.mkdir()
    page = Page(Given(str(source)), Resources(memory="110MB", threads=1, temp=str(folder)))
    try:
        page.board.open_source(None)
        page.board.desk.start()
        page.client.get(f"/?ticket={page.gate.ticket}")
        assert "The engine ran out of its memory limit" in text_of(page.settle())
        assert page.post("/resume").status_code == 200
    finally:
        page.close()
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_a_job_can_be_cancelled_and_done_again(tmp_path: Path) -> None:
    source = table(tmp_path / "large.parquet", PATIENTS.replace("range(240)", "range(150000)"))
    page = Page(Given(str(source)))
    try:
        page.board.open_source(None)
        page.board.desk.start()
        page.client.get(f"/?ticket={page.gate.ticket}")
        answer = page.client.get("/")
        assert "Opening the table" in answer.text or "Measuring" in answer.text
        while (running := page.board.desk.look()) is None or running.name != "verdict":
            time.sleep(0.01)
        started = time.monotonic()
        page.post("/cancel")
        text = page.settle()
        assert time.monotonic() - started < 5
        assert "This was cancelled." in text
        page.post("/resume")
        assert "This was cancelled." not in page.settle()
        assert not isinstance(page.board.verdict, Failed)
    finally:
        page.close()


@pytest.mark.slow
@pytest.mark.parametrize("sentence", thinned(["It failed.", ""]))
def test_nothing_that_was_cancelled_or_failed_is_waited_for(tmp_path: Path, sentence: str) -> None:
    """Neither advice nor files come any more; they can be asked for again, or resumed."""
    with opened(patients(tmp_path)) as page:
        page.slide("zip", "prefix2")
        page.settle()
        state, desk = page.board.state, page.board.desk
        ended = [("advice", (), None), ("export", state), ("verdict", State())]
        page.board._wants_advice.add(ended[0])
        page.board._wants_export.add(state)
        with desk._lock:
            for key in ended:
                desk._keep(key, Failed(sentence))
        text = text_of(page.settle())
        assert "Measuring …" not in text
        assert (sentence or "This was cancelled.") in text
        for label in ("Look for releases", "Write the files", "Measure again"):
            assert label in text
        page.post("/resume")
        text = text_of(page.settle())
        assert not any(isinstance(desk.find(key), Failed) for key in ended)
        assert "Measure again" not in text
        assert "Look for releases" not in text
        assert page.board.find_file("commands.sh") is not None


@pytest.mark.slow
def test_a_newer_decision_ends_a_job(tmp_path: Path) -> None:
    source = table(tmp_path / "large.parquet", PATIENTS.replace("range(240)", "range(100000)"))
    with opened(source) as page:
        for form in ("week", "month", "quarter", "year"):
            page.slide("birth_date", form)
        page.settle()
        assert page.board.state.forms == (("birth_date", "year"),)
        judged = [key for key in page.board.desk._results if key[0] == "verdict" and key[1].is_treated]
        assert len(judged) == 1


def test_ending_by_the_page(tmp_path: Path) -> None:
    with opened(patients(tmp_path)) as page:
        assert page.post("/end").text == "duckrisk is ending; then nothing is left."
        assert page.ends == 1


def test_a_job_that_does_not_end_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duckrisk.page.desk._CLOSE_SECONDS", 0.1)
    folder, stays = tmp_path / "spill", threading.Event()
    folder.mkdir()
    page = Page(Given(str(patients(tmp_path))), Resources(temp=str(folder)))
    page.board.open_source(None)

    def write(state: State) -> None:
        (create_private_folder(str(folder)) / "release.parquet").write_bytes(b"x")
        stays.wait(30)

    monkeypatch.setattr(page.board.bench, "assess", write)
    page.board.desk.start()
    while len(list(folder.iterdir())) < 2:
        time.sleep(0.01)
    page.close()
    assert list(folder.iterdir()) == []
    stays.set()
