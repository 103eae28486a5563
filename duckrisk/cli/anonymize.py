"""``duckrisk anonymize``: a treatment, and the release that it makes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.cli.options import (
    AttachOption,
    ConfigOption,
    EncodingOption,
    HeaderOption,
    HierarchiesOption,
    MemoryOption,
    OverwriteOption,
    QueryOption,
    SourceArgument,
    TableOption,
    TempOption,
    ThreadsOption,
    WhereOption,
)
from duckrisk.cli.output import printable, remark, watched
from duckrisk.cli.settings import read_settings, settings_named
from duckrisk.errors import UsageError

if TYPE_CHECKING:
    from duckrisk.anonymization import Release, Step, Treatment

_Texts = list[str] | None


def _method(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text)


def anonymize(
    source: SourceArgument = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The release: a .parquet or .csv file.")
    ] = None,
    delete: Annotated[
        _Texts, _method("--delete", "CONDITION", "1. Delete the records that meet a condition.")
    ] = None,
    sample: Annotated[
        str | None, _method("--sample", "NUMBER", "2. Keep a share of the records (0.1), or so many (5000).")
    ] = None,
    pseudonymize: Annotated[
        str | None,
        _method(
            "--pseudonymize",
            "COLUMN=PERIOD",
            "3. New random names for users: CustomerID, or CustomerID=month.",
        ),
    ] = None,
    swap: Annotated[
        _Texts, _method("--swap", "COLUMN=SHARE", "4. A share of the records exchange a cell: age=0.05.")
    ] = None,
    perturb: Annotated[
        _Texts,
        _method("--perturb", "COLUMN=SHARE", "5. Replace a share of the cells by drawn values: age=0.05."),
    ] = None,
    bottom: Annotated[
        _Texts, _method("--bottom", "COLUMN=LIMIT", "6. Raise smaller numbers to a limit: age=20.")
    ] = None,
    top: Annotated[
        _Texts, _method("--top", "COLUMN=LIMIT", "7. Lower larger numbers to a limit: age=90.")
    ] = None,
    microaggregate: Annotated[
        _Texts,
        _method(
            "--microaggregate", "COLUMN=K", "8. The mean of groups of near numbers, of 5 or more: age=5."
        ),
    ] = None,
    generalize: Annotated[
        _Texts,
        _method(
            "--generalize",
            "COLUMN=HOW",
            "9. Coarser: age=10 (widths), date=month, code=prefix3, city=level1 (hierarchy).",
        ),
    ] = None,
    suppress_cells: Annotated[
        _Texts,
        _method(
            "--suppress-cells", "COLUMN=CONDITION", "10. * where a condition holds: age=\"city = 'Ise'\"."
        ),
    ] = None,
    suppress: Annotated[_Texts, _method("--suppress", "COLUMN", "11. * for the whole column.")] = None,
    k: Annotated[
        int | None, _method("--k", "K", "12. k-anonymity: k records or more in every class.")
    ] = None,
    delete_classes_below: Annotated[
        int | None,
        _method("--delete-classes-below", "K", "13. Delete the records of classes of fewer than K records."),
    ] = None,
    quasi_identifier: Annotated[
        _Texts,
        _method(
            "--quasi-identifier",
            "COLUMN",
            "What an attacker may know, for --k and --delete-classes-below; repeatable.",
        ),
    ] = None,
    together: Annotated[
        int | None,
        _method("--together", "M", "For --delete-classes-below: any M quasi-identifiers at once. [all]"),
    ] = None,
    algorithm: Annotated[
        str | None, _method("--algorithm", "NAME", "For --k: topdown, mondrian, full-domain. [topdown]")
    ] = None,
    drop: Annotated[_Texts, _method("--drop", "COLUMN", "14. Leave a column out.")] = None,
    shuffle: Annotated[
        bool, typer.Option("--shuffle", help="15. Put the records into a random order.")
    ] = False,
    recipe: Annotated[
        Path | None, typer.Option("--recipe", help="Steps from a file instead, in its own order.")
    ] = None,
    hierarchies: HierarchiesOption = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The same draws again. Without it nobody can repeat them."),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option("--keys", help="Also write who got which pseudonym, for your eyes only."),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option("--time", help="The column that tells the period of pseudonyms."),
    ] = None,
    perturb_by: Annotated[
        str | None,
        typer.Option("--perturb-by", help="Draw from the domain, or as often as they are: empirical."),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            "--into",
            metavar="DATABASE",
            help="Write to a database instead of a file: a DuckDB file, or sqlite:FILE, postgres:…, mysql:…, "
            "ducklake:….",
        ),
    ] = None,
    into_table: Annotated[str | None, typer.Option("--into-table", help="The table to make there.")] = None,
    overwrite: OverwriteOption = False,
    table: TableOption = None,
    attach: AttachOption = None,
    query: QueryOption = None,
    where: WhereOption = None,
    encoding: EncodingOption = None,
    header: HeaderOption = None,
    config: ConfigOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress and no summary.")] = False,
) -> None:
    """Treat a table so that it tells less of persons, and write the release.

    Methods can be repeated and run in the order of their numbers. What was done is kept beside the release
    as a recipe, OUT.recipe.toml, to be read, changed and run again with --recipe.
    """
    from duckrisk.anonymization import run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    steps = _steps(
        {
            "delete": delete,
            "sample": [sample] if sample is not None else None,
            "pseudonymize": [pseudonymize] if pseudonymize is not None else None,
            "swap": swap,
            "perturb": perturb,
            "bottom": bottom,
            "top": top,
            "microaggregate": microaggregate,
            "generalize": generalize,
            "suppress-cells": suppress_cells,
            "suppress": suppress,
            "k-anonymize": _classes(k, quasi_identifier, algorithm, delete_classes_below),
            "delete-classes": _small_classes(delete_classes_below, quasi_identifier, together),
            "drop": drop,
            "shuffle": [""] if shuffle else None,
        },
        {"keys": str(keys) if keys is not None else None, "time": time, "by": perturb_by},
    )
    settings = read_settings(config, None, None, None)
    with settings_named(settings):
        treatment = _treatment(steps, recipe, seed, hierarchies, config, keys)
        request = Request(source, table, attach, query, where, encoding, header).or_else(settings.source)
        target = _target(output, into, into_table, overwrite)
        resources = Resources(memory, threads, temp)
        release = watched(lambda watch: run(request, treatment, target, resources, watch), quiet)
    if not quiet:
        remark(printable_lines(summary(release)))


def _target(output: Path | None, into: str | None, into_table: str | None, overwrite: bool) -> Any:
    from duckrisk.anonymization import Target
    from duckrisk.anonymization.output import into as table_of

    if (output is None) == (into is None):
        raise UsageError("Say where the release goes: a file with -o, or a database with --into.")
    if (into is None) != (into_table is None):
        raise UsageError("--into DATABASE and --into-table NAME go together.")
    if into is not None and into_table is not None:
        return table_of(into, into_table, overwrite=overwrite)
    assert output is not None
    return Target(output, None, overwrite)


def _treatment(
    steps: list[Step],
    recipe: Path | None,
    seed: int | None,
    hierarchies: Path | None,
    config: Path | None,
    keys: Path | None,
) -> Treatment:
    """What the options say, or the recipe, which options give another seed, hierarchies or place of keys."""
    import dataclasses

    from duckrisk import config as settings_file
    from duckrisk.anonymization import Step, treatment
    from duckrisk.hierarchies import read

    found = config or Path(settings_file.NAME)
    own = read(found, required=False) if recipe is None else {}
    if hierarchies is None and own:
        made = treatment(steps, recipe, seed, own, found.parent)
    else:
        made = treatment(steps, recipe, seed, hierarchies)
    if recipe is None or keys is None:
        return made
    if sum(step.method == "pseudonymize" for step in made.steps) != 1:
        raise UsageError("--keys goes with a recipe that pseudonymizes once.")
    return dataclasses.replace(
        made,
        steps=[
            Step(step.method, {**step.options, "keys": str(keys)}) if step.method == "pseudonymize" else step
            for step in made.steps
        ],
    )


# --- methods as they are written on the command line ---------------------------------------------


def _classes(
    k: int | None, names: list[str] | None, algorithm: str | None, below: int | None
) -> list[Any] | None:
    if k is None:
        if names and below is None:
            raise UsageError("--quasi-identifier and --algorithm go with --k.")
        if algorithm is not None:
            raise UsageError("--algorithm goes with --k.")
        return None
    options: dict[str, Any] = {"k": k, "quasi_identifiers": list(names or [])}
    return [options if algorithm is None else {**options, "algorithm": algorithm}]


def _small_classes(below: int | None, names: list[str] | None, together: int | None) -> list[Any] | None:
    if below is None:
        if together is not None:
            raise UsageError("--together goes with --delete-classes-below.")
        return None
    options: dict[str, Any] = {"below": below, "quasi_identifiers": list(names or [])}
    return [options if together is None else {**options, "together": together}]


def _steps(given: dict[str, list[Any] | None], more: dict[str, str | None]) -> list[Step]:
    from duckrisk.anonymization import Step

    extra = {"pseudonymize": ("keys", "time"), "perturb": ("by",)}
    if more["by"] is not None and not given["perturb"]:
        raise UsageError("--perturb-by goes with --perturb.")
    if more["time"] is not None and not given["pseudonymize"]:
        raise UsageError("--time goes with --pseudonymize COLUMN=PERIOD.")
    steps = []
    for method, texts in given.items():
        for text in texts or ():
            made, options = _options(method, text)
            options |= {name: more[name] for name in extra.get(method, ()) if more[name] is not None}
            steps.append(Step(made, options))
    return steps


def _options(method: str, text: Any) -> tuple[str, dict[str, Any]]:
    """The method and the options that the text after its flag means."""
    if method in ("k-anonymize", "delete-classes"):
        return method, text
    if method in ("delete", "shuffle"):
        return method, {"where": text} if method == "delete" else {}
    if method in ("suppress", "drop"):
        return "suppress", {"column": text, **({"drop": True} if method == "drop" else {})}
    if method == "sample":
        number = _number(text, "--sample")
        return method, {"records" if isinstance(number, int) else "share": number}
    if method == "pseudonymize":
        name, sign, period = text.rpartition("=")
        return method, {"column": name, "period": period} if sign else {"column": text}
    if method == "suppress-cells":
        name, sign, condition = text.partition("=")
        if not sign or not name or not condition:
            raise UsageError(f'--suppress-cells "{text}" is not written as COLUMN=CONDITION.')
        return method, {"column": name, "where": condition}
    name, sign, value = text.rpartition("=")
    if not sign or not name or not value:
        raise UsageError(f'--{method} "{text}" is not written as COLUMN=VALUE.')
    if method == "generalize":
        return method, {"column": name, **_coarser(value)}
    number = _number(value, f"--{method}")
    if method == "microaggregate":
        return method, {"columns": [name], "k": number}
    return method, {"column": name, "at" if method in ("top", "bottom") else "share": number}


def _coarser(value: str) -> dict[str, Any]:
    for word in ("level", "prefix"):
        if value.startswith(word) and value.removeprefix(word).isdecimal():
            return {word: int(value.removeprefix(word))}
    try:
        return {"width": _number(value, "--generalize")}
    except UsageError:
        return {"moment": value}


def _number(text: str, flag: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise UsageError(f'{flag} takes a number, and "{text}" is none.') from None


# --- the summary ---------------------------------------------------------------------------------


def summary(release: Release) -> str:
    """What was done, in counts: never values."""
    place = str(release.path) if release.table is None else f"{release.table} in {release.path}"
    lines = [f"Wrote {place}: {release.released:,} of {release.records:,} records."]
    lines += step_lines(release.steps)
    lines.append(f"The recipe is {release.recipe_path}.")
    lines += [f"Note: {note}" for note in release.notes]
    return "\n".join(lines)


def step_lines(steps: list[dict[str, Any]]) -> list[str]:
    """A line for each step: what it did."""
    width = max((len(step["method"]) for step in steps), default=0)
    lines = []
    for step in steps:
        column = f"{_short(step['column'])}: " if "column" in step else ""
        lines.append(f"{step['step']:>3}. {step['method']:{width}}  {column}{_did(step)}")
    return lines


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def printable_lines(text: str) -> str:
    """Lines that a terminal can show."""
    return "".join(f"{printable(line)}\n" for line in text.split("\n"))


def _did(step: dict[str, Any]) -> str:
    if "deleted" in step:
        return f"{step['deleted']:,} records left out, {step['records']:,} kept"
    if "pseudonyms" in step:
        return f"{step['users']:,} users, {step['pseudonyms']:,} pseudonyms"
    if "classes" in step:
        loss = f"NCP {step['ncp']:,.1f}, {step['gcp']:.1%} of what could be lost"
        return f"{step['classes']:,} classes of {step['smallest']:,} or more; {loss}"
    if "groups" in step:
        return f"{step['changed']:,} cells in {step['groups']:,} groups"
    if "changed" in step:
        return f"{step['changed']:,} cells changed"
    return "left out" if "dropped" in step else "in another order"
