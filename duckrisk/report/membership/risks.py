"""Finished risks of a release, and the forms they can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from duckrisk.report.parts import Part, Report
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number
from duckrisk.session import Statement

_HEADS = {
    "singling_out": "Singling out",
    "linkability": "Linkability",
    "inference": "Inference",
}
_FORMS = {
    "singling_out_univariate": "by one column",
    "singling_out_multivariate": "by {columns} columns together",
    "linkability": "of two parts of a record",
}
_READING = (
    "Rates and their errors are those of Wilson at {confidence:g} %: a little nearer to a half than "
    "successes of attacks. The naive attacker draws the guesses; an attack that is not better is void: it "
    "says nothing, and nothing of safety. Hardly better is one that is better by less than the error. A low "
    "risk is that of these attacks; another one may find more."
)
_CONTROL = (
    "Risk: how much oftener records that the release was made of are found than those of the control set, "
    "(rate - control) / (1 - control). 0: no oftener than people who were not in the table; 1: everybody."
)
_NO_CONTROL = (
    "There is no control set, so the rate of an attack is all that is told: it holds what can be known of "
    "anybody as well as what the release gives away. To tell them apart, name records of the same kind that "
    "the release was not made of, with --control."
)


@dataclass(frozen=True, repr=False)
class Risks(Report):
    """The risks of a release. ``data["risks"]`` has an entry for each attack: ``main``, ``naive`` and
    ``control`` with their attacks, successes and rates, the ``risk`` with its interval (None without control
    set, and where the attack is ``void``); documented in ``duckrisk/report/membership/risks_schema.json``."""

    data: dict[str, Any]
    statements: tuple[Statement, ...] = ()

    @property
    def risks(self) -> list[dict[str, Any]]:
        """What each attack found."""
        found: list[dict[str, Any]] = self.data["risks"]
        return found

    def title(self) -> str:
        original, released = self.data["original"], self.data["released"]
        return (
            f'What "{released["name"]}", {number(released["records"])} records, tells of '
            f'"{original["name"]}", {number(original["records"])} records'
        )

    def parts(self) -> list[Part]:
        """What is told of each risk."""
        made = [Part(self._headline()), *(Part(f"Take care: {note}") for note in self.data["notes"])]
        for kind, head in _HEADS.items():
            entries = [entry for entry in self.risks if entry["attack"].startswith(kind)]
            if not entries:
                continue
            made += [Part(head, 2), Part(self._how(kind))]
            made.append(Part(table=self._table(entries)))
            made += [Part(sentence) for entry in entries if (sentence := self._few(entry))]
        made.append(Part(_NO_CONTROL if self.data["control"] is None else _CONTROL))
        confidence = 100 * self.data["settings"]["confidence"]
        return [*made, Part(_READING.format(confidence=confidence))]

    def _headline(self) -> str:
        """The largest risk, or rate; and that nothing is known where all attacks are void."""
        told = [entry for entry in self.risks if not entry["void"]]
        if not told:
            return (
                "All attacks are void: none is better than guessing. That does not show that the release is "
                "safe."
            )
        if self.data["control"] is None:
            most = max(told, key=lambda entry: entry["main"]["rate"])
            return f"The attack that succeeds oftenest is {_name(most)}: {_span(most['main'], 'rate')}."
        most = max(told, key=lambda entry: entry["risk"]["risk"])
        told_of = f"The largest risk is {_name(most)}: {_span(most['risk'], 'risk')}"
        return f"{told_of}, which may be none." if most["risk"]["lower"] == 0 else f"{told_of}."

    def _how(self, kind: str) -> str:
        settings = self.data["settings"]
        if kind == "singling_out":
            return (
                "Predicates that exactly one record of the release meets; one succeeds where exactly one "
                "record of the original does. Equal records are one."
            )
        if kind == "linkability":
            left, right = (", ".join(settings[side]) for side in ("link_left", "link_right"))
            near = (
                "the nearest record"
                if settings["neighbours"] == 1
                else f"one of the {settings['neighbours']} nearest records"
            )
            return (
                f"Somebody knows {left} of a person, and {right} of a person: that both are one is found "
                f"where {near} of the release is the same for both."
            )
        return (
            "The secret is guessed as that of the record of the release that is nearest by "
            f"{_known(settings, len(self.data['attributes']))}; a number is right within "
            f"{100 * settings['tolerance']:g} % of the guess."
        )

    def _table(self, entries: list[dict[str, Any]]) -> Table:
        kind = "Secret" if entries[0]["attack"] == "inference" else "Attack"
        rows = []
        for entry in entries:
            form = _FORMS.get(entry["attack"], "").format(columns=self.data["settings"]["columns"])
            name: Data | str = form if entry["secret"] is None else Data(entry["secret"])
            cells = [name, f"{number(entry['main']['successes'])} of {number(entry['main']['attacks'])}"]
            cells += [_rate(entry["main"]), _rate(entry["naive"])]
            if self.data["control"] is not None:
                cells.append(_rate(entry["control"]))
                cells.append("-" if entry["risk"] is None else _span(entry["risk"], "risk"))
            rows.append((*cells, _verdict(entry)))
        heads = [kind, "Successes", "Rate", "Naive"]
        heads += ["Control", "Risk"] if self.data["control"] is not None else []
        return Table((*heads, ""), tuple(rows), tuple(range(1, len(heads))))

    def _few(self, entry: dict[str, Any]) -> str | None:
        """That fewer attacks were made than were asked for."""
        made = entry["main"]["attacks"]
        if entry["not_made"] is not None:
            return f"{_name(entry).capitalize()} was not tried: {entry['not_made']}."
        if made >= entry["requested"]:
            return None
        what = "predicates were found" if entry["attack"].startswith("singling") else "records are there"
        return (
            f"Only {number(made)} {what} for the {number(entry['requested'])} attacks on {_name(entry)}; "
            "rates are shares of those that were made."
        )


def _name(entry: dict[str, Any]) -> str:
    if entry["secret"] is not None:
        return f'inference of "{entry["secret"]}"'
    kinds = {"univariate": "singling out by one column", "multivariate": "singling out by several columns"}
    attack: str = entry["attack"]
    return kinds.get(attack.rpartition("_")[2], attack)


def _known(settings: dict[str, Any], attributes: int) -> str:
    if len(settings["known"]) == attributes:
        return "all other columns"
    return ", ".join(settings["known"])


def _rate(found: dict[str, Any] | None) -> str:
    if found is None or found["rate"] is None:
        return "-"
    return f"{found['rate']:.3f} ± {found['error']:.3f}"


def _span(found: dict[str, Any], key: str) -> str:
    return f"{found[key]:.3f} ({found['lower']:.3f} to {found['upper']:.3f})"


def _verdict(entry: dict[str, Any]) -> str:
    if entry["not_made"] is not None:
        return "not tried"
    if entry["void"]:
        return "void"
    return "" if entry["clear"] else "hardly better than naive"
