"""The words of advice; part of the catalogue in ``text``."""

from __future__ import annotations

ENGLISH = {
    # --- names of sections and figures
    "advice.title": "{source}: what to change first",
    "of_advice_plot": "What each step leaves of the risk and of the data",
    "of_advice_steps": "The steps",
    "of_advice_commands": "The commands",
    "of_advice_reading": "How to read this",
    # --- heads of tables
    "advice.step": "Step",
    "advice.what": "What",
    "advice.records": "Records",
    "advice.value": "Value of a leak",
    "advice.singled_out": "Records singled out",
    "advice.users": "Users",
    "advice.users_singled_out": "Users singled out",
    "advice.each": "Value of a leak of one user",
    "advice.information": "Information left",
    "advice.links": "Links left",
    # --- steps
    "advice.whole": "the table as it is",
    "advice.generalize": "{name} by {form}",
    "advice.drop": "{name} left out",
    "advice.pseudonymize": "new {name} each {form}",
    "advice.delete_all": "deleted: alone by all {count}",
    "advice.delete_any": "deleted: alone by any of {count}",
    "advice.delete_some": "deleted: alone by any {together} of {count}",
    "advice.delete_one": "deleted: alone by {name}",
    # --- how it went
    "advice.of_records": "records",
    "advice.headline": "{steps} lower the value of a leak from {before} to {after} {currency} and leave "
    "{left} of the information.",
    "advice.headline_none": "No step was taken: the value of a leak is {before} {currency}.",
    "advice.steps.one": "One step",
    "advice.steps": "{count} steps",
    "advice.ended.target": "The target is reached.",
    "advice.ended.no_risk": "Nobody can be singled out any more.",
    "advice.ended.steps": "More steps were not asked for; --steps allows more.",
    "advice.ended.no_step": "No further step lowers the risk.",
    "advice.ended.time_limit": "The time limit ended the steps; --time-limit allows more.",
    "advice.missed": "The target {target} is not reached.",
    # --- how to read it
    "read.advice": "Each step adds to those before it: it lowers the value of a leak most for the "
    "information that it costs.",
    "read.advice_history": "Each step adds to those before it: it lowers the risk most for what it costs. "
    "The risk is that of records and of users together, each as a part of what it was; the cost is "
    "information and links.",
    "read.advice.left": "left: the information that is left, from 1 (the table as it is) to 0 (nothing), of "
    "all columns that an attacker may know of; identifiers, free text and constants are none.",
    "read.advice.users": "records, users: the share that is singled out; each pseudonym is a user.",
    "read.advice.links": "links: the share of records that can still be linked to an earlier one of the "
    "user.",
    "read.advice.deleted": "deleted: records that are alone with their cells, by so many of the columns "
    "together; they count as suppressed in every column. The last step keeps {kept} of {records} records.",
    "read.advice.plot": "The further right, the more information is left; the lower, the less risk. The line "
    "goes from the table as it is, 0, step by step.",
    "axis.advice.information": "information left",
    "axis.advice.total_value": "value of a leak, in {currency}",
    "axis.advice.singled_out_share": "records singled out",
    "axis.advice.singled_out": "records singled out",
    "axis.advice.total_ease": "total ease of records",
    "axis.advice.users.total_value": "value of a leak of all users, in {currency}",
    "axis.advice.users.singled_out_share": "users singled out",
    "axis.advice.users.singled_out": "users singled out",
    "axis.advice.users.total_ease": "total ease of users",
    "legend.advice.target": "the target",
    "advice.versions": "duckrisk {duckrisk}",
}
