"""How easily each person would be singled out without an attribute, or with a coarser form of it.

After a complete walk, each person whose easiest sets have an attribute in common is asked about it: a
*question*, which the easiest set without the attribute answers. One more walk of the tiers answers them all.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from duckrisk.engine.templates import Attribute
from duckrisk.measures.sets import costs
from duckrisk.measures.sets.agreements import Agreements
from duckrisk.measures.sets.classes import Classes
from duckrisk.measures.sets.combinations import EncodedSource
from duckrisk.measures.sets.easiest import EasiestSets
from duckrisk.measures.sets.masks import list_bits, make_mask, split_range
from duckrisk.measures.sets.tiers import Tier


class WithoutAttributes:
    """The walk of the questions, after a complete walk to the easiest sets.

    Only the attributes matter that all easiest sets of a person hold, and tiers from the first on that
    settled somebody. Fills the table `without_attribute`.

    Args:
        easiest: The walk that settled everybody.
        encoding: What made its table of combinations.
        most_pairs: Pairs of a set and a combination to examine at most.
        coarser: Coarser forms to try, by the positions of the attributes they replace.
    """

    def __init__(
        self,
        easiest: EasiestSets,
        encoding: EncodedSource,
        *,
        most_pairs: int,
        coarser: Mapping[int, Attribute],
    ) -> None:
        made = easiest.combinations
        if coarser:
            made.widen(encoding, coarser)
        self.combinations, self.session, self.tiers = made, made.session, easiest.tiers
        self.ignore_missing, self._first = easiest.ignore_missing, easiest.walk.first
        self._most_pairs, self._pairs = most_pairs, 0
        self.classes = Classes(made)
        self.agreements = Agreements(self.classes)
        # Nobody needs an attribute that has a twin.
        self.searched = [*made.searched, *made.coarser.values()]

    def run(self) -> bool:
        """Answer the questions; return False if that takes too many pairs."""
        made, session = self.combinations, self.session
        made.empty_table("without_attribute", ["position", "tier", "records"], ["missing"])
        made.list_attributes(self.searched)
        left = self._open_persons()
        by_pattern = self.classes.is_by_pattern(self.ignore_missing)
        self._pairs = self.classes.count_closures(len(self.searched), by_pattern) * made.count
        if self._pairs > self._most_pairs:
            return False
        # A person that none of these singles out has no answer; others require what those have in common.
        self.classes.close(self._list_unions(), by_pattern, left)
        self._ask()
        session.run("unanswered", barred_only=True)
        self.open = made.fill("keep_answerable")
        self._require_answers()
        self.tiers.list_sets(self.searched, self._list_redundant())
        self.agreements.forget(self.open)
        if not all(map(self._answer, self.tiers.tiers)):
            return False
        session.run("unanswered", barred_only=False)
        made.list_attributes(made.varying)
        session.run("drop_table", table="asked_combinations")
        return True

    def _open_persons(self) -> int:
        """Open those whose easiest sets have an attribute in common; count them."""
        made = self.combinations
        self.session.run(
            "asked_combinations",
            words=made.layout.count,
            set_bits=made.set_bits,
            attributes=[1 << position for position in made.coarser],
            forms=[1 << form for form in made.coarser.values()],
        )
        self.classes.table = "asked_combinations"
        return made.fill("asked_persons", words=made.layout.count, set_bits=made.set_bits)

    def _list_redundant(self) -> list[int]:
        """List the sets that add nothing, such as a form with its attribute."""
        coarser = self.combinations.coarser
        forms = [1 << form for form in coarser.values()]
        return [
            *self.combinations.dependencies.redundant,
            *(1 << position | 1 << form for position, form in coarser.items()),
            *(sum(pair) for pair in itertools.combinations(forms, 2)),
        ]

    def _list_unions(self) -> list[int]:
        """List the largest sets without an attribute, and with its form in its stead."""
        made = self.combinations
        whole = make_mask(made.searched)
        unions = [whole & ~bit for bit in list_bits(whole)]
        return unions + [whole & ~(1 << position) | 1 << form for position, form in made.coarser.items()]

    def _ask(self) -> None:
        """Open the questions: a person and an attribute, or a form."""
        made = self.combinations
        forms = make_mask(made.coarser.values())
        asked = [(1 << position, 1 << position, 1 << position | forms) for position in made.searched]
        asked += [
            (1 << position, 1 << form, 1 << position | forms & ~(1 << form))
            for position, form in made.coarser.items()
        ]
        self.classes.has_questions = True
        self.session.run(
            "questions",
            words=made.layout.count,
            set_bits=made.set_bits,
            attributes=[attribute for attribute, _, _ in asked],
            needed=[needed for _, needed, _ in asked],
            barred=[barred for _, _, barred in asked],
            forms=forms,
        )

    def _require_answers(self) -> None:
        """Find the attributes that every answer must hold, if that is little of the work."""
        made = self.combinations
        whole = make_mask(made.searched)
        smaller = {union & ~bit for union in self._list_unions() for bit in list_bits(union & whole)}
        tiers = self.tiers.tiers[self._first or 0 :]
        sets = sum(self.tiers.count_sets(tier, made.searched) for tier in tiers)
        is_small = costs.REQUIRED_SETS * len(smaller) <= sets
        if not is_small or len(smaller) * made.count > costs.REQUIRED_WORK * self._most_pairs:
            return
        # A missing value is one of its own here: it refutes fewer sets, and needs none for each pattern.
        self.classes.close(sorted(smaller), False, self.open)
        self.session.run("require_answers", set_bits=made.set_bits, searched=whole)

    def _answer(self, tier: Tier) -> bool:
        """Answer questions by a tier's sets; return False if it takes too many pairs."""
        if not self.open:
            return True
        if self.tiers.is_too_large(tier):
            return False
        self.tiers.begin([tier])
        if self._first is None or tier.number < self._first:
            return True
        count, wanted = self.tiers.list_useful([tier], has_questions=True)
        self._pairs += count * self.combinations.count
        if self._pairs > self._most_pairs:
            return False
        while count:
            if self.agreements.is_due(self.open):
                self.agreements.compare_again_below(self.open)
                most = costs.COMPARED_FOR * count * self.combinations.count
                most = min(most, self._most_pairs - self._pairs)
                self.agreements.compare(self.open, self.agreements.count_unbound(), most, self.searched)
            last, hits = self._examine(count, wanted)
            if hits:
                self.session.run("answered", tier=tier.number)
                self.open = self.combinations.fill("close_answered")
            if last + 1 == count:
                break
            count, wanted = self.tiers.list_useful([tier], has_questions=True, after=last, among="useful")
        return True

    def _examine(self, count: int, wanted: int) -> tuple[int, int]:
        """Find the open questions that useful sets answer; fill the table `hits`.

        The sets after those that answered many questions are left out: they may be useful to none then.

        Args:
            count: Number of useful sets.
            wanted: For how many open questions each is examined.

        Returns:
            The number of the last set that was examined, and how often one answered.
        """
        hits = 0
        if self.agreements.count:
            for first, last in split_range(count, self.agreements.count_at_once()):
                hits += self.agreements.examine(
                    "useful", first, last, self.ignore_missing, found="hits", is_first=first == 0
                )
                if hits >= costs.ANSWERED_SHARE * self.open:
                    return last, hits
            return count - 1, hits
        for batch in self.classes.list_batches("useful", 0, count, wanted):
            hits += self.classes.examine(
                self.ignore_missing, wanted, batch, found="hits", is_first=batch.first == 0
            )
            if hits >= costs.ANSWERED_SHARE * self.open:
                return batch.last, hits
        return count - 1, hits
