"""What was asked and answered, on the disk: an intent before each call, its result after, many to one commit.

SQLite, WAL, synchronous=FULL: what :meth:`Store.commit` took is there after a loss of power. A call whose intent stands
without a result when a folder is opened again is ``ambiguous``: it may have been paid for, is counted as if it had
been, and is made again. Keys are numbers: ``images`` says which digest an image's number stands for, and a crop's
number is its image's times 256 plus its place among the faces that the service saw there.
"""

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from frtaudit.collection.rows import COMPARE, DETECT, FINDING, PLACES, HandleRow, ImageRow, Key, Result, State
from frtaudit.core.arrays import Ints
from frtaudit.core.machine.faults import as_line
from frtaudit.core.machine.files import check_regular
from frtaudit.errors import DataError
from frtaudit.inputs.places import STORE

SYNCHRONOUS = "FULL"  # a commit waits for the disk
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS images (
    image INTEGER PRIMARY KEY, query INTEGER, columns TEXT, digest TEXT, refusal TEXT, code TEXT, run INTEGER);
CREATE TABLE IF NOT EXISTS calls (
    service INTEGER, turn INTEGER, first INTEGER, second INTEGER, state INTEGER, attempts INTEGER, score REAL,
    refusal TEXT, code TEXT, version INTEGER, request TEXT, facts TEXT, run INTEGER,
    PRIMARY KEY (service, turn, first, second)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS handles (
    service INTEGER, image INTEGER, turn INTEGER, ends REAL, handles TEXT, PRIMARY KEY (service, image)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS versions (version INTEGER PRIMARY KEY, text TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS spent (
    service INTEGER, kind TEXT, price TEXT, attempts INTEGER, PRIMARY KEY (service, kind, price)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ambiguous (
    service INTEGER, kind TEXT, calls INTEGER, PRIMARY KEY (service, kind)) WITHOUT ROWID;
"""


@dataclass(slots=True)
class Store:
    """The store of one folder, open in one process, used in one thread."""

    path: Path
    run_number: int = 0
    _db: sqlite3.Connection = field(init=False, repr=False)
    _versions: dict[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Raise :class:`DataError` for a folder that cannot be written, or that another process works in."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            for beside in ("", "-wal", "-shm"):
                check_regular(self.path.with_name(f"{self.path.name}{beside}"))
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=0.2)
            with ExitStack() as failed:
                failed.callback(self.close)
                self._prepare()
                failed.pop_all()
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                problem = "another frtaudit collect works in that folder"
                raise DataError("into", problem, "one at a time") from None
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise as_line(error, "into", self.path.parent) from None
            raise DataError(
                "into", f"the store cannot be written ({error})", "a writable folder with free space"
            ) from None
        except (sqlite3.DatabaseError, OSError) as error:
            raise as_line(error, "into") from None

    def _prepare(self) -> None:
        """Take the file for this process alone, with all tables, unless it is a store of another program."""
        for kind, name in self._db.execute("SELECT type, name FROM sqlite_master WHERE type != 'index'"):
            if kind != "table" or f"CREATE TABLE IF NOT EXISTS {name} (" not in _TABLES:
                raise DataError("into", f"{STORE} holds a {kind} that is not of frtaudit", "another folder")
        self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
        self._db.execute("PRAGMA secure_delete=ON")
        self._db.execute("PRAGMA cache_size=-16000")
        self._db.execute("BEGIN IMMEDIATE")
        for statement in filter(str.strip, _TABLES.split(";")):
            self._db.execute(statement)
        if self._value("SELECT 1 FROM pragma_table_info('calls') WHERE name = 'sitting'"):  # of before
            for table in ("images", "calls"):
                self._db.execute(f"ALTER TABLE {table} RENAME COLUMN sitting TO run")
            self._db.execute("UPDATE meta SET key = 'run' WHERE key = 'sitting'")
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Let the folder go."""
        self._db.close()

    def _value(self, query: str, *parameters: object) -> Any:  # noqa: ANN401  as SQLite has it
        """The one value that a query gives, None where it gives none."""
        row = self._db.execute(query, parameters).fetchone()
        return None if row is None else row[0]

    # ---------------------------------------------------------------------------- what is known of all
    def meta(self, key: str) -> str | None:
        """A note."""
        value = self._value("SELECT value FROM meta WHERE key = ?", key)
        return None if value is None else str(value)

    def note(self, key: str, value: str) -> None:
        """Write a note."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def forget(self, prefix: str) -> None:
        """Delete notes and every handle, and overwrite where they stood, in the log too."""
        self._db.execute("DELETE FROM meta WHERE key LIKE ? || '%'", (prefix,))
        self._db.execute("DELETE FROM handles")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @property
    def untouched(self) -> bool:
        """Whether nothing was read, asked or paid for yet."""
        query = "SELECT EXISTS (SELECT 1 FROM images) OR EXISTS (SELECT 1 FROM calls) OR EXISTS (SELECT 1 FROM spent)"
        return not self._value(query)

    def remove(self, *, keep_folder: bool) -> None:
        """Close, and delete the files; the folder too, unless it is to stay or holds something else."""
        self.close()
        for path in self.path.parent.glob(f"{self.path.name}*"):
            path.unlink()
        if not keep_folder:
            with suppress(OSError):
                self.path.parent.rmdir()

    def begin(self) -> dict[tuple[int, str], int]:
        """A new run; how many calls of the last one are ambiguous, by service and kind."""
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM handles WHERE ends <= ?", (time.time(),))
        self.run_number = int(self.meta("run") or 0) + 1
        self.note("run", str(self.run_number))
        lost = db.execute(
            "SELECT service, CASE WHEN second THEN ? ELSE ? END AS kind, count(*) FROM calls WHERE state = ?"
            " GROUP BY service, kind",
            (COMPARE, DETECT, State.INTENT),
        ).fetchall()
        db.executemany(
            "INSERT INTO ambiguous VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls",
            lost,
        )
        db.execute("DELETE FROM calls WHERE state = ?", (State.INTENT,))
        db.execute("COMMIT")
        return {(int(service), str(kind)): int(count) for service, kind, count in lost}

    def ambiguous(self) -> dict[tuple[int, str], int]:
        """Calls of all runs with unknown result, by service and kind."""
        return {(int(s), str(kind)): int(n) for s, kind, n in self._db.execute("SELECT * FROM ambiguous")}

    def attempts(self) -> dict[tuple[int, str, str], int]:
        """Attempts that passed the gate or may have, by service, kind and price."""
        rows = self._db.execute("SELECT * FROM spent")
        return {(int(s), str(kind), str(price)): int(n) for s, kind, price, n in rows}

    def spent(self) -> Fraction:
        """The price of all of them."""
        return sum((Fraction(price) * n for (_, _, price), n in self.attempts().items()), Fraction(0))

    # ---------------------------------------------------------------------------- writing
    def commit(
        self,
        results: Sequence[Result],
        intents: Sequence[Key],
        images: Sequence[ImageRow] = (),
        dropped: Sequence[Key] = (),
        paid: Mapping[tuple[int, str, str], int] = {},
        handles: Sequence[HandleRow] = (),
        renewed: Mapping[int, int] = {},
    ) -> None:
        """One durable commit: what arrived, what starts next, what was read, what was not made after all.

        ``paid``: attempts to add, by service, kind and price, those of ``intents`` included; ``handles``: of detections
        among ``results``, an image's last ones; ``renewed``: detections within comparisons, by service.
        """
        # The connection takes back what fails, unless SQLite itself did, as where the disk is full.
        with self._db as db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(
                "INSERT OR REPLACE INTO images VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(*row, self.run_number) for row in images],
            )
            db.executemany(
                "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [self._row(result) for result in results],
            )
            db.executemany(
                "DELETE FROM calls WHERE service = ? AND turn = ? AND first = ? AND second = ?", dropped
            )
            db.executemany(
                "INSERT OR REPLACE INTO calls (service, turn, first, second, state, attempts, run)"
                " VALUES (?, ?, ?, ?, ?, 0, ?)",
                [(*key, int(State.INTENT), self.run_number) for key in intents],
            )
            db.executemany(
                "INSERT INTO spent VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET attempts = attempts + excluded.attempts",
                [(*key, n) for key, n in paid.items() if n],
            )
            db.executemany("INSERT OR REPLACE INTO handles VALUES (?, ?, ?, ?, ?)", handles)
            for service, n in renewed.items():
                self.note(_RENEWED.format(service), str(self._renewed(service) + n))

    def _row(self, result: Result) -> tuple[object, ...]:
        key, *to_code, version, request, facts = result
        return (*key, *to_code, self._version(version), request, facts, self.run_number)

    def _version(self, text: str) -> int:
        """The number of a version string."""
        if text not in self._versions:
            self._db.execute("INSERT OR IGNORE INTO versions (text) VALUES (?)", (text,))
            self._versions[text] = int(self._value("SELECT version FROM versions WHERE text = ?", text))
        return self._versions[text]

    # ---------------------------------------------------------------------------- reading
    def pending(self, service: int, turn: int, first: Ints, second: Ints) -> Ints:
        """Which of a batch of calls were never made, indices; ``first``, ``second``: shape (B,), in ascending order.

        Those that failed because of transport errors are told by :meth:`failed`.
        """
        if not first.size:
            return np.zeros(0, dtype=np.int64)
        rows = self._db.execute(
            "SELECT first, second FROM calls WHERE service = ? AND turn = ? AND (first, second) >= (?, ?)"
            " AND (first, second) <= (?, ?)",
            (service, turn, int(first[0]), int(second[0]), int(first[-1]), int(second[-1])),
        ).fetchall()
        if not rows:
            return np.arange(first.size)
        known = np.array(rows, dtype=np.int64)
        done = np.isin(first * _WIDE + second, known[:, 0] * _WIDE + known[:, 1])
        return np.flatnonzero(~done)

    def failed(self, service: int, low: int, high: int) -> list[Key]:
        """Comparisons of the turns ``low`` to ``high`` that failed because of transport errors, not in this run."""
        rows = self._db.execute(
            "SELECT service, turn, first, second FROM calls WHERE service = ? AND turn BETWEEN ? AND ? AND second <> 0"
            " AND state = ? AND run < ? ORDER BY turn, first, second",
            (service, low, high, State.TRANSPORT, self.run_number),
        )
        return [Key(*row) for row in rows]

    def failed_to_look(self, service: int) -> set[Key]:
        """Calls that look for faces and failed because of transport errors, in any run."""
        rows = self._db.execute(
            "SELECT service, turn, first, second FROM calls WHERE service = ? AND state = ?"
            " AND (turn = 0 AND second = 0 OR turn = ?)",
            (service, State.TRANSPORT, FINDING),
        )
        return {Key(*row) for row in rows}

    def open(self, service: int, turns: range) -> bool:
        """Whether a comparison of turn 0 or of ``turns`` failed because of transport errors, in any run."""
        query = (
            "SELECT EXISTS (SELECT 1 FROM calls WHERE service = ? AND state = ? AND second <> 0"
            " AND (turn = 0 OR turn BETWEEN ? AND ?))"
        )
        return bool(self._value(query, service, State.TRANSPORT, turns.start, turns.stop - 1))

    def has_after(self, service: int, turn: int) -> bool:
        """Whether a comparison of a higher turn has a result."""
        query = "SELECT EXISTS (SELECT 1 FROM calls WHERE service = ? AND turn > ? AND second <> 0)"
        return bool(self._value(query, service, turn))

    def images(self) -> Iterator[ImageRow]:
        """Every image that was looked at, in the order of its number."""
        query = "SELECT image, query, columns, digest, refusal, code FROM images ORDER BY image"
        return (ImageRow(*row) for row in self._db.execute(query))

    def detections(self, service: int) -> Iterator[tuple[int, State, int, str]]:
        """Image, state, run and facts of the first detection of each image by a service."""
        rows = self._db.execute(
            "SELECT first, state, run, facts FROM calls WHERE service = ? AND turn = 0 AND second = 0"
            " ORDER BY first",
            (service,),
        )
        return (
            (int(first) // PLACES, State(state), int(run), facts or "") for first, state, run, facts in rows
        )

    def detection_facts(self, service: int) -> Iterator[tuple[int, str]]:
        """Image and the facts of its first detection by a service, where that has a result."""
        staying = (State.ANSWERED, State.REFUSED)
        return ((image, facts) for image, state, _, facts in self.detections(service) if state in staying)

    def refused_images(self, service: int) -> Iterator[tuple[int, str, str]]:
        """Image, refusal and code of each image that a service would not look for faces in."""
        query = "SELECT first / ?, refusal, code FROM calls WHERE service = ? AND turn = 0 AND second = 0 AND state = ?"
        return self._db.execute(query, (PLACES, service, State.REFUSED))

    def handles(self, service: int) -> Iterator[tuple[int, float | None, str, str]]:
        """Image, end, handles and facts of the detection that gave them."""
        return self._db.execute(
            "SELECT image, ends, handles, coalesce(facts, '') FROM handles AS held JOIN calls"
            " ON calls.service = held.service AND calls.turn = held.turn AND first = image * ? AND second = 0"
            " WHERE held.service = ? ORDER BY image",
            (PLACES, service),
        )

    def finding(self, service: int) -> Iterator[tuple[int, int, State, str | None, str]]:
        """First, second, state, refusal and code of comparisons that find faces."""
        rows = self._db.execute(
            "SELECT first, second, state, refusal, code FROM calls WHERE service = ? AND turn = ? AND state <> ?"
            " ORDER BY first, second",
            (service, FINDING, State.INTENT),
        )
        return ((int(first), int(other), State(state), *why) for first, other, state, *why in rows)

    def adopt(self, service: int, pairs: Sequence[tuple[int, int]]) -> None:
        """Results of comparisons that found faces are scores of the collection too: each is paid for once."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(
            "INSERT OR IGNORE INTO calls SELECT service, 0, first, second, state, attempts, score, refusal, code,"
            " version, request, facts, run FROM calls WHERE service = ? AND turn = ? AND first = ? AND second = ?",
            [(service, FINDING, *pair) for pair in pairs],
        )
        self._db.execute("COMMIT")

    def turns(self, service: int) -> int:
        """The highest turn of a detection by a service."""
        return int(self._value("SELECT max(turn) FROM calls WHERE service = ? AND second = 0", service) or 0)

    def answers(
        self, service: int, low: int = 0, high: int = 0
    ) -> Iterator[tuple[int, int, int, float | None, str | None, str]]:
        """Turn, first, second, score, refusal, code of comparisons of the turns ``low`` to ``high``, in that order."""
        return self._db.execute(
            "SELECT turn, first, second, score, refusal, code FROM calls WHERE service = ? AND turn BETWEEN ? AND ?"
            " AND second <> 0 AND state <> ? ORDER BY turn, first, second",
            (service, low, high, State.INTENT),
        )

    def compared(self, service: int) -> int:
        """How many comparisons have a result that stays, canaries included."""
        query = (
            "SELECT count(*) FROM calls WHERE service = ? AND turn >= 0 AND second <> 0 AND state IN (?, ?)"
        )
        return int(self._value(query, service, State.ANSWERED, State.REFUSED))

    def counts(self, service: int, kind: str) -> dict[tuple[str, str], int]:
        """Refusal and code (both empty: answered) to how many calls of turn 0 ended so."""
        rows = self._db.execute(
            "SELECT coalesce(refusal, ''), code, count(*) FROM calls WHERE service = ? AND turn = 0"
            " AND (second <> 0) = ? AND state <> ? GROUP BY 1, 2 ORDER BY 1, 2",
            (service, kind == COMPARE, State.INTENT),
        )
        return {(str(refusal), str(code)): int(n) for refusal, code, n in rows}

    def versions(self, service: int) -> dict[str, int]:
        """What a service said of its version, by how many of its answers to comparisons, canaries included."""
        rows = self._db.execute(
            "SELECT text, count(*) FROM calls JOIN versions USING (version) WHERE service = ? AND state = ?"
            " AND turn >= 0 AND second <> 0 GROUP BY text ORDER BY text",
            (service, State.ANSWERED),
        )
        return {str(text): int(n) for text, n in rows}

    def extra_detections(self, service: int) -> int:
        """Detections that were made again because a handle was gone, those within comparisons included."""
        query = "SELECT count(*) FROM calls WHERE service = ? AND turn > 0 AND second = 0"
        return int(self._value(query, service)) + self._renewed(service)

    def _renewed(self, service: int) -> int:
        return int(self.meta(_RENEWED.format(service)) or 0)


_RENEWED = "detected in comparisons {}"  # the note of a service
_WIDE = 1 << 31  # above the number of any crop: 8 million images
