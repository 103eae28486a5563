"""Terms of the field, and the metric or algorithm that measures each."""

from __future__ import annotations

#: A term, in lower case with underscores: the name to explain, and a sentence. A name in backquotes is a
#: column or a statement of what is explained.
TERMS: dict[str, tuple[str, str]] = {
    "k_anonymity": ("reidentification_risk", "k is `smallest_class`, the size of the smallest class."),
    "k_map": ("journalist_risk", "k is `k_map`, the smallest class among the population."),
    "l_diversity": ("attribute_disclosure", "l is `distinct_l`, `entropy_l` or `recursive_l`."),
    "t_closeness": ("attribute_disclosure", "t is `equal_t`, or `ordered_t` for ordered values."),
    "alpha_k_anonymity": ("attribute_disclosure", "Its bounds are `alpha` and `k`."),
    "beta_likeness": ("attribute_disclosure", "Beta is `basic_beta` or `enhanced_beta`."),
    "delta_disclosure": ("attribute_disclosure", "Delta is `delta`."),
    "delta_presence": ("journalist_risk", "Its bounds are `delta_min` and `delta_max`."),
    "homogeneity": ("disclosed_people", "A class with one sensitive value discloses it: `disclosed_people`."),
    "sensitive_attribute": ("disclosed_people", "The limit of a policy is on `share`."),
    "attribute_inference": ("guessing", "Guesses of a column from the nearest records of a release."),
    "prosecutor": ("reidentification_risk", "Prosecutor risk is `highest_risk` and `average_risk`."),
    "journalist": ("journalist_risk", "Journalist risk is `highest_risk` and `average_risk`."),
    "marketer": ("journalist_risk", "Marketer risk is `marketer_risk`."),
    "sample_uniques": ("reidentification_risk", "Records that are `alone` in their class."),
    "special_uniques": ("suda", "Minimal sample uniques, their `score` and `dis`."),
    "population_uniques": (
        "population_uniqueness",
        "Estimates of the share that is unique in the population.",
    ),
    "benedetti_franconi": ("individual_risk", "The risk of each class of a weighted sample is `risk`."),
    "equivalence_class": ("equivalence_classes", "Records that agree on all quasi-identifiers."),
    "quasi_identifier": (
        "uniqueness",
        "Columns that an attacker may know, and the people singled out by sets of them.",
    ),
    "direct_identifier": ("direct_identifiers", "Columns that name or number a person."),
    "safe_harbor": ("direct_identifiers", "The eighteen identifiers of HIPAA are a list of the report."),
    "attacker_model": (
        "attribute_risk",
        "An attacker with background knowledge learns one value of an attribute.",
    ),
    "background_knowledge": ("known_records", "An attacker knows several records of a person."),
    "unique_in_the_crowd": (
        "known_records",
        "Unicity is `unicity`: people singled out by a few known records.",
    ),
    "trajectory_uniqueness": ("whole_histories", "People whose history nobody else has: `unique_people`."),
    "linkability": (
        "release_risks",
        "Anonymeter's attack: records of a release that link two sets of columns.",
    ),
    "singling_out_attack": ("singling_out", "Anonymeter's attack: predicates that one record meets."),
    "inference_attack": ("guessing", "Anonymeter's attack: `guessed_secrets` against a naive guess."),
    "membership_inference": ("inference", "Who was in the table that a release was made from."),
    "dcr": ("neighbours", "The distance to the closest record is found by `nearest_of_all`."),
    "nearest_neighbour": ("neighbours", "Exact nearest records, without a table of all pairs."),
    "roc_curve": ("roc", "The area below it, and the true positives at a rate of false ones."),
    "record_linkage_rate": ("record_linkage", "The share of records that are linked is `rate`."),
    "information_loss": ("information_of_release", "The share that is left is `information`."),
    "kl_divergence": ("information_of_release", "It is `kl`, in bits."),
    "pram": ("noise", "Post-randomisation draws values anew: `perturbed_values`."),
    "data_swapping": ("noise", "Values change places between records: `swapped_values`."),
    "microaggregation": ("microaggregated", "Numbers become the means of groups of near ones."),
    "suppression": ("steps", "Cells, columns or records are left out."),
    "generalization": ("values", "Values become coarser: each different value is looked up once."),
    "pseudonymization": ("pseudonymisation", "New numbers in place of the codes of people."),
    "synthetic_data": ("generator", "Records with the marginals, means and covariances of others."),
    "damages_of_a_leak": ("jo_model", "Sensitivity times ease of identification, summed."),
    "frequent_itemsets": ("association_rules", "What is bought together, and how sure that is."),
}


def normalize_term(name: str) -> str:
    """Return a name as terms are written."""
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def find_term(name: str) -> tuple[str, str] | None:
    """Return the name to explain for a term, and the sentence on it; None for no term."""
    return TERMS.get(normalize_term(name))
