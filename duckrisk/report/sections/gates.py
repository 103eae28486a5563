"""Build the section on gates, for any report."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_number, format_probability
from duckrisk.base.results import GateResult, Result
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.decision.gates import parse
from duckrisk.report.blocks import Block, Listing, Paragraph, heading, number_column, paragraphs, text_column


def make_blocks(result: Result) -> list[Block]:
    """Make the section on gates; none without gates."""
    if not result.gates:
        return []
    failed = any(not gate.passed for gate in result.gates)
    sentence = Paragraph(count_failed(result.gates), "verdict" if failed else "body")
    return [
        heading("assess.gates"),
        sentence,
        Listing.of(
            result.gates,
            lambda gate: (
                text_column("assess.gate", Data(gate.expression)),
                text_column("assess.result", Sentence("assess.passed" if gate.passed else "assess.failed")),
                number_column("assess.found", format_figure(gate, type(result))),
                text_column("assess.place", _name_entry(gate), priority=1),
            ),
        ),
    ]


def count_failed(gates: Sequence[GateResult]) -> Sentence:
    """Say how many gates failed."""
    failed = sum(not gate.passed for gate in gates)
    key = "assess.gates_failed" if failed else "assess.gates_passed"
    return Sentence(key, failed=format_number(failed), count=format_number(len(gates)))


def make_outcome_blocks(result: Result) -> list[Block]:
    """Make the outcome of the gates, for the end of a report on a terminal."""
    return [*paragraphs([describe_outcome(result.gates)] if result.gates else [], "verdict")]


def describe_outcome(gates: Sequence[GateResult]) -> Sentence:
    """Say in one line how many gates failed, and which."""
    failed = [Data(gate.expression) for gate in gates if not gate.passed]
    sentence = count_failed(gates)
    return Sentence("two", first=sentence, second=join_texts(failed)) if failed else sentence


def explain_failure(gate: GateResult, result: type[Result]) -> Sentence:
    """Say why a gate failed: the figure, and the entry that it belongs to."""
    return Sentence("assess.gate_found", found=format_figure(gate, result), where=_name_entry(gate))


def _name_entry(gate: GateResult) -> Text:
    return Data(gate.where) if gate.where is not None else Sentence("assess.everywhere")


def format_figure(gate: GateResult, result: type[Result]) -> str:
    """Format the figure that a gate judged, as a probability or a number."""
    return (format_probability if parse(gate.expression, result).is_share else format_number)(gate.value)
