from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from devices import Shortened, StandIn, install
from small_audits import COHORT, SCHEMAS, folder_of, spec

from frtaudit.config.load import load_spec
from frtaudit.core import Templates
from frtaudit.core.spec import (
    Bins,
    Bootstrap,
    ConflictRule,
    Engine,
    Folds,
    FoldSource,
    Grid,
    GridKind,
    PairSetSpec,
    Report,
    RequirementSpec,
    SchemaSpec,
    Thresholds,
)
from frtaudit.core.spec_values import PadesLevel
from frtaudit.datasets.cohorts.synthetic import Synthetic
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.datasets.protocols.round_robin import RoundRobin
from frtaudit.datasets.protocols.sampled import Sampled
from frtaudit.errors import DataError, FrtauditError, SpecError
from frtaudit.pipeline import dry_run
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.dry_run import check, memory_of

EACH = RequirementSpec(name="each", metric="fnmr_at_fmr", at={"fmr": 0.01}, group="each", limit=0.1)
COUNT = COHORT.load(SCHEMAS, 0).cohort.n_samples


def test_it_says_what_the_audit_would_do() -> None:
    """Cohort, classes, comparisons, providers and analyses, one line each."""
    lines = check(spec("error_rates", "failures"))
    assert lines[0] == f"cohort: {COUNT} samples of 24 subjects"
    assert lines[1] == "schema group: x: 12, y: 12 subjects"
    assert lines[2] == "protocol: all pairs, 2825 of them non-mated"
    assert lines[3:5] == [
        f"provider one: 64 templates of 16 numbers, {COUNT - 64} failures to acquire",
        f"provider two: {COUNT} templates of 16 numbers",
    ]
    assert lines[5:7] == [
        "requirement: none, so there will be no verdict",
        "analyses: error_rates, failures; B 199, alpha 0.05",
    ]
    pairs = COUNT * (COUNT - 1) // 2
    assert lines[7].startswith(
        f"expected: {pairs:,} comparisons of each system; scoring alone takes about 1 s on 1 cores, "
        "bootstrap and report not counted; about "
    )


@pytest.mark.parametrize(
    ("samples", "fmr", "systems", "measured"),
    [
        (20_000, 5e-3, 1, 0.68),
        (100_000, 1e-4, 1, 0.86),
        (100_000, 5e-3, 1, 2.01),
        (50_000, 1e-2, 2, 1.69),
        (1_000_000, 1e-4, 1, 7.17),
    ],
)
def test_memory_is_what_audits_took(samples: int, fmr: float, systems: int, measured: float) -> None:
    """Within a quarter of the peaks of whole audits with report: D = 128, five images a subject, two threads."""
    made = spec("error_rates", "differentials", thresholds=Thresholds(fmr=(fmr,)), threads=2, report=Report())
    expected = memory_of(made, samples, samples // 5, systems, 128) / 1e9
    assert expected == pytest.approx(measured, rel=0.25)


def test_it_tests_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device has its line; one whose products are not exact is refused, as is the setting without CuPy."""
    install(monkeypatch, StandIn())
    (line,) = [line for line in check(spec(engine=Engine.GPU)) if line.startswith("engine ")]
    assert line == (
        "engine gpu: NumPy's stand-in, 1.0 GB free; its float32 products were tested; times are without it"
    )
    for library, problem in (
        (Shortened(), "errs by .* in float32 products"),
        (None, "CuPy cannot be imported"),
    ):
        install(monkeypatch, library)
        with pytest.raises(SpecError, match=f"engine: .*{problem}"):
            check(spec(engine=Engine.GPU))


def test_a_class_is_called_by_name_and_by_a_label_of_its_own() -> None:
    """As a requirement names it, and as the report prints it."""
    schema = SchemaSpec(column="group", classes=("x", "y"), labels=("under 30", "Y"))
    assert "schema group: under 30 (x): 12, y: 12 subjects" in check(spec(schemas={"group": schema}))
    assert dry_run._alike("a b.", "a b.")
    assert dry_run._alike("Under 30", "under_30")


def test_templates_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a million images they are gigabytes."""
    read: list[str] = []
    drawn = Synthetic._templates

    def counted(self: Synthetic, system: str, *rest: Any) -> Templates:
        read.append(system)
        return drawn(self, system, *rest)

    monkeypatch.setattr(Synthetic, "_templates", counted)
    check(spec("failures"))
    assert sorted(read) == ["one", "two"]


def test_it_says_who_is_judged_and_what_cannot_be() -> None:
    """Each requirement with its limit and its verdicts; one that nothing answers says why and what to write."""
    at = {"fmr": 0.1}
    wrong = RequirementSpec(name="wrong", metric="fnmr", at=at, limit=0.1)
    asked = (RequirementSpec(name="each", metric="fnmr_at_fmr", at=at, group="each", limit=0.1), wrong)
    lines = check(spec(requirements=asked, bootstrap=Bootstrap(B=399)))
    assert [line for line in lines if line.startswith("requirement ")] == [
        "requirement each: fnmr_at_fmr at FMR 10 %, at most 10 %, group each: 4 verdicts on one, two",
        (
            "requirement wrong: fnmr at FMR 10 %: not testable: "
            "fnmr is not estimated at fmr; write metric: fnmr_at_fmr"
        ),
    ]


def test_it_says_which_groups_are_too_small() -> None:
    """Groups with fewer subjects than a requirement's minimum; everybody where it is about all."""
    at = {"fmr": 0.1}
    few = RequirementSpec(name="few", metric="fnmr_at_fmr", at=at, limit=0.1, minimum={"subjects": 25})
    asked = (
        few,
        replace(few, name="enough", minimum={"subjects": 24}),
        replace(few, name="each", group="each"),
    )
    ends = [
        line.partition("one, two")[2] for line in check(spec(requirements=asked)) if "requirement " in line
    ]
    each = "; not testable, fewer than 25 subjects: x (12), y (12)"
    schemas = {"group": SchemaSpec(column="group", classes=("x",), unknown=("y",))}
    (lost,) = [
        line
        for line in check(
            spec(requirements=(replace(few, group="unknown", schema="group"),), schemas=schemas)
        )
        if "requirement few" in line
    ]
    assert lost.endswith("; not testable, fewer than 25 subjects: unknown (12)")
    assert ends == ["; not testable, fewer than 25 subjects: these are 24", "", each]


def test_unknown_classes_and_drops_are_said(tmp_path: Path) -> None:
    """Subjects without a class are counted beside the classes."""
    schemas = {"group": SchemaSpec(column="group", classes=("x",), unknown=("y",))}
    source = folder_of(tmp_path / "faces")
    assert check(spec(cohort=source, schemas=schemas))[1] == "schema group: x: 12, unknown: 12 subjects"
    metadata = tmp_path / "faces" / "metadata.csv"
    head, first, *rest = metadata.read_text().splitlines()
    changed = first.replace(",x", ",y") if ",x" in first else first.replace(",y", ",x")
    metadata.write_text("\n".join([head, changed, *rest]) + "\n")
    schemas = {"group": SchemaSpec(column="group", classes=("x", "y"), conflicts=ConflictRule.MAJORITY)}
    assert check(spec(cohort=source, schemas=schemas))[0].endswith(
        "; 1 subjects: conflicting classes majority"
    )


def test_values_that_a_star_makes_unknown_are_said(tmp_path: Path) -> None:
    """A word in capitals is another word; declared unknown values are no surprise."""
    source = folder_of(tmp_path / "faces")
    schemas = {"group": SchemaSpec(column="group", classes=("x",), unknown=("*",))}
    line = "warning: schemas.group: column 'group' also holds 'y': counted as unknown"
    assert check(spec(cohort=source, schemas=schemas))[-1] == line
    schemas = {"group": SchemaSpec(column="group", classes=("x",), unknown=("y", "*"))}
    assert not any("also holds" in text for text in check(spec(cohort=source, schemas=schemas)))


def pairs_of(root: Path, text: str) -> str:
    (root / "own.csv").write_text(text)
    return str(root / "own.csv")


@pytest.mark.parametrize(("changes", "noted"), [
    ({}, True), ({"bins": Bins(edges=(30,))}, False), ({"classes": tuple(map(str, range(20, 50)))}, False),
])  # fmt: skip
def test_many_numbers_as_classes_are_said(tmp_path: Path, changes: dict[str, Any], noted: bool) -> None:
    """Unless ranges or the classes are declared; the cohort and so the result have no note."""
    lines = [f"s{who},s{who}_{image},{20 + who}" for who in range(30) for image in range(2)]
    (tmp_path / "metadata.csv").write_text("\n".join(["subject_id,image_id,age", *lines]))
    (tmp_path / "templates").mkdir()
    ids = np.array([line.split(",")[1] for line in lines])
    np.savez(tmp_path / "templates" / "a.npz", image_id=ids, embedding=np.eye(60, 8, dtype=np.float32) + 1)
    ages = {"age": SchemaSpec(column="age", **changes)}
    made = replace(spec(), cohort=TemplateFolder(root=str(tmp_path)), schemas=ages)
    note = "schemas.age: each number in column 'age' is a class; to make ranges of them, add bins: {edges: [...]}"
    assert (f"warning: {note}" in check(made)) is noted
    assert dry_run.prepare(made).cohort_data.notes == ()


def test_pair_lists_are_read(tmp_path: Path) -> None:
    """A file of folds and an official list are opened; a broken one stops the check."""
    ids = COHORT.load(SCHEMAS, 0).cohort.sample_ids
    good = pairs_of(tmp_path, f"probe,reference,fold\n{ids[0]},{ids[1]},0\n{ids[0]},{ids[-1]},1\n")
    assert check(spec(folds=Folds(source=FoldSource.FILE, file=good)))
    bad = pairs_of(tmp_path, f"probe,reference,fold\n{ids[0]},nobody,0\n")
    with pytest.raises(DataError, match="own.csv"):
        check(spec(folds=Folds(source=FoldSource.FILE, file=bad)))
    source = folder_of(tmp_path / "faces")
    (tmp_path / "faces" / "pairs.csv").write_text("probe,reference\n")
    with pytest.raises(DataError, match="^pairs.csv: "):
        check(spec(cohort=replace(source, pairs="pairs.csv"), folds=Folds(source=FoldSource.OFFICIAL)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("probe,reference\n{0},{1}\n", "no folds"),
        ("probe,reference,fold\n{0},{1},0\n{0},{2},0\n", "one fold"),
    ],
)
def test_a_list_without_two_folds_stops_the_check(tmp_path: Path, text: str, said: str) -> None:
    """As it stops the run: of a file of folds, of official pairs, and of the pairs that are compared."""
    ids, source = COHORT.load(SCHEMAS, 0).cohort.sample_ids, folder_of(tmp_path / "faces")
    file = pairs_of(tmp_path / "faces", text.format(ids[0], ids[1], ids[-1]))
    official = Folds(source=FoldSource.OFFICIAL)
    listed = {"protocol": Listed(file=file), "cohort": replace(source, pairs="own.csv"), "folds": official}
    of_file = spec(folds=Folds(source=FoldSource.FILE, file=file))
    for made in (of_file, spec(cohort=replace(source, pairs="own.csv"), folds=official), spec(**listed)):
        with pytest.raises(SpecError, match=f"the list of pairs has {said}; accepted: two folds or more"):
            check(replace(made, thresholds=Thresholds(fmr=())))


def test_pairs_that_nothing_reads_are_said(tmp_path: Path) -> None:
    """Whoever gives a list of pairs may think that it says what is compared."""
    source, ids = folder_of(tmp_path / "faces"), COHORT.load(SCHEMAS, 0).cohort.sample_ids
    lines = [f"{ids[0]},{ids[1]},0", f"{ids[0]},{ids[-1]},1"]
    (tmp_path / "faces" / "pairs.csv").write_text("\n".join(["probe,reference,fold", *lines]))
    source, warning = replace(source, pairs="pairs.csv"), "warning: pairs.csv is not read: protocol=listed"
    assert check(spec(cohort=source))[-1].startswith(warning)
    official = spec(cohort=source, folds=Folds(source=FoldSource.OFFICIAL))
    assert not any("is not read" in line for line in check(official))


def test_a_pair_that_is_listed_twice_is_said(tmp_path: Path) -> None:
    """In either order: it weighs double, and the result says so too."""
    source, ids = folder_of(tmp_path / "faces"), COHORT.load(SCHEMAS, 0).cohort.sample_ids
    lines = ["probe,reference", f"{ids[0]},{ids[1]}", f"{ids[0]},{ids[-1]}"]
    again = [f"{ids[1]},{ids[0]}", f"{ids[0]},{ids[-1]}"]
    said = "warning: protocol: 2 of 4 pairs were listed before: each counts again"
    for listed, warned in ((lines, []), ([*lines, *again], [said])):
        (tmp_path / "faces" / "pairs.csv").write_text("\n".join(listed))
        changes = {"protocol": Listed(), "thresholds": Thresholds(fmr=())}
        found = check(made := spec(cohort=replace(source, pairs="pairs.csv"), **changes))
        assert [line for line in found if "listed before" in line] == warned
        notes = [f"warning: {note}" for note in audit(made).result.notes if "listed before" in note]
        assert notes == warned


def test_listed_comparisons_are_counted(tmp_path: Path) -> None:
    """A listed protocol says how many comparisons it lists."""
    ids = COHORT.load(SCHEMAS, 0).cohort.sample_ids
    lines = "".join(f"{ids[0]},{other}\n" for other in ids[-60:])
    listed = Listed(file=pairs_of(tmp_path, f"probe,reference\n{ids[0]},{ids[1]}\n{lines}"))
    found = check(spec(protocol=listed, thresholds=Thresholds(fmr=(0.1,))))
    assert found[2] == "protocol: 61 listed comparisons, 60 of them non-mated"


@pytest.mark.parametrize(
    ("changes", "kind", "said"),
    [
        ({"thresholds": Thresholds(fmr=(1e-3,))}, DataError, "thresholds.fmr: FMR 0.001 .* at least 0.00177"),
        ({"providers": ("three",)}, SpecError, "offers no 'three'"),
        (
            {"thresholds": Thresholds(grid=Grid(kind=GridKind.EXPLICIT, values=(2.0,)), fmr=(0.1,))},
            SpecError,
            "2 lies outside",
        ),
        ({"schemas": {"a": SchemaSpec(column="nothing", classes=("x",))}}, FrtauditError, "nothing"),
        (
            {"requirements": (EACH,), "bootstrap": Bootstrap(B=78)},
            SpecError,
            r"B = 78 is too small for alpha = 0.05 \(findings: 4\); accepted: 79 or more",
        ),
        ({"seal": "/dev/zero"}, DataError, "zero: is a device"),
        ({"report": Report(previous="/dev/zero")}, DataError, "zero: is a device"),
        ({"report": Report(key="/dev/zero")}, DataError, "key /dev/zero: is a device"),
        ({"report": Report(key="/absent")}, DataError, "key /absent: does not exist"),
        ({"report": Report(checklists=("nope",))}, SpecError, "report.checklists: found 'nope'"),
        ({"report": Report(templates="/absent")}, SpecError, "report.templates: 'absent' is not a folder"),
        ({"report": Report(pades=PadesLevel.B_T)}, DataError, "report.tsa: no value, and B-T needs a time"),
        ({"report": Report(pades=PadesLevel.B_T, tsa="ftp://x")}, DataError, "tsa: found 'ftp://x'"),
        (
            {"report": Report(pades=PadesLevel.B_LT, tsa="http://x", evidence="/absent")},
            DataError,
            "report.evidence: '/absent' is not a folder",
        ),
    ],
)
def test_it_stops_where_the_audit_would(
    changes: dict[str, object], kind: type[FrtauditError], said: str
) -> None:
    """Targets, providers, thresholds, columns, files of the spec, and a B too small for the family are refused."""
    with pytest.raises(kind, match=said):
        check(spec(**changes))


@pytest.mark.parametrize("off", ["sign", "pdf"])
def test_what_is_not_signed_needs_no_authority(off: str) -> None:
    """A level of signatures is looked at where a PDF is signed, as a run does."""
    assert check(spec(report=Report(pades=PadesLevel.B_T, **{off: False})))  # type: ignore[arg-type]  # a switch
    assert check(spec(report=Report(key="/absent", sign=False)))


def test_a_b_that_is_too_small_is_refused_once() -> None:
    """The first refusal names the B that is enough for alpha and for the findings alike."""
    words = ["audit=demo", "cohort.subjects=24"]
    with pytest.raises(SpecError, match=r"^bootstrap.B: B = 20 .*accepted: 199 or more$"):
        check(load_spec([*words, "bootstrap.B=20"]))
    assert check(load_spec([*words, "bootstrap.B=199"]))


def test_test_sets_are_made_and_said() -> None:
    """Each test set's pairs are made, and counted with the origin of their folds."""
    folds = Folds(source=FoldSource.DISJOINT, k=3)
    lines = check(spec(test_sets={"own": PairSetSpec(pairs=Sampled(mated=30), folds=folds)}))
    assert "test set own: 60 pairs, folds constructed identity-disjoint" in lines
    strict = PairSetSpec(pairs=Sampled(mated=30), folds=Folds(source=FoldSource.STRICT, k=3))
    line = "test set own: 60 pairs, folds constructed, sharing no subject; pairs across them are left out"
    assert line in check(spec(test_sets={"own": strict}))
    with pytest.raises(SpecError, match="test_sets.own.folds.source: no folds"):
        check(spec(test_sets={"own": PairSetSpec(pairs=Sampled(mated=30))}))


def rows_of(a: int, b: int, *, both_orders: bool) -> list[str]:
    """A comparison of two people as lines of a score list; every twentieth sum has -1 for a failure."""
    score = -1 if (a + b) % 20 == 0 else round((0.9 if a == b else 0.1) + (37 * a + b) % 101 / 1013, 5)
    there, back = f"{a}a,{b}b,p{a},p{b},{score}", f"{b}b,{a}a,p{b},p{a},{score}"
    return [there, back] if both_orders else [there]


@pytest.mark.parametrize("both_orders", [False, True])
def test_a_number_that_stands_for_failures_is_noted_as_the_report_does(
    tmp_path: Path, *, both_orders: bool
) -> None:
    """The least score of many comparisons, such as -1, is a floor: the note of the report, and what to do."""
    rows = [row for a in range(60) for b in range(a, 60) for row in rows_of(a, b, both_orders=both_orders)]
    header = "probe,reference,probe_subject,reference_subject,score"
    (tmp_path / "acme.csv").write_text("\n".join([header, *rows]) + "\n")
    words = ["audit=scores", f"cohort.root={tmp_path}", "thresholds.fmr=[0.01]", "bootstrap.B=199"]
    made = load_spec([*words, "analyses=[error_rates]"])
    (note,) = [note for note in audit(made).result.notes if "floor" in note]
    assert note.startswith(
        "acme: 10 % of mated and 4.92 % of non-mated comparisons have the least score, -1: a "
    )
    assert f"warning: {note}; of failures, leave the score empty" in check(made)


def test_lists_by_endings_that_are_not_read_are_named(tmp_path: Path) -> None:
    """Beside score lists, a .txt or a spreadsheet is no system: check says so in one line, unless files are named."""
    rows = [row for a in range(20) for b in range(a, 20) for row in rows_of(a, b, both_orders=False)]
    header = "probe,reference,probe_subject,reference_subject,score"
    for name in ("acme.csv", "beta.txt", "Gamma.XLSX", ".hidden.txt", "notes.md"):
        (tmp_path / name).write_text("\n".join([header, *rows]) + "\n")
    (tmp_path / "folder.txt").mkdir()
    words = ["audit=scores", f"cohort.root={tmp_path}", "thresholds.fmr=[0.1]"]
    line = (
        "warning: not read as scores or templates: Gamma.XLSX, beta.txt; a score list ends in .csv, .tsv, .csv.gz, "
        ".tsv.gz, .parquet, a file of templates in .npz"
    )
    assert line in check(load_spec(words))
    for number in range(8):
        (tmp_path / f"z{number}.txt").touch()
    (line,) = [line for line in check(load_spec(words)) if "not read" in line]
    assert "z5.txt and 2 more; a score list" in line
    assert not [line for line in check(load_spec([*words, "cohort.files=[acme.csv]"])) if "not read" in line]


def test_scores_that_name_nobody_repeat_no_pair(tmp_path: Path) -> None:
    """No pair is named, so none is listed twice."""
    file = tmp_path / "two_columns.txt"
    file.write_text("".join(f"{1 if k % 2 else -1} {0.001 * k + k % 2}\n" for k in range(400)))
    spec = load_spec(["audit=nameless", "cohort=bob_measure", f"cohort.root={file}", "thresholds.fmr=[0.1]"])
    assert not [line for line in check(spec) if "listed before" in line]


def test_an_empty_class_of_a_crossing_is_named(tmp_path: Path) -> None:
    """By its class and its schema."""
    rows = [("a", "x", "u"), ("b", "x", "v"), ("c", "y", "u")]
    lines = [
        f"{a}{i},{b}{j},{a},{b},{0.9 if a == b else 0.1},{g},{k},{h},{m}"
        for n, (a, g, h) in enumerate(rows)
        for (b, k, m) in rows[n:]
        for i, j in ([(0, 1)] if a == b else [(0, 0), (0, 1), (1, 0), (1, 1)])
    ]
    head = "probe,reference,probe_subject,reference_subject,score,probe_g,reference_g,probe_h,reference_h"
    (tmp_path / "s.csv").write_text("\n".join([head, *lines]) + "\n")
    words = [f"+schemas.{name}={{column: {name}}}" for name in "gh"]
    spec = load_spec(
        [
            "audit=scores",
            f"cohort.root={tmp_path / 's.csv'}",
            "thresholds.fmr=[0.5]",
            *words,
            "+schemas.gh={cross: [g, h]}",
        ]
    )
    assert check(spec)[0].endswith("; 0 subjects: empty class y&v of gh")


@pytest.mark.parametrize(
    ("metric", "at", "changes", "line"),
    [
        ("eer", {}, {}, "eer: not testable: no interval for the population is offered for eer"),
        (
            "accuracy",
            {},
            {},
            "accuracy: not testable: there are no folds; write folds.source=disjoint, or another",
        ),
        (
            "accuracy",
            {"pairs": "fold"},
            {"folds": Folds(source=FoldSource.DISJOINT, k=3)},
            "accuracy at pairs fold: not testable: no test set is named fold; write at: {pairs: folds}",
        ),
        (
            "accuracy",
            {"pairs": "folds"},
            {"folds": Folds(source=FoldSource.DISJOINT, k=3)},
            "group all: 2 verdicts on one, two; advisory",
        ),
        (
            "fnmr_at_fmr",
            {"fmr": 0.1},
            {"protocol": RoundRobin()},
            "fnmr_at_fmr at FMR 10 %: not testable: no comparison is non-mated",
        ),
        (
            "fnmr_at_fmr",
            {"fmr": 0.1},
            {"cohort": replace(COHORT, samples_per_subject=(1, 1))},
            "fnmr_at_fmr at FMR 10 %: not testable: no comparison is mated",
        ),
        ("fnmr_at_fmr", {"fmr": 0.1}, {}, "group all: 2 verdicts on one, two; advisory"),
    ],
)
def test_no_verdict_is_promised_where_there_can_be_none(
    metric: str, at: dict[str, float | str], changes: dict[str, object], line: str
) -> None:
    """Without an interval, folds, mated or non-mated comparisons; an advisory requirement says so."""
    asked = RequirementSpec(name="r", metric=metric, at=at, limit=0.2, advisory=True)
    analyses = ("error_rates", "accuracy")
    (told,) = [
        text for text in check(spec(*analyses, requirements=(asked,), **changes)) if "requirement" in text
    ]
    assert line in told


def test_keys_of_folds_without_folds_have_no_effect() -> None:
    """A warning says so; of folds, and of nothing that was asked for, there is none."""
    of = {"none": Folds(k=5), "some": Folds(source=FoldSource.DISJOINT, k=3), "untouched": Folds()}
    told = {
        name: [line for line in check(spec("accuracy", folds=folds)) if "warning: folds" in line]
        for name, folds in of.items()
    }
    assert told == {
        "none": [
            "warning: folds: there are none, so that the other keys have no effect; folds.source=disjoint makes some"
        ],
        "some": [],
        "untouched": [],
    }
