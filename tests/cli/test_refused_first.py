"""What the options alone make impossible is refused before the engine is opened."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from tests.cli.test_every_option import here, without_engine
from tests.command import command, everything
from tests.tables import thinned

__all__ = ["here"]
#: Each with words of its sentence.
REFUSED = """
assess p.parquet --only minimal_keys --format csv | holds the rows of attribute_risk
assess p.parquet --only suda -o r.parquet | holds the rows of attribute_risk
assess p.parquet --format parquet | needs a file
assess p.parquet -o r.xyz | names no format
assess p.parquet --only suda --fail-on 'class_sizes.smallest_class < 3' | is not measured
assess p.parquet --fail-on 'plausible_attacks.highest_risk > 0.5' | --controls or --motives
assess p.parquet --fail-on 'class_sizes.population_uniqueness.zayatz > 0.1' | only with --fraction
assess p.parquet --fail-on 'class_sizes.journalist.k_map < 3' | --fraction or --population
assess p.parquet --fail-on 'class_sizes.individual.highest_risk > 0.5' | --fraction or --weight
assess p.parquet --fail-on 'class_sizes.household.highest_risk > 0.5' | only with --household
assess p.parquet --known-records 0 --fail-on 'known_records.risk > 0.1' | only with --known-records
assess p.parquet --sample-only --fail-on 'attribute_risk.mean_risk > 0.5' | only values are sampled
assess p.parquet --fail-on 'facts[9].typical > 0.5' | 1 to 4
assess p.parquet --fail-on 'attribute_risk.mean_risk > baseline' | needs an earlier report
assess p.parquet --only suda --records-out r.parquet | needs the part identifiability
assess p.parquet --records-out r.csv | must be a Parquet file
assess p.parquet --controls low --only suda | need the part class_sizes
assess p.parquet --hierarchies gone.toml | no file of hierarchies
assess p.parquet -o r.json --junit r.json | name the same file
assess p.parquet -o p.parquet | is part of the source
compare p.parquet m.parquet --only utility --fail-on policy | judges no policy
compare p.parquet m.parquet --only utility --fail-on 'tables.risk.people.singled_out > 0' | is not measured
compare p.parquet m.parquet --fail-on 'tables.linkage.rate > 0.1' | linkage is not measured
compare p.parquet m.parquet --format csv | only assess writes csv
compare p.parquet m.parquet -o p.parquet --format json | is part of the source
advise p.parquet --objective value --fail-on policy | judges no policy
advise p.parquet --format csv | not as csv
anonymize p.parquet --to-policy public -o there.csv | exists already
anonymize p.parquet --to-policy public -o r.xyz | names no format
anonymize p.parquet --to-policy public -o recipe.csv | exists already
anonymize p.parquet --drop age -o there.csv | exists already
anonymize p.parquet --drop age -o r.csv --keys k.csv | needs --pseudonymize
anonymize p.parquet --pseudonymize age -o r.csv --keys there.csv | never replaced
anonymize p.parquet --drop age -o r.csv --fail-on policy | add --to-policy
init p.parquet -o there.csv | exists already
membership attack p.parquet m.parquet --attack density -o there.csv | exists already
membership attack p.parquet m.parquet --attack density --scores-out s.txt | .csv
membership synthesize p.parquet -o there.csv | exists already
membership synthesize p.parquet -o s.csv --method rr | needs --keep
membership anneal p.parquet -o s.csv --state there.csv | exists already
membership utility p.parquet m.parquet -o u.csv | not as csv
membership risks p.parquet m.parquet --format csv | not as csv
pwscup anonymize t18.csv -o there.csv | exists already
pwscup release t18.csv -o there.csv | exists already
pwscup pseudonyms t18.csv t18.csv -o there.csv | exists already
pwscup partial-knowledge t18.csv -o there.csv --alpha 50 | exists already
pwscup score t18.csv t18.csv --format csv | not as csv
"""


@pytest.fixture
def folder(here: Path) -> Path:
    (here / "there.csv").write_text("x\n1\n", encoding="utf-8")
    (here / "recipe.csv.recipe.toml").write_text("", encoding="utf-8")
    return here


def test_before_the_engine_is_opened(folder: Path) -> None:
    before = everything(folder)
    wrong = []
    for line in REFUSED.strip().splitlines():
        asked, _, words = line.rpartition("|")
        arguments = shlex.split(asked)
        with without_engine(arguments[0]):
            result = command(*arguments)
        if result.code != 2 or words.strip() not in result.err or result.err.count("\n") != 1:
            wrong.append((asked.strip(), result.code, result.err))
    assert wrong == []
    assert everything(folder) == before


#: What can be said only of the columns: of named ones, before anything is measured of them.
OF_COLUMNS = """
assess p.parquet --quasi-identifier age --quasi-identifier age | twice
assess p.parquet --quasi-identifier age --sensitive age | give it one
assess p.parquet --user age --quasi-identifier age | user
assess p.parquet --user age --sensitive age | user
assess p.parquet --quasi-identifier gone | gone
assess p.parquet --sensitive gone | gone
assess p.parquet --weight gone | gone
assess p.parquet --household gone | gone
assess p.parquet --models-of gone | gone
assess p.parquet --fail-on 'attribute_risk[gone].mean_risk > 0.2' | gone
"""


def test_before_anything_is_measured(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    real = Session.run
    measuring = {"examine_sets", "class_counts", "attribute_risk"}

    def run(session: Session, name: str, /, **arguments: object) -> object:
        ran.append(name)
        return real(session, name, **arguments)

    monkeypatch.setattr(Session, "run", run)
    whole = command("assess", "p.parquet", "--quasi-identifier", "age")
    assert whole.code == 0, whole.err
    assert measuring <= set(ran), ran
    for line in OF_COLUMNS.strip().splitlines():
        asked, _, words = line.rpartition("|")
        ran.clear()
        result = command(*shlex.split(asked))
        assert (result.code, result.err.count("\n")) == (2, 1), (asked, result.err)
        assert words.strip() in result.err, (asked, result.err)
        assert not measuring & set(ran), (asked, ran)


def test_python_is_refused_first(folder: Path) -> None:
    with without_engine("assess"):
        for call in (
            lambda: duckrisk.compare("p.parquet", "m.parquet", only=["utility"], fail_on=["policy"]),
            lambda: duckrisk.advise("p.parquet", objective="value", fail_on=["policy"]),
            lambda: duckrisk.assess("p.parquet", fail_on=["class_sizes.journalist.k_map < 3"]),
            lambda: duckrisk.anonymize("p.parquet", "there.csv", to_policy="public"),
        ):
            with pytest.raises(UsageError):
                call()


@pytest.mark.parametrize(
    "asked",
    thinned(
        [
            "--controls low --fail-on 'plausible_attacks.highest_risk > 1'",
            "--fraction 0.1 --fail-on 'class_sizes.population_uniqueness.zayatz > 1'",
            "--fraction 0.1 --fail-on 'class_sizes.individual.highest_risk > 1'",
            "--fraction 0.1 --fail-on 'class_sizes.journalist.highest_risk > 1'",
            "--population p.parquet --fail-on 'class_sizes.journalist.k_map < 1'",
            "--household city --fail-on 'class_sizes.household.highest_risk > 1'",
            "--fail-on 'known_records.risk > 1'",
        ],
        3,
    ),
)
def test_what_an_option_measures_is_judged(folder: Path, asked: str) -> None:
    """The option that the refusal names is the one that it takes."""
    result = command("assess", "p.parquet", *shlex.split(asked))
    assert result.code == 0, result.err
