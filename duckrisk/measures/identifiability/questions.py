"""How easily everybody would be singled out without an attribute, or with a coarser form of it.

After a complete search, each person whose easiest sets have an attribute in common is asked about it: a
*question*, which the easiest set without the attribute answers. One walk of the tiers answers them all.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from duckrisk.engine.templates import Attribute
from duckrisk.measures.identifiability.combinations import mask_of, ones
from duckrisk.measures.identifiability.examining import PROBED_PAIRS
from duckrisk.measures.identifiability.search import (
    COMPARED_AGAIN,
    REQUIRED_SETS,
    REQUIRED_WORK,
    Search,
    Walk,
)

#: Open combinations are compared where it costs no more than so many times the sets of the next tier.
COMPARED_FOR = 4
#: Sets are chosen again where those of a tier answered such a share of the open questions.
ANSWERED_SHARE = 0.5


class Questions(Search):
    """The walk of the what-ifs, after the first one."""

    def walk_without(
        self,
        walk: Walk,
        *,
        ignore_missing: bool,
        most_pairs: int,
        coarser: Mapping[int, Attribute] | None = None,
    ) -> bool:
        """After a complete walk: find how easily everybody is singled out without each attribute, and with a
        coarser form in its stead for those at the positions of ``coarser``.

        Only those matter in all of whose easiest sets an attribute is, and tiers from the first on that
        settled somebody. Fills the table ``without_attribute``; returns False where that would take more
        than ``most_pairs`` pairs of a set and a combination.
        """
        if coarser:
            self.widen(coarser)
        session = self.session
        self._empty("without_attribute", ["position", "tier", "records"], ["missing"])
        # Nobody needs an attribute for which another stands one to one.
        searched = [*self.searched, *self.coarser.values()]
        self._list_attributes(searched)
        forms = [1 << form for form in self.coarser.values()]
        self.redundant += [1 << position | 1 << form for position, form in self.coarser.items()]
        self.redundant += [sum(pair) for pair in itertools.combinations(forms, 2)]
        left = self._open_asked()
        patterns = self._patterns(ignore_missing)
        pairs = self._closures(len(searched), patterns) * self.combinations
        if pairs > most_pairs:
            return False
        # Who is singled out by none of these has no answer; others require what those sets have in common.
        self._close(self._unions_without(), patterns, left)
        self._ask()
        session.run("unanswered", barred_only=True)
        here = self._made("keep_answerable")
        self._require_answers(here, walk, most_pairs)
        listed = self._list_sets(self.tiers, searched)
        self.compared, self.shared = here, 0
        for tier in self.tiers:
            if here == 0:
                break
            if self._too_many(tier, self.searched):
                return False
            self._make_tiers([tier], listed)
            if walk.first is None or tier.number < walk.first:
                continue
            count, wanted = self._useful([tier])
            pairs += count * self.combinations
            if pairs > most_pairs:
                return False
            while count:
                if not self.shared and here <= COMPARED_AGAIN * self.compared:
                    self.compared = here
                    affordable = min(COMPARED_FOR * count * self.combinations, most_pairs - pairs)
                    self.shared = self._compare_open(here, self._unbound(), affordable, searched)
                last, hits = self._examine_questions(count, wanted, here, ignore_missing)
                if hits:
                    session.run("answered", tier=tier.number)
                    here = self._made("close_answered")
                if last + 1 == count:
                    break
                count, wanted = self._useful([tier], after=last)
        session.run("unanswered", barred_only=False)
        self._list_attributes(self.varying)
        self._look_at("combinations")
        session.run("drop_table", table="asked_combinations")
        return True

    def _open_asked(self) -> int:
        """Open those whose easiest sets have an attribute in common; returns how many there are."""
        self.questions, self.with_values = False, True
        self.session.run(
            "asked_combinations",
            words=self.layout.count,
            set_bits=self.set_bits,
            attributes=[1 << position for position in self.coarser],
            forms=[1 << form for form in self.coarser.values()],
        )
        self._look_at("asked_combinations")
        return self._made("asked_persons", words=self.layout.count, set_bits=self.set_bits)

    def _unions_without(self) -> list[int]:
        """The largest sets without an attribute, and with its form in its stead."""
        whole = mask_of(self.searched)
        unions = [whole & ~bit for bit in ones(whole)]
        return unions + [whole & ~(1 << position) | 1 << form for position, form in self.coarser.items()]

    def _ask(self) -> None:
        """Open the questions, a person and an attribute or a form each."""
        forms = mask_of(list(self.coarser.values()))
        asked = [(1 << position, 1 << position, 1 << position | forms) for position in self.searched]
        asked += [
            (1 << position, 1 << form, 1 << position | forms & ~(1 << form))
            for position, form in self.coarser.items()
        ]
        self.questions = True
        self.session.run(
            "questions",
            words=self.layout.count,
            set_bits=self.set_bits,
            attributes=[attribute for attribute, _, _ in asked],
            needed=[needed for _, needed, _ in asked],
            barred=[barred for _, _, barred in asked],
            forms=forms,
        )

    def _require_answers(self, left: int, walk: Walk, most_pairs: int) -> None:
        """Find the attributes that every answer to a question must hold, where that is little of the work: of
        so many sets few can be one then."""
        whole = mask_of(self.searched)
        smaller = {union & ~bit for union in self._unions_without() for bit in ones(union & whole)}
        more = len(smaller)
        tiers = self.tiers[walk.first or 0 :]
        sets = sum(self._sets_of(one.size, one.economic, one.psychological, self.searched) for one in tiers)
        if REQUIRED_SETS * more > sets or more * self.combinations > REQUIRED_WORK * most_pairs:
            return
        # A missing value is one of its own here: it refutes fewer sets, and needs none for each pattern.
        self._close(sorted(smaller), False, left)
        self.session.run("require_answers", set_bits=self.set_bits, searched=whole)

    def _examine_questions(self, count: int, wanted: int, here: int, ignore_missing: bool) -> tuple[int, int]:
        """Put the open questions that useful sets answer, each tried for so many of them, into the table
        ``hits``; returns the number of the last set looked at, and how often one answered. The sets after
        those that answered many of the questions are not looked at: they may be useful to none then."""
        if self.shared:
            batches = self._read_off(0, count, PROBED_PAIRS // self.shared)
        else:
            batches = self._batches("useful", 0, count, wanted)
        hits = 0
        for place, batch in enumerate(batches):
            if self.shared:
                hits += self._made(
                    "examine_agreements",
                    sets="useful",
                    first=batch.first,
                    last=batch.last,
                    several_tiers=False,
                    ignore_missing=ignore_missing and self.missing_cells > 0,
                    questions=True,
                    found="hits",
                    replace=place == 0,
                    **{"class": 0},
                )
            else:
                hits += self._examine(ignore_missing, wanted, batch, found="hits", begin=place == 0)
            # Parts of the telling attributes are not looked at in the order of the sets.
            if not batch.parts and hits >= ANSWERED_SHARE * here:
                return batch.last, hits
        return count - 1, hits
