"""What the functions of both contests make of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from duckrisk.base.options.calls import options_from, path_of
from duckrisk.base.options.output import Judgement, Output

if TYPE_CHECKING:
    from duckrisk.base.results import Result
    from duckrisk.release.anonymization import Target

_Report = TypeVar("_Report", bound="Result")


def target_of(output: Any, options: Mapping[str, Any]) -> Target:
    """Return the file that a call writes; raises UsageError for what is no path."""
    from duckrisk.release.anonymization import Target

    return Target(path_of("output", output), None, options_from(Output, options).overwrite)


def judge_report(work: Callable[[], _Report], kind: type[_Report], options: Mapping[str, Any]) -> _Report:
    """Return the report that some work makes, judged by the gates of a call.

    Raises:
        UsageError: A gate cannot be read; nothing was measured.
    """
    from duckrisk.decision.baseline import run_and_judge

    judgement = options_from(Judgement, options)
    return run_and_judge(work, judgement.fail_on, kind, judgement.baseline)
