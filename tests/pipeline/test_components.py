from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd
import pytest
from small_audits import COHORT, SCHEMAS, score_lines, spec

from frtaudit.core import CohortData, registry
from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.datasets.providers.precomputed import Precomputed
from frtaudit.datasets.providers.simulated import Simulated
from frtaudit.errors import FrtauditError, SpecError
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.components import analyses_of, comparisons_of, load_cohort, load_providers

MATERIAL = COHORT.load(SCHEMAS, 0)


def lists(root: Path) -> CohortData:
    """Two score lists, one of them with negative scores."""
    lines = [line for line in score_lines("two") if float(line["score"]) > 0][:50]
    pd.DataFrame(lines).to_csv(root / "positive.csv", index=False)
    pd.DataFrame(score_lines("two")).to_csv(root / "signed.csv", index=False)
    return ScoreLists(root=str(root)).load({}, 0)


def test_plugins_do_what_they_are_for() -> None:
    """The spec's cohort is loaded with its schemas and seed, its protocol compares, its analyses stand in order."""
    made = spec("failures", "error_rates", seed=3)
    cohort_data = load_cohort(made)
    assert cohort_data.cohort.digest == COHORT.load(SCHEMAS, 3).cohort.digest != MATERIAL.cohort.digest
    assert comparisons_of(made, cohort_data).all_pairs
    assert analyses_of(made) == [made.analyses["error_rates"], made.analyses["failures"]]


def test_names_that_look_alike_are_noted(tmp_path: Path) -> None:
    """A person whose id has zeros on one side only, and a class in two spellings: read, and told."""
    head = "probe,reference,probe_subject,reference_subject,score,probe_sex,reference_sex\n"
    (tmp_path / "one.csv").write_text(head + "a,b,007,7,0.9,Female,female\nc,d,x,x,0.8,male,male\n")
    schemas = {"sex": SchemaSpec(column="sex")}
    made = replace(spec(), cohort=ScoreLists(root=str(tmp_path)), schemas=schemas)
    assert load_cohort(made).notes == (
        "1 subject id looks like another (places 1 and 2 of the sorted ids): check that they are two",
        "schema sex: classes 'Female' and 'female' look alike: check that they are two",
    )


def test_a_subject_that_may_be_a_missing_value_is_noted(tmp_path: Path) -> None:
    """The note is one of the cohort's, which check and report print."""
    frame = pd.DataFrame(score_lines("two"))
    first = frame["probe_subject"][0]
    frame.replace({name: {first: "None"} for name in ("probe_subject", "reference_subject")}).to_csv(
        tmp_path / "a.csv", index=False
    )
    notes = load_cohort(spec(cohort=ScoreLists(root=str(tmp_path)), schemas={})).notes
    assert [note.split(" has ")[0] for note in notes] == ["subject 'None'"]


def test_by_default_everything_that_is_offered() -> None:
    """Without a list, every template name of the cohort is a provider scored by cosine."""
    assert load_providers(spec(), MATERIAL) == [Cosine(name="one"), Cosine(name="two")]


def test_the_order_is_the_specs() -> None:
    """Names and full providers stand in the spec's order."""
    system = Simulated(name="made_up")
    assert load_providers(spec(providers=("two", system, "one")), MATERIAL) == [
        Cosine(name="two"),
        system,
        Cosine(name="one"),
    ]


def test_lists_are_precomputed(tmp_path: Path) -> None:
    """A name of a score list is a precomputed provider whose range is the first usual one that holds its scores."""
    assert load_providers(spec(), lists(tmp_path)) == [
        Precomputed(name="positive", score_range=(-1.0, 1.0)),
        Precomputed(name="signed", score_range=(-1.0, 1.0)),
    ]


def test_lists_of_one_cohort_have_one_sign(tmp_path: Path) -> None:
    """One negative score in another list makes the range of both -1 to 1; a list of 0 to 100 keeps its own."""
    header, lines = (
        "probe,reference,probe_subject,reference_subject,score",
        ("1,2,a,a,{0}", "1,3,a,b,{1}", "2,3,a,b,{2}"),
    )
    scores = {"plain": (0.9, 0.2, 0.1), "signed": (0.9, 0.2, -0.01), "percent": (90, 20, 10)}
    for name, values in scores.items():
        (tmp_path / f"{name}.csv").write_text(
            "\n".join((header, *(line.format(*values) for line in lines))) + "\n"
        )
    made = spec(cohort=ScoreLists(root=str(tmp_path)), providers=None, schemas={})
    ranges = {provider.name: provider.score_range for provider in load_providers(made, load_cohort(made))}
    assert ranges == {"plain": (-1.0, 1.0), "signed": (-1.0, 1.0), "percent": (0.0, 100.0)}
    (tmp_path / "signed.csv").unlink()
    assert load_providers(made, load_cohort(made))[1].score_range == (0.0, 1.0)


@pytest.mark.parametrize(
    ("providers", "said"),
    [
        (("three",), "^providers: the cohort offers no 'three'; accepted: one, two$"),
        (("one", "one"), "^providers: 'one' appears twice; accepted: each name once$"),
        (("one", Cosine(name="one")), "^providers: 'one' appears twice"),
        ((), "^providers: no provider; accepted: a list"),
    ],
)
def test_refused_panels(providers: tuple[object, ...], said: str) -> None:
    """Unknown names, names that appear twice, and no name at all are refused in one line."""
    with pytest.raises(SpecError, match=said):
        load_providers(spec(providers=providers), MATERIAL)


def test_a_cohort_that_offers_nothing_needs_mappings() -> None:
    """Where the cohort holds neither templates nor scores the error asks for a mapping."""
    bare = replace(MATERIAL, templates={})
    with pytest.raises(SpecError, match="offers no 'one'; accepted: a mapping with name and type"):
        load_providers(spec(providers=("one",)), bare)
    with pytest.raises(SpecError, match=r"no provider, and the cohort has no templates .*: frtaudit import"):
        load_providers(spec(), bare)
    assert load_providers(spec(providers=(Simulated(name="s"),)), bare) == [Simulated(name="s")]


def test_a_provider_without_a_method_is_refused() -> None:
    """A plug-in that lacks what a run asks of it is named, with what is missing and what a provider has."""

    @dataclass(frozen=True)
    class Half:
        name: str = "half"
        score_range: tuple[float, float] = (0.0, 1.0)

    match = r"^providers: .*\.Half has no 'recommended'; accepted: a class with .*, score_table, score_tail$"
    with pytest.raises(SpecError, match=match):
        load_providers(spec(providers=(Half(),)), MATERIAL)


@dataclass(frozen=True)
class Nothing:
    """A cohort source of another wheel, a provider and a protocol: what it returns is None."""

    name: str = "half"
    score_range: tuple[float, float] = (0.0, 1.0)
    recommended: Mapping[str, float] = field(default_factory=dict)
    thresholds_version: str | None = None

    def load(self, schemas: object, seed: int) -> None:
        """No cohort."""

    def failed(self, cohort_data: object, seed: int) -> dict[int, str]:
        """None fails."""
        return {}

    def score_table(self, *_: object) -> None:
        """No table."""

    score_tail = score_table


def test_what_a_plug_in_does_not_return_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where code of frtaudit is the first to notice: it is no bug of it."""
    line = r"^plug-in .*test_components: AttributeError: 'NoneType' object has no attribute"
    with pytest.raises(FrtauditError, match=line):
        load_cohort(spec(), source=Nothing())  # type: ignore[arg-type]
    with pytest.raises(FrtauditError, match=r"^plug-in .*test_components: .* 'comparisons'"):
        comparisons_of(spec(protocol=Nothing()), MATERIAL)
    monkeypatch.setitem(registry._registered, ("provider", "nothing"), Nothing)
    with pytest.raises(FrtauditError, match=line):
        audit(spec(providers=(Nothing(),)))
