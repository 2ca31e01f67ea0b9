"""The page for signatories: handwritten signatures, what they mean, and how the file is checked."""

from dataclasses import dataclass

from frtaudit.core.canonical import mapping
from frtaudit.core.spec_values import Signatory
from frtaudit.report.section import section
from frtaudit.report.source import Source
from frtaudit.report.words import words

BLANKS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatures:
    """The view: who signs, what a handwritten signature means, the check, the result's digest.

    ``signers``: blank places where none are ``declared``; ``steps``: what to type, and what it tells.
    """

    signers: tuple[Signatory, ...]
    declared: bool
    means: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]
    result: str


SYNTHETIC, FOLDER_OF_DATA = "synthetic", " cohort.root=DATA"
OF_A_SIGNATURE = ("verify", "openssl")  # steps that a draft has not


@section("signatures", "Signatures", after="method")
def build(source: Source) -> Signatures:
    """Stands in every report."""
    signing, cohort = dict(words().signing), mapping(source.result.spec.get("cohort"))
    if str(cohort.get("type")).startswith(SYNTHETIC):  # made by the spec: there is no folder of data to name
        signing["reproduce_command"] = signing["reproduce_command"].removesuffix(FOLDER_OF_DATA)
    return Signatures(
        signers=source.settings.signatories or (Signatory(name=""),) * BLANKS,
        declared=bool(source.settings.signatories),
        means=(signing["ink"], signing["file" if source.signed else "draft"]),
        steps=tuple(
            (signing[f"{name}_command"], signing[f"{name}_says"])
            for name in ("verify", "reproduce", "digest", "openssl")
            if source.signed or name not in OF_A_SIGNATURE
        ),
        result=source.sha256,
    )
