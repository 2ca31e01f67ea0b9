"""The audit in reports/reference comes out again: to the byte on its platform, within a tolerance elsewhere."""

import json
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from frtaudit.config.load import load_spec
from frtaudit.pipeline.audit import audit
from frtaudit.signing.reproduce import compare_results

REFERENCE = Path(__file__).resolve().parents[1] / "reports" / "reference"


def this_platform() -> str:
    """What can move the last bit: system, processor, and the kernels that BLAS and NumPy chose for it."""
    kernels = sorted({item["architecture"] for item in threadpool_info() if "architecture" in item})
    vectors = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    level = sorted(name for name in vectors if name.startswith("X86_V"))[-1:]
    return " ".join([sys.platform, platform.machine(), *kernels, *level])


def derive() -> bytes:
    """The result of the reference spec, on this machine."""
    return audit(load_spec((REFERENCE / "overrides.txt").read_text().split())).result.to_bytes()


@pytest.fixture(scope="module")
def derived() -> bytes:
    """The result of the reference spec, derived here, once for all tests."""
    return derive()


def parsed(data: bytes) -> dict[str, Any]:
    """A result without the versions, which name the machine that made it."""
    value: dict[str, Any] = json.loads(data)
    return value | {"versions": {}}


def test_reference_is_the_same_bytes_on_its_platform(derived: bytes) -> None:
    """Same spec, same platform, same packages: the same bytes."""
    kept = (REFERENCE / "result.json").read_bytes()
    recorded, here = (REFERENCE / "platform.txt").read_text().strip(), this_platform()
    if recorded != here:
        pytest.skip(
            f"the reference was made on {recorded!r}, this is {here!r}: only the tolerance is checked"
        )
    if json.loads(kept)["versions"] != json.loads(derived)["versions"]:
        pytest.skip(
            "the reference was made with other versions of its packages: only the tolerance is checked"
        )
    assert derived == kept


def test_reference_agrees_within_the_tolerance_anywhere(derived: bytes) -> None:
    """On any platform counts, names and verdicts are equal, and numbers agree to the tolerance of `reproduce`."""
    kept = (REFERENCE / "result.json").read_bytes()
    assert compare_results(parsed(kept), parsed(derived)).differences == ()


def test_reference_is_no_empty_audit() -> None:
    """The reference holds what an audit is for: estimates with intervals, curves, findings, failures."""
    kept = parsed((REFERENCE / "result.json").read_bytes())
    for part in ("estimates", "curves", "findings", "failures"):
        assert kept[part]
    assert any(item["intervals"] for item in kept["estimates"])


if __name__ == "__main__":  # `make reference`: the numbers moved, and the commit says why
    (REFERENCE / "result.json").write_bytes(derive())
    (REFERENCE / "platform.txt").write_text(this_platform() + "\n")
