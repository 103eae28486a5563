"""No English sentence is left in a Japanese run: commands, and 60 mistakes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cases import Cases
from tests.command import command, measured_once
from tests.japanese.test_japanese_errors import JAPANESE
from tests.tables import EXAMPLES, thinned

#: Three words of small letters in a row; names, options, paths and code hold no blanks.
ENGLISH = re.compile(r"(?<![\w.=/\"'-])[A-Za-z]?[a-z]+(?: [a-z]+){2,}(?![\w.=/\"'-])")
#: What is shown as it is: code, quoted names, commands to type, settings, citations, a list of sources, and
#: SQL behind the line that says in which language its comments are.
AS_IT_IS = re.compile(
    r"`[^`]*`|「[^」]*」|\"[^\"\n]*\"|'[^'\n]*'|^(?:SQL:)? *duckrisk .*(?:\n   .*)*|[（(][A-Z][^（）()]*[）)]"
    r"|^出典：.*(?:\n  .*)*|(?<=コメントは英語です。\n)[\s\S]*",
    re.M,
)
ROWS = [f"P{n:03d},{20 + n * n % 211},{'MF'[n % 2]},{'abcdefg'[n * 3 % 7]}" for n in range(120)]

RUNS = """
assess p.csv --full
assess p.csv --quick
advise p.csv
anonymize p.csv --to-policy internal -o released.csv
anonymize p.csv --generalize age=10 --drop person -o plain.csv
compare p.csv plain.csv
init p.csv -o init.toml --yes
explain
explain policy
explain options
explain attribute_risk
explain suda
explain suda_begin
explain k-anonymity
explain smallest_class
explain ncp
sql list
sql show class_sizes p.csv --attribute age
sql show suda p.csv
sql macros
membership synthesize p.csv -o made.csv --seed 1
membership risks p.csv made.csv --attacks-per-risk 5
membership utility p.csv made.csv
"""

MISTAKES = """
asses p.csv
assess
assess no.csv
assess p.cvs
assess p.csv --foo
assess p.csv --user
assess p.csv --user persn
assess p.csv --attribute agee
assess p.csv --attribute age.weekk
assess p.csv --ignore agee
assess p.csv --sensitive nothing
assess p.csv --quasi-identifier sex --sensitive sex
assess p.csv --only riskk
assess p.csv --quick --only suda
assess p.csv --confidence 3
assess p.csv --confidence much
assess p.csv --samples -1
assess p.csv --samples 1.5
assess p.csv --threads many
assess p.csv --memory lots
assess p.csv --policy everybody
assess p.csv --format xls
assess p.csv --format parquet
assess p.csv -o report.docx
assess p.csv -o missing/report.html
assess p.csv -o p.csv
assess p.csv --where 'age >'
assess p.csv --where 'agee > 1'
assess p.csv --where 'age > random()'
assess p.csv --query 'DELETE FROM source'
assess p.csv --query 'SELECT nothing FROM source'
assess p.csv --with a=p.csv
assess p.csv --table people
assess p.csv --attach p.csv
assess p.csv --fail-on 'smallest_clas < 5'
assess p.csv --fail-on 'attribute_risk.mean_risk > 20%'
assess p.csv --fail-on 'class_sizes'
assess p.csv --baseline p.csv
assess p.csv --level age=agee
assess p.csv --level age=7,9
assess p.csv --level age
assess p.csv --count sex
assess p.csv --timezone Mars
assess p.csv --encoding nothing
assess p.csv --skip-lines 99999
assess p.csv --read age=sometimes
assess p.csv --config no.toml
assess p.csv --config bad.toml
assess p.csv --config unknown.toml
assess p.csv --engine nowhere
assess p.csv --population no.csv
assess p.csv --hierarchies unknown.toml
assess empty.csv
assess ragged.csv
assess header.csv
assess book.csv
assess broken.parquet
assess empty_folder
assess p.csv --lang fr
advise p.csv --engine nowhere
advise p.csv --target 'risk > 1'
anonymize p.csv -o out.csv
anonymize p.csv --drop age
anonymize p.csv --drop agee -o out.csv
anonymize p.csv --generalize age -o out.csv
anonymize p.csv --generalize age=foo -o out.csv
anonymize p.csv --to-policy public --drop age -o out.csv
anonymize p.csv --delete "age = 'x" -o out.csv
anonymize p.csv --k 0 --quasi-identifier age -o out.csv
anonymize p.csv --k 5 -o out.csv
anonymize p.csv --k 999 --quasi-identifier age -o out.csv
anonymize p.csv --recipe no.toml -o out.csv
anonymize p.csv --recipe recipe.toml -o out.csv
anonymize p.csv --drop sex -o made.txt
compare p.csv
compare p.csv no.csv
compare p.csv other.csv
compare p.csv p.csv --key agee
explain nothing_like_it
explain smallest_clas
sql show attribute_rsk p.csv
sql nothing
init p.csv -o p.csv
pwscup score p.csv p.csv
membership attack p.csv p.csv --attack guess
membership synthesize p.csv -o made.csv --method rr
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    text = "person,age,sex,site\n" + "\n".join(ROWS) + "\n"
    Path("p.csv").write_text(text)
    Path("other.csv").write_text("colour,weight\nred,1\nblue,2\n")
    Path("empty.csv").write_text("")
    Path("ragged.csv").write_text("a,b\n" + "1,2\n" * 30 + "1,2,3\n")
    Path("header.csv").write_text("a,b\n")
    Path("book.csv").write_bytes(b"PK\x03\x04" + b"x" * 100)
    Path("broken.parquet").write_bytes(b"PAR1" + b"x" * 100)
    Path("empty_folder").mkdir()
    Path("bad.toml").write_text("this is = = no toml")
    Path("unknown.toml").write_text('colour = "red"\n')
    Path("recipe.toml").write_text('[[step]]\nmethod = "suffle"\n')
    return tmp_path


def find_english(text: str) -> list[str]:
    """Return runs of three or more English words outside names, options, code and paths."""
    return ENGLISH.findall(AS_IT_IS.sub("", text))


def test_english_is_found() -> None:
    assert find_english("列「a b c」は the column is not そこに") == ["the column is not"]
    assert not find_english("`this is code and` --where の a または b、\n  duckrisk assess my file here")


@pytest.mark.slow
def test_commands_say_nothing_in_english() -> None:
    with Cases() as case, measured_once():
        for line in RUNS.strip().splitlines():
            with case(line):
                spoken = [] if line.startswith("explain") else ["--lang", "ja"]
                done = command(*shlex.split(line), *(spoken or ["--lang=ja"]))
                assert done.code in (0, 1), done.err
                text = done.out + done.err + (Path("init.toml").read_text() if "init" in line else "")
                assert JAPANESE.search(text)
                assert not find_english(text)


@pytest.mark.slow
@pytest.mark.parametrize("by_option", [True, False], ids=["--lang ja", "LANG=ja"])
def test_mistakes_are_told_in_japanese(by_option: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where examples are few, each mistake is made in one of both ways."""
    lines = MISTAKES.strip().splitlines()
    assert len(lines) >= 60
    lines = thinned(lines[not by_option and EXAMPLES < 20 :])
    monkeypatch.setenv("LANG", "C.UTF-8" if by_option else "ja_JP.UTF-8")
    with Cases() as case:
        for line in lines:
            with case(line):
                asked = ["--lang", "ja"] if by_option and "--lang" not in line else []
                done = command(*shlex.split(line), *asked)
                if by_option and "--lang" in line:
                    continue
                assert done.code in (1, 2, 3), done.err
                said = done.err.splitlines()[-1]
                assert JAPANESE.search(said)
                assert not find_english(done.err), done.err
