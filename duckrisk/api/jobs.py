"""The jobs of the package as functions.

A keyword is an option: ``help(duckrisk.assess)`` and ``duckrisk explain options`` list them all. None stands
for the default of each.
"""

from __future__ import annotations

from duckrisk.base.options import (
    advice,
    anonymization,
    attribute,
    comparison,
    context,
    counts,
    disclosure,
    identifiability,
    policy,
    select_options,
)
from duckrisk.base.options import sequence as sequences
from duckrisk.base.options.calls import FILE, FILE_OR_TABLE, with_options
from duckrisk.base.options.output import GATES, Judgement, Language, Output
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import Distributed, Original, OtherTable, Request, Resources

#: Not that of typing: static checkers read what stands below, which a call does not need.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from duckrisk.api.typed_keywords import (
        AdviseKeywords,
        AnonymizeKeywords,
        AssessKeywords,
        AttackKeywords,
        CompareKeywords,
        ExplainKeywords,
        SequenceKeywords,
        SqlKeywords,
        TablesKeywords,
    )
    from duckrisk.decision.assessment.results import Assessment
    from duckrisk.release.advice import Advice
    from duckrisk.release.anonymization import Release
    from duckrisk.release.comparison.results import Comparison
    from duckrisk.release.counts.results import Tables
    from duckrisk.release.sequence.results import ReleaseSequence

_POLICY = select_options(policy.Options, "name")
_FILE, _TABLE = {"keyword_type": FILE}, {"keyword_type": FILE_OR_TABLE}


@with_options(
    *(Request, Original, sequences.EarlierOptions, Resources, Distributed, RoleOverrides),
    *(attribute.Options, identifiability.Options),
    *(select_options(disclosure.Options, hierarchies=_FILE), context.Options, _POLICY, GATES),
    *(select_options(Judgement, "only", "quick", "records"), select_options(Output, "show_values")),
)
def assess(source: Any = None, **options: Unpack[AssessKeywords]) -> Assessment:
    """Assess a source: the same job, options and defaults as ``duckrisk assess``.

    The definitions are those of Ito's background-knowledge attacker, and of Yamaoka and Itoh's analysis of
    identifiability; see ``duckrisk explain``.

    Args:
        source: A path, a folder or a glob pattern, a DataFrame of pandas or polars, a table of Arrow or Ibis,
            a DuckDB relation, or a DuckDB connection together with ``table`` or ``query``; or a DataFrame of
            Spark, whose session then runs what reads all records, as an ``engine`` does.
        **options: The options below. ``attributes`` are written "A", "A.week" or "A+B". ``levels`` gives
            columns a type of the chart, or (economic, psychological). ``policy`` is "public", "shared",
            "internal", or a dictionary such as {"name": "shared", "smallest_class": 10}.

    Returns:
        The :class:`duckrisk.decision.assessment.results.Assessment`; its probabilities are between 0 and 1.

    Raises:
        UsageError: The call makes no sense.
        SourceError: The source cannot be assessed.
        EngineError: Memory or disk run out.
    """
    from duckrisk.api import keywords

    return keywords.assess(source, options)


@with_options(
    *(Request, Resources, Distributed, RoleOverrides, anonymization.Steps, GATES),
    anonymization.Wishes,
    select_options(
        anonymization.Options,
        *("to_policy", "recipe", "hierarchies", "seed", "into", "into_table"),
        to_policy={"choices": policy.PRESETS},
        hierarchies=_TABLE,
        into=_FILE,
    ),
    select_options(Output, "overwrite"),
)
def anonymize(source: Any = None, output: Any = None, **options: Unpack[AnonymizeKeywords]) -> Release:
    """Treat a table and write the release: the same job as ``duckrisk anonymize``.

    Args:
        source: What :func:`assess` takes; what Spark holds is written by it.
        output: A .parquet or .csv file (of Spark a folder of Parquet files); or give ``into``, a DuckDB
            database, with ``into_table``. With neither, ``to_relation()`` of the result has the records;
            ``to_policy`` and Spark need an output.
        **options: The options below. ``steps`` run in their order; each is a dictionary as the tables of a
            recipe, such as {"method": "generalize", "column": "age", "width": 10}. With ``to_policy`` what
            :func:`advise` finds is done instead, and what was written is assessed; the roles of columns go
            with it. Where a gate of ``fail_on`` fails nothing is written. Without a ``seed`` nobody can
            repeat the draws.

    Returns:
        The :class:`duckrisk.release.anonymization.Release`: what each step did in counts, the recipe, and in
        ``passed`` what became of the gates.

    Raises:
        UsageError: The call makes no sense.
        SourceError: The source cannot be read.
        OutputError: The release cannot be written; nothing is left behind.
        EngineError: Memory or disk run out; nothing is left behind.
    """
    from duckrisk.api import keywords

    return keywords.anonymize(source, output, options)


@with_options(
    *(advice.Options, Request, Resources, RoleOverrides, identifiability.Options),
    *(select_options(disclosure.Options, "hierarchies", hierarchies=_TABLE), _POLICY, GATES),
)
def advise(source: Any = None, **options: Unpack[AdviseKeywords]) -> Advice:
    """Advise what to change first, as ``duckrisk advise``.

    For people it lists releases that keep the ``policy``: by classes, in one form a column, with fewer
    columns. Each was made and assessed. With ``objective="value"`` or a ``target`` it lists steps that lower
    the value of a leak; ``steps`` and ``time_limit`` end them.

    Args:
        source: What :func:`assess` takes.
        **options: The options below, as :func:`assess` has them. The gate "policy" of ``fail_on`` asks that
            the policy is kept.

    Returns:
        The :class:`duckrisk.release.advice.Advice`: for each release who is singled out, what the policy says
        and how much of the detail is left; for each step the value of a leak in the currency of the settings.

    Raises:
        DuckriskError: As :func:`assess` does.
    """
    from duckrisk.api import keywords

    return keywords.advise(source, options)


@with_options(
    *(select_options(Request, "attach", attach={"help": comparison.ATTACH}), sequences.EarlierOptions),
    *(Resources, RoleOverrides),
    *(select_options(comparison.Options, hierarchies=_FILE), identifiability.Options, _POLICY, GATES),
    select_options(Output, "show_values"),
)
def compare(original: Any, *releases: Any, **options: Unpack[CompareKeywords]) -> Comparison:
    """Compare releases with their original, as ``duckrisk compare``.

    Args:
        original: A path, a DataFrame, an Arrow table or a DuckDB relation; "wh.duckdb:schema.table" is a
            table of the database in a file, and with ``attach`` it is the name of a table of that database.
        *releases: What was made of it, as the original.
        **options: The options below. Without ``aligned`` or a ``key`` nothing is measured that needs to know
            which record is which. The gate "policy" of ``fail_on`` asks that every release keeps it.

    Returns:
        The :class:`duckrisk.release.comparison.results.Comparison`: shares and losses are between 0 and 1,
        information is in bits.

    Raises:
        DuckriskError: As :func:`assess` does.
    """
    from duckrisk.api import keywords

    return keywords.compare(original, releases, options)


@with_options(
    *(Request, Resources, RoleOverrides, GATES),
    select_options(disclosure.Options, "noisy_days", "noisy_band", "seed"),
)
def attack(source: Any = None, **options: Unpack[AttackKeywords]) -> Assessment:
    """Attack a table with few, partly wrong facts, as ``duckrisk attack TABLE``.

    It is the part ``noisy_knowledge`` of :func:`assess`. Known records and a release are for
    :func:`duckrisk.pwscup.attack`.

    Args:
        source: What :func:`assess` takes.
        **options: The options below. Of a history, the first of ``quasi_identifiers`` that is no date is the
            item, the first date its date, and the next number its amount.

    Returns:
        The :class:`duckrisk.decision.assessment.results.Assessment`; ``noisy_knowledge`` has the right, wrong
        and withheld answers.

    Raises:
        DuckriskError: As :func:`assess` does.
    """
    from duckrisk.api import keywords

    return keywords.attack(source, options)


@with_options(
    *(counts.OF_SOURCES, Resources, counts.Options, _POLICY, GATES, select_options(Output, "show_values")),
)
def tables(table: Any, *others: Any, **options: Unpack[TablesKeywords]) -> Tables:
    """Check tables of counts, as ``duckrisk tables``.

    It finds unsafe cells, and hidden ones that totals or other tables reveal.

    Args:
        table: A published table, or records to make a table of; what :func:`compare` takes.
        *others: Further tables of the same people.
        **options: The options below. With ``by`` and without ``count`` the records are counted.

    Returns:
        The :class:`duckrisk.release.counts.results.Tables`: for each table what follows of its hidden cells,
        and which further cells to hide; for each pair of tables what one reveals of the other.

    Raises:
        DuckriskError: As :func:`assess` does.
    """
    from duckrisk.api import keywords

    return keywords.tables((table, *others), options)


@with_options(
    *(select_options(Request, "attach", attach={"help": sequences.ATTACH}), Resources, RoleOverrides),
    select_options(sequences.EarlierOptions, "key_tables", key_tables=sequences.KEY_TABLES),
    *(sequences.Options, select_options(identifiability.Options, "missing_tokens"), GATES),
)
def sequence(first: Any, *releases: Any, **options: Unpack[SequenceKeywords]) -> ReleaseSequence:
    """Measure releases one after another, as ``duckrisk sequence``.

    Args:
        first: The first release, as :func:`compare` takes a table.
        *releases: The releases after it, in their order.
        **options: The options below. The roles are those of the last release. Where pseudonyms change between
            releases, ``key_tables`` has a table for each release, the one that :func:`anonymize` wrote with
            the pseudonyms, or "" for none.

    Returns:
        The :class:`duckrisk.release.sequence.results.ReleaseSequence`: people, and shares between 0 and 1.

    Raises:
        DuckriskError: As :func:`assess` does.
    """
    from duckrisk.api import keywords

    return keywords.sequence((first, *releases), options)


@with_options(Language)
def explain(name: str | None = None, **options: Unpack[ExplainKeywords]) -> str:
    """Explain a number, a metric or a term, as ``duckrisk explain``.

    Args:
        name: A term, such as "k-anonymity", a metric, an algorithm, a step, or a key of a report; None lists
            metrics, algorithms and terms.
        **options: The options below.

    Returns:
        The text.

    Raises:
        UsageError: Nothing has this name.
    """
    from duckrisk.api import keywords

    return keywords.explain(name, options)


@with_options(OtherTable, Request, select_options(RoleOverrides, "user", "attributes"))
def sql(name: str, source: Any = None, **options: Unpack[SqlKeywords]) -> str:
    """Return the statements behind a number, as ``duckrisk sql show``.

    Those of a metric are ready for any DuckDB shell. Those of an algorithm are as they run when the source is
    assessed, without a source as they are written. They hold no values of records.

    Args:
        name: A metric, such as "attribute_risk", an algorithm, such as "jo_model", or a step.
        source: What :func:`assess` takes; a metric needs one.
        **options: The options below.

    Returns:
        The text.

    Raises:
        DuckriskError: As :func:`assess` does.
    """
    from duckrisk.api import keywords

    return keywords.sql(name, source, options)
