"""What is told of the risks of a release: singling out, linkability and inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duckrisk.membership.release_risks.results import AttackRate, ResidualRisk, RiskOfAttack, Risks
from duckrisk.report.blocks import Block, Document, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.report.numbers import number
from duckrisk.sentences import Data, Sentence, Text, listed, say

_KINDS = ("singling_out", "linkability", "inference")


def document(result: Risks) -> Document:
    """What is told of each risk."""
    title = say(
        "membership.risks.title",
        release=Data(result.released.name),
        released=number(result.released.records),
        original=Data(result.original.name),
        records=number(result.original.records),
    )
    blocks: list[Block] = [Paragraph(_headline(result), "headline"), *paragraphs(result.notes, "warning")]
    for kind in _KINDS:
        entries = [entry for entry in result.risks if entry.attack.startswith(kind)]
        if entries:
            blocks += [
                head(f"membership.{kind}"),
                Paragraph(_how(kind, result)),
                _listing(kind, entries, result),
            ]
            blocks += paragraphs(_few(entry) for entry in entries)
    reading = "no_control" if result.control is None else "control"
    confidence = f"{100 * result.settings.confidence:g}"
    blocks.append(Paragraph(say(f"membership.read.{reading}"), "reading"))
    blocks.append(Paragraph(say("membership.read.risks", confidence=confidence), "reading"))
    return Document(title, tuple(blocks))


def _headline(result: Risks) -> Sentence:
    """The largest risk, or rate; and that nothing is known where all attacks are void."""
    told = [entry for entry in result.risks if not entry.void]
    if not told:
        return say("membership.risks.inconclusive")
    if result.control is None:
        most = max(told, key=lambda entry: entry.main.rate or 0)
        span = _span(most.main.rate, most.main.lower, most.main.upper)
        return say("membership.risks.rate", attack=_name(most), rate=span)
    risks = [(entry, entry.risk) for entry in told if entry.risk is not None]
    most, risk = max(risks, key=lambda pair: pair[1].risk)
    key = "membership.risks.risk" if risk.lower > 0 else "membership.risks.perhaps"
    return say(key, attack=_name(most), risk=_risk(risk))


def _how(kind: str, result: Risks) -> Sentence:
    settings = result.settings
    if kind == "linkability":
        return say(
            "membership.how.linkability",
            left=listed(settings.link_left),
            right=listed(settings.link_right),
            neighbours=str(settings.neighbours),
        )
    if kind == "inference":
        every = len(settings.known) == len(result.attributes)
        known: Text = say("membership.others") if every else listed(settings.known)
        return say("membership.how.inference", known=known, tolerance=f"{100 * settings.tolerance:g}")
    return say("membership.how.singling_out")


def _listing(kind: str, entries: Sequence[RiskOfAttack], result: Risks) -> Listing:
    controlled = result.control is not None
    rows = []
    for entry in entries:
        how = say(f"membership.form.{entry.attack}", columns=str(result.settings.columns))
        made = say("share_of", part=number(entry.main.successes), whole=number(entry.main.attacks))
        row: list[Any] = [how if entry.secret is None else Data(entry.secret), made]
        row += [_rate(entry.main), _rate(entry.naive)]
        row += [_rate(entry.control), _risk(entry.risk)] if controlled else []
        rows.append((*row, _verdict(entry)))
    columns = [
        column("membership.secret" if kind == "inference" else "membership.attack"),
        numbers("membership.successes", priority=2),
        numbers("membership.rate"),
        numbers("membership.naive", priority=1),
    ]
    columns += [numbers("membership.control"), numbers("membership.risk")] if controlled else []
    columns += [column("membership.verdict")] if any(row[-1] for row in rows) else []
    return Listing(tuple(columns), tuple(row[: len(columns)] for row in rows))


def _few(entry: RiskOfAttack) -> Sentence | None:
    """That fewer attacks were made than were asked for."""
    made = entry.main.attacks
    if entry.not_made is not None:
        return say("membership.not_tried", attack=_name(entry), reason=entry.not_made)
    if made >= entry.requested:
        return None
    kind = "predicates" if entry.attack.startswith("singling") else "records"
    values = {"made": number(made), "requested": number(entry.requested), "attack": _name(entry)}
    return say(f"membership.few.{kind}", **values)


def _name(entry: RiskOfAttack) -> Sentence:
    if entry.secret is not None:
        return say("membership.name.inference_of", secret=Data(entry.secret))
    return say(f"membership.name.{entry.attack}")


def _rate(found: AttackRate | None) -> str:
    if found is None or found.rate is None:
        return "-"
    return f"{found.rate:.3f} ± {found.error:.3f}"


def _risk(found: ResidualRisk | None) -> Text:
    return "-" if found is None else _span(found.risk, found.lower, found.upper)


def _span(value: float | None, lower: float | None, upper: float | None) -> Sentence:
    return say("membership.span", value=f"{value:.3f}", lower=f"{lower:.3f}", upper=f"{upper:.3f}")


def _verdict(entry: RiskOfAttack) -> Text:
    if entry.not_made is not None:
        return say("membership.verdict.not_tried")
    if entry.void:
        return say("membership.inconclusive")
    return "" if entry.clear else say("membership.verdict.hardly")
