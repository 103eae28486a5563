"""What is told of gates, on any report."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_number, format_probability
from duckrisk.base.results import GateResult, Result
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.decision.gates import parse
from duckrisk.report.blocks import Block, Listing, Paragraph, heading, number_column, paragraphs, text_column


def make_blocks(result: Result) -> list[Block]:
    """The gates of a report, where there are some."""
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
                text_column("assess.place", _name_place(gate), priority=1),
            ),
        ),
    ]


def count_failed(gates: Sequence[GateResult]) -> Sentence:
    """How many of all gates failed."""
    failed = sum(not gate.passed for gate in gates)
    key = "assess.gates_failed" if failed else "assess.gates_passed"
    return Sentence(key, failed=format_number(failed), count=format_number(len(gates)))


def make_last_blocks(result: Result) -> list[Block]:
    """The outcome, for the end of what a terminal shows."""
    return [*paragraphs([describe_outcome(result.gates)] if result.gates else [], "verdict")]


def describe_outcome(gates: Sequence[GateResult]) -> Sentence:
    """The gates in a line, with those that failed."""
    failed = [Data(gate.expression) for gate in gates if not gate.passed]
    sentence = count_failed(gates)
    return Sentence("two", first=sentence, second=join_texts(failed)) if failed else sentence


def explain_failure(gate: GateResult, result: type[Result]) -> Sentence:
    """Why a gate failed: the number, and what it is of."""
    return Sentence("assess.gate_found", found=format_figure(gate, result), where=_name_place(gate))


def _name_place(gate: GateResult) -> Text:
    return Data(gate.where) if gate.where is not None else Sentence("assess.everywhere")


def format_figure(gate: GateResult, result: type[Result]) -> str:
    """The number a gate was judged by, written as its kind."""
    return (format_probability if parse(gate.expression, result).share else format_number)(gate.value)
