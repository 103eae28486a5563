"""The words of a comparison; part of the catalogue in ``text``."""

from __future__ import annotations

ENGLISH = {
    # --- names of sections and figures
    "compare.title": "{original} and what was made of it",
    "compare.title_of_two": "{original} and {release}",
    "of_compare_figures": "Before and after",
    "of_compare_plot": "What the risk is, and what is left of the data",
    "of_compare_attributes": "Risk of each attribute",
    "of_compare_losses": "What each attribute lost",
    "of_compare_tables": "Cross tables that changed most",
    "of_compare_reading": "How to read this",
    # --- rows of the figures
    "compare.original": "original",
    "compare.figure": "Figure",
    "compare.records": "records",
    "compare.left_out": "attributes left out",
    "compare.group.risk": "Risk",
    "compare.singled_out": "singled out",
    "compare.value": "value of a leak ({currency})",
    "compare.jo": "the same by JO ({currency})",
    "compare.highest_risk": "top attribute risk",
    "compare.group.classes": "Classes",
    "compare.classes": "equivalence classes",
    "compare.smallest_class": "smallest class",
    "compare.records_below_k": "in a class below {k}",
    "compare.average_class_size": "average class",
    "compare.discernibility": "discernibility",
    "compare.group.information": "Information",
    "compare.information": "information left (U)",
    "compare.bound": "U, own cells only",
    "compare.kl": "KL (bits)",
    "compare.ncp": "NCP",
    "compare.gcp": "GCP",
    "compare.group.utility": "Losses",
    "compare.total_variation": "shares of values",
    "compare.cross_table_loss": "cross tables",
    "compare.correlation_loss": "correlations",
    "compare.subset_loss": "means of groups",
    "compare.group.linkage": "Linkage",
    "compare.rate": "linked rightly",
    "compare.blind_rate": "blind links",
    "compare.p_value": "p-value",
    "compare.group.recommendation": "Recommendation losses",
    "compare.similarity_loss": "likeness of items",
    "compare.top_loss": "top items",
    "compare.invalid": "invalid",
    "compare.not_exact": "not computed",
    # --- heads of tables
    "compare.release": "Release",
    "compare.attribute_information": "U",
    "compare.variation": "Shares",
    "compare.generalised": "Generalised",
    "compare.suppressed": "Suppressed",
    "compare.false": "False",
    "compare.missing": "Missing",
    "compare.pair": "Attributes",
    "compare.loss": "Loss",
    "compare.largest": "Largest change",
    # --- figure
    "axis.compare.information": "information left (U)",
    "axis.compare.value": "value of a leak ({currency})",
    "legend.compare.ours": "by who can be singled out",
    "legend.compare.jo": "by the JO model",
    "read.compare.plot": "Right is better for those who use the data, low is better for the people in them.",
    "read.compare.plot_missing": "Releases without a valid figure for the information are not drawn.",
    # --- sentences
    "compare.before": "{before} before",
    "versions_line": "duckrisk {duckrisk}, DuckDB {duckdb}, seed {seed}.",
    "compare.headline": "{release}: {value}; {left}.",
    "compare.value_falls": "a leak is worth {part} less than before ({after} instead of {before} {currency})",
    "compare.value_rises": "a leak is worth {part} more than before ({after} instead of {before} {currency})",
    "compare.value_same": "a leak is worth what it was ({before} {currency})",
    "compare.value_unknown": "the value of a leak was not measured",
    "compare.left": "{part} of the information is left",
    "compare.left_unknown": "what is left of the information is not known",
    "compare.nothing": "{release} was compared",
    "compare.false_cells": "{release} holds false cells: {cells} of {attribute} cover no value of the "
    "original, such as those of the form {form} (9 for numbers, a for letters); labels need their hierarchy.",
    "compare.false_left": "{cells} cells of {attribute} in {release} cover no value of the original; "
    "correlations and means of groups leave them out.",
    "compare.uncovered": "{release} is not valid as a coarser form of the original: {records} records of "
    "that are covered by no record of it, so the distance is infinite.",
    "compare.too_much": "Exact containment would take too long for {release}: its cells overlap in too "
    "many ways.",
    "compare.fewer": "{release} lacks {records} of the records; the information counts them as suppressed"
    " in every attribute, its other figures leave them out.",
    "compare.corresponding": "U by own cells only and linkage take it that records correspond: {how}. "
    "Nothing else does.",
    "compare.by_order": "the first of the release is the first of the original, and so on",
    "compare.by_key": "by the column {key}",
    "compare.not_corresponding": "No figure here takes it that a record of a release stands for one of "
    "the original; --aligned or --key adds those that do.",
    "read.compare.information": "Information left: 1 - KL(original, release) / KL(original, all "
    "suppressed) over all columns that an attacker may know of (identifiers, free text and constants are "
    "none), 1 is everything and 0 is nothing; each record of a release spreads evenly over what its cells "
    "cover.",
    "read.compare.risk": "Attribute risk takes each different cell for a value of its own: cells that "
    "overlap make it look higher than it is.",
    "read.compare.classes": "Classes: records that agree on {names}.",
    "read.compare.gcp": "NCP is the certainty penalty of all cells, GCP the same from 0 to 1.",
    "read.compare.losses": "Losses: 0 answers as the original does, 1 is useless. Shares of values and "
    "cross tables are total variation, means over attributes and over pairs; correlations are the mean "
    "change; means of groups are relative errors of the means of numbers in each category. An interval, a "
    "set or a label of numbers stands for all that it covers alike; missing and false cells are left out.",
    "read.compare.linkage": "Linkage: the attacker holds both tables and lacks only which record is "
    "which; {records} records were drawn. Blind links are those to a release whose columns are shuffled.",
    "read.compare.recommendation": "Recommendation losses: 0 recommends as the original does, 1 is useless. "
    "Likeness of items is how far the cosines of values of {item}, by users who have both, are from those "
    "in the original; top items is the share of the {top} that most users had which are not among the top "
    "ones any more.",
    "read.compare.left_out": "An attribute that a release lacks is suppressed there.",
}
