"""Tests of frtaudit.config.guard."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.config.guard import MAX_BYTES, check_override, check_package, check_text, read_text
from frtaudit.errors import SpecError

PLAIN = [
    "",
    "# only a comment\n",
    "a: 1\nb: [x, {c: null}]\n",
    "title: '${name}'\n",
    "title: 'audit ${report.title} of ${schemas.a.classes[0]}'\n",
    "a: &one [1, 2]\nb: *one\n",
    "# @package _global_\ndefaults:\n  - override /cohort: templates\n  - _self_\n",
    "question: costs 5$ {per} head\n",
    "a: {08: 1, 18-29: 2, 2020: 3, 0.5: 4, 2026-11-30: 5, on call: 6}\n",
]

FOUL = [
    ("a:\n  _target_: os.system\n", "line 2, column 3: the key '_target_'"),
    ("a: [{b: {_target_: x}}]", "line 1, column 10: the key '_target_'"),
    ("a: {_partial_: true}", "the key '_partial_'"),
    ("_global_: {a: 1}", "the key '_global_'"),
    ("hydra:\n  run: {dir: x}\n", "line 1, column 1: unknown key 'hydra'; accepted: a, b, title, x"),
    ("hydra.run.dir: x", "unknown key 'hydra.run.dir'"),
    ("<<: {hydra: {}}", "the tag 'tag:yaml.org,2002:merge'"),
    ("!!merge a: {hydra: {}}", "the tag 'tag:yaml.org,2002:merge'"),
    ("a: {<<: {b: 1}}", "the tag 'tag:yaml.org,2002:merge'"),
    ("!!binary aHlkcmE=: {}", "the tag 'tag:yaml.org,2002:binary'"),
    ("a: !!set {x}", "the tag 'tag:yaml.org,2002:set'"),
    ("x: ${oc.env:SECRET}", "line 1, column 4: the resolver '${oc.env:SECRET}'"),
    ("x: 'a ${oc.decode:b} c'", "the resolver '${oc.decode:b} c'"),
    ("${oc.env:SECRET}: x", "the resolver"),
    ("x: ${now:%H}", "the resolver '${now:%H}'"),
    ("x: ${a.${b}}", "the resolver '${a.${b}}'"),
    ("x: ${oc.env:${b}}", "the resolver '${oc.env:${b}}'"),
    ("x: ${hydra.runtime.cwd}", "the resolver '${hydra.runtime.cwd}'"),
    ("x: ${hydra:runtime.cwd}", "the resolver"),
    ("x: \\${a:b}", "the resolver"),
    (
        "defaults:\n  - override /hydra/launcher: joblib\n",
        "line 2, column 5: 'override /hydra/launcher' in defaults",
    ),
    ("defaults: [/cohort@hydra.x: a]", "the package 'hydra.x'; accepted: cohort"),
    ("defaults: ['/schema@_global_.hydra.job_logging: logs']", "in defaults; accepted: _self_"),
    ("defaults: [{/schema@_global_.hydra.job_logging: logs}]", "the package '_global_.hydra.job_logging'"),
    ("defaults: [{/schema@schemas.a:hydra.run: logs}]", "the package 'schemas.a:hydra.run'"),
    ("defaults: [{/schema: '${name}'}]", "in defaults"),
    ("defaults: [{/schema: [a, ../b]}]", "in defaults"),
    ("defaults: [{/schema: {a: b}}]", "in defaults"),
    ("defaults: [{schema: a}]", "'schema' in defaults"),
    ("defaults: [{/schema: a, optional: true}]", "in defaults"),
    ("defaults: [other@hydra]", "in defaults"),
    ("defaults: [../other]", "in defaults"),
    ("defaults: {a: b}", "no list of defaults"),
    ("a: !!python/object/apply:os.system [x]", "the tag"),
    ("a: !mine x", "the tag '!mine'"),
    ("a: !!timestamp x", "line 1, column 4: the tag 'tag:yaml.org,2002:timestamp'"),
    ("a: [!!bool maybe]", "the tag"),
    ("a: {b: !!seq x}", "the tag"),
    ("!!str a: 1", "line 1, column 1: the tag"),
    ("a: ! x", "the tag '!'"),
    ("a: 0x" + "f" * 5000, "line 1, column 4: too long a number; accepted: at most 15 digits"),
    ("a: " + "9" * 400 + ":59", "too long a number"),
    ("a: &x [*x]", "an alias that contains itself"),
    ("a: 1\na: 2\n", "line 2, column 1: the key 'a' appears twice"),
    ("- 1\n", "line 1, column 1: not a mapping"),
    ("? [a]\n: 1\n", "a key that is not text"),
    ("a: {no: 1}", "line 1, column 5: the key 'no' is no text in YAML; accepted: 'no', in quotes"),
    ("a: {1e3: 1}", "the key '1e3' is no text in YAML"),
    ("a: {0x10: 1}", "the key '0x10' is no text in YAML"),
    ("a: {1.50: 1}", "the key '1.50' is no text in YAML"),
    ("a: {~: 1}", "the key '~' is no text in YAML"),
    ("a: {007: 1}", "the key '007' is no text in YAML"),
    ("a: {on: 1}", "the key 'on' is no text in YAML"),
    ("defaults: [{override /schema: a}, {override /schema: b}]", "column 35: schema is selected twice"),
    (
        "defaults: [{override /cohort: [a, b]}]",
        "several of cohort, of which an audit has one; accepted: one NAME",
    ),
    ("a: [1\nb: 2\n", "broken YAML"),
    ("a: b: c\n", "line 1, column 5: broken YAML"),
    ("\ta: 1\n", "line 1, column 1: broken YAML"),
    ("a: *nowhere", "broken YAML"),
    ("a: \x01", "broken YAML"),
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_data_passes(text: str) -> None:
    """Keys, numbers, text, plain ${key} and defaults lists of presets are data."""
    check_text(text, "mine.yaml")


@pytest.mark.parametrize(("text", "found"), FOUL)
def test_what_is_not_data_is_refused_with_its_place(text: str, found: str) -> None:
    """Everything beyond data is refused in one line that names the file, and the line where there is one."""
    with pytest.raises(SpecError) as caught:
        check_text(text, "mine.yaml", ("a", "b", "title", "x"))
    line = str(caught.value)
    assert line.startswith("mine.yaml")
    assert found in line
    assert "\n" not in line


def test_multiplying_aliases_are_refused() -> None:
    """Aliases of aliases that unfold to billions of values are refused at once."""
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(SpecError, match="repeated too often"):
        check_text("\n".join(lines), "mine.yaml")


def test_deep_nesting_is_refused() -> None:
    """A tower of brackets is an error in one line and no crash."""
    with pytest.raises(SpecError, match=r"^mine\.yaml"):
        check_text("a: " + "[" * 5000 + "]" * 5000, "mine.yaml")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """A missing file, one that is not UTF-8, one of unreasonable size, a link and a pipe are refused by name."""
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "c.yaml").write_text("a: " + "x" * MAX_BYTES)
    (tmp_path / "d.yaml").symlink_to("b.yaml")
    os.mkfifo(tmp_path / "e.yaml")
    for name, found in (
        ("a.yaml", "No such file"),
        ("b.yaml", "is not UTF-8"),
        ("c.yaml", "is too large for a spec"),
        ("d.yaml", "is a symbolic link"),
        ("e.yaml", "is a FIFO"),
    ):
        with pytest.raises(SpecError, match=rf"^{name}: {found}"):
            read_text(tmp_path / name, name)


@pytest.mark.parametrize(
    ("package", "group"),
    [
        ("_global_", "schema"),
        ("_global_.hydra", "audit"),
        ("_group_", "audit"),
        ("schemas._name_", "schema"),
        ("schemas.a.b", "schema"),
        ("schemas.a\n", "schema"),
        ("SCHEMAS.a", "schema"),
        ("hydra", "cohort"),
        ("cohort.x", "cohort"),
        ("", "audit"),
    ],
)
def test_a_preset_lands_where_its_group_lands(package: str, group: str) -> None:
    """No other package is taken, and no keyword of Hydra."""
    with pytest.raises(SpecError, match=r"^x\.yaml: the package "):
        check_package(package, group, "x.yaml")


@pytest.mark.parametrize(
    "override",
    [
        "audit=demo",
        "bootstrap.B=99",
        "report.title=${name}",
        "hydra.run.dir=out/${name}/${now:%Y-%m-%d}",
        "hydra.sweep.dir=out",
        "schema=[a,b]",
        "schema@schemas.z=gender",
        "cohort={type: synthetic}",
        "hydra/launcher=joblib",
        "hydra.launcher.n_jobs=2",
        "~requirements",
    ],
)
def test_overrides_of_the_spec_and_of_folders_pass(override: str) -> None:
    """A user may set the spec, where runs go, and the launcher."""
    check_override(override)


@pytest.mark.parametrize(
    "override",
    [
        "hydra.launcher._target_=x",
        "hydra.launcher={_target_: os.system}",
        "hydra.launcher.setup=[touch x]",
        "hydra.launcher.submitit_folder=/x/y",
        "hydra.launcher.additional_parameters={output: x}",
        "hydra.launcher.pre_dispatch=exit()",
        "+hydra.launcher.n_jobs=2",
        "hydra.launcher.partition=cpu\ntouch x",
        "hydra/launcher=mine",
        "hydra/launcher@hydra.sweeper=joblib",
        "hydra.sweep.dir=${now:%H}",
        "hydra.sweep.subdir=..",
        "/hydra/launcher=joblib",
        " hydra.verbose=true",
        "_global_.hydra.verbose=true",
        "schema@_global_.hydra=x",
        "schema=../x",
        "schema=${name}",
        "audit=_global_",
        "name=${oc.env:SECRET}",
        "name=${now:%H}",
        "hydra.callbacks.x.y=1",
        "+hydra.callbacks.x=1",
        "hydra.job.env_set.A=1",
        "hydra.searchpath=[file://x]",
        "hydra.verbose=true",
        "hydra.mode=MULTIRUN",
        "hydra={}",
        "hydra/job_logging=default",
        "~hydra.run",
    ],
)
def test_overrides_beyond_that_are_refused(override: str) -> None:
    """Resolvers, foreign packages and the rest of Hydra are refused from the command line too."""
    with pytest.raises(SpecError, match=r"^(command line|spec: unknown key)"):
        check_override(override, ("name", "schema", "cohort"))


@given(st.text(alphabet="ab${}:.[]_ \\", max_size=30))
def test_no_resolver_slips_through(text: str) -> None:
    """Whatever text passes, each ${ in it opens a plain key: no resolver, nothing nested."""
    try:
        check_override(f"name={text}")
    except SpecError:
        return
    for part in text.split("${")[1:]:
        assert ":" not in part.split("}")[0]
        assert "}" in part
