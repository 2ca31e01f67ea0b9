import json
from dataclasses import replace
from pathlib import Path

import pytest
from small_audits import audit, one, pick, spec, whole, whole_spec

from frtaudit.core.canonical import sha256_file
from frtaudit.core.spec import Grid, GridKind, Thresholds, ThresholdSource, Weighting
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.thresholds.threshold_file import refuse_own_result, thresholds_from_file

GRID = Grid(kind=GridKind.EXPLICIT, values=(0.2,))


def spec_with(path: Path, **changes: object) -> object:
    """A spec that reads thresholds from a file."""
    thresholds = Thresholds(fmr=(0.1,), grid=GRID, source=ThresholdSource.FILE, file=str(path))
    return spec(thresholds=thresholds, **changes)


def file_of(root: Path, content: object) -> Path:
    path = root / "thresholds.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_no_file_no_thresholds() -> None:
    """A spec without a file takes nothing from elsewhere."""
    assert thresholds_from_file(spec(), "one") == []


def test_thresholds_of_ones_own(tmp_path: Path) -> None:
    """Provider to name to threshold: in order of name, with source and name."""
    path = file_of(tmp_path, {"one": {"strict": 1, "lax": 0.25}, "two": {"only": 0.5}})
    assert thresholds_from_file(spec_with(path), "one") == [
        (0.25, {"source": "file", "name": "lax"}),
        (1.0, {"source": "file", "name": "strict"}),
    ]


def test_rates_are_reported_at_them(tmp_path: Path) -> None:
    """An audit with a threshold file has FMR and FNMR there, named, equal to those at the same explicit threshold."""
    path = file_of(tmp_path, {"one": {"lax": 0.2}, "two": {"lax": 0.2}})
    result = audit(spec_with(path)).result
    at = {"threshold": 0.2, "source": "file", "name": "lax"}
    for provider in ("one", "two"):
        for rate in ("fmr", "fnmr"):
            where = {"provider": provider, "group": "all", "weighting": "pooled"}
            named = one(result, rate, at=at, **where)
            assert (named.numerator, named.denominator) == (
                one(result, rate, at={"threshold": 0.2}, **where).numerator,
                one(result, rate, at={"threshold": 0.2}, **where).denominator,
            )


@pytest.mark.parametrize("weighting", list(Weighting))
def test_thresholds_of_another_audit(tmp_path: Path, weighting: Weighting) -> None:
    """Another audit's result.json gives its thresholds at FMR targets, in the primary weighting."""
    path = tmp_path / "result.json"
    path.write_bytes(whole().result.to_bytes())
    found = {
        at["name"]: (value, at["source"])
        for value, at in thresholds_from_file(spec_with(path, weighting=weighting), "one")
    }
    for target in (0.1, 0.03):
        where = {"provider": "one", "group": "all", "weighting": weighting.value, "at": {"fmr": target}}
        assert found[f"fmr={target:g}"] == (
            one(whole().result, "threshold_at_fmr", **where).value,
            "other_cohort",
        )
    assert len(found) == 2


def test_the_result_of_these_data_is_no_other_cohort(tmp_path: Path) -> None:
    """Files of scores that both audits read, the same people, or a run that is read itself: the result is refused."""
    result = whole().result
    cohort = str(result.digests["cohort"])
    inputs = {
        "metadata.csv": "a" * 64,
        "templates/one.npz": "b" * 64,
        "training/wild/templates/one.npz": "d" * 64,
    }
    recorded = {**result.to_json(), "digests": {**result.digests, "inputs": inputs}}
    asked = spec_with(file_of(tmp_path, recorded))
    same = "^thresholds.file: thresholds.json is the result of an audit of "
    with pytest.raises(
        DataError, match=f"{same}the same renamed.npz; accepted: the result.json of another cohort"
    ):
        refuse_own_result(asked, "other", {"renamed.npz": "b" * 64, "new.csv": "c" * 64})
    for own in ({"templates/one.npz": "e" * 64}, {"metadata.csv": "a" * 64}):
        with pytest.raises(DataError, match=f"{same}this cohort; accepted"):
            refuse_own_result(asked, cohort, own)
    run = {"run/result.json": sha256_file(tmp_path / "thresholds.json")}
    with pytest.raises(DataError, match=f"{same}this cohort"):
        refuse_own_result(asked, "other", run)
    for other in ({"metadata.csv": "a" * 64}, {"training/wild/templates/one.npz": "d" * 64}, {}):
        refuse_own_result(asked, "other", other)


def test_a_synthetic_cohort_is_another_with_another_seed(tmp_path: Path) -> None:
    """Without files the cohort and the seed tell; without ids of people nothing does."""
    result = whole().result
    cohort, seed = str(result.digests["cohort"]), whole_spec().seed
    drawn = spec_with(
        file_of(tmp_path, result.to_json() | {"digests": {"cohort": cohort, "inputs": {}}}), seed=seed
    )
    with pytest.raises(DataError, match="of this cohort; accepted: the result.json of another cohort"):
        refuse_own_result(drawn, cohort, {})
    refuse_own_result(replace(drawn, seed=seed + 1), cohort, {})
    refuse_own_result(spec_with(file_of(tmp_path, result.to_json() | {"cohort": {"samples": 0}})), cohort, {})
    refuse_own_result(spec_with(file_of(tmp_path, {"one": {"a": 0.2}})), cohort, {})
    refuse_own_result(spec(), cohort, {})


def test_an_audit_does_not_take_thresholds_of_its_own_scores(tmp_path: Path) -> None:
    """The result of the same audit is refused before anything is scored; that of another draw is taken."""
    path = tmp_path / "result.json"
    path.write_bytes(audit(spec()).result.to_bytes())
    with pytest.raises(DataError, match=r"^thresholds.file: result.json is the result of an audit of this"):
        audit(spec_with(path))
    audit(spec_with(path, seed=1))


def test_the_file_is_an_input(tmp_path: Path) -> None:
    """The file stands in the identity by name and digest: another content is another audit."""
    first = audit(spec_with(file_of(tmp_path, {"one": {"a": 0.2}, "two": {"a": 0.2}}))).result
    second = audit(spec_with(file_of(tmp_path, {"one": {"a": 0.3}, "two": {"a": 0.2}}))).result
    assert "thresholds.json" in first.digests["inputs"]  # type: ignore[operator]  # a mapping
    assert first.digests["spec"] != second.digests["spec"]
    assert str(tmp_path) not in first.to_bytes().decode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "thresholds.json: not readable as JSON"),
        ("[1]", "thresholds.json: not a mapping"),
        ({"two": {"a": 0.1}}, "thresholds.json: no thresholds of provider 'one'"),
        ({"one": 0.1}, "thresholds.json: no thresholds of provider 'one'; accepted: "),
        (
            {"ones": {"a": 0.1}},
            r"thresholds.json: no thresholds of provider 'one' \(did you mean 'ones'\?\); accepted: ",
        ),
        ({"one": {"a": "0.1"}}, "thresholds.json: threshold 'a' is '0.1'; accepted: a finite number"),
        ({"one": {"a": True}}, "thresholds.json: threshold 'a' is True"),
        ({"estimates": []}, "thresholds.json: no thresholds of provider 'one'"),
        ({"estimates": None}, "thresholds.json: no thresholds of provider 'one'"),
        ({"estimates": [1, {"metric": "fmr"}]}, "thresholds.json: no thresholds of provider 'one'"),
        (
            {
                "estimates": [
                    {
                        "metric": "threshold_at_fmr",
                        "provider": "one",
                        "group": "all",
                        "weighting": "identity",
                        "value": 0.1,
                    }
                ]
            },
            "thresholds.json: no thresholds of provider 'one'",
        ),
    ],
)
def test_unusable_files_are_refused(tmp_path: Path, content: object, said: str) -> None:
    """A file that is unreadable, of another form, or lacks the provider is an error that names it, not its folder."""
    with pytest.raises(DataError, match=said) as caught:
        thresholds_from_file(spec_with(file_of(tmp_path, content)), "one")
    assert str(tmp_path) not in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A file that is not there is an error that names the field and the file."""
    with pytest.raises(DataError, match=r"^thresholds.file: no file '.*nowhere.json'"):
        thresholds_from_file(spec_with(tmp_path / "nowhere.json"), "one")


def test_a_threshold_out_of_range_is_refused(tmp_path: Path) -> None:
    """A threshold from a file outside the provider's score range stops the audit."""
    path = file_of(tmp_path, {"one": {"a": 1.5}, "two": {"a": 0.1}})
    with pytest.raises(SpecError, match="1.5 lies outside the score range of one; accepted: -1 to 1"):
        audit(spec_with(path))


def test_a_refused_threshold_elsewhere_is_not_taken(tmp_path: Path) -> None:
    """A target that the other audit could not resolve lends no threshold."""
    from frtaudit.core.spec import Thresholds as Wanted

    other = audit(spec(thresholds=Wanted(fmr=(0.1, 0.002)))).result
    assert {
        item.value is None for item in pick(other, "threshold_at_fmr", provider="one", at={"fmr": 0.002})
    } == {True}
    path = tmp_path / "result.json"
    path.write_bytes(other.to_bytes())
    assert [at["name"] for _, at in thresholds_from_file(spec_with(path), "one")] == ["fmr=0.1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"one": {"a": 0.1}, "one": {"a": 0.2}}', "a name appears twice"),
        ('{"one": {"a": 0.1, "a": 0.2}}', "a name appears twice"),
        ('{"one": {"\\ud800": 0.1}}', "surrogates not allowed"),
    ],
)
def test_names_stand_once_and_can_be_written(text: str, said: str, tmp_path: Path) -> None:
    """Which of two thresholds was meant is not known, and half of a character stands in no report."""
    (tmp_path / "thresholds.json").write_text(text)
    with pytest.raises(DataError, match=rf"^thresholds\.json: not readable as JSON .*{said}"):
        thresholds_from_file(spec_with(tmp_path / "thresholds.json"), "one")
