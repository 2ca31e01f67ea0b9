"""Tests of frtaudit.signing.verification."""

import pytest

from frtaudit.signing.verification import LAYOUT, Check, CheckStatus, Verification

CODES = {
    CheckStatus.OK: 0,
    CheckStatus.INVALID: 2,
    CheckStatus.UNTRUSTED: 3,
    CheckStatus.INDETERMINATE: 4,
}


def found(*outcomes: CheckStatus) -> Verification:
    """A verification with these outcomes."""
    checks = tuple(Check(subject="f", status=item, message="said") for item in outcomes)
    return Verification(path="run", checks=checks)


@pytest.mark.parametrize(("outcome", "code"), CODES.items())
def test_each_outcome_has_its_exit_code(outcome: CheckStatus, code: int) -> None:
    """A single check decides; a note beside it does not."""
    assert found(outcome).exit_code == code
    assert found(CheckStatus.NOTE, outcome).exit_code == code


def test_the_worst_check_decides() -> None:
    """Invalid beats indeterminate beats untrusted beats valid, whatever the order."""
    order = [CheckStatus.INVALID, CheckStatus.INDETERMINATE, CheckStatus.UNTRUSTED, CheckStatus.OK]
    for index, worst in enumerate(order):
        assert found(*order[index:]).worst is worst
        assert found(*reversed(order[index:])).worst is worst


def test_nothing_checked_is_indeterminate() -> None:
    """No check, or notes alone, prove nothing."""
    assert found().exit_code == 4
    assert found(CheckStatus.NOTE).exit_code == 4


def test_one_line_per_check_and_the_verdict_last() -> None:
    """What is printed names each subject and ends with status and exit code."""
    lines = str(found(CheckStatus.OK, CheckStatus.INVALID)).splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("invalid")
    assert lines[-1] == "run: invalid (exit 2)"


def test_json_holds_the_same() -> None:
    """The JSON form has status, exit code and every check."""
    assert found(CheckStatus.UNTRUSTED).to_json() == {
        "path": "run",
        "status": "valid, but its signer is not trusted here",
        "exit_code": 3,
        "checks": [{"subject": "f", "outcome": "untrusted", "message": "said"}],
    }


def test_the_last_line_names_what_was_left_open() -> None:
    """What was not compared or is not covered, up to three names of each; of a PDF without --deep, its layout."""
    names = ("report.html", "a", "a", "b\n", "c")
    checks = [Check(subject=name, status=CheckStatus.UNCHECKED, message="said") for name in names]
    layout = Check(subject="report.pdf", status=CheckStatus.UNCHECKED, message=LAYOUT)
    held = Check(subject="f", status=CheckStatus.OK, message="said")
    untrusted = Check(subject="f", status=CheckStatus.UNTRUSTED, message="said")
    invalid = Check(subject="f", status=CheckStatus.INVALID, message="said")

    def last(*checks: Check, strict: bool = False) -> str:
        return Verification(path="run", checks=checks).text(strict=strict).splitlines()[-1]

    said = "not compared or not covered: report.html, a, b\\n and 1 more"
    undone = "layout of report.pdf not compared without --deep"
    assert last(held) == "run: valid and trusted (exit 0)"
    assert last(held, layout) == f"run: valid and trusted; {undone} (exit 0)"
    assert last(held, layout, *checks) == f"run: valid and trusted; {said}; {undone} (exit 0)"
    assert last(untrusted, *checks) == f"run: valid, but its signer is not trusted here; {said} (exit 3)"
    assert last(invalid, *checks) == "run: invalid (exit 2)"
    assert last(untrusted, layout) == f"run: valid, but its signer is not trusted here; {undone} (exit 3)"
    assert last(held, layout, strict=True) == f"run: valid, but {undone} (exit 4)"
    assert last(held, *checks, strict=True) == f"run: valid, but {said} (exit 4)"


def test_three_names_are_all_of_three() -> None:
    """Only from the fourth on is their number said."""
    checks = [Check(subject=name, status=CheckStatus.UNCHECKED, message="m") for name in "abc"]
    verification = Verification(path="run", checks=(*found(CheckStatus.OK).checks, *checks))
    assert verification.status == "valid and trusted; not compared or not covered: a, b, c"


def test_nothing_is_strict_that_was_not_asked_to_be() -> None:
    """What is not compared makes the exit code 4 where strictness is asked for, and nowhere else."""
    verification = found(CheckStatus.OK, CheckStatus.UNCHECKED)
    assert verification.verdict() == (verification.status, 0)
    assert verification.to_json() == verification.to_json(strict=False) != verification.to_json(strict=True)
    assert verification.text() == verification.text(strict=False) != verification.text(strict=True)
    assert (verification.exit_code, verification.strict_exit_code) == (0, 4)
