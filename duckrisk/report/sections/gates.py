"""What is told of gates, on any report."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_number, format_probability
from duckrisk.base.results import GateResult, Result
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.decision.gates import parse
from duckrisk.report.blocks import Block, Listing, Paragraph, column, head, numbers, paragraphs


def blocks(result: Result) -> list[Block]:
    """The gates of a report, where there are some."""
    if not result.gates:
        return []
    failed = any(not gate.passed for gate in result.gates)
    sentence = Paragraph(in_a_sentence(result.gates), "verdict" if failed else "body")
    return [
        head("assess.gates"),
        sentence,
        Listing.of(
            result.gates,
            lambda gate: (
                column("assess.gate", Data(gate.expression)),
                column("assess.result", Sentence("assess.passed" if gate.passed else "assess.failed")),
                numbers("assess.found", figure(gate, type(result))),
                column("assess.place", _where(gate), priority=1),
            ),
        ),
    ]


def in_a_sentence(gates: Sequence[GateResult]) -> Sentence:
    """How many of all gates failed."""
    failed = sum(not gate.passed for gate in gates)
    key = "assess.gates_failed" if failed else "assess.gates_passed"
    return Sentence(key, failed=format_number(failed), count=format_number(len(gates)))


def last(result: Result) -> list[Block]:
    """The outcome, for the end of what a terminal shows."""
    return [*paragraphs([outcome(result.gates)] if result.gates else [], "verdict")]


def outcome(gates: Sequence[GateResult]) -> Sentence:
    """The gates in a line, with those that failed."""
    failed = [Data(gate.expression) for gate in gates if not gate.passed]
    sentence = in_a_sentence(gates)
    return Sentence("two", first=sentence, second=join_texts(failed)) if failed else sentence


def reason(gate: GateResult, result: type[Result]) -> Sentence:
    """Why a gate failed: the number, and what it is of."""
    return Sentence("assess.gate_found", found=figure(gate, result), where=_where(gate))


def _where(gate: GateResult) -> Text:
    return Data(gate.where) if gate.where is not None else Sentence("assess.everywhere")


def figure(gate: GateResult, result: type[Result]) -> str:
    """The number a gate was judged by, written as its kind."""
    return (format_probability if parse(gate.expression, result).share else format_number)(gate.value)
