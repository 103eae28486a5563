"""A page of a small table, asked without a network."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from duckrisk.engine.session import Resources
from duckrisk.page.app import make_app
from duckrisk.page.board import Board
from duckrisk.page.security import Gate
from duckrisk.page.settings import Given
from tests.command import table

ORIGIN = "http://127.0.0.1:4321"
#: Patients, each once: nobody is alone by sex and year of birth.
PATIENTS = (
    "SELECT 'p' || i AS patient_id, DATE '1950-01-01' + CAST(i * 37 % 9000 AS INTEGER) AS birth_date,"
    " CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END AS sex, CAST(10000 + i % 24 * 400 AS VARCHAR) AS zip,"
    " i % 20 AS age, ['flu', 'asthma', 'fracture'][1 + i % 3] AS illness FROM range(240) t(i)"
)
#: Seconds; on a busy machine the jobs of a small table take some.
PATIENCE = 60


class Page:
    """A page as its browser sees it."""

    def __init__(self, given: Given, resources: Resources | None = None) -> None:
        self.board = Board(given, resources or Resources())
        self.gate = Gate(ORIGIN)
        self.ends = 0
        self.app = make_app(self.board, self.gate, self._end)
        self.client = TestClient(self.app, base_url=ORIGIN, follow_redirects=True)

    @classmethod
    def of(cls, source: Path) -> Page:
        """A page that is not open yet."""
        return cls(Given(str(source)))

    def _end(self) -> None:
        self.ends += 1

    def open(self) -> str:
        """Open the source, and exchange the ticket."""
        self.board.open_source(None)
        self.board.desk.start()
        answer = self.client.get(f"/?ticket={self.gate.ticket}")
        assert answer.status_code == 200, answer.text
        return self.settle()

    def settle(self) -> str:
        """Wait until nothing is to be done, and return the page."""
        end = time.monotonic() + PATIENCE
        while self.board.desk.is_busy:
            assert time.monotonic() < end, self.board.desk.look()
            time.sleep(0.02)
        return self.client.get("/").text

    def post(self, path: str, **fields: Any) -> Any:
        """Post a form of the page, as its browser does."""
        signed = {"token": self.gate.sign(path), "seen": f"{self.board.count}"}
        return self.client.post(path, data=signed | fields, headers={"Origin": ORIGIN})

    def position(self, column: str) -> int:
        """The number of a column."""
        return next(one.position for one in self.board.columns if one.column == column)

    def slide(self, column: str, form: str) -> Any:
        """Move a slider to a form."""
        levels = next(one for one in self.board.columns if one.column == column)
        return self.post("/form", column=levels.position, level=levels.forms.index(form))

    def close(self) -> None:
        self.client.close()
        self.board.close()


@contextmanager
def opened(source: Path, resources: Resources | None = None, **given: Any) -> Iterator[Page]:
    """A page of a table that is open and judged."""
    page = Page(Given(str(source), **given), resources)
    try:
        page.open()
        yield page
    finally:
        page.close()


def patients(folder: Path) -> Path:
    """A file of patients."""
    return table(folder / "patients.parquet", PATIENTS)


def text_of(html: str) -> str:
    """What a page says, without its elements."""
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<(style|script).*?</\1>", " ", html)).split())
