"""What a long run says that it is doing."""

from __future__ import annotations

import pytest

from duckrisk import templates
from duckrisk.progress import Progress, doing
from tests.assessments import Stream


def test_progress_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, template in templates.catalogue().items():
        assert name not in doing(name).split()
        assert "_" not in doing(name)
        if template.topic == "attribute" and name != "model_errors":  # which reads nothing
            assert doing(name) != "measuring", name
    assert doing("copy_records") == doing("relation") == "reading the source"
    stream = Stream(terminal=True)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    progress = Progress(after=0.0)
    progress("attribute_risk", 0.5)
    progress.close()
    assert "counting the users of each value" in stream.text()
    assert "attribute_risk" not in stream.text()
