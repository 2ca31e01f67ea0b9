"""Bad requirements, profiles, transactions and models of the tail: each is one line, the same in check and in run."""

import pytest

from frtaudit.config.load import load_spec
from frtaudit.errors import FrtauditError
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.dry_run import check

BASE = [
    "audit=demo", "cohort.subjects=24", "analyses=[error_rates]", "thresholds.fmr=[0.1]", "bootstrap.B=399",
]  # fmt: skip
NIST, COMPOSED = "requirement=[nist_800_63a_4]", "protocol=transactions"
RATIO = "+analyses.ratio_to_overall={}"


def limit(**fields: object) -> str:
    """A requirement on FNMR at an FMR, with other fields."""
    made = {"name": "r", "metric": "fnmr_at_fmr", "at": "{fmr: 0.1}", "limit": 0.1} | fields
    return "requirements=[{" + ", ".join(f"{key}: {value}" for key, value in made.items()) + "}]"


def transactions(settings: str, *words: str) -> list[str]:
    """An audit of composed transactions."""
    return ["requirements=[]", f"+analyses.transactions={{{settings}}}", COMPOSED, *words]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([limit(metric="fnrm")], "requirements[0].metric: found 'fnrm' (did you mean 'fnmr'?); accepted: "),
        ([limit(limit=1.1)], "requirements[0].limit: found 1.1 of a rate; accepted: a number from 0 to 1"),
        (
            [limit(limit=1)],
            "requirements[0].limit: found 1 of fnmr_at_fmr; accepted: below 1: no value is larger, and",
        ),
        (
            [limit(metric="max_min", limit=0.5)],
            "requirements[0].limit: found 0.5 of max_min; accepted: above 1: no value",
        ),
        (
            [limit(metric="gini", limit=25)],
            "requirements[0].limit: found 25 of gini; accepted: below 1: no value is larger",
        ),
        (
            [limit(metric="inequity_rate", limit=1, strict="true")],
            "requirements[0].limit: found 1 of inequity_rate; accepted: above 1: no value is smaller",
        ),
        (
            [limit(at="{fmr: 1}")],
            "requirements[0].at.fmr: found 1; accepted: a number between 0 and 1, both excluded",
        ),
        (
            [limit(metric="accuracy", limit=0.9, at="{}")],
            "requirements[0].sense: no value; accepted: '>=', for accuracy is better when higher; or '<='",
        ),
        ([limit(limit="low")], "requirements[0].limit: found 'low'; accepted: a number"),
        (
            [limit(limit=0, strict="true")],
            "requirements[0].strict: no rate meets a strict limit of 0; accepted",
        ),
        ([limit(level=80)], "requirements[0].level: found 80; accepted: a number between 0.5 and 1, both"),
        ([limit(sided="three")], "requirements[0].sided: found 'three'; accepted: one_sided, two_sided"),
        ([limit(minimum="{people: 3}")], "requirements[0].minimum: found 'people'; accepted: subjects, comp"),
        ([limit(minimum="{subjects: 0}")], "requirements[0].minimum.subjects: found 0; accepted: 1 or more"),
        ([limit(advisory="perhaps")], "requirements[0].advisory: found 'perhaps'; accepted: true or false"),
        (
            [limit(at="{fmt: 0.1}")],
            "requirements[0].at: found 'fmt' (did you mean 'fmr'?); accepted: attempts, f",
        ),
        ([limit(group="nobody")], "requirements[0].group: found 'nobody'; accepted: all, each, max, amber, "),
        ([limit(of="fmr")], "requirements[0].of: found 'fmr' with metric fnmr_at_fmr; accepted: ratio_to_"),
        (
            [limit(metric="ratio_to_overall", group="each"), RATIO],
            "requirements[0].of: no value; accepted: fmr",
        ),
        (
            [limit(metric="ratio_to_overall", of="fnmr_at_fmr"), RATIO],
            "requirements[0].group: found 'all': the ratio of all subjects is 1; accepted: each, or a class",
        ),
        (
            ["requirement=[nist_800_63a_5]"],
            "requirement: no option is named 'nist_800_63a_5' (did you mean 'nis",
        ),
        (
            ["requirements=[]", NIST, "profiles.nist_800_63a_4.at={recommended: nobody}"],
            "requirements.nist-800-63a-4-fmr.at.recommended: no system has a threshold named 'nobody'; accepted",
        ),
        (
            ["requirements=[]", NIST, "profiles.nist_800_63a_4.at={treshold: 0.5}"],
            "profiles.nist_800_63a_4.requirements[0].at: found 'treshold' (did you mean 'threshold'?); accepted: ",
        ),
        (
            ["requirements=[]", NIST, "profiles.nist_800_63a_4.at={threshold: high}"],
            "profiles.nist_800_63a_4.requirements[0].at.threshold: found 'high'; accepted: a finite number",
        ),
        (
            ["requirements=[]", NIST],
            "profiles.nist_800_63a_4.fmr: FMR 0.0001 of 5562 non-mated comparisons expects 0.556",
        ),
        (
            ["requirements=[]", NIST, "profiles.nist_800_63b_4.at={threshold: 0.5}"],
            "profiles.nist_800_63b_4: no profile of that name is selected; accepted: requirement=[nist_800_63b_4] as",
        ),
        (
            ["requirements=[]", NIST, "profiles.nist_800_63a_5.at={threshold: 0.5}"],
            "profiles.nist_800_63a_5: no profile of that name is selected (did you mean 'nist_800_63a_4'?); acc",
        ),
        (
            ["requirements=[]", NIST, "profiles.nist_800_63a_4.fmr=0.1"],
            "profiles.nist_800_63a_4.fmr: is not what was published; accepted: the profile as it is",
        ),
        (
            [
                "requirements=[]",
                NIST,
                "profiles.nist_800_63a_4.requirements=[{name: x, metric: fnmr, limit: 0.5}]",
            ],
            "profiles.nist_800_63a_4.requirements: is not what was published; accepted: the profile as it is",
        ),
        (transactions("k: 0"), "analyses.transactions.k: found 0; accepted: 1 attempt or more"),
        (transactions("far: [2]"), "analyses.transactions.far: found 2; accepted: rates between 0 and 1"),
        (
            transactions("timeout: -1"),
            "analyses.transactions.timeout: found -1; accepted: seconds, more than 0",
        ),
        (
            transactions("timeout: 30"),
            "analyses.transactions.timeout: samples have no times of attempts; acc",
        ),
        (
            transactions("ordered: perhaps"),
            "analyses.transactions.ordered: found 'perhaps'; accepted: true or",
        ),
        (
            transactions("")[:2],
            "analyses.transactions: these data hold comparisons, which give FMR and FNMR, and",
        ),
        (
            transactions("", "protocol.k=99"),
            "protocol.k: 0 subject(s) with a reference and 99 more samples; acc",
        ),
        (
            transactions("", "protocol.order=date"),
            "protocol.order: no column 'date'; accepted: one of the columns",
        ),
        (
            ["+analyses.tail_model={exceedances: [10]}"],
            "analyses.tail_model.exceedances: found [10]; accepted: ",
        ),
        (
            ["+analyses.tail_model={fmr: [1e-30]}"],
            "analyses.tail_model.fmr: FMR 1e-30 lies more than 2 decades",
        ),
        (
            ["+analyses.tail_model={draws: 3}"],
            "analyses.tail_model.draws: found 3; accepted: 9 or more at fit_",
        ),
        (
            ["+analyses.tailmodel={}"],
            "analyses.tailmodel.type: no analysis is named 'tailmodel' (did you mean 'tail_model'?); accepted: ",
        ),
    ],
)
def test_a_bad_rule_is_one_line(words: list[str], said: str) -> None:
    """Where, what was found, what is accepted: before a score is made."""
    (line,) = refusals([*BASE, *words])
    assert line.startswith(said)
    assert "\n" not in line


def refusals(words: list[str]) -> set[str]:
    """The line of the spec, which both doors load; else that of each door."""
    try:
        spec = load_spec(words)
    except FrtauditError as error:
        return {str(error)}
    lines = set()
    for door in (check, audit):
        with pytest.raises(FrtauditError) as caught:
            door(spec)  # type: ignore[operator]  # either door takes a spec
        lines.add(str(caught.value))
    return lines
