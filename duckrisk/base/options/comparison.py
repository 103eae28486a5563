"""Options of the comparison of releases with their original."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.options import OptionSet, option

#: The parts of a comparison.
PARTS = ("information", "utility", "risk", "linkage", "recommendation")
#: The help of ``--attach`` where several tables are compared.
ATTACH = "A database that has ORIGINAL and each RELEASE as tables, named schema.name."


@dataclass(frozen=True)
class Options(OptionSet):
    """How releases are compared with their original.

    Attributes:
        settled_hierarchies: The settings file whose hierarchies apply to releases without a recipe.
    """

    quasi_identifiers: tuple[str, ...] = option(
        (),
        help="Make classes of this column.",
        group="Who is who",
        flag="--quasi-identifier",
        metavar="COLUMN",
        default_text="all attributes",
    )
    k: int = option(5, help="A class of fewer records is rare.", flag="--rare-below", minimum=1)
    aligned: bool = option(
        False, help="The records of all tables correspond, in their order.", group="Who is who"
    )
    key: str | None = option(
        None, help="A column that identifies records in all tables.", group="Who is who", metavar="COLUMN"
    )
    only: tuple[str, ...] = option(
        PARTS, help="Measure this part alone.", choices=PARTS, open=True, default_text="all of them"
    )
    hierarchies: str | None = option(
        None,
        help="A TOML file with the [hierarchies] that releases were made with.",
        group="Source",
        metavar="FILE",
        default_text="the recipe of a release, else the settings file",
    )
    settled_hierarchies: str | None = None
    seed: int = option(0, help="Random seed: the same seed, the same draws.", minimum=0)
    item: str | None = option(
        None,
        help="The column of what users buy or use: compare recommendations too.",
        group="Who is who",
        metavar="COLUMN",
    )
    predict: str | None = option(
        None,
        help="A column that models predict: how well, learned from a release (needs [ml]).",
        group="Who is who",
        metavar="COLUMN",
    )

    @property
    def is_matched(self) -> bool:
        """Whether each record of a release has a known record of the original."""
        return self.aligned or self.key is not None

    @property
    def skipped_parts(self) -> frozenset[str]:
        """The parts that are not measured, and "policy" without a verdict."""
        missing = {name for name in PARTS if name not in self.only}
        missing |= set() if self.is_matched else {"linkage"}
        missing |= set() if self.item is not None else {"recommendation"}
        return frozenset(missing | ({"policy"} if "risk" in missing else set()))

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        if self.aligned and self.key is not None:
            raise UsageError("options.aligned_and_key")
        for name in self.only:
            if name not in PARTS:
                hint = suggest_names(name, list(PARTS))
                raise UsageError("options.unknown_part", name=name, hint=hint)
        if not self.only:
            raise UsageError("options.no_parts", parts=", ".join(PARTS))
        if "linkage" in self.only and self.only != PARTS and not self.is_matched:
            raise UsageError("options.linkage_without_key")
        if "recommendation" in self.only and self.only != PARTS and self.item is None:
            raise UsageError("options.recommendations_without_item")
        if self.predict is not None and "utility" not in self.only:
            raise UsageError("options.predict_without_utility")
