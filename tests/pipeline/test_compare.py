import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from vendor_audits import VENDORS, from_runs, runs

from frtaudit.cli.main import main
from frtaudit.config.json_schema import schema_text
from frtaudit.core import AuditResult
from frtaudit.errors import DataError, FrtauditError, SpecError
from frtaudit.inputs import run_tables
from frtaudit.inputs.run_tables import read_run_tables
from frtaudit.pipeline import compare
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.compare import overrides_of, parted


def test_runs_names_and_overrides_are_told_apart() -> None:
    """A word with = is a run where its right side is one, else an override."""
    one = runs() / "one"
    assert parted([str(one), f"new={one}", "bootstrap.B=99"]) == (
        [("", one), ("new", one)],
        ["bootstrap.B=99"],
    )


@pytest.mark.parametrize(
    "word", ["+bootstrap.B=99", "~analyses.failures", "schema@schemas.a=b", "hydra.run.dir=x"]
)
def test_a_word_whose_key_a_spec_has_is_an_override(word: str) -> None:
    """Additions, deletions and groups of presets too."""
    assert parted([word]) == ([], [word])


def test_a_word_that_is_neither_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Both readings are named; a run that is given twice, by whatever path, is refused."""
    one = str(runs() / "one")
    for words, line in (
        (
            ["x=nope", one],
            "'nope' is not the folder of a finished run, and a spec has no key 'x'; accepted: NAME=RUN ",
        ),
        ([one, "boostrap.B=9"], "a spec has no key 'boostrap' (did you mean 'bootstrap'?); accepted: "),
        ([f"a={one}", f"b={one}/../one"], "is given twice; accepted: each run once"),
    ):
        assert main(["compare", *words]) == 2
        assert line in capsys.readouterr().err


def test_what_the_runs_share_is_taken_over() -> None:
    """Seed, targets, B and weighting of the runs' specs; the caller's own words come last."""
    words = overrides_of([*(str(runs() / name) for name in VENDORS), "bootstrap.alpha=0.1"])
    assert words[0] == "audit=compare"
    assert "thresholds.fmr=[0.1,0.03]" in words
    assert "bootstrap.B=199" in words
    assert "folds.source='official'" in words
    assert words[-1] == "bootstrap.alpha=0.1"
    named = overrides_of([f"it's={runs() / 'one'}", str(runs() / "two")])
    assert "cohort.names=['it\\'s','two']" in named
    with pytest.raises(SpecError, match="no run"):
        overrides_of(["bootstrap.B=99"])


@pytest.mark.parametrize(
    ("systems", "folders", "names"),
    [
        (("acme", "scores"), ("a", "brio"), "cohort.names=['','brio']"),
        (("acme", "acme"), ("old", "new"), "cohort.names=['old','new']"),
        (("acme", "brio"), ("a", "b"), None),
        (("acme", "acme"), ("2026-11-24T02-03-04-000005", "2026-11-24T02-03-04-000006"), None),
    ],
)
def test_a_system_that_says_nothing_is_called_by_its_runs_folder(
    systems: Sequence[str], folders: Sequence[str], names: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file scores.csv names none, and one name for two says too little; a folder named by its time says nothing."""
    read = {
        folder: replace(
            read_run_tables(runs() / "one"),
            tables=read_run_tables(runs() / "one").tables | {"systems": pd.DataFrame({"provider": [system]})},
        )
        for system, folder in zip(systems, folders, strict=True)
    }
    monkeypatch.setattr(compare, "need_run", lambda _path: None)
    monkeypatch.setattr(run_tables, "read_run_tables", lambda path: read[path.name])
    words = overrides_of([*folders])
    assert [word for word in words if word.startswith("cohort.names")] == ([names] if names else [])


@pytest.mark.slow
def test_compare_writes_a_page_from_finished_runs(tmp_path: Path) -> None:
    """One command: exit code 0, a result that follows its schema, the page with the rule and the ranks."""
    import json

    import jsonschema

    folders = [str(runs() / name) for name in VENDORS]
    out = tmp_path / "out"
    settings = ["report.sign=false", "report.pdf=false", "report.date=2026-01-02", f"hydra.run.dir={out}"]
    assert main(["compare", *folders, *settings]) == 0
    content = json.loads((out / "result.json").read_bytes())
    jsonschema.validate(content, json.loads(schema_text("result")))
    assert AuditResult.from_json(content).to_json() == content
    page = (out / "report.html").read_text()
    assert "Systems compared" in page
    assert "three</span> is not. Verdicts hold for <span" in page
    assert "<li>On common comparisons no difference between chosen systems was established" in page
    assert "three is not best" in page
    assert 'id="f-two-splits"' in page
    assert main(["reproduce", str(out)]) == 0


def test_a_signed_comparison_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every number on its page is the one that it points to; the choice ends the run and stands in verdict.json."""
    import json

    out = tmp_path / "out"
    folders = [str(runs() / name) for name in VENDORS]
    assert main(["compare", *folders, "report.pdf=false", f"hydra.run.dir={out}"]) == 0
    assert "choice: three is not best" in capsys.readouterr().out
    assert json.loads((out / "verdict.json").read_bytes())["choice"][-1].startswith("three is not best")
    page = (out / "report.html").read_text()
    assert "Declared with this comparison, after the runs were finished:" in page
    assert "one (an unsigned run)" in page
    assert main(["verify", str(out), "--strict"]) == 0


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed run of one vendor."""
    from vendor_audits import made

    from frtaudit.analyses.error_rates import ErrorRates
    from frtaudit.core.spec import Report
    from frtaudit.pipeline.run import run

    folder = tmp_path_factory.mktemp("signed") / "two"
    alone = {"analyses": {"error_rates": ErrorRates(curve_points=5)}, "report": Report(html=False, pdf=False)}
    run(replace(made("two"), **alone), folder, lambda _: 0)  # type: ignore[arg-type]  # what the two fields take
    return folder


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("tables/scores.parquet", "two/tables/scores.parquet: is not the file that was signed"),
        ("tables/replicates.parquet", "two/tables/replicates.parquet: is not the file that was signed"),
        ("verdict.json", "verdict.json"),
        ("statement.dsse.json", "two/statement.dsse.json"),
    ],
)
def test_a_run_that_is_not_as_it_was_signed_is_refused(
    signed: Path, tmp_path: Path, file: str, line: str
) -> None:
    """One changed byte in any file that its statement covers, or in the statement itself."""
    copy = tmp_path / "two"
    shutil.copytree(signed, copy)
    assert overrides_of([str(runs() / "one"), str(copy)])
    data = bytearray((copy / file).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / file).write_bytes(data)
    with pytest.raises(FrtauditError) as error:
        overrides_of([str(runs() / "one"), str(copy)])
    assert line in str(error.value)


def test_tables_that_are_none_are_one_line(tmp_path: Path) -> None:
    """A file that is cut off, and replicates that were taken away."""
    copy = tmp_path / "two"
    shutil.copytree(runs() / "two", copy)
    (copy / "tables" / "scores.parquet").write_bytes(b"PAR1x")
    with pytest.raises(DataError, match=r"two/tables/scores.parquet: not a readable Parquet file"):
        overrides_of([str(copy)])
    import pandas as pd

    shutil.copy(runs() / "two" / "tables" / "scores.parquet", copy / "tables")
    whole = pd.read_parquet(copy / "tables" / "replicates.parquet")
    whole[whole["replicate"] < 50].to_parquet(copy / "tables" / "replicates.parquet")
    found = from_runs()
    paths = (str(runs() / "one"), str(copy), str(runs() / "three"))
    bare = replace(found, cohort=replace(found.cohort, runs=paths))  # type: ignore[type-var]  # a dataclass
    with pytest.raises(DataError, match="two: its tables do not give the replicates of its run"):
        audit(bare)


def test_a_run_that_is_none_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, and what would be accepted."""
    assert main(["compare", str(tmp_path)]) == 1
    assert "no result.json; accepted: the folder of a finished run" in capsys.readouterr().err
