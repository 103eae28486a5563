"""Find the steps that recode a table uniformly: one form per column, then small classes are deleted.

The forms are the recipe: plain steps, which give the same release again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from duckrisk.base.sentences import Data, Sentence
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.recoding import list_forms, read_quasi_identifiers
from duckrisk.release.anonymization.recodings import BOUND_NAMES
from duckrisk.release.anonymization.steps import Step
from duckrisk.release.k_anonymity.columns import choose_columns
from duckrisk.release.k_anonymity.uniform import find_forms
from duckrisk.release.k_anonymity.uniform_forms import Form, Forms


def expand_step(chain: Chain, step: Step) -> Sequence[Step]:
    """Return the plain steps of a uniform recoding, or the step itself.

    Args:
        chain: The chain, as it is before the step.
        step: The step.

    Raises:
        UsageError: The step does not fit the columns.
    """
    if step.method != "k-anonymize" or step.get("algorithm") not in ("uniform", "columns"):
        return [step]
    if step.get("algorithm") == "columns":
        return _leave_out_columns(chain, step)
    user = chain.find_column(step.get("user")).binding if "user" in step.options else None
    forms = find_forms(
        chain.session,
        chain.relation,
        read_quasi_identifiers(chain, step),
        step.get("k"),
        user=user,
        sensitive=list_forms(chain, step),
        importance={chain.find_column(name).name: w for name, w in step.get("importance", {}).items()},
        keep=[chain.find_column(name).name for name in step.get("keep", ())],
        delete_at_most=step.get("delete_at_most", 0.05),
    )
    chain.uniform_gcp = forms.gcp
    for form in forms.forms:
        if form.kind == "left_out":
            key = "no_useful_form" if form.hopeless else "no_form_found"
            chain.notes.append(Sentence(f"anonymization.{key}", column=Data(form.column)))
    return forms_as_steps(
        forms,
        step.get("k"),
        step.get("user"),
        sensitive=step.get("sensitive", ()),
        numbers=step.get("numbers", "mean"),
        categories=step.get("categories", "text"),
    )


def _leave_out_columns(chain: Chain, step: Step) -> list[Step]:
    """Return the steps that leave out columns and keep the others as they are."""
    columns = {quasi.binding: quasi.name for quasi in read_quasi_identifiers(chain, step)}
    chosen, deleted = choose_columns(
        chain.session,
        chain.relation,
        list(columns),
        step.get("k"),
        user=chain.find_column(step.get("user")).binding if "user" in step.options else None,
        keep=[chain.find_column(name).binding for name in step.get("keep", ())],
        delete_at_most=step.get("delete_at_most", 0.05),
    )
    lost = [name for binding, name in columns.items() if binding not in chosen]
    records = max(1, chain.records)
    chain.uniform_gcp = (len(lost) + len(chosen) * deleted / records) / len(columns)
    steps = [Step("suppress", {"column": name, "drop": True}) for name in lost]
    if chosen:
        options: dict[str, Any] = {
            "below": max(2, step.get("k")),
            "quasi_identifiers": [columns[name] for name in chosen],
        }
        options |= {name: step.get(name) for name in ("user", "sensitive") if name in step.options}
        steps.append(Step("delete-classes", options))
    return steps


def forms_as_steps(
    forms: Forms,
    k: int,
    user: str | None = None,
    *,
    sensitive: Sequence[str] = (),
    numbers: str = "mean",
    categories: str = "text",
) -> tuple[Step, ...]:
    """Return the steps that release columns in their forms.

    Args:
        forms: The forms.
        k: Least number of records of a class, or of people.
        user: Name of the user column; None to count records.
        sensitive: Names of columns; no class may disclose their values.
        numbers: Cells of bands: "mean", "interval" or "bounds".
        categories: Cells of groups: "text" or "list".
    """
    steps = [step for form in forms.forms for step in _make_steps(form, numbers, categories)]
    columns = [name for form in forms.forms for name in _list_columns(form, numbers)]
    if (k > 1 or sensitive) and columns:
        options: dict[str, Any] = {"below": max(2, k), "quasi_identifiers": columns}
        options |= {"user": user} if user is not None else {}
        options |= {"sensitive": list(sensitive)} if sensitive else {}
        steps.append(Step("delete-classes", options))
    return tuple(steps)


def _make_steps(form: Form, numbers: str, categories: str) -> Iterator[Step]:
    """Yield the step of a form; none if the column stays as it is."""
    column: dict[str, Any] = {"column": form.column}
    if form.kind == "left_out":
        yield Step("suppress", {**column, "drop": True})
    elif form.kind == "bands":
        cells: list[Any] = [
            [*([band.mean] if numbers == "mean" else []), band.least, band.most] for band in form.bands
        ]
        bands = {"bands": list(form.edges), "numbers": numbers, "cells": cells}
        yield Step("generalize", {**column, **bands})
    elif form.kind == "groups":
        groups = {"groups": [list(group) for group in form.groups], "categories": categories}
        yield Step("generalize", {**column, **groups})
    elif form.kind == "moment":
        yield Step("generalize", {**column, "moment": form.option, "first_day": True})
    elif form.kind != "whole":
        yield Step("generalize", {**column, form.kind: form.option})


def _list_columns(form: Form, numbers: str) -> list[str]:
    """Return the names of the columns that a form leaves."""
    if form.kind == "left_out":
        return []
    if form.kind == "bands" and numbers == "bounds":
        return [name.format(name=form.column) for name in BOUND_NAMES]
    return [form.column]
