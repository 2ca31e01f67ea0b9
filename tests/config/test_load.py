"""Tests of frtaudit.config.load: what can be said, and what is refused."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from full_specs import to_full
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frtaudit.config.composition import rewritten
from frtaudit.config.load import load_spec
from frtaudit.core import Method, Target
from frtaudit.core.canonical import digest
from frtaudit.core.identity import from_plain, to_plain
from frtaudit.core.methods import Sided
from frtaudit.core.spec import AuditSpec, ConflictRule, FoldSource, GridKind
from frtaudit.errors import SpecError

CURATE = [
    "protocol.rules.matcher=m",
    "protocol.rules.trait=hair",
    "protocol.rules.mated_values=[none,full]",
    "protocol.rules.non_mated_values=[[full,full]]",
    "protocol.rules.traits.hair.column=hair",
]
AUDITS = {
    "nameless": ["cohort=bob_measure", "cohort.root=scores.txt"],
    "demo": [],
    "templates": ["cohort.root=faces"],
    "scores": ["cohort.root=scores.csv"],
    "lfw": ["cohort.root=lfw"],
    "similarity_uncertainty": [],
    "curate": ["cohort.root=faces", *CURATE],
    "goldilocks_demo": [],
    "train_test_overlap": ["cohort.root=faces", "cohort.training.wild=wild"],
    "verification_accuracy": ["cohort.root=faces"],
    "interclass": ["cohort.root=faces", "schema=tone"],
    "interclass_demo": [],
    "interclass_thesis": ["cohort.root=faces", "schema=tone"],
    "compare": ["cohort.runs=[runs/a,runs/b]"],
    "vendor_comparison": ["cohort.root=faces"],
    "vendors_demo": [],
    "rapid_test": ["cohort.root=search"],
    "rapid_demo": [],
    "two_dates": ["cohort.root=june", "cohort.earlier=january"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of presets of one's own, none with a header."""
    files = {
        "audit/mine.yaml": (
            "# Mine.\ndefaults:\n  - override /cohort: templates\n  - override /schema: [race, age]\n"
            "cohort: {root: faces}\nanalyses: {error_rates: null}\nbootstrap: {B: 500}\nreport: {title: '${name}'}\n"
        ),
        "schema/race.yaml": "column: race\n",
        "schema/age.yaml": "column: age\nbins: {edges: [20, 40]}\n",
        "requirement/house.yaml": (
            "source: Internal rules\ndate: 2026-01-01\nrequirements:\n"
            "  - {name: house, metric: fnmr_at_fmr, at: {fmr: 0.0005}, limit: 0.02}\n"
        ),
        "provider/fast.yaml": "type: cosine\n",
        "report/ours.yaml": "organisation: Us\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def load(*overrides: str, config_dir: Path | None = None) -> AuditSpec:
    """A spec from words."""
    return load_spec(list(overrides), config_dir)


def refusal(*overrides: str, config_dir: Path | None = None) -> str:
    """The line that refuses a spec."""
    with pytest.raises(SpecError) as caught:
        load(*overrides, config_dir=config_dir)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.mark.parametrize("audit", AUDITS)
def test_shipped_audits_load(audit: str) -> None:
    """Every shipped audit is a spec that can be run, called by its name, and comes back from its plain data."""
    spec = load(f"audit={audit}", *AUDITS[audit])
    assert spec.name == audit
    assert from_plain(to_full(spec)) == spec


def test_every_shipped_audit_is_tested_here() -> None:
    """No audit ships without a test."""
    from frtaudit.core.machine.resources import shipped

    assert {path.stem for path in (shipped("conf") / "audit").glob("*.yaml")} == set(AUDITS)


def test_lfw_is_as_promised() -> None:
    """audit=lfw: majority gender, official folds, all models, three FMR targets."""
    spec = load("audit=lfw", "cohort.root=lfw")
    assert spec.schemas["gender"].column == "subject_gender_majority"
    assert spec.folds.source is FoldSource.OFFICIAL
    assert spec.providers is None
    assert spec.thresholds.fmr == (0.01, 0.001, 0.0001)


def test_demo_is_as_promised() -> None:
    """audit=demo: synthetic, two vendors, three classes, and B enough for its exploratory tests."""
    spec = load("audit=demo")
    plain = to_plain(spec)
    assert plain["cohort"]["type"] == "synthetic"  # type: ignore[index, call-overload]  # a mapping
    assert len(plain["cohort"]["systems"]) == 2  # type: ignore[index, call-overload, arg-type]  # as above
    assert len(spec.schemas["group"].classes) == 3
    assert spec.bootstrap.B >= 1907


OVERRIDES = [
    "audit=demo",
    "schema=[group,gender]",
    "schemas.gender.conflicts=drop",
    "bootstrap.B=99",
    "bootstrap.alpha=0.1",
    "requirement=[cc_biopp_2_0_match,nist_800_63b_4]",
    "thresholds.fmr=[0.1,0.01]",
    "intervals=[{method: vertex, target: population}]",
    "+weighting=pooled",
    "cohort.subjects=50",
    "analysis=[accuracy,failures]",
    "providers=[vendor_a]",
    "report.title=x",
]


@cache
def in_this_order() -> AuditSpec:
    """The spec of the overrides as they stand above."""
    return load_spec(OVERRIDES)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(OVERRIDES))
def test_the_digest_is_independent_of_the_order_of_overrides(overrides: list[str]) -> None:
    """Any order of the same overrides gives the same spec and the same digest."""
    spec = load_spec(overrides)
    assert spec == in_this_order()
    assert digest(to_plain(spec)) == digest(to_plain(in_this_order()))
    assert list(spec.schemas) == sorted(spec.schemas)


def test_selected_schemas_land_by_name() -> None:
    """schema=[x,y] selects both; schema=x alone lets schema.column mean its column; schema=null selects none."""
    assert list(load("audit=demo", "schema=[group,gender]").schemas) == ["gender", "group"]
    assert load("audit=demo", "schema=gender", "schema.column=sex").schemas["gender"].column == "sex"
    assert load("audit=demo", "schema=null").schemas == {}
    assert "schemas.gender.column, schemas.group.column" in refusal(
        "audit=demo", "schema=[group,gender]", "schema.column=x"
    )


def test_fields_that_a_preset_does_not_mention_can_be_set() -> None:
    """Any field can be set without a plus sign."""
    spec = load("audit=demo", "schemas.group.conflicts=majority", "thresholds.grid.kind=linear", "seed=7")
    assert spec.schemas["group"].conflicts is ConflictRule.MAJORITY
    assert spec.thresholds.grid.kind is GridKind.LINEAR
    assert spec.seed == 7


def test_providers_are_names_or_mappings() -> None:
    """The list holds names, or mappings with a type; default all."""
    spec = load("audit=demo", "providers=[a,{name: b, type: cosine}]", "provider=simulated")
    assert spec.providers is not None
    assert spec.providers[0] == "a"
    assert [getattr(item, "name", None) for item in spec.providers[1:]] == ["b", "simulated"]


def test_analysis_adds() -> None:
    """analysis=x adds x to the audit's analyses."""
    few = load("audit=templates", "cohort.root=x")
    more = load("audit=templates", "cohort.root=x", "analysis=accuracy")
    assert set(more.analyses) == {*few.analyses, "accuracy"}


@pytest.mark.parametrize(
    ("profile", "target"),
    [
        ("nist_800_63a_4", 0.0001),
        ("nist_800_63b_4", 0.0001),
        ("cc_biopp_2_0_match", 0.0001),
    ],
)
def test_requirement_adds_a_dated_profile_and_its_target(profile: str, target: float) -> None:
    """A profile's requirements carry profile and source, and the FMR target they name is estimated."""
    spec = load("audit=demo", f"requirement=[{profile}]")
    added = [item for item in spec.requirements if item.profile == profile]
    assert added
    assert all(item.source and item.at["fmr"] == target for item in added)
    assert target in spec.thresholds.fmr


def test_a_profile_is_read_at_a_threshold_of_ones_own() -> None:
    """``profiles.NAME.at`` takes the place of the FMR target; ratios bring the analysis that estimates them."""
    own = "profiles.nist_800_63a_4.at={recommended: strict}"
    spec = load("audit=demo", "requirements=[]", "requirement=[nist_800_63a_4]", own)
    assert {requirement.metric for requirement in spec.requirements} == {"fmr", "fnmr", "ratio_to_overall"}
    assert all(requirement.at == {"recommended": "strict"} for requirement in spec.requirements)
    assert "ratio_to_overall" in spec.analyses
    assert all(requirement.as_measured for requirement in spec.requirements)
    assert spec.profiles["nist_800_63a_4"].section == "3.11"


def test_a_source_with_a_rule_is_not_read_as_measured() -> None:
    """Common Criteria set a rule for bounds: its requirements have their level, and no reading of the estimate."""
    spec = load("audit=demo", "requirements=[]", "requirement=[cc_biopp_2_0_match]")
    assert {(one.level, one.sided, one.as_measured) for one in spec.requirements} == {(0.8, Sided.TWO, False)}


def test_presets_win_over_the_audit_and_overrides_over_presets() -> None:
    """bootstrap=thesis wins over the audit's own numbers; bootstrap.B wins over both."""
    assert load("audit=demo", "bootstrap=thesis").bootstrap.B == 9999
    assert load("audit=demo", "bootstrap=thesis", "bootstrap.B=199").bootstrap.B == 199
    assert load("audit=demo", "report=draft").report.sign is False


def test_intervals_are_methods_with_targets() -> None:
    """Intervals are a list of {method, target}."""
    spec = load("audit=demo", "intervals=[{method: recentered, target: fixed_identities}]", "requirements=[]")
    assert [(item.method, item.target) for item in spec.intervals] == [
        (Method.RECENTERED, Target.FIXED_IDENTITIES)
    ]
    line = refusal("audit=demo", "intervals=[{method: recentered, target: population}]")
    assert line.startswith(
        "intervals[0]: method recentered does not serve target population; accepted: methods vertex"
    )


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        ([], "audit: nothing is selected; accepted: audit=compare, curate, demo"),
        (["audit=nope"], "audit: no option is named 'nope'; accepted: compare, curate, demo"),
        (["audit=demoo"], "audit: no option is named 'demoo' (did you mean 'demo'?)"),
        (
            ["audit=[demo,lfw]"],
            "command line: 'audit=[demo,lfw]': an audit has one audit; accepted: audit=NAME",
        ),
        (
            ["audit=demo", "cohort=[demo,vendors]"],
            "command line: 'cohort=[demo,vendors]': an audit has one cohort",
        ),
        (["audit=demo", "+schema=group"], "schema: is selected twice; accepted: - override /schema: NAME"),
        (
            ["audit=demo", "schemas=[]", "schema.column=x"],
            "schema.column: no schema is selected",
        ),
        (["audit=templates"], "cohort.root: no value; accepted: a path: cohort.root=PATH"),
        (["audit=scores"], "cohort.root: no value; accepted: a path: cohort.root=PATH"),
        (["audit=demo", "schema=nope"], "schema: no option is named 'nope'; accepted: gender, group"),
        (["adit=demo"], "spec: unknown key 'adit' (did you mean 'audit'?)"),
        (["audit=demo", "sed=3"], "spec: unknown key 'sed' (did you mean 'seed'?)"),
        (["audit=demo", "+sed=3"], "spec: unknown key 'sed' (did you mean 'seed'?)"),
        (
            ["audit=demo", "++bootstrap.b=3"],
            "bootstrap: unknown key 'b' (did you mean 'B'?); accepted: B, alpha, plans",
        ),
        (["audit=demo", "cohort.subject=3"], "cohort: unknown key 'subject' (did you mean 'subjects'?)"),
        (["audit=demo", "seed=x"], "seed: found 'x'; accepted: a whole number"),
        (["audit=demo", "bootstrap.B=1e3"], "bootstrap.B: found 1000.0 (a number); accepted: a whole number"),
        (["audit=demo", "bootstrap.B=1.0"], "bootstrap.B: found 1.0"),
        (
            ["audit=demo", "protocol.non_mated=yokd"],
            "protocol.non_mated: found 'yokd' (did you mean 'yoked'?); accepted: all",
        ),
        (
            ["audit=demo", "protocol.non_mated=???"],
            "protocol.non_mated: no value; accepted: all, within_group, yoked",
        ),
        (
            ["audit=demo", "requirements=[]", "bootstrap.B=10"],
            "bootstrap.B: B = 10 is too small for alpha = 0.05; accepted: 39 or more",
        ),
        (["audit=demo", "bootstrap.alpha=1.5"], "bootstrap.alpha: found 1.5"),
        (["audit=demo", "thresholds.fmr=[2]"], "thresholds.fmr: found 2"),
        (["audit=demo", "name=]"], "command line: cannot read 'name=]'"),
        (["audit=demo", "seed"], "command line: cannot read 'seed'"),
        (["audit=demo", "name=${nowhere}"], "name: Interpolation key 'nowhere' not found"),
        (["audit=demo", "name=${oc.env:HOME}"], "command line: the resolver '${oc.env:HOME}'"),
        (["audit=demo", "cohort={_target_: x}"], "cohort: unknown key '_target_'"),
        (
            ["audit=demo", "bootstrap=4"],
            "command line: a preset's name that reads as a number or a truth value",
        ),
        (["audit=demo", "report.date=tomorrow"], "report.date: found 'tomorrow'"),
        (["audit=demo", "name=2024"], "name: found 2024 (a number); accepted: text; quote it"),
        (
            ["audit=demo", "schemas.group.classes=[true,false]"],
            "schemas.group.classes[0]: found true (a truth value)",
        ),
    ],
)
def test_bad_specs_are_refused_in_one_line(overrides: list[str], line: str) -> None:
    """Every slip names the place, what was found and what is accepted."""
    assert refusal(*overrides).startswith(line)


@pytest.mark.parametrize(
    "overrides", [[5], [None], [b"audit=demo"], ["audit=demo", ["seed=1"]], None, 5, "audit=demo"]
)
def test_overrides_from_python_are_words(overrides: Any) -> None:
    """What is not a list of texts is refused as an error of ours; what can be read once only is read once."""
    with pytest.raises(SpecError, match=r"^overrides: .* is not (text|a list); accepted: "):
        load_spec(overrides)
    assert load_spec(iter(["audit=demo", "seed=7"])).seed == 7  # type: ignore[arg-type]  # as a program may


def test_presets_of_ones_own(folder: Path) -> None:
    """Files without a header land where their folder says, and are selected as shipped ones are."""
    spec = load("audit=mine", config_dir=folder)
    assert (spec.name, spec.report.title, spec.bootstrap.B) == ("mine", "mine", 500)
    assert spec.schemas["age"].bins is not None
    assert (
        load("audit=mine", "schema=race", "schema.column=r", config_dir=folder).schemas["race"].column == "r"
    )
    more = load("audit=mine", "requirement=house", "provider=fast", "report=ours", config_dir=folder)
    assert more.requirements[0].source == "Internal rules (2026-01-01)"
    assert getattr(more.providers[0], "name", None) == "fast"  # type: ignore[index]  # not None here
    assert more.report.organisation == "Us"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("bootstrap: {B: no}", "bootstrap.B: found false (a truth value); accepted: a whole number"),
        ("seed: 010", None),
        (
            "schemas: {a: {column: x, classes: [yes, no]}}",
            "schemas.a.classes[0]: found true (a truth value); accepted: text; quote",
        ),
        ("schemas: {a: {column: 010}}", "schemas.a.column: found 8 (a number); accepted: text; quote it"),
        ("schemas: {a: {column: x, classes: [1.0, 2.0]}}", "schemas.a.classes[0]: found 1.0 (a number)"),
        ("schemas: {a: {column: x, classes: ['1.0', '2.0']}}", None),
        ("bootstrap: {alpha: 0.1, beta: 1}", "bootstrap: unknown key 'beta'"),
        ("a: [1", "audit/bad.yaml line 6, column 1: broken YAML"),
        (
            "hydra: {run: {dir: x}}",
            "audit/bad.yaml line 5, column 1: unknown key 'hydra'; accepted: name, cohort",
        ),
        ("report: {title: '${oc.env:HOME}'}", "audit/bad.yaml line 5, column 17: the resolver"),
        ("report: {title: {_target_: x}}", "audit/bad.yaml line 5, column 18: the key '_target_'"),
        ("report: {date: 2026-01-02}", None),
    ],
)
def test_yaml_of_ones_own_is_read_strictly(folder: Path, text: str, line: str | None) -> None:
    """What YAML makes of bare words is refused where text is meant, broken and foul files by line and column."""
    head = "defaults:\n  - override /cohort: templates\ncohort: {root: faces}\nanalyses: {error_rates: {}}\n"
    (folder / "audit" / "bad.yaml").write_text(head + text + "\n")
    if line is None:
        assert load("audit=bad", config_dir=folder).name == "bad"
    else:
        assert refusal("audit=bad", config_dir=folder).startswith(line)


def test_equal_numbers_have_one_digest(folder: Path) -> None:
    """1 and 1.0, and text quoted or not, are one spec: only typed values are digested."""
    specs = []
    for alpha, fmr in (("0.1", "[0.1, 0.01]"), ("1e-1", "[1.0e-1, 1e-2]")):
        text = f"thresholds: {{fmr: {fmr}}}\nbootstrap: {{alpha: {alpha}}}\nreport: {{title: x}}\n"
        head = (
            "defaults:\n  - override /cohort: templates\ncohort: {root: faces}\nanalyses: {error_rates: {}}\n"
        )
        (folder / "audit" / "twin.yaml").write_text(head + text)
        specs.append(load("audit=twin", config_dir=folder))
    assert digest(to_plain(specs[0])) == digest(to_plain(specs[1]))


def test_a_shipped_option_cannot_be_shadowed(folder: Path) -> None:
    """A file called as a shipped preset, or as a plug-in, is refused and not ignored."""
    (folder / "audit" / "demo.yaml").write_text("name: x\n")
    assert refusal("audit=demo", config_dir=folder).startswith(
        "--config-dir audit/demo.yaml: audit=demo is shipped"
    )


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """--config-dir must be there."""
    assert refusal("audit=demo", config_dir=tmp_path / "nope").startswith("--config-dir: no folder")


def test_an_audit_cannot_select_what_stands_above_it(folder: Path) -> None:
    """Presets of bootstrap and report are the command line's; an audit writes the fields."""
    (folder / "audit" / "late.yaml").write_text("defaults:\n  - override /bootstrap: thesis\n")
    assert refusal("audit=late", config_dir=folder).startswith("audit/late: selects a bootstrap preset")


def test_overrides_are_rewritten_for_hydra() -> None:
    """Fields are set whether or not they exist; groups stay as they are."""
    words = [
        "audit=demo",
        "a.b=1",
        "+a.c=2",
        "~x",
        "schema=null",
        "schema@schemas.z=gender",
    ]
    assert rewritten(words) == [
        "audit=demo", "++a.b=1", "++a.c=2", "~x", "schema=[]", "schema@schemas.z=gender",
    ]  # fmt: skip


def test_text_that_hydra_cannot_read_is_read_in_quotes() -> None:
    """Words of other scripts and marks are refused bare, and taken as the refusal advises."""
    with pytest.raises(
        SpecError, match=r"cannot read 'report.title=Büro, \(a\)'; accepted: .*'key=\"Büro 18-35, \(a\)\"'"
    ):
        load_spec(["audit=demo", "report.title=Büro, (a)"])
    assert load_spec(["audit=demo", 'report.title="Büro 18-35, (a)"']).report.title == "Büro 18-35, (a)"
    with pytest.raises(SpecError, match=r"; accepted: .*'key=\[a, \"Büro\"\]'"):
        load_spec(["audit=demo", "+schemas.office={column: office, classes: [a, Büro]}"])
    words = ["audit=demo", '+schemas.office={column: office, classes: [a, "Büro"]}']
    assert load_spec(words).schemas["office"].classes == ("a", "Büro")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("limit: 50%", "profiles.mine.requirements[1].limit: found '50%'"),
        ("limit: 5", "profiles.mine.requirements[1].limit: found 5"),
        ("metric: eerr, limit: 0.1", "profiles.mine.requirements[1].metric: found 'eerr'"),
        ("metric: accuracy, limit: 0.1", "profiles.mine.requirements[1].sense: no value"),
    ],
)
def test_a_wrong_value_of_a_profile_is_located_there(tmp_path: Path, wrong: str, words: str) -> None:
    """By the profile and the number that it has in its file: the list of all requirements is nobody's file."""
    text = "# @package profiles.mine\nsource: S\ndate: '2026'\nrequirements:\n"
    metric = "" if "metric" in wrong else "metric: eer, "
    text += f"  - {{name: a, metric: eer, limit: 0.5}}\n  - {{name: b, {metric}{wrong}}}\n"
    (tmp_path / "requirement").mkdir()
    (tmp_path / "requirement/mine.yaml").write_text(text)
    own = "requirements=[{name: c, metric: eer, limit: 0.1}]"
    with pytest.raises(SpecError) as caught:
        load_spec(["audit=demo", "requirement=[mine]", own], tmp_path)
    assert str(caught.value).startswith(words)
    (tmp_path / "requirement/mine.yaml").write_text(text.replace(wrong, "limit: 0.2"))
    with pytest.raises(SpecError, match=r"^requirements\[0\].limit"):
        load_spec(["audit=demo", "requirement=[mine]", own.replace("0.1", "50%")], tmp_path)
