import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from small_limits import file_size_limit

from frtaudit.collection.rows import ImageRow, Key, Result, State, facts_of
from frtaudit.collection.store import Store
from frtaudit.core.collecting import Refusal
from frtaudit.core.machine.faults import as_line
from frtaudit.errors import DataError
from frtaudit.inputs.places import STORE


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty one."""
    with closing(Store(tmp_path / "s")) as store:
        yield store


def answered(key: Key, score: float = 0.5) -> Result:
    """A result."""
    return Result(key=key, state=State.ANSWERED, attempts=1, score=score, version="v", request="r")


def test_an_intent_without_a_result_is_ambiguous(store: Store, tmp_path: Path) -> None:
    """It is counted when the store is opened again, stays paid for, and is pending; what has a result is not."""
    store.begin()
    keys = [Key(0, 0, 256, 512), Key(0, 0, 256, 768)]
    store.commit([], keys, paid={(0, "compare", "1/10"): 2})
    store.commit([answered(keys[0])], [])
    store.close()
    with closing(Store(tmp_path / "s")) as again:
        assert again.begin() == {(0, "compare"): 1}
        assert again.spent() == Fraction(1, 5)
        ends = np.array([[256, 256], [512, 768]])
        assert again.pending(0, 0, *ends).tolist() == [1]
        assert again.begin() == {}
        assert again.ambiguous() == {(0, "compare"): 1}


def test_a_store_of_before_goes_on(store: Store, tmp_path: Path) -> None:
    """The columns and the note of the run's number had another name once: nothing of it is lost."""
    store.begin()
    key = Key(0, 0, 256, 512)
    store.commit([answered(key)], [], paid={(0, "compare", "1/10"): 1})
    store.close()
    with closing(sqlite3.connect(tmp_path / "s")) as db, db:
        for table in ("images", "calls"):
            db.execute(f"ALTER TABLE {table} RENAME COLUMN run TO sitting")
        db.execute("UPDATE meta SET key = 'sitting' WHERE key = 'run'")
    with closing(Store(tmp_path / "s")) as again:
        again.begin()
        assert again.run_number == 2
        assert again.spent() == Fraction(1, 10)
        assert again.pending(0, 0, np.array([256]), np.array([512])).tolist() == []


def test_transport_is_told_in_the_next_run(store: Store) -> None:
    """A failure of transport is stated in its own run and to be asked again in the next; a refusal is for good."""
    store.begin()
    keys = [Key(0, 0, 256, 512), Key(0, 0, 512, 768)]
    down = Result(key=keys[0], state=State.TRANSPORT, attempts=6, refusal=Refusal.TRANSPORT, code="down")
    none = Result(
        key=keys[1], state=State.REFUSED, attempts=1, refusal=Refusal.FAILURE_TO_ACQUIRE, code="no_face"
    )
    store.commit([down, none], [])
    ends = np.array([[256, 512], [512, 768]])
    assert store.pending(0, 0, *ends).tolist() == []
    assert store.counts(0, "compare") == {("failure_to_acquire", "no_face"): 1, ("transport", "down"): 1}
    assert store.failed(0, 0, 0) == []
    store.begin()
    assert store.pending(0, 0, *ends).tolist() == []
    assert store.failed(0, 0, 0) == [keys[0]]
    assert store.failed(0, 1, 9) == []
    assert (store.open(0, range(1, 3)), store.open(1, range(1, 3))) == (True, False)
    assert (store.has_after(0, -1), store.has_after(0, 0)) == (True, False)


def test_services_and_turns_are_apart(store: Store) -> None:
    """The same pair of another service, another turn or the other way round is another call."""
    store.begin()
    store.commit([answered(Key(0, 0, 256, 512))], [])
    ends = np.array([[256], [512]])
    assert store.pending(0, 0, *ends).size == 0
    assert store.pending(1, 0, *ends).size == 1
    assert store.pending(0, 1, *ends).size == 1
    assert store.pending(0, 0, ends[1], ends[0]).size == 1
    assert store.versions(0) == {"v": 1}


def test_what_was_not_made_is_dropped(store: Store) -> None:
    """A call that the budget stopped leaves no intent; images keep their digest and their reason."""
    store.begin()
    store.commit([], [Key(0, 0, 256, 0)], [ImageRow(1, 0, "{}", "ab", "", "")])
    store.commit([], [], dropped=[Key(0, 0, 256, 0)])
    assert store.begin() == {}
    assert list(store.images()) == [ImageRow(1, 0, "{}", "ab", "", "")]


def test_a_commit_is_whole_or_not_at_all(store: Store) -> None:
    """A commit that fails halfway leaves nothing of itself."""
    store.begin()
    with pytest.raises(Exception, match="parameter"):
        store.commit([answered(Key(0, 0, 256, 512))], [(0, object(), 1, 1)])
    assert store.compared(0) == 0


KILLED = """
import os, signal, sys
from pathlib import Path
from frtaudit.collection.rows import Key
from frtaudit.collection.store import Store
from frtaudit.inputs.places import STORE
store = Store(Path(sys.argv[1]))
store.begin()
for k in range(1, 20):
    store.commit([], [Key(0, 0, 256 * k, 256)])
    print(k, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_commit_is_there_after_a_kill(tmp_path: Path) -> None:
    """What was told as committed is in the store that a killed process left."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "s")], capture_output=True, text=True, check=False
    )
    assert done.returncode == -9
    with closing(Store(tmp_path / "s")) as store:
        assert store.begin() == {(0, "compare"): len(done.stdout.split())}


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    """One line."""
    (tmp_path / "s").write_bytes(b"no database" * 1000)
    with pytest.raises(DataError, match="is damaged"):
        Store(tmp_path / "s")
    assert facts_of({"b": 1.0, "a": "x"}) == '{"a":"x","b":1.0}'


def test_a_full_disk_in_a_commit_is_said_as_such(store: Store) -> None:
    """SQLite may have ended the transaction by itself: the error that is raised is the disk's, and nothing is held."""
    store.begin()
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    keys = [Key(0, 0, 256, 512 + 256 * number) for number in range(20_000)]
    with pytest.raises(sqlite3.OperationalError, match="database or disk is full"):
        store.commit([], keys)
    assert not store._db.in_transaction
    store.commit([], keys[:1])


def test_a_store_that_holds_a_view_is_no_store(tmp_path: Path) -> None:
    """A folder that somebody hands over cannot answer for ever, by a view in the place of a table."""
    with closing(sqlite3.connect(tmp_path / STORE)) as made:
        made.execute(
            "CREATE VIEW meta AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS key FROM r"
        )
    with pytest.raises(DataError, match=r"store.sqlite holds a view that is not of frtaudit"):
        Store(tmp_path / STORE)


def test_a_store_of_another_program_stays_as_it_is(tmp_path: Path) -> None:
    """It is refused before anything is written into it."""
    with closing(sqlite3.connect(tmp_path / STORE)) as made:
        made.execute("CREATE TABLE bookmarks (url TEXT)")
    before = (tmp_path / STORE).read_bytes()
    with pytest.raises(DataError, match=r"store.sqlite holds a table that is not of frtaudit"):
        Store(tmp_path / STORE)
    assert (tmp_path / STORE).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [STORE]


def test_a_file_size_limit_is_told_as_such(store: Store, tmp_path: Path) -> None:
    """SQLite calls it an error of the disk, when a store is made and when calls are written into it."""
    for size in (4_096, 16_384):  # too small for its first pages; for the memory that its log shares
        line = "into: the file-size limit is reached; accepted: a higher limit: ulimit -f unlimited"
        with file_size_limit(size), pytest.raises(DataError) as refused:
            Store(tmp_path / f"{size}")
        assert str(refused.value) == line
    store.begin()
    keys = [Key(0, 0, 256, 512 + 256 * number) for number in range(20_000)]
    with file_size_limit(100_000):
        with pytest.raises(sqlite3.OperationalError, match="disk I/O error") as caught:
            store.commit([], keys)
        assert str(as_line(caught.value)).startswith("store.sqlite: the file-size limit is reached; ")
    assert str(as_line(caught.value)).startswith("store.sqlite: the disk reports an error; ")
