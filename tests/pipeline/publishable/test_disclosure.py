"""The publishable variant: no withheld count can be worked out from what is published, and no name stands in it."""

import base64
import hashlib
import json
import re
import shutil
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pypdf
import pytest
import small_audits
from published_people import ATOMS, FILES, GROUPS, IDS, drawn, of_class, ranges, result_of
from scipy.optimize import linprog
from small_run import WHEN

from frtaudit.cli.main import main
from frtaudit.core import AuditResult, LedgerEntry
from frtaudit.core.findings import exit_code
from frtaudit.core.result_schema import result_schema
from frtaudit.core.spec import Bootstrap, Report, RequirementSpec, SchemaSpec
from frtaudit.datasets.cohorts.synthetic import SyntheticClass
from frtaudit.errors import DataError
from frtaudit.evaluation.contradictions import contradiction, unfounded
from frtaudit.evaluation.operating_points import ONE_PAIR
from frtaudit.pipeline.publishable.disclosure import published
from frtaudit.pipeline.publishable.withheld import withheld_in
from frtaudit.pipeline.run import publish, run
from frtaudit.signing.key_folder import generate
from frtaudit.signing.verify import verify

# WeasyPrint leaves its own colour profile open.
pytestmark = pytest.mark.filterwarnings(
    r"ignore:unclosed file .*sRGB2014\.icc:ResourceWarning",
    r"ignore:.*sRGB2014\.icc:pytest.PytestUnraisableExceptionWarning",
)

LINK = "ab" * 32
FEW = 8  # cohorts of twenty that every run of the tests tries
SCHEMAS = tuple(GROUPS)


def variant(seed: int, number: int, minimum: int) -> tuple[AuditResult, dict[str, Any]]:
    """A full result of drawn people, and its publishable variant as the file that is published."""
    full = result_of(drawn(np.random.default_rng(seed), number))
    return full, json.loads(published(full, LINK, minimum).to_bytes())


@pytest.mark.parametrize(
    "seed", [*range(FEW), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(FEW, 20))]
)
def test_no_withheld_count_of_people_is_determined(seed: int) -> None:
    """Going through every way to spread the people, each withheld count keeps values at least ``minimum`` apart."""
    full, file = variant(seed, 9, 3)
    spread = ranges(file["cohort"])
    assert all(width >= 3 for width in spread.values())
    small = {
        (schema, row["group"])
        for schema, found in full.to_json()["cohort"]["schemas"].items()  # type: ignore[index,call-overload,union-attr]  # JSON
        for row in found["groups"]  # type: ignore[index,call-overload,union-attr]  # JSON
        if 0 < row["subjects"] < 3 or 0 < row["subjects_with_two_samples"] < 3  # type: ignore[index,call-overload,operator]  # JSON
    }
    assert small <= set(spread)


def test_the_reader_finds_a_count_that_is_withheld_alone() -> None:
    """The property can fail: a table that hides its small class and nothing else gives the class away."""
    full = result_of(drawn(np.random.default_rng(0), 9))
    cohort = json.loads(full.to_bytes())["cohort"]
    rows = cohort["schemas"]["sex"]["groups"]
    rows[2]["subjects"] = None
    assert ranges(cohort) == {("sex", "unknown"): 0}


def numbers_of(file: dict[str, Any]) -> dict[tuple[str, str], dict[tuple[str | None, str], float]]:
    """Everything published that adds up over classes: sum and cell to its number; rates times denominators too."""
    found: dict[tuple[str, str], dict[tuple[str | None, str], float]] = defaultdict(dict)
    for item in file["estimates"]:
        cell = (item["schema"], item["group"])
        if item["denominator"] is not None:
            found[item["metric"], "trials"][cell] = item["denominator"]
            found[item["metric"], "errors"][cell] = round(item["value"] * item["denominator"])
            found[item["metric"], "right"][cell] = item["denominator"] - item["numerator"]
    for kind in ("subjects", "samples", "subjects_with_two_samples"):
        own = {(s, r["group"]): r[kind] for s, t in file["cohort"]["schemas"].items() for r in t["groups"]}
        own[None, "all"] = file["cohort"][kind]
        found["cohort", kind] = {cell: number for cell, number in own.items() if number is not None}
    cells = set(found["cohort", "subjects"]) & set(found["cohort", "subjects_with_two_samples"])
    one, two = found["cohort", "subjects"], found["cohort", "subjects_with_two_samples"]
    found["cohort", "one sample"] = {cell: one[cell] - two[cell] for cell in cells}
    return found


def line_of(cell: tuple[str | None, str]) -> np.ndarray:
    """Which of the nine combinations of labels a printed number sums."""
    schema, group = cell
    return np.ones(len(ATOMS)) if schema is None else of_class(schema, group).astype(float)


def width(known: dict[tuple[str | None, str], float], cell: tuple[str, str]) -> float:
    """Largest minus least value of a cell that the known sums of nine non-negative numbers leave."""
    if not known:
        return np.inf
    system, right = np.array([line_of(item) for item in known]), np.array(list(known.values()), dtype=float)
    ends = [
        linprog(sign * line_of(cell), A_eq=system, b_eq=right, bounds=(0, None), method="highs")
        for sign in (1.0, -1.0)
    ]
    assert {item.status for item in ends} <= {0, 3}
    return np.inf if 3 in {item.status for item in ends} else float(-ends[1].fun - ends[0].fun)


@pytest.mark.parametrize(("seed", "number"), [(1, 60), (2, 120), (3, 200), (4, 390)])
def test_no_sum_over_classes_gives_a_withheld_class_away(seed: int, number: int) -> None:
    """People, images, comparisons, errors: each withheld class keeps its room, or no class says more than totals do."""
    minimum = 10
    _, file = variant(seed, number, minimum)
    withheld = file["cohort"]["publication"]["withheld"]
    cells = [(schema, group) for schema, groups in withheld.items() for group in groups]
    assert cells
    checked = 0
    for (metric, kind), known in numbers_of(file).items():
        if metric == "fmr":  # pairs across classes are in none: a sum of classes says less than here
            continue
        totals = {cell: value for cell, value in known.items() if cell[0] not in withheld}
        for cell in cells:
            assert cell not in known
            room = width(known, cell)
            assert room >= min(minimum, width(totals, cell)) - 1e-6, (metric, kind, cell, room)
            if metric == "cohort" and kind == "subjects":
                assert room >= minimum
                own = np.array([line_of(item) for item in known])
                wider = np.vstack([own, line_of(cell)])
                assert np.linalg.matrix_rank(wider) > np.linalg.matrix_rank(own)
            checked += 1
    assert checked > 10


@pytest.mark.parametrize("number", [60, 390])
def test_nothing_else_speaks_of_a_withheld_class(number: int) -> None:
    """No estimate, curve, finding or line of exclusions is about a withheld class or mixes one with others."""
    _, file = variant(4, number, 10)
    withheld = file["cohort"]["publication"]["withheld"]
    for item in (*file["estimates"], *file["curves"], *file["failures"]):
        if item["schema"] in withheld:
            assert item in file["estimates"]
            assert item["group"] in set(GROUPS[item["schema"]]) - set(withheld[item["schema"]])
    touched = [
        item for item in file["findings"] if item["p_adjusted"] is not None or "among" in item["sentence"]
    ]
    assert touched == []
    for item in file["findings"]:
        place = int(item["estimate"].rsplit("/", 1)[1])
        assert f" {file['estimates'][place]['group']} " in item["sentence"]
    left = file["cohort"]["publication"]["left_out"]
    assert left["findings"] == len(withheld_classes(withheld)) > 0
    assert not {item["metric"] for item in file["estimates"]} & {"card_class_identities"}


def withheld_classes(withheld: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(s, g) for s, groups in withheld.items() for g in groups if g != "unknown"]


def test_names_and_digests_of_labels_are_left_out() -> None:
    """No id, no file name, no note with a count, no digest that would tell a guess of the labels from the labels."""
    full, file = variant(4, 60, 10)
    text = json.dumps(file)
    assert not [name for name in (*IDS, *FILES) if name in text]
    assert file["notes"] == ["folds share no subject"]
    assert file["digests"]["full"] == LINK
    assert file["digests"]["inputs"] == {}
    assert not {full.digests["spec"], full.digests["cohort"], full.sha256} & {
        str(v) for v in file["digests"].values()
    }
    assert not [item for item in file["failures"] if item["unit"] == "subjects"]


def test_reasons_that_are_free_text_are_not_published() -> None:
    """A name in the reason of a failure, or a sample's: such failures count together, beside those with codes."""
    reasons = (
        "no face of Erika Mustermann",
        "no_face: p0_0",
        "erika@example.org",
        "no_face",
        "E-404.1",
        "x" * 41,
    )
    failures = [LedgerEntry(code=code, count=2, unit="samples", provider="a") for code in reasons]
    full = replace(result_of(drawn(np.random.default_rng(3), 40)), failures=tuple(failures))
    found = published(full, LINK, 10)
    assert [(entry.code, entry.count) for entry in found.failures] == [
        ("other_reason", 8),
        ("no_face", 2),
        ("E-404.1", 2),
    ]
    assert not any(name in found.to_bytes().decode() for name in ("Erika", "p0_0", "example.org"))


def test_a_requirement_that_has_the_name_of_a_failed_sample_keeps_it() -> None:
    """Its finding has that name too: a variant that withheld one of them would contradict itself."""
    asked = RequirementSpec(
        name="limit 1", metric="fnmr_at_fmr", at={"fmr": 0.1}, limit=0.3, source="decided with 1"
    )
    full = small_audits.audit(small_audits.spec(requirements=(asked,))).result
    failed = LedgerEntry(provider="drawn", code="no_face", unit="samples", count=1, names=("1",))
    file = published(replace(full, failures=(failed,)), LINK)
    assert (contradiction(file), unfounded(file)) == (None, None)
    assert file.findings[0].requirement == "limit 1"
    assert "decided with 1" not in str(file.spec)


@pytest.mark.parametrize("seed", [4, 5])
def test_what_a_note_says_of_one_pair_of_people_is_left_out(seed: int) -> None:
    """Neither who they are nor what share of a rate they have; what stands before it in the note stays."""
    full = result_of(drawn(np.random.default_rng(seed), 390))
    words = f"{ONE_PAIR} 13.9 % of it: {IDS[0]} and {IDS[1]}; or so"
    estimates = tuple(
        replace(
            item, note=f"plain; {words}", intervals=tuple(replace(one, note=words) for one in item.intervals)
        )
        for item in full.estimates
    )
    found = published(replace(full, estimates=estimates), LINK, 10)
    assert {item.note for item in found.estimates} == {"plain"}
    assert {one.note for item in found.estimates for one in item.intervals} <= {None}
    assert not [name for name in IDS if name in found.to_bytes().decode()]


def test_without_a_small_class_only_names_and_unlisted_numbers_go() -> None:
    """A cohort whose classes are all large keeps its counts, indices, curves and findings as they are."""
    people = drawn(np.random.default_rng(5), 390, (0.4, 0.3, 0.3))
    full = result_of(people)
    found = published(full, LINK, 10)
    assert withheld_in(full, 10).classes == {}
    listed = [item for item in full.estimates if item.metric != "card_class_identities"]
    assert list(found.estimates) == listed
    assert found.curves == full.curves
    assert [item.sentence for item in found.findings] == [item.sentence for item in full.findings]
    for kind in ("subjects", "samples"):
        assert counted(found, kind) == counted(full, kind)


def counted(result: AuditResult, kind: str) -> list[Any]:
    """A count of every class."""
    file = json.loads(result.to_bytes())
    return [row[kind] for found in file["cohort"]["schemas"].values() for row in found["groups"]]


def test_people_with_one_image_are_a_cell_too() -> None:
    """Where few people have only one image, how many have two is printed for no class, and not in all."""
    full, file = variant(6, 30, 10)
    two = file["cohort"]["subjects_with_two_samples"]
    single = int(full.cohort["subjects"]) - int(full.cohort["subjects_with_two_samples"])  # type: ignore[call-overload]  # a count
    assert 0 < single < 10
    assert two is None
    rows = [row for found in file["cohort"]["schemas"].values() for row in found["groups"]]
    assert {row["subjects_with_two_samples"] for row in rows} == {None}


def test_bad_minima_and_small_cohorts_are_refused() -> None:
    """A minimum below 2 protects nobody, and a cohort below the minimum cannot be published."""
    full = result_of(drawn(np.random.default_rng(0), 9))
    with pytest.raises(DataError, match="2 or more"):
        published(full, LINK, 1)
    with pytest.raises(DataError, match="9 subjects are fewer than 10"):
        published(full, LINK, 10)


def test_the_same_result_gives_the_same_variant() -> None:
    """Same result, same minimum: same bytes."""
    assert variant(1, 60, 10)[1] == variant(1, 60, 10)[1]
    assert SCHEMAS == ("sex", "tone", "both")


# ------------------------------------------------------------------------------------ a run, published
COHORT = replace(
    small_audits.COHORT,
    subjects=30,
    classes={
        "x": SyntheticClass(share=0.45),
        "y": SyntheticClass(share=0.43, concentration=0.7),
        "z": SyntheticClass(share=0.12),
    },
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A signed run with a class of three people, and its publishable variant."""
    root = tmp_path_factory.mktemp("published")
    spec = small_audits.whole_spec(
        cohort=COHORT,
        schemas={"group": SchemaSpec(column="group", classes=("x", "y", "z"))},
        name_failures=True,
        bootstrap=Bootstrap(B=399),
        report=Report(title="small", key=str(root / "key"), date=WHEN.date().isoformat(), pdf=False),
    )
    generate(root / "key", "Office for Fair Gates", None, WHEN)
    run(spec, root / "full", exit_code)
    words = ["publish", str(root / "full"), "--out", str(root / "public"), "--key", str(root / "key")]
    assert main(words) == 0
    return root / "full", root / "public"


def texts_of(folder: Path) -> dict[str, str]:
    """Everything a reader of a published folder can read: files, text of the PDF, what is attached to it."""
    found = {
        path.name: path.read_text("utf-8", "replace") for path in folder.iterdir() if path.suffix != ".pdf"
    }
    reader = pypdf.PdfReader(folder / "report.pdf")
    found["pages"] = "\n".join(page.extract_text() for page in reader.pages)
    for name, data in reader.attachments.items():
        found[f"attached {name}"] = "\n".join(item.decode("utf-8", "replace") for item in data)
    found["raw pdf"] = (folder / "report.pdf").read_bytes().decode("latin-1")
    payload = json.loads(found["statement.dsse.json"])["payload"]
    found["statement"] = base64.b64decode(payload).decode()
    return found


def test_no_id_stands_in_what_is_published(folders: tuple[Path, Path]) -> None:
    """Every id of a subject and of a sample, looked for in page, paper, attachments, result and statement: none."""
    cohort = COHORT.load({}, 0).cohort
    ids = (*cohort.sample_ids, *cohort.subject_ids)
    full, public = folders
    named = (full / "result.json").read_text()
    assert any(name in named for name in ids), "the search finds ids where there are some"
    texts = texts_of(public)
    assert len(texts) > 8
    assert [(where, name) for where, text in texts.items() for name in ids if name in text] == []


def test_the_variant_verifies_and_names_the_run(folders: tuple[Path, Path]) -> None:
    """It is signed as a run is, and its link is the digest of the full run's statement, in result and page alike."""
    full, public = folders
    assert {path.name for path in public.iterdir()} == {
        *("result.json", "verdict.json", "report.json", "report.html", "report.pdf", "statement.dsse.json")
    }
    found = verify(public, [public.parent / "key" / "public.pem"])
    assert found.exit_code == 0, str(found)
    link = hashlib.sha256((full / "statement.dsse.json").read_bytes()).hexdigest()
    assert json.loads((public / "result.json").read_bytes())["digests"]["full"] == link
    assert link in (public / "report.html").read_text()
    assert "small (publishable variant)" in (public / "report.html").read_text()


def test_the_variant_follows_the_schema_of_results(folders: tuple[Path, Path]) -> None:
    """The published result keeps to the JSON Schema of results and comes back as it was."""
    data = (folders[1] / "result.json").read_bytes()
    schema = result_schema({"type": "object"})
    jsonschema.Draft202012Validator(schema).validate(json.loads(data))
    assert AuditResult.from_json(json.loads(data)).to_bytes() == data


def test_the_page_says_what_is_withheld_and_prints_no_class_of_it(folders: tuple[Path, Path]) -> None:
    """The first section names rule and classes; the small class stands in no other table, figure or alt text."""
    _, public = folders
    page, file = (public / "report.html").read_text(), json.loads((public / "result.json").read_bytes())
    hidden = file["cohort"]["publication"]["withheld"]["group"]
    assert "z" in hidden
    assert len(hidden) >= 2
    assert page.index('id="publication"') < page.index('id="cohort"')
    words = re.sub(r"<pre.*?</pre>|<style>.*?</style>", "", page, flags=re.DOTALL)
    rows = re.findall(r"<tr>(?:(?!</tr>).)*>z</span>.*?</tr>", words, re.DOTALL)
    assert len(rows) == 2  # in the list of withheld classes, and in the cohort, where its counts are withheld
    assert "withheld" in rows[1]
    assert not re.search(r"\d", re.sub(r"<[^>]*>", "", rows[1]))
    assert not re.search(r'(?:aria-label|alt)="[^"]*\bz\b', words)
    assert "Publishable" in page or "publishable" in page


def test_the_full_report_holds_the_class_that_the_variant_withholds(folders: tuple[Path, Path]) -> None:
    """What is looked for is there in the full report: the search is not blind."""
    file = json.loads((folders[0] / "result.json").read_bytes())
    assert [item for item in file["estimates"] if item["group"] == "z"]
    assert [item for item in file["failures"] if item.get("names")]


def test_the_people_of_the_run_decide(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The variant is made with the classes of each subject, which the run's tables hold."""
    codes: list[dict[str, int]] = []

    def stopped(*_: object) -> AuditResult:
        codes.append({name: len(set(groups.tolist())) for name, groups in _[3].codes.items()})  # type: ignore[attr-defined]  # People
        raise DataError("publish", "stopped", "nothing")

    monkeypatch.setattr("frtaudit.pipeline.publishable.disclosure.published", stopped)
    with pytest.raises(DataError, match="stopped"):
        publish(folders[0], tmp_path / "public", 10, None)
    assert codes == [{"group": 3}]


def test_a_run_that_does_not_verify_is_not_published(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """A changed run, an unsigned one and a folder that holds something are refused in one line."""
    full, public = folders
    broken = shutil.copytree(full, tmp_path / "broken")
    (broken / "verdict.json").write_text("{}")
    with pytest.raises(DataError, match=r"verdict\.json"):
        publish(broken, tmp_path / "out", 10, None)
    (broken / "statement.dsse.json").unlink()
    with pytest.raises(DataError, match="accepts"):
        publish(broken, tmp_path / "out", 10, None)
    with pytest.raises(DataError, match=r"none: there is no such file or folder; accepted"):
        publish(tmp_path / "none", tmp_path / "out", 10, None)
    with pytest.raises(DataError, match="is not empty"):
        publish(full, public, 10, None)
    assert not (tmp_path / "out").exists()


def test_the_command_refuses_in_one_line(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`frtaudit publish` says where, what and what would be accepted."""
    assert main(["publish", str(folders[0]), "--out", str(tmp_path / "few"), "--minimum", "1"]) == 1
    assert capsys.readouterr().err.startswith("frtaudit: minimum: found 1; accepted: 2 or more")
    assert not (tmp_path / "few").exists()
