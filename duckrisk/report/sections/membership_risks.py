"""Make the report on the risks of a release: singling out, linkability and inference."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_decimals, format_number
from duckrisk.base.sentences import Data, Sentence, Text, join_texts, list_names
from duckrisk.contests.membership.release_risks.results import AttackRate, Closeness, RiskOfAttack, Risks
from duckrisk.report.blocks import (
    Block,
    Column,
    Document,
    Figure,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.charts import Drawing
from duckrisk.report.drawings import Axis, Rung, draw_ladder
from duckrisk.report.words import Words

_KINDS = ("singling_out", "linkability", "inference")
#: The statements that count the successes of attacks.
_SUCCESSES_SQL = {
    "singling_out": "isolated_records",
    "linkability": "linked_targets",
    "inference": "guessed_secrets",
}


def make_document(result: Risks) -> Document:
    """Make the report: a headline, then a table for each risk."""
    title = Sentence(
        "membership.risks.title",
        release=Data(result.released.name),
        released=format_number(result.released.records),
        original=Data(result.original.name),
        records=format_number(result.original.records),
    )
    blocks: list[Block] = [
        Paragraph(_write_headline(result), "headline"),
        *paragraphs(result.notes, "warning"),
        *_plot_strongest(result),
    ]
    for risk in _KINDS:
        entries = [entry for entry in result.risks if entry.attack.startswith(risk)]
        if entries:
            blocks += [
                heading(f"membership.{risk}"),
                Paragraph(_describe_attack(risk, result)),
                _list_rates(risk, entries, result),
            ]
            blocks += paragraphs([_name_uncertain_attacks(entries), *map(_explain_fewer_attacks, entries)])
    if result.diagnostics:
        blocks += [heading("membership.closeness"), _list_closeness(result.diagnostics)]
        blocks.append(Paragraph(Sentence("membership.read.closeness"), "reading"))
    reading = "no_control" if result.control is None else "control"
    confidence = f"{100 * result.settings.confidence:g}"
    blocks.append(Paragraph(Sentence(f"membership.read.{reading}"), "reading"))
    blocks.append(Paragraph(Sentence("membership.read.risks", confidence=confidence), "reading"))
    return Document(title, tuple(blocks))


def _write_headline(result: Risks) -> Sentence:
    """Name the largest risk or, without a control set, the largest excess."""
    clear = [entry for entry in result.risks if entry.clear]
    if not clear:
        return Sentence("membership.risks.inconclusive")
    if result.control is None:
        largest = max(clear, key=lambda entry: entry.excess or 0)
        rates = {"rate": f"{largest.main.rate:.3f}", "naive": f"{largest.naive.rate:.3f}"}
        return Sentence(
            "membership.risks.rate", attack=_name_attack(largest), excess=_format_excess(largest), **rates
        )
    risks = [(entry, entry.risk) for entry in clear if entry.risk is not None]
    # A smaller risk whose interval excludes 0 comes before a larger one whose interval does not.
    largest, risk = max(risks, key=lambda pair: (pair[1].lower > 0, pair[1].risk))
    key = "membership.risks.risk" if risk.lower > 0 else "membership.risks.perhaps"
    span = _format_interval(risk.risk, risk.lower, risk.upper)
    return Sentence(key, attack=_name_attack(largest), risk=span)


def _plot_strongest(result: Risks) -> list[Block]:
    """Plot the attack that beats the naive attacker most."""
    clear = [entry for entry in result.risks if entry.clear]
    if not clear:
        return []
    entry = max(clear, key=lambda entry: entry.excess or 0.0)
    rates = [
        ("rate", "blue", entry.main),
        ("naive", "grey", entry.naive),
        ("control", "orange", entry.control),
    ]
    measured = [
        (name, style, rate) for name, style, rate in rates if rate is not None and rate.rate is not None
    ]
    rungs = [
        Rung(
            Sentence(f"membership.bar.{name}"),
            ((rate.rate or 0.0, style),),
            _format_rate(rate),
            interval=(rate.lower, rate.upper) if rate.lower is not None and rate.upper is not None else None,
        )
        for name, style, rate in measured
    ]
    listing = Listing.of(
        measured,
        lambda row: (
            text_column("membership.attack", Sentence(f"membership.bar.{row[0]}")),
            number_column("membership.rate", _format_rate(row[2])),
        ),
        sql=("attack_rate", "beats_baseline"),
    )
    title = Sentence("membership.risks.plot", attack=_name_attack(entry))
    axis = Axis(Sentence("membership.rate"))

    def draw(words: Words) -> Drawing:
        return draw_ladder(words, rungs, axis, description=title, small=True)

    return [Figure(title, draw, listing, (Sentence("membership.read.strongest"),), only_drawn=True)]


def _describe_attack(risk: str, result: Risks) -> Sentence:
    settings = result.settings
    if risk == "linkability":
        return Sentence(
            "membership.how.linkability",
            left=list_names(settings.link_left),
            right=list_names(settings.link_right),
            neighbours=str(settings.neighbours),
        )
    if risk == "inference":
        has_all = len(settings.known) == len(result.attributes)
        names: Text = Sentence("membership.others") if has_all else list_names(settings.known)
        return Sentence("membership.how.inference", known=names, tolerance=f"{100 * settings.tolerance:g}")
    return Sentence("membership.how.singling_out")


def _list_rates(risk: str, entries: Sequence[RiskOfAttack], result: Risks) -> Listing:
    """List the rates of attacks.

    With a control set, the verdict replaces a risk that is unknown.
    """
    has_control = result.control is not None

    def make_columns(entry: RiskOfAttack) -> list[Column]:
        name = Sentence(f"membership.form.{entry.attack}", columns=str(result.settings.columns))
        successes = Sentence(
            "share_of", part=format_number(entry.main.successes), whole=format_number(entry.main.attacks)
        )
        head = "membership.secret" if risk == "inference" else "membership.attack"
        shared = [
            text_column(head, name if entry.secret is None else Data(entry.secret)),
            number_column("membership.successes", successes, priority=2),
            number_column("membership.rate", _format_rate(entry.main)),
            number_column("membership.naive", _format_rate(entry.naive), priority=1),
        ]
        if has_control:
            figures = [number_column("membership.control", _format_rate(entry.control), priority=1)]
            figures += [number_column("membership.risk", _format_risk(entry))]
        else:
            figures = [number_column("membership.excess", _format_excess(entry))]
            figures += [text_column("membership.verdict", _describe_verdict(entry))]
        return [*shared, *figures]

    comparison = "residual_risk" if has_control else "beats_baseline"
    return Listing.of(entries, make_columns, sql=("attack_rate", comparison, _SUCCESSES_SQL[risk]))


def _list_closeness(entries: Sequence[Closeness]) -> Listing:
    return Listing.of(
        entries,
        lambda entry: (
            text_column("membership.closeness.whose", Sentence(f"membership.closeness.{entry.origin}")),
            number_column(
                "membership.closeness.copies",
                Sentence("share_of", part=format_number(entry.copies), whole=format_number(entry.records)),
            ),
            number_column("membership.closeness.dcr", format_decimals(entry.dcr_median)),
            number_column("membership.closeness.dcr_low", format_decimals(entry.dcr_low), priority=1),
            number_column("membership.closeness.nndr", format_decimals(entry.nndr_median)),
            number_column("membership.closeness.nndr_low", format_decimals(entry.nndr_low), priority=1),
        ),
        sql=("closest_records",),
    )


def _name_uncertain_attacks(entries: Sequence[RiskOfAttack]) -> Sentence | None:
    """Name the attacks whose excess is above 0 but within its error."""
    names = [_name_attack(entry) for entry in entries if not (entry.void or entry.clear or entry.skip_reason)]
    return Sentence("membership.hardly", attacks=join_texts(names)) if names else None


def _explain_fewer_attacks(entry: RiskOfAttack) -> Sentence | None:
    """Say that fewer attacks were made than requested, if so."""
    attacks = entry.main.attacks
    if entry.skip_reason is not None:
        return Sentence("membership.not_tried", attack=_name_attack(entry), reason=entry.skip_reason)
    if attacks >= entry.requested:
        return None
    unit = "predicates" if entry.attack.startswith("singling") else "records"
    values = {
        "made": format_number(attacks),
        "requested": format_number(entry.requested),
        "attack": _name_attack(entry),
    }
    return Sentence(f"membership.few.{unit}", **values)


def _name_attack(entry: RiskOfAttack) -> Sentence:
    if entry.secret is not None:
        return Sentence("membership.name.inference_of", secret=Data(entry.secret))
    return Sentence(f"membership.name.{entry.attack}")


def _format_rate(attacks: AttackRate | None) -> str:
    if attacks is None or attacks.rate is None:
        return "-"
    return f"{attacks.rate:.3f} ± {attacks.error:.3f}"


def _format_excess(entry: RiskOfAttack) -> str:
    return "-" if entry.excess is None else f"{entry.excess:.3f} ± {entry.excess_error:.3f}"


def _format_risk(entry: RiskOfAttack) -> Text:
    risk = entry.risk
    if risk is None:
        return _describe_verdict(entry)
    return Sentence(
        "membership.span.short",
        value=f"{risk.risk:.3f}",
        lower=f"{risk.lower:.3f}",
        upper=f"{risk.upper:.3f}",
    )


def _format_interval(value: float | None, lower: float | None, upper: float | None) -> Sentence:
    return Sentence("membership.span", value=f"{value:.3f}", lower=f"{lower:.3f}", upper=f"{upper:.3f}")


def _describe_verdict(entry: RiskOfAttack) -> Text:
    if entry.skip_reason is not None:
        return Sentence("membership.verdict.not_tried")
    return Sentence(f"membership.{'works' if entry.clear else 'inconclusive'}")
