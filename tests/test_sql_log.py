"""The script of a run: repeated without duckrisk it ends with the numbers of the report, key by key."""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import random
import re
import shlex
import stat
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import numpy
import pandas
import pytest
import typer
from hypothesis import assume, given
from hypothesis import strategies as st

import duckrisk
from duckrisk import cli
from duckrisk.base import toml
from duckrisk.base.errors import UsageError
from duckrisk.base.folders import STAGED_FILE
from duckrisk.base.results import Result
from duckrisk.base.shapes import keys_of, shapes_of
from duckrisk.cli.output import OUTPUTS
from duckrisk.decision.evidence import Verification
from duckrisk.engine.meanings import statements_of
from duckrisk.engine.session import Session
from duckrisk.engine.sql_log import escape_for_shell
from duckrisk.report import forms
from duckrisk.report.blocks import Block, Column, Detail, Figure, Listing, PageOnly, Pair
from duckrisk.report.registry import report_kinds
from duckrisk.report.statements import ExecutedStatements
from duckrisk.report.words import LANGUAGES, Words
from tests.cases import Cases
from tests.command import FEW, command, everything
from tests.command import table as write_table
from tests.fitting import fit
from tests.hostile import NAMES
from tests.report.test_statements import folds
from tests.tables import LIGHTER, thinned
from tests.test_shell import find_shell, needs_shell

HISTORY = """
    SELECT
        'c' || i * i % 23 AS customer,
        TIMESTAMP '2024-01-03 09:05:00' + to_minutes(CAST(i * 7 % 61 * 997 AS BIGINT)) AS bought,
        'item ' || i * 3 % 29 AS item,
        CAST(40000 + i % 17 * 1.25 AS DECIMAL(8, 2)) AS price,
        CASE WHEN i % 31 = 5 THEN NULL ELSE 'shop ' || i % 5 END AS shop,
        CAST(i * 11 % 7 + 70501 AS INTEGER) AS quantity
    FROM range(420) AS numbers (i)
"""
#: People with some that nobody knows the town of, or the weight.
PEOPLE = """
    SELECT
        i AS number,
        CAST(30300 + i * 7 % 101 AS INTEGER) AS age,
        'job ' || i % 5 AS job,
        CASE WHEN i % 13 <> 3 THEN 'town ' || i * i % 7 END AS town,
        i // 2 AS home,
        CASE WHEN i % 50 <> 1 THEN 1.5 + i % 3 END AS weight,
        60600 + i * 37 % 11 AS pay
"""
KNOWN = "--attribute age --attribute job"
LAYOUT = "--user customer --date bought --item item"
CHOSEN = "--attribute price --attribute quantity"
#: All parts of an assessment: every statement of a plain one, every place where its report holds a number.
PARTS = (
    "assess t.parquet -q --user customer --quasi-identifier item --quasi-identifier quantity "
    "--sensitive price --ignore bought --fraction 0.1 --controls low --missing value --draws 50 "
    "--fail-on policy --only " + " --only ".join(duckrisk.decision.assessment.PARTS)
)
COMMANDS = {
    "assess all parts": PARTS,
    "assess a sample": "assess t.parquet -q --sample-only --samples 5 --where 'quantity > 0'",
    "assess people": "assess people.parquet -q --user '' --quasi-identifier age --quasi-identifier job "
    "--quasi-identifier town --sensitive pay --ignore home --ignore number --weight weight --household home "
    "--fraction 0.2 --population everybody.parquet --show-values --compare-missing --max-size 3 --samples 0 "
    "--known-records 0 "
    "--only class_sizes --only attribute_disclosure --only minimal_keys --only suda "
    "--only attribute_risk --only identifiability",
    "assess agreeing": "assess people.parquet -q --user '' --quasi-identifier age --quasi-identifier town "
    "--missing wildcard --only attribute_sets",
    "assess hierarchies": "assess people.parquet -q --user '' --quasi-identifier age --sensitive job "
    "--hierarchies tree.toml --fraction 0.5 --only attribute_disclosure --only class_sizes",
    "assess stopped": "assess t.parquet -q --max-sets 2 --only identifiability",
    "assess records": "assess t.parquet -q --user '' --attribute item+quantity --attribute price",
    "assess unlinked": "assess unlinked.parquet -q --original t.parquet --only uniqueness",
    "compare": "compare t.parquet coarse.parquet -q --attribute price --attribute quantity --only risk",
    "compare people": "compare people.parquet decades.parquet -q --user '' --ignore number --ignore home "
    "--ignore weight --aligned --only utility --only linkage --only information",
    "compare items": "compare t.parquet followed.parquet -q --item item --user customer "
    "--only recommendation",
    "sequence": "sequence members.parquet people.parquet -q --user number --sensitive pay --ignore weight "
    "--quasi-identifier job --insensitive age --insensitive town --insensitive home",
    "sequence linked": "sequence members.parquet people.parquet --user number --ignore weight -q",
    "assess after others": "assess t.parquet -q --user customer --only uniqueness --earlier coarse.parquet",
    "advise value": "advise t.parquet -q --steps 1 --objective value --ignore shop --ignore bought",
    "advise": "advise people.parquet -q --policy internal --user number",
    "anonymize k": "anonymize t.parquet -o out.parquet --k 3 --quasi-identifier quantity "
    "--quasi-identifier price --seed 3",
    "anonymize": "anonymize t.parquet -o out.csv --pseudonymize customer=month --date bought "
    "--generalize price=5 --delete-classes-below 2 --quasi-identifier quantity --seed 3",
    "anonymize policy": "anonymize people.parquet -o out.parquet --to-policy internal --seed 3 --user number",
    "anonymize cells": "anonymize people.parquet -o out.parquet --seed 3 --suppress-cells 'job=age > 30390' "
    "--microaggregate age=3 --delete 'pay = 60603' --generalize town=level1 --hierarchies tree.toml",
    "anonymize uniform": "anonymize people.parquet -o out.parquet --k 3 --method uniform "
    "--quasi-identifier job --quasi-identifier pay",
    "tables": "tables people.parquet others.parquet -q --by job --by town --user home --show-values",
    "attack": f"attack t.parquet followed.parquet {LAYOUT}",
    "attack a table": "attack people.parquet --user ''",
    "pwscup anonymize": f"pwscup anonymize t.parquet -o out.parquet {LAYOUT} --life 3 "
    "--perturb-dates 0.2 --seed 3",
    "pwscup check": f"pwscup check --original t.parquet followed.parquet {LAYOUT}",
    "pwscup attack": f"pwscup attack t.parquet followed.parquet {LAYOUT} --attack paper-date",
    "pwscup utility": f"pwscup utility --original coarse.parquet --release rough.parquet {LAYOUT} "
    "--most-items 20 --show-values",
    "pwscup score": f"pwscup score --original t.parquet --release followed.parquet {LAYOUT} "
    "--price price --quantity quantity --attacks all --alpha 50",
    "pwscup lifetimes": f"pwscup lifetimes t.parquet {LAYOUT} --life 2 --life all --exchange-pseudonyms 0.5 "
    "--renew-after 2 --found 1 --alpha 40",
    "pwscup league": f"pwscup score --original t.parquet --release followed.parquet --release again.parquet "
    f"{LAYOUT} --master master.csv --price price --quantity quantity --alpha 50 "
    "--guess me@50:1=F.csv --guess you:2=F.csv",
    "pwscup score 2018": "pwscup score-2018 original.csv released.csv --guess pairs.csv",
    "pwscup pseudonyms": f"pwscup pseudonyms --original t.parquet followed.parquet {LAYOUT} -o pairs.csv "
    "--overwrite",
    "membership synthesize": f"membership synthesize t.parquet -o out.parquet {CHOSEN} --seed 3",
    "membership anneal": f"membership anneal t.parquet -o out.parquet {CHOSEN} --seed 3 --iterations 60",
    "membership utility": f"membership utility t.parquet made.parquet {CHOSEN}",
    "membership attack": f"membership attack people.parquet drawn.parquet -q {KNOWN} "
    "--members members.parquet",
    "membership exposed": f"membership exposed t.parquet {CHOSEN} --most 5 --show-values",
    "membership risks": f"membership risks members.parquet drawn.parquet --control others.parquet {KNOWN} "
    "--attacks-per-risk 20",
    "membership score": "membership score --population people.parquet --members members.parquet "
    "--guess x=guess.csv --preliminary-guess x=before.csv --scores x=scores.csv",
    "membership league": "membership score --population people.parquet --members a=members.parquet "
    "--members b=others.parquet --guess a@b=guess.csv --guess b@a=before.csv",
}
#: Commands whose reports are of all kinds.
ONE_OF_EACH_KIND = (
    *("assess records", "compare items", "sequence", "advise", "anonymize uniform"),
    *("attack", "pwscup check", "pwscup score", "pwscup score 2018", "pwscup pseudonyms", "pwscup anonymize"),
    *("pwscup lifetimes", "membership attack", "membership league", "membership utility", "membership risks"),
    *("membership exposed", "membership synthesize", "membership anneal", "tables"),
)
JAPANESE = re.compile(r"[ぁ-んァ-ン一-龥]")
#: Those whose pages have tables of their own.
PAGES = (
    *("assess all parts", "assess a sample", "compare", "compare people", "advise", "advise value", "attack"),
    *("pwscup check", "pwscup attack", "pwscup score", "pwscup league", "pwscup lifetimes"),
    *("membership attack", "membership utility", "membership risks"),
)
#: Columns of statements by the numbers that are called otherwise in the reports.
COLUMNS = {
    "advice.Line.links": ("links",),
    "advice.Line.rows_before": ("records",),
    "advice.PeopleLine.people": ("people", "users"),
    "advice.PeopleLine.singled_out": ("alone", "people"),
    "advice.PeopleLine.smallest_class": ("smallest", "smallest_class"),
    "advice.PeopleLine.one_fact": ("risk", "mean_risk"),
    "anonymization.PolicyKept.people_before": ("people", "users"),
    "anonymization.PolicyKept.singled_out_before": ("people",),
    "anonymization.PolicyKept.singled_out": ("people",),
    "anonymization.PolicyKept.rows_before": ("records",),
    "anonymization.Release.records": ("records",),
    "anonymization.Release.released": ("records",),
    "anonymization.StepDone.changed": ("changed", "met", "found"),
    "anonymization.StepDone.deleted": ("found", "met"),
    "assessment.AssessedSource.users": ("users", "records"),
    "assessment.AssessedSource.records_without_user": ("without_user",),
    "assessment.AssessedSource.most_records_of_a_user": ("most_records",),
    "attribute.KnownRecords.risk": ("risk", "mean_risk"),
    "attribute.KnownRecords.risk_lower": ("risk_lower", "mean_risk"),
    "attribute.KnownRecords.risk_upper": ("risk_upper", "mean_risk"),
    "attribute.KnownRecords.unicity": ("unicity", "share_singled_out"),
    "attribute.KnownRecords.unicity_lower": ("unicity_lower", "share_singled_out"),
    "attribute.KnownRecords.unicity_upper": ("unicity_upper", "share_singled_out"),
    "comparison.Correlation.original": ("correlation",),
    "comparison.Information.uncovered_records": ("uncovered",),
    "comparison.Recommendation.similarity_loss": ("loss",),
    "comparison.Recommendation.vanished_items": ("vanished",),
    "comparison.Recommendation.top_loss": ("loss",),
    "comparison.Recommendation.top": ("items",),
    "comparison.Recommendation.missing_top_items": ("missing",),
    "comparison.Risk.users": ("users", "records"),
    "counts.UnsafeCells.cells": ("unsafe",),
    "disclosure.BelowSize.class_size": ("threshold",),
    "disclosure.ClassSizes.missing_cells": ("missing_cells", "cells"),
    "disclosure.ClassSizes.incomplete_records": ("incomplete",),
    "disclosure.IndividualRisk.unweighted_records": ("unweighted",),
    "disclosure.InformationGain.missing_cells": ("cells",),
    "disclosure.SensitiveAttribute.missing_cells": ("cells",),
    "disclosure.SensitiveAttribute.users_with_several": ("users",),
    "disclosure.KeysByRule.duplicate_records": ("records",),
    "disclosure.MinimalKeys.duplicate_records": ("records",),
    "disclosure.MinimalKeys.duplicate_combinations": ("combinations",),
    "identifiability.JoFigures.identifiability": ("jo_identifiability",),
    "identifiability.JoFigures.value_per_record": ("jo_value_per_record",),
    "identifiability.LevelledAttribute.records_singled_out_with": ("records",),
    "identifiability.LevelledAttribute.share_of_singled_out": ("share",),
    "identifiability.LevelledAttribute.total_value_without": ("total_value",),
    "identifiability.LevelledAttribute.change_without": ("change",),
    "identifiability.UsersOfEase.users": ("records",),
    "membership.Attack.guesses": ("record",),
    "membership.Attack.chance": ("p_value",),
    "membership.ExperimentRelease.chance": ("p_value",),
    "notices.Notice.value": ("records",),
    "notices.Notice.without": ("records",),
    "membership.AttributeDistance.distance": ("distances",),
    "membership.AttackRate.attacks": ("found", "attacks"),
    "membership.AttackRate.successes": ("successes", "naive"),
    "membership.ControlRate.attacks": ("found", "attacks"),
    "membership.ControlRate.measured": ("successes",),
    "membership.Intervals.wilson_rate": ("rate",),
    "membership.Intervals.wilson_lower": ("lower",),
    "membership.Intervals.wilson_upper": ("upper",),
    "membership.Synthesized.members": ("records",),
    "policy.Finding.value": (
        *("share", "alone", "smallest_class", "smallest"),
        *("mean_risk", "estimate", "risk", "typical"),
    ),
    "pwscup.Anonymized.incomplete": ("customers",),
    "pwscup.AttackSafety.sec": ("attacks",),
    "pwscup.CheckedTable.surviving": ("records",),
    "pwscup.GuessedRelease.strict": ("strict", "rate"),
    "pwscup.Guesser.mean": ("mean", "rate"),
    "pwscup.Knowledge.records": ("found",),
    **{
        f"pwscup.Losses.{name}": ("loss",)
        for name in (
            *("itemcf_supply", "itemcf_retail", "topk_list", "topk_similarity"),
            *("date", "price", "deleted_rows"),
        )
    },
    "pwscup.Safety.sec_of_guesses": ("guesses",),
    "pwscup.Score2018.loss": ("mean_loss",),
    "pwscup.LifetimeSetting.surviving": ("records",),
    "pwscup.Submission.surviving": ("records",),
    "advice.UsersLine.value_per_user": ("value_each",),
    "pwscup.OmittedUsers.users": ("omitted_users",),
    "pwscup.OmittedUsers.pseudonyms": ("omitted_release_users",),
    "pwscup.Written.records": ("users",),
    "pwscup.Written.filled": ("found",),
    "results.Table.records": ("records", "found", "population", "members"),
    "uniqueness.Relinked.people": ("found",),
    "uniqueness.Uniqueness.people_examined": ("people",),
    "uniqueness.WorstSet.share": ("worst",),
    "uniqueness.WorstSet.share_of_records": ("worst_of_records",),
}
#: Numbers that follow from others of their shape alone.
DERIVED: dict[str, Callable[[Any], float | None]] = {
    "anonymization.Release.released": lambda release: next(
        step.records for step in reversed(release.steps) if step.records is not None
    ),
    "assessment.AssessedSource.most_records_of_a_user": lambda source: 1 if source.user is None else None,
    "assessment.AssessedSource.records_without_user": lambda source: 0 if source.user is None else None,
    "assessment.AssessedSource.records_of_token_users": lambda source: 0 if source.user is None else None,
    "attribute.KnownRecords.known_records": lambda known: 1 if known.draws is None else None,
    # Columns are judged by their names and contents together.
    "policy.Finding.value": lambda finding: finding.value if finding.name == "identifying_columns" else None,
    "advice.PeopleLine.singled_out_share": lambda line: line.singled_out / line.people,
    "anonymization.StepDone.groups": lambda step: step.changed // 3,  # as many as the command asks for
    "comparison.Correlation.change": lambda pair: pair.correlation - pair.original,
    "pwscup.Score2018.unsafe_guesses": lambda score: sum(guess.unsafe for guess in score.guesses),
    "disclosure.MinimalKeys.keys_found": lambda keys: keys.keys_listed.total,
    "disclosure.MinimalKeys.singling_out_found": lambda keys: keys.singling_out_listed.total,
    "disclosure.MinimalKeys.below_k_found": lambda keys: keys.below_k_listed.total,
}
#: Differences of two numbers that statements gave: one of these is the sum or the rest.
DIFFERENCES: dict[str, tuple[Callable[[Any], float], tuple[str, ...]]] = {
    "anonymization.StepDone.records": (lambda step: step.records + step.deleted, ("records",)),
    "pwscup.Original.incomplete_records": (
        lambda table: table.records - table.incomplete_records,
        ("found",),
    ),
    "pwscup.CheckedOriginal.incomplete_records": (
        lambda table: table.records - table.incomplete_records,
        ("found",),
    ),
}
#: These are 0 where a statement has no row of whom they count.
NOBODY = {
    *("advice.PeopleLine.singled_out", "anonymization.PolicyKept.singled_out", "policy.Finding.value"),
    "pwscup.CheckedConstraint.violations",
}
#: Follows from the penalties of the steps in these reports; tests/advice/test_remaining.py compares it.
OF_PENALTIES = {
    "detail.Detail.detail_left": ("advise", "anonymize"),
    "anonymization.StepDone.gcp": ("anonymize",),
}
#: Figures that the report has elsewhere too, or bounds that follow from them.
REPEATED = {
    *("policy.Finding.value", "policy.Finding.lower", "policy.Finding.upper"),
    "results.GateResult.value",
}
#: Shapes of what was asked, and of the bytes of files.
ASKED = {
    "assessment.UsedSettings", "assessment.DisclosureSettings", "assessment.Environment",
    "comparison.Settings", "membership.ScoreSettings", "membership.RiskSettings",
    "counts.CountsSettings", "membership.ExposureSettings", "pwscup.AttackSettings",
    "pwscup.LifetimesSettings", "pwscup.SafetySettings", "pwscup.ScoreSettings", "source.Digest",
}  # fmt: skip
#: Shapes of what fitted models say, which Python makes, and of what follows from their guesses.
FITTED = {
    *("membership.Experiment", "membership.ExperimentRelease", "membership.ReleaseScore"),
    *("membership.TreeIndex", "comparison.Prediction", "comparison.ModelScore"),
}
#: Numbers that nobody measured in the tables, by why they are there.
SAID = {
    "the version of the form of a report": {
        "counts.Tables.version",
        "advice.Advice.version", "assessment.Assessment.version", "comparison.Comparison.version",
        "membership.Annealed.version", "membership.Attacks.version", "membership.Risks.version",
        "membership.Exposure.version",
        "membership.Score.version", "membership.Synthesized.version", "membership.Utility.version",
        "pwscup.Attacks.version", "pwscup.Check.version", "pwscup.Score.version", "pwscup.Score2018.version",
        "pwscup.Lifetimes.version", "sequence.ReleaseSequence.version",
    },
    "what became of a report when it was repeated": {
        "evidence.Verification.equal", "evidence.Verification.version",
    },
    "what was asked, or a limit": {
        "attribute.Sampled.confidence", "comparison.Linkage.permutations", "policy.Finding.limit",
        "disclosure.AttributeSets.max_size", "disclosure.MinimalKeys.max_size", "disclosure.MinimalKeys.k",
        "disclosure.MinimalKeys.share", "disclosure.PopulationUniqueness.fraction",
        "disclosure.NoisyKnowledge.band", "disclosure.NoisyKnowledge.days", "disclosure.NoisyKnowledge.seed",
        "disclosure.Calibration.fraction",
        "disclosure.Suda.fraction", "disclosure.Suda.max_size", "disclosure.SetsByRule.max_size",
        "disclosure.SudaByRule.max_size", "disclosure.KeysByRule.max_size",
        "identifiability.Identifiability.base",
        "plausible_attacks.PlausibleAttacks.prevalence", "pwscup.GuessRates.alpha", "pwscup.Written.seed",
        "identifiability.JoFigures.post_response", "identifiability.JoFigures.social_responsibility",
        "membership.Annealed.iterations", "membership.Attacks.clusters", "membership.Attacks.guesses",
        "membership.Attacks.seed", "membership.Attacks.shadows", "membership.Attacks.starts",
        "membership.Attacks.weight", "membership.Check.threshold", "membership.RiskOfAttack.requested",
        "plausible_attacks.PlausibleAttacks.acquaintances", "plausible_attacks.PlausibleAttacks.breach",
        "pwscup.Attack.alpha", "pwscup.AttackRates.alpha", "pwscup.Cheapest.alpha", "pwscup.FoundUsers.alpha",
        "pwscup.LifetimeSetting.life", "pwscup.LifetimeSetting.delete_rare_items",
        "pwscup.LifetimeSetting.perturb_dates", "pwscup.LifetimeSetting.perturb_items",
        "pwscup.LifetimeSetting.renew_after", "pwscup.LifetimeSetting.exchange_pseudonyms",
        "pwscup.Knowledge.alpha", "pwscup.Partial.alpha",
        "uniqueness.KnownFacts.facts", "uniqueness.KnownWholeRecords.records",
    },
    "the level that a person or the type of a column gives it": {
        "identifiability.LevelledAttribute.economic", "identifiability.LevelledAttribute.psychological",
    },
    "what flows through hidden cells, or linear programs, leave open, and what a search hides as well": {
        *(
            f"counts.Exposure.{name}"
            for name in ("hidden", "exact", "by_subtraction", "narrow", "contradictory")
        ),
        *(f"counts.Mended.{name}" for name in ("unsafe", "added", "added_share", "hidden", "still_open")),
        "counts.CellFound.lower", "counts.CellFound.upper", "counts.CountsTable.read_elsewhere",
    },
    "what releases drawn, measured and attacked by other commands give, whose scripts show it": {
        *(f"membership.NoiseAttack.{name}" for name in ("candidates", "guesses", "hits", "expected", "auc")),
        *("membership.NoiseSearch.keep", "membership.NoiseSearch.draws", "membership.NoiseTried.keep"),
    },
    "a place in an order, or the number of a rule": {
        "counts.CellFound.place",
        "anonymization.StepDone.step", "attribute.AttributeRisk.rank", "disclosure.HipaaItem.item",
        "pwscup.CheckedConstraint.rows", "pwscup.Cheapest.place", "pwscup.Link.period",
        "pwscup.CheckedConstraint.number", "pwscup.CheckedConstraint.supports_items",
    },
    "how much of a list there is": {
        "detail.Detail.columns", "detail.Detail.columns_before",
        "disclosure.BestSet.equals", "disclosure.KeysByRule.keys_found",
        "disclosure.KeysByRule.singling_out_found",
        "results.Truncation.total", "results.Truncation.equal_to_last", "comparison.MeansByGroup.left_out",
    },
    "what a search looked at, and for how long it would": {
        "advice.Advice.measured", "advice.Advice.skipped",
        "disclosure.AttributeSets.estimated_seconds", "disclosure.AttributeSets.estimated_seconds_exact",
        "disclosure.AttributeSets.one_in", "disclosure.AttributeSets.sets_examined",
        "disclosure.AttributeSets.sets_possible", "disclosure.DirectIdentifiers.columns_examined",
        "disclosure.MinimalKeys.keys_checked", "disclosure.MinimalKeys.sets_examined",
        "disclosure.SetsByRule.sets_examined", "identifiability.Identifiability.sets_examined",
        "identifiability.Identifiability.sets_possible", "identifiability.NotExamined.adds_nothing",
        "identifiability.NotExamined.all_settled", "identifiability.NotExamined.limit",
        "identifiability.NotExamined.settles_nobody", "identifiability.UsersSection.sets_examined",
        "uniqueness.KnownFacts.sets_drawn", "uniqueness.KnownFacts.sets_examined",
        "uniqueness.KnownFacts.sets_possible",
    },
    "figures that are in this report and in an earlier one": {
        "results.Baseline.worse", "results.Change.before", "results.Change.now",
    },
    "what a search chose, or strives for": {
        "advice.Step.below", "advice.Step.together",
        "membership.Annealed.interrupted", "membership.Annealed.cost", "membership.Annealed.kept",
        "membership.Annealed.measured", "membership.Annealed.start",
    },
}  # fmt: skip
#: Of large tables alone: the ends of an interval, as some records are looked at, and what was not compared.
LARGE_ALONE = {
    "membership.Attacks.exposed_undecided",
    *(f"disclosure.{shape}.{end}" for shape in ("SetFigures", "BestSet") for end in ("lower", "upper")),
}
#: Numbers of a table of counts, which tests/roles/test_holdings.py holds against the people written out.
COUNTS_ALONE = {
    f"roles.Counted.{name}" for name in ("cells", "people", "empty_cells", "hidden_cells", "total_rows")
}
NOT_MEASURED = set().union(*SAID.values())
#: Tables that no statement is behind, by the heads of their columns of numbers.
INPUT_ALONE = {
    "identifiability.economic": "levels are given by people, or by the types of columns",
    "assess.found": "gates repeat figures of the report",
    "assess.times": "what ran, itself",
}
#: What is in the cells of the tables, and in no other number or text.
VALUES = re.compile(
    r"item \d|shop \d|job \d|town \d|'c(?:1\d|2[0-2])'|2024-"
    r"|(?<![\d.])(?:400[0-2]\d|7050[1-7]|303\d\d|30400|606(?:0\d|10))(?!\d)"
)
#: Literals that these commands are given, and labels of their hierarchies.
TYPED = {"anonymize cells": r"'town \d|30390|60603", "assess hierarchies": r"'job \d"}
#: Commands that recode uniformly, and the statements that hold the bands and groups of it.
UNIFORM = ("advise", "anonymize uniform")
OF_FORMS = re.compile(r"^-- \d+ (?:group_cells|replace_cells|count_where)\b.*?^;$", re.MULTILINE | re.DOTALL)
#: tests/membership looks at the scripts of these.
MEMBERSHIP = {"membership synthesize", "membership anneal", "membership attack"}
#: Numbers of rules, steps and settings alone.
NO_FIGURES = {
    "disclosure.item": "the number of an item of HIPAA",
    "anonymization.step": "the number of a step",
    "pwscup.violations": "all are 0 here, beside the numbers of constraints",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANG", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history, and releases of it."""
    folder = tmp_path_factory.mktemp("tables")
    source = folder / "t.parquet"
    duckdb.sql(f"COPY ({HISTORY}) TO '{source}' (FORMAT parquet)")
    coarse = "SELECT * REPLACE (date_trunc('month', bought) AS bought, price // 5 * 5 AS price)"
    duckdb.sql(f"COPY ({coarse} FROM '{source}') TO '{folder / 'coarse.parquet'}' (FORMAT parquet)")
    unlinked = f"SELECT * EXCLUDE (customer) FROM '{source}'"
    duckdb.sql(f"COPY ({unlinked}) TO '{folder / 'unlinked.parquet'}' (FORMAT parquet)")
    write_people(folder)
    groups = f"SELECT DISTINCT customer, 'group ' || ascii(customer[2]) % 2 AS kind FROM '{source}'"
    duckdb.sql(f"COPY ({groups}) TO '{folder / 'master.csv'}' (FORMAT csv)")
    release = folder / "followed.parquet"
    for line in (
        f"pwscup anonymize {source} -o {release} {LAYOUT} --life 3 --perturb-dates 0.1 --seed 1",
        f"membership synthesize {source} -o {folder / 'made.parquet'} {CHOSEN} --seed 1",
        f"membership synthesize {folder}/members.parquet -o {folder}/drawn.parquet {KNOWN} --seed 1",
        f"pwscup anonymize {source} -o {folder / 'again.parquet'} {LAYOUT} --perturb-dates 0.3 --seed 2",
        f"pwscup anonymize {folder}/coarse.parquet -o {folder}/rough.parquet {LAYOUT} --life 3 --seed 1",
        f"pwscup pseudonyms --original {source} {release} {LAYOUT} -o {folder / 'F.csv'}",
    ):
        done = command(*shlex.split(line))
        assert done.code == 0, done.err
    return folder


def write_people(folder: Path) -> None:
    """A population, its first and its last half, more of the same kind, and what is guessed of it."""
    for name, first, last in (
        *(("people", 0, 200), ("members", 0, 100), ("others", 100, 200), ("everybody", 0, 400)),
    ):
        people = f"{PEOPLE} FROM range({first}, {last}) AS numbers (i)"
        duckdb.sql(f"COPY ({people}) TO '{folder / name}.parquet' (FORMAT parquet)")
    towns, jobs = (", ".join(f'"{name} {i}"' for i in range(7)) for name in ("town", "job"))
    (folder / "tree.toml").write_text(
        "[hierarchies]\n"
        f"town = {{ tree = {{ here = [{towns}] }} }}\n"
        f"job = {{ tree = {{ any = [{jobs}] }} }}\n"
    )
    wrong = "CASE WHEN number = 5 THEN 'nobody' ELSE job END AS job"
    coarse = f"SELECT * REPLACE (age // 10 * 10 AS age, {wrong}) FROM '{folder}/people.parquet'"
    duckdb.sql(f"COPY ({coarse}) TO '{folder}/decades.parquet' (FORMAT parquet)")
    ranked = ["record,score", *(f"{i},{-i if i != 131 else 9}" for i in range(200))]
    for name, lines in (
        *(("guess", map(str, range(10))), ("before", map(str, range(5, 15))), ("scores", ranked)),
        ("original", (f"{i},2010/12/{i},{'AB'[i % 2]},{i}.00,{i + 3}" for i in range(1, 9))),
        (
            "released",
            (f"{10 + i},2010/12/{i},{'{A;B}' if i == 4 else '*'},[1;9],{i + 3}" for i in range(1, 9)),
        ),
        ("pairs", (f"{10 + i},{i}" for i in range(1, 9))),
    ):
        (folder / f"{name}.csv").write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="")


@dataclasses.dataclass
class Ran:
    """What a command measured, the folder where it wrote its script, and the numbers that each of its
    statements gave."""

    result: Result
    folder: Path
    given: dict[str, list[float]]

    @property
    def scripts(self) -> list[str]:
        """That of the run, and those of its further parts."""
        return [file.read_text("utf-8") for file in sorted(self.folder.glob("log*.sql"))]


@pytest.fixture(scope="module")
def ran(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """What a command gives, which runs once."""

    @cache
    def run(name: str) -> Ran:
        folder = tmp_path_factory.mktemp("ran")
        given: dict[str, list[float]] = defaultdict(list)
        with (
            contextlib.chdir(folder),
            mock.patch.object(forms, "to_data", side_effect=forms.to_data) as data,
            mock.patch.object(Session, "_run_logged", noting(given)),
        ):
            logged(tables, folder, COMMANDS[name])
        return Ran(data.call_args.args[0], folder, given)

    return run


def noting(given: dict[str, list[float]]) -> Callable[..., Any]:
    """What runs a statement and keeps the numbers that it gave."""
    run = Session._run_logged

    def noted(session: Session, name: str, *arguments: Any) -> Any:
        rows = run(session, name, *arguments)
        held = [numpy.ma.filled(c, 0).tolist() for c in rows.values()] if isinstance(rows, dict) else rows
        given[name].extend(numbers(held))
        return rows

    return noted


def logged(folder: Path, here: Path, line: str) -> dict[str, Any]:
    """The report of a command that wrote its script as log.sql."""
    for file in folder.iterdir():
        (here / file.name).write_bytes(file.read_bytes())
    done = command(*shlex.split(line), "--format", "json", "--sql-log", "log.sql")
    assert done.code in (0, 1), done.err
    return done.json


def repeated(script: str) -> dict[str, list[dict[str, Any]]]:
    """What the script's tables hold, by their names, in an engine that knows nothing of duckrisk."""
    with duckdb.connect() as connection:
        connection.execute(script)
        names = [name for (name,) in connection.execute("SELECT table_name FROM results").fetchall()]
        return {name: rows(connection.execute(f'FROM "{name}"')) for name in names}


def rows(result: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    names = [column[0] for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from numbers(inner)


def key_of(kind: type, name: str) -> str:
    """A field by the room of its shape."""
    _, wing, *rooms = kind.__module__.split(".")
    return f"{wing if wing in ('source', 'roles') else rooms[0]}.{kind.__name__}.{name}"


def fields_of(entry: Any) -> Iterator[tuple[Any, str, float]]:
    """The numbers of a result: each with the entry that holds it, and the field."""
    for field in dataclasses.fields(entry):
        if not field.metadata.get("aside"):
            yield from numbers_of(entry, field.name, getattr(entry, field.name))


def numbers_of(entry: Any, name: str, value: Any) -> Iterator[tuple[Any, str, float]]:
    if dataclasses.is_dataclass(value):
        yield from fields_of(value)
    elif isinstance(value, Mapping):
        for held in value.values():
            yield from numbers_of(entry, name, held)
    elif isinstance(value, (list, tuple)):
        for held in value:
            yield from numbers_of(entry, name, held)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield entry, name, float(value)


def columns_of(row: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a row by the names of their columns, or of their fields where a column holds several."""
    if isinstance(row, dict):
        for inner, value in row.items():
            yield from columns_of(value, inner)
    elif isinstance(row, (list, tuple)):
        for value in row:
            yield from columns_of(value, name)
    elif isinstance(row, (int, float, Decimal)) and not isinstance(row, bool):
        yield name, float(row)


def is_measured(key: str) -> bool:
    return key not in NOT_MEASURED and key.rpartition(".")[0] not in ASKED | FITTED


def untraced(result: Result, scripts: list[str]) -> dict[str, list[float]]:
    """The numbers of a report that no statement gave which their shape names, by their fields."""
    given: dict[tuple[str, str], list[float]] = defaultdict(list)
    for script in scripts:
        for table, rows in repeated(script).items():
            for column, number in columns_of(rows):
                given[table.rpartition("_")[0], column].append(number)
    held = {place: sorted(values) for place, values in given.items()}

    def is_held(number: float, kind: type, columns: tuple[str, ...]) -> bool:
        places = [(statement, column) for statement in statements_of(kind) for column in columns]
        return any(is_near(held[place], number) for place in places if place in held)

    def is_traced(entry: Any, key: str, name: str, number: float) -> bool:
        columns = COLUMNS.get(key, (name,))
        if is_held(number, type(entry), columns):
            return True
        if key in DIFFERENCES:
            other, columns = DIFFERENCES[key]
            return is_held(other(entry), type(entry), columns)
        return (key in DERIVED and DERIVED[key](entry) == number) or (key in NOBODY and number == 0)

    missed: dict[str, list[float]] = defaultdict(list)
    traced: set[float] = set()
    for entry, name, number in fields_of(result):
        key = key_of(type(entry), name)
        if is_measured(key):
            if is_traced(entry, key, name, number):
                traced.add(number)
            else:
                missed[key].append(number)
    for key, reports in OF_PENALTIES.items():
        if result.report in reports:
            missed.pop(key, None)
    for key in REPEATED & missed.keys():
        missed[key] = [number for number in missed[key] if number not in traced]
    return {key: numbers for key, numbers in missed.items() if numbers}


def is_near(values: list[float], number: float) -> bool:
    near = bisect.bisect_left(values, number - abs(number) * 1e-9)
    return near < len(values) and values[near] <= number + abs(number) * 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(COMMANDS, 7))
def test_every_number_is_what_a_statement_of_its_shape_gave(name: str, ran: Callable[[str], Ran]) -> None:
    """The script is repeated: a number of the report is in the column of its name, or of that in COLUMNS, of
    a statement that the number's shape names."""
    run = ran(name)
    with contextlib.chdir(run.folder):
        assert untraced(run.result, run.scripts) == {}


def assert_no_value_of_a_record(name: str, run: Ran) -> None:
    for script in run.scripts:
        held = re.sub(TYPED[name], "", script) if name in TYPED else script
        held = OF_FORMS.sub("", held) if name in UNIFORM else held
        found = sorted({held[max(0, at.start() - 60) : at.end() + 20] for at in VALUES.finditer(held)})
        assert found == []
        assert "No statement holds a value of the records." in script


def test_every_number_of_every_report_is_looked_at_and_no_script_holds_a_value(
    ran: Callable[[str], Ran],
) -> None:
    """The commands make reports with all keys that hold numbers; nothing is excused that is not there. What
    needs each of them is looked at here, so that no two processes run them all."""
    with Cases() as case:
        for name in COMMANDS.keys() - MEMBERSHIP:
            with case(name):
                assert_no_value_of_a_record(name, ran(name))
    seen = {
        key_of(type(entry), name) for run in map(ran, COMMANDS) for entry, name, _ in fields_of(run.result)
    }
    numeric = {
        key_of(kind, name)
        for kind in shapes_of(report_kinds())
        for name, field in keys_of(kind).items()
        if field.shape is kind and {int, float} & {*field.types}
    }
    measured = {key for key in numeric if is_measured(key)}
    assert measured - seen == LARGE_ALONE | COUNTS_ALONE
    excused = {*COLUMNS, *DERIVED, *DIFFERENCES, *NOBODY, *REPEATED, *NOT_MEASURED}
    assert excused - numeric == set()
    assert {key.rpartition(".")[0] for key in numeric} >= ASKED | FITTED


@pytest.mark.slow
def test_every_kind_of_report_has_every_form_in_both_languages(ran: Callable[[str], Ran]) -> None:
    results = {type(run.result): run.result for run in map(ran, ONE_OF_EACH_KIND)}
    # tests/cli/test_evidence.py does the same with what is no command on a table.
    assert {*results} == {*report_kinds()} - {Verification}
    with Cases() as case:
        for kind, result in results.items():
            with case(kind.report):
                fit(result.to_dict(), kind)
            for form in ("text", "markdown", "html"):
                with case(f"{kind.report} {form}"):
                    english, japanese = (getattr(result, f"to_{form}")(language=name) for name in LANGUAGES)
                    assert english.strip()
                    assert JAPANESE.search(japanese)
                    assert not JAPANESE.search(english)


def test_who_changes_a_number_is_found_out(ran: Callable[[str], Ran]) -> None:
    """The comparison can fail: no statement gives a risk that is a little larger."""
    run = ran("assess records")
    first, *others = run.result.attribute_risk
    changed = dataclasses.replace(first, mean_risk=first.mean_risk * 1.0001)
    larger = dataclasses.replace(run.result, attribute_risk=(changed, *others))
    with contextlib.chdir(run.folder):
        assert untraced(larger, run.scripts) == {"attribute.AttributeRisk.mean_risk": [changed.mean_risk]}


# --- under the tables of a page ----------------------------------------------------------------------


def blocks_of(blocks: tuple[Block, ...]) -> Iterator[Listing | Figure]:
    """All tables and figures of a report."""
    for block in blocks:
        if isinstance(block, (Detail, PageOnly, Pair)):
            yield from blocks_of(block.blocks)
        elif isinstance(block, (Listing, Figure)):
            yield block


def with_numbers(listing: Listing | None) -> list[Column]:
    return [c for c in listing.columns if c.numeric and not c.bar] if listing and listing.rows else []


def shown_numbers(listing: Listing) -> Iterator[tuple[float, float]]:
    """The numbers in a table as it is read, each with how much it may be rounded; 0 and 1 are everywhere."""
    for row in listing.rows:
        for column, cell in zip(listing.columns, row, strict=True):
            text = Words().format(cell) if not isinstance(cell, (int, float)) else str(cell)
            if not column.numeric or column.bar:
                continue
            for whole, rest, unit in re.findall(r"(\d[\d,]*)(\.\d+)?(%| million| billion)?", text):
                scale = {"%": 0.01, " million": 1e6, " billion": 1e9}.get(unit, 1.0)
                number = float(whole.replace(",", "") + rest) * scale
                if number not in (0, 1):
                    yield number, scale * 0.5 * 10.0 ** -max(0, len(rest) - 1) if rest or unit else 0.0


@pytest.mark.parametrize("name", PAGES)
def test_the_numbers_of_each_table_are_what_its_statements_gave(name: str, ran: Callable[[str], Ran]) -> None:
    run = ran(name)
    seen = 0
    for block in blocks_of(forms.make_document(run.result).blocks):
        listing = block if isinstance(block, Listing) else block.listing
        columns = with_numbers(listing)
        heads = {getattr(column.head, "key", "") for column in columns}
        if (not columns and isinstance(block, Listing)) or heads & INPUT_ALONE.keys():
            continue
        behind = [
            statement for statement, _ in ExecutedStatements.from_result(run.result).select_ran(block.sql)
        ]
        assert behind, (heads, block.sql)
        seen += 1
        if listing is None or heads & NO_FIGURES.keys():
            continue
        values = [value for statement in behind for value in run.given[statement]]
        told = list(shown_numbers(listing))
        near = [any(abs(number - v) <= off + 1e-9 * v for v in values) for number, off in told]
        assert any(near) or not told, (heads, behind, told)
    assert seen
    told = folds(run.result.to_html())
    assert told
    assert {name: text for name, text in told.items() if VALUES.search(text)} == {}


@needs_shell
@pytest.mark.parametrize(
    "name", thinned(["assess a sample", "pwscup score", "membership attack", "anonymize k"])
)
def test_a_shell_repeats_it(name: str, ran: Callable[[str], Ran]) -> None:
    folder = ran(name).folder
    for file in folder.glob("log-*"):
        file.unlink()
    before = {file.name for file in folder.iterdir()}
    script = ran(name).scripts[0] + "\nSELECT COUNT(*) AS tables FROM results;\n"
    done = subprocess.run(
        [find_shell() or "", "-no-init", "-bail", "-csv"],
        input=script, capture_output=True, encoding="utf-8", cwd=folder, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    kept = re.findall(r'^-- (\d+) (\w+).*\nCREATE OR REPLACE TEMP TABLE "\2_\1" AS$', script, re.MULTILINE)
    assert int(done.stdout.split()[-1]) == len(kept) > 5
    # What it writes stands beside it, under its name: neither the release nor the source is touched.
    assert {
        name for name in {file.name for file in folder.iterdir()} - before if not name.startswith("log-")
    } == set()


def test_the_script_is_for_its_owner_alone_and_holds_no_secret(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "it's a folder"
    here.mkdir()
    monkeypatch.chdir(here)
    report = logged(tables, here, COMMANDS["anonymize"])
    script = here / "log.sql"
    assert stat.S_IMODE(script.stat().st_mode) == 0o600
    assert report["steps"]
    pairs = {
        (row["customer"], row["bought"])
        for row in pandas.read_csv(here / "out.csv", dtype=str).to_dict("records")
    }
    repeated(script.read_text("utf-8"))
    (again,) = here.glob("log-*-made")
    assert pairs != {
        (row["customer"], row["bought"]) for row in pandas.read_csv(again, dtype=str).to_dict("records")
    }


def test_hostile_names_stay_names(here: Path) -> None:
    columns = ", ".join('i % 3 AS "' + name.replace('"', '""') + '"' for name in NAMES[:20])
    folder = here / "it's a folder; --"
    folder.mkdir()
    source = str(folder / "t.parquet").replace("'", "''")
    duckdb.sql(f"COPY (SELECT 'p' || i AS person, {columns} FROM range(9) AS numbers (i)) TO '{source}'")
    line = ["assess", folder / "t.parquet", "-q", "--format", "json", "--user", "person", "--samples", "0"]
    done = command(*line, "--only", "attribute_risk", "--sql-log", folder / "log.sql")
    assert done.code == 0, done.err
    held = repeated((folder / "log.sql").read_text("utf-8"))
    kept = [rows for name, rows in held.items() if name.startswith("attribute_risk_")]
    assert [len(rows) for rows in kept] == [20]
    risks = [row["mean_risk"] for rows in kept for row in rows]
    assert risks == [
        entry["mean_risk"] for entry in sorted(done.json["attribute_risk"], key=lambda e: e["rank"])
    ]
    assert len(risks) == 20


@pytest.mark.parametrize("kind", thinned(["csv", "json", "folder", "database", "query"]))
def test_any_source_is_read_again(kind: str, tables: Path, here: Path) -> None:
    source = (tables / "t.parquet").as_posix()
    more: list[str] = []
    name = {"csv": "t.csv", "json": "t.json", "folder": "parts", "database": "t.duckdb", "query": "t.csv"}[
        kind
    ]
    if kind in ("csv", "query"):
        duckdb.sql(f"COPY (FROM '{source}') TO '{here / name}' (FORMAT csv)")
        more = ["--query", "SELECT customer, item, quantity FROM source"] if kind == "query" else []
    elif kind == "json":
        duckdb.sql(f"COPY (FROM '{source}') TO '{here / name}' (FORMAT json)")
    elif kind == "folder":
        duckdb.sql(
            f"COPY (SELECT *, quantity AS part FROM '{source}') TO '{here / name}' "
            "(FORMAT parquet, PARTITION_BY part)"
        )
    else:
        with duckdb.connect(str(here / name)) as connection:
            connection.execute(f"CREATE TABLE records AS FROM '{source}'")
    done = command(
        *("assess", name, *more, "-q", "--user", "customer", *FEW, "--samples", "0"),
        *("--format", "json", "--sql-log", "log.sql"),
    )
    assert done.code == 0, done.err
    held = set(numbers(list(repeated((here / "log.sql").read_text("utf-8")).values())))
    assert {entry["mean_risk"] for entry in done.json["attribute_risk"]} <= held


def test_a_long_statement_is_soon_looked_through() -> None:
    """A search that begins anew at each character takes minutes for this."""
    started = time.process_time()
    assert STAGED_FILE.sub("", "x" * 300_000) == "x" * 300_000
    assert STAGED_FILE.sub("m", "'/it''s/.duckrisk-1/made', '/.duckrisk/made'") == "'m', '/.duckrisk/made'"
    assert time.process_time() - started < 2


def test_what_a_script_cannot_read_again_is_refused(tables: Path, here: Path) -> None:
    frame = pandas.DataFrame({"person": [1, 2, 3], "age": [30, 40, 40]})
    with pytest.raises(UsageError, match="A script could not read this source again"):
        duckrisk.assess(frame, sql_log="log.sql")
    text = frame.to_csv(index=False).encode()
    (here / "old.csv").write_bytes("名前,年齢\n佐藤,30\n鈴木,40\n".encode("cp932"))
    (here / "t.csv").write_bytes(text)
    for arguments, stdin in ((["-"], text), (["old.csv"], b"")):
        done = command("assess", *arguments, "-q", "--sql-log", "log.sql", stdin=stdin)
        assert (done.code, done.out) == (2, "")
        assert "A script could not read this source again" in done.err
    over = command("assess", "t.csv", "-q", "--sql-log", "t.csv")
    assert over.code == 2
    assert "part of the source" in over.err
    nowhere = command("assess", "t.csv", "-q", "--sql-log", "nowhere/log.sql")
    assert (nowhere.code, "folder" in nowhere.err) == (3, True)
    assert (here / "t.csv").read_bytes() == text
    assert not (here / "log.sql").exists()


def test_a_run_that_fails_leaves_no_script(here: Path) -> None:
    (here / "t.csv").write_text("person,age\n1,30\n", encoding="utf-8")
    done = command("assess", "t.csv", "-q", "--user", "nobody", "--sql-log", "log.sql")
    assert done.code == 2
    assert [file.name for file in here.iterdir()] == ["t.csv"]


def test_python_writes_the_same_script(tables: Path, here: Path) -> None:
    logged(tables, here, "assess t.parquet -q --only direct_identifiers")
    script = (here / "log.sql").read_text("utf-8")
    duckrisk.assess("t.parquet", only=["direct_identifiers"], sql_log="other.sql")
    again = (here / "other.sql").read_text("utf-8")
    assert again.replace("other.sql", "log.sql") == script


# --- text of others -----------------------------------------------------------------------------------

#: Pieces of what a shell may take for the end of a statement, and for a command on the line after it.
PIECES = [
    "\n.shell touch canary\n",
    ";",
    "'",
    "''",
    "\\",
    '"',
    "--",
    "/*",
    "*/",
    "$$",
    "$a$",
    "\r",
    "\t",
    "é",
]
PIECES += [
    "\n.read canary.sql\n",
    "\n#",
    "\ngo\n",
    "\n/\n",
    "\x1b",
    "\u2028",
    "\u202e",
    "x",
    " ",
    "E",
    "E'",
    "\x00",
]
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


def escaped(text: str) -> str:
    """A text with the escapes of the engine, its line breaks as they are."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def in_dollars(text: str) -> str:
    return f"$t${text}$t$"


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def commented(text: str) -> str:
    inner = text.replace("/*", "").replace("*/", "").replace("\x00", "")
    return f"'x' /* {inner} /* {inner} */ */ -- {inner.splitlines()[0] if inner else ''}\n"


def without_quotes(sql: str) -> str:
    """What a shell, which knows no escapes, takes for neither a text, a name nor a comment."""
    return re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*", "", sql)


writings = st.sampled_from([escaped, in_dollars, quoted, commented])


@LIGHTER
@given(writings, texts)
def test_what_a_shell_reads_is_what_the_engine_reads(write: Callable[[str], str], text: str) -> None:
    """Written for a shell a text has no line of its own, no escape that hides a quote, and is the same."""
    assume("\x00" not in text)
    typed = f"SELECT {write(text)} AS found"
    with duckdb.connect() as connection:
        found = connection.execute(typed).fetchall()
        safe = escape_for_shell(typed)
        assert connection.execute(safe).fetchall() == found
    assert escape_for_shell(safe) == safe
    assert all(line == line.strip("\r") for line in safe.split("\n"))
    assert safe.count("\n") <= 1
    assert not set("'$\\") & set(without_quotes(safe))


@needs_shell
@pytest.mark.parametrize("seed", thinned(range(6)))
def test_the_script_of_any_condition_runs_nothing_and_repeats(seed: int, here: Path) -> None:
    """Conditions of settings, a query, names of columns and of files, all hostile, and the real shell."""
    chance = random.Random(seed)
    text = "".join(chance.choices([piece for piece in PIECES if piece != "\x00"], k=6))
    write = [escaped, in_dollars, quoted, commented][seed % 4]
    name = "a;\n.shell touch canary\n\"'--"
    table = here / "a';\n.shell touch canary\n-- t.parquet"
    select = (
        'SELECT i % 7 AS "'
        + name.replace('"', '""')
        + "\", i % 3 AS b, 'p' || i % 9 AS person FROM range(60) AS t (i)"
    )
    duckdb.sql(f"COPY ({select}) TO '{str(table).replace(chr(39), chr(39) * 2)}' (FORMAT parquet)")
    condition = f"{write(text)} <> 'y' AND b < 2"
    how = {"where": condition} if seed % 2 else {"query": f"SELECT * FROM source WHERE {condition}"}
    (here / "duckrisk.toml").write_text(f"[source]\n{toml.format_entry(*next(iter(how.items())))}\n", "utf-8")
    done = command(
        *("assess", table, "-q", "--user", "person", "--only", "attribute_risk", "--samples", "0"),
        *("--known-records", "0", "--format", "json", "--sql-log", "log.sql"),
    )
    assert done.code == 0, done.err
    script = (here / "log.sql").read_text("utf-8")
    for way in ("stdin", "-init"):
        told = subprocess.run(
            [find_shell() or "", "-no-init", "-bail", "-csv"]
            if way == "stdin"
            else [find_shell() or "", "-init", "log.sql", "-csv", "-c", "SELECT COUNT(*) FROM results"],
            input=script + "\nSELECT COUNT(*) FROM results;\n" if way == "stdin" else "",
            capture_output=True, encoding="utf-8", cwd=here, timeout=300,
        )  # fmt: skip
        assert told.returncode == 0, told.stderr
        assert int(told.stdout.split()[-1]) > 3
    assert not (here / "canary").exists()
    assert not re.search(r"^\s*\.", without_quotes(script), re.MULTILINE)
    held = set(numbers(list(repeated(script).values())))
    assert {entry["mean_risk"] for entry in done.json["attribute_risk"]} <= held


# --- folders named after values ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", thinned(["parquet", "csv", "json"]))
def test_paths_that_hold_values_are_patterns(kind: str, here: Path) -> None:
    for number, place in enumerate(("ZQX Tokyo", "ZQX Osaka", "ZQX [x]")):
        folder = here / "visits" / f"region={place}"
        folder.mkdir(parents=True)
        select = (
            f"SELECT i AS visit, 'u' || i % {5 + number} AS person, i % 3 AS item FROM range(40) AS t (i)"
        )
        for part in range(2):
            write_table(folder / f"part {part}.{kind}", select)
    line = ["assess", "visits", "-q", "--user", "person", "--only", "attribute_risk", "--samples", "0"]
    done = command(*line, "--known-records", "0", "--format", "json", "--sql-log", "log.sql")
    assert done.code == 0, done.err
    script = (here / "log.sql").read_text("utf-8")
    assert "ZQX" not in script
    assert f"visits/**/*.{kind}" in script
    held = set(numbers(list(repeated(script).values())))
    assert {entry["mean_risk"] for entry in done.json["attribute_risk"]} <= held
    assert "region" in {entry["attribute"] for entry in done.json["attribute_risk"]}


# --- the log among the other outputs -----------------------------------------------------------------


def test_a_log_replaces_a_log_alone(here: Path) -> None:
    (here / "t.csv").write_text("person,age\n1,30\n2,40\n", encoding="utf-8")
    (here / "tree.toml").write_text("[hierarchies]\n", encoding="utf-8")
    (here / "duckrisk.toml").write_text('user = "person"\n', encoding="utf-8")
    (here / "notes.txt").write_text("mine\n", encoding="utf-8")
    few = ["assess", "t.csv", "-q", "--only", "direct_identifiers"]
    assert command(*few, "-o", "earlier.json").code == 0
    more = [
        "--baseline",
        "earlier.json",
        "--hierarchies",
        "tree.toml",
        "-o",
        "report.html",
        "--junit",
        "j.xml",
    ]
    before = everything(here)
    for name in ("duckrisk.toml", "earlier.json", "tree.toml", "report.html", "j.xml", "t.csv", "notes.txt"):
        refused = command(*few, *more, "--sql-log", name)
        assert (refused.code, refused.out) == (2, ""), (name, refused.err)
        assert everything(here) == before, name
    for _ in range(2):
        assert command(*few, "--sql-log", "log.sql").code == 0


#: Commands that write something, with the place of each output of theirs.
WRITING = {
    "init t.parquet -o s.toml": ("s.toml",),
    "anonymize t.parquet -o r.csv --pseudonymize customer --keys k.csv": (
        *("r.csv", "k.csv", "r.csv.recipe.toml"),
    ),
    f"pwscup anonymize t.parquet -o r.parquet {LAYOUT}": ("r.parquet", "r.parquet.recipe.toml"),
    f"pwscup partial-knowledge t.parquet -o r.parquet --alpha 50 {LAYOUT}": ("r.parquet",),
    f"pwscup release followed.parquet -o r.parquet {LAYOUT}": ("r.parquet",),
    f"pwscup pseudonyms --original t.parquet followed.parquet -o r.csv {LAYOUT}": ("r.csv",),
    "pwscup attack t.parquet followed.parquet --attack paper-date --partial 50=t.parquet --guess-out g.csv "
    f"{LAYOUT}": ("g.csv",),
    f"membership synthesize t.parquet -o r.parquet {CHOSEN}": ("r.parquet",),
    f"membership anneal t.parquet -o r.parquet --state s.json {CHOSEN}": ("r.parquet", "s.json"),
    f"membership attack people.parquet drawn.parquet --attack distance --scores-out s.csv {KNOWN}": (
        "s.csv",
    ),
}  # fmt: skip


@pytest.mark.parametrize("line", WRITING)
def test_no_two_outputs_are_one_file(line: str, tables: Path, here: Path) -> None:
    for file in tables.glob("*.parquet"):
        (here / file.name).write_bytes(file.read_bytes())
    before = everything(here)
    for name in WRITING[line]:
        refused = command(*shlex.split(line), "--sql-log", name)
        assert (refused.code, refused.out) == (2, ""), (name, refused.err)
        assert "file" in refused.err or "outputs" in refused.err
        assert everything(here) == before, name
    (here / "log.sql").write_text("-- The statements of one run of duckrisk, in their order.\n", "utf-8")
    if "init" not in line and "check" not in line:
        refused = command(*shlex.split(line), "--sql-log", "log.sql")
        assert "add --overwrite" in refused.err


def every_command(made: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All commands with their names."""
    for name, inner in getattr(made, "commands", {}).items():
        yield from every_command(inner, f"{path} {name}".strip())
    if not hasattr(made, "commands"):
        yield path, made


def test_every_option_that_writes_is_checked() -> None:
    """What a help says to write or to keep in a file is among the outputs that are checked."""
    writing = re.compile(r"\b([Ww]rite|[Kk]eep|key table)\b")
    seen: set[str] = set()
    for name, made in every_command(typer.main.get_command(cli.app_of(None))):
        for parameter in made.params:
            help = getattr(parameter, "help", None) or ""
            if (parameter.metavar or "").startswith("FILE") and writing.search(help):
                assert set(parameter.opts) & {*OUTPUTS, "--output", "--records-out"}, (name, parameter.opts)
                seen |= set(parameter.opts)
    assert seen >= {
        "--junit",
        "--records-out",
        "--sql-log",
        "--keys",
        "--scores-out",
        "--guess-out",
        "--state",
    }
