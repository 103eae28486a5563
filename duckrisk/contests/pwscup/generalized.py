"""Scores a release of 2018, with generalized cells: its loss, and whether a guess declares it unsafe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from duckrisk.base.errors import SourceError
from duckrisk.base.results import (
    Baseline,
    Count,
    Environment,
    Gates,
    Positive,
    Result,
    Version,
    aside,
    left_out,
)
from duckrisk.contests.common import count_rows, run_facts
from duckrisk.contests.pwscup import tables, violations
from duckrisk.contests.pwscup.contest_format import DATE, NUMBER
from duckrisk.contests.pwscup.files import Files
from duckrisk.contests.pwscup.options import Options
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.sql_log import Statement
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import identifier
from duckrisk.source import Request

_ORIGINAL, _RELEASE, _GUESS = "pws_lines_of_original", "pws_lines_of_release", "pws_lines_of_guess"
_RECORDS, _CELLS, _PAIRS = "pws_records", "pws_generalized_cells", "pws_pairs"
#: Patterns of cells by column; a first line without a match is taken for column names.
_RELEASE_CELLS = {"c1": rf"\*|\[.*|{DATE}", "c3": rf"\*|\[.*|{NUMBER}", "c4": rf"\*|\[.*|{NUMBER}"}
_GUESS_CELLS = {"c0": NUMBER, "c1": NUMBER}


@dataclass(frozen=True)
class GeneralizedColumn:
    """The loss of a column of a release."""

    metric: ClassVar[str] = "generalization_loss"

    attribute: Literal["date", "item", "price", "quantity"]
    deleted: Count
    sets: Count
    intervals: Count
    deviation: Positive | None
    loss: Positive | None


@dataclass(frozen=True)
class JudgedGuess:
    """A guess of who has which pseudonyms, and its verdict on the release."""

    metric: ClassVar[str] = "declared_unsafe"

    name: Annotated[str, "The file of the guess."]
    guesses: Count
    right_guesses: Count
    needed_guesses: Count
    unsafe: bool


@dataclass(frozen=True, repr=False, kw_only=True)
class Score2018(Result):
    """The score of a release of 2018."""

    report: ClassVar[str] = "pwscup_score_2018"
    listing: ClassVar[str] = "columns"
    sql: ClassVar[tuple[str, ...]] = ("count_generalized", "generalization_loss")

    version: Version = 1
    kind: Literal["score_2018"] = "score_2018"
    original: Annotated[str, "The file of the original."]
    release: Annotated[str, "The file of the release."]
    records: Annotated[Count, "Records of the original."]
    users: Annotated[Count, "Customers of the original."]
    surviving: Annotated[Count, "Records that were not deleted."]
    pseudonyms: Count
    loss: Annotated[
        Positive | None,
        "The mean loss of the columns: 0 is as the original; null where one has intervals and no deviation.",
    ]
    columns: tuple[GeneralizedColumn, ...]
    guesses: tuple[JudgedGuess, ...]
    unsafe_guesses: Annotated[
        Count | None,
        "Guesses that declare the release unsafe, for which one is enough; null without guesses.",
    ]
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()

    @property
    def unsafe(self) -> bool | None:
        """Whether a guess declares the release unsafe; None without guesses."""
        return None if self.unsafe_guesses is None else self.unsafe_guesses > 0


def run(
    original: Request,
    release: Request,
    guesses: Sequence[Request] = (),
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Score2018:
    """Score a release by the rules of the contest of 2018.

    Args:
        original: The history, a file of that contest.
        release: The release, aligned with the original.
        guesses: Guesses: a pseudonym and a customer in each line.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        The loss of each column, and whether the guesses declare the release unsafe.

    Raises:
        SourceError: A file breaks a constraint.
    """
    with Session(resources, progress) as session:
        session.steps.plan("source", "losses")
        files = Files(session, Options(), original, None, [release], guesses=guesses, named=False)
        _load_files(session, files)
        session.steps.begin("losses")
        rows = session.run(
            "generalization_loss",
            source=identifier(_CELLS),
            category="attribute",
            **{name: name for name in ("members", "value", "lower", "upper")},
        )
        losses = [row.pop("mean_loss") for row in rows]
        judged = tuple(_judge_guess(session, files, f"guess_{number}") for number in range(len(guesses)))
        return Score2018(
            original=files["original"].name,
            release=files["release_0"].name,
            **session.fetch_row("count_generalized", source=identifier(_RECORDS)),
            loss=losses[0],
            columns=tuple(GeneralizedColumn(**row) for row in rows),
            guesses=judged,
            unsafe_guesses=sum(guess.unsafe for guess in judged) if judged else None,
            **run_facts(session),
        )


def _load_files(session: Session, files: Files) -> None:
    """Read the original and the release; refuse a file that breaks a constraint."""
    names = {role: files[role].name for role in ("original", "release_0")}
    _read_lines(session, files, "original", _RELEASE_CELLS, _ORIGINAL)
    _read_lines(session, files, "release_0", _RELEASE_CELLS, _RELEASE)
    needed, records = count_rows(session, _ORIGINAL), count_rows(session, _RELEASE)
    if records != needed:
        raise SourceError(
            "pwscup.record_count_differs", name=names["release_0"], records=records, needed=needed
        )
    lines = {"original": identifier(_ORIGINAL), "release": identifier(_RELEASE)}
    session.run("generalized_records", name=_RECORDS, **lines)
    session.run("generalized_cells", name=_CELLS, **lines)
    session.run(
        "generalized_violations",
        name=violations.TABLE,
        source=identifier(_RECORDS),
        cells=identifier(_CELLS),
    )
    violations.refuse(session, names["original"], violations.ORIGINAL_2018)
    violations.refuse(session, names["release_0"], violations.RELEASE_2018)


def _read_lines(session: Session, files: Files, role: str, patterns: Mapping[str, str], table: str) -> None:
    """Read the lines of a file; refuse another format."""
    violations.clear(session)
    fields = 2 if table == _GUESS else 5
    tables.read_lines(session, files, role, fields, patterns, table)
    violations.refuse(session, files[role].name, violations.FORMAT_2018, fields=fields)


def _judge_guess(session: Session, files: Files, role: str) -> JudgedGuess:
    """Return the verdict of a guess; refuse one that breaks a constraint."""
    _read_lines(session, files, role, _GUESS_CELLS, _GUESS)
    session.run("guessed_pairs", name=_PAIRS, source=identifier(_GUESS))
    session.run(
        "pair_violations", name=violations.TABLE, source=identifier(_PAIRS), records=identifier(_RECORDS)
    )
    violations.refuse(session, files[role].name, violations.GUESS_2018)
    judgement: dict[str, Any] = session.fetch_row(
        "declared_unsafe",
        truth=identifier(_RECORDS),
        guess=identifier(_PAIRS),
        person="customer",
        pseudonym="pseudonym",
    )
    return JudgedGuess(files[role].name, **judgement)
