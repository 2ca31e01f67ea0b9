"""The page for signatories: handwritten signatures, what they mean, and how the file is checked."""

from dataclasses import dataclass

from frtaudit.core.canonical import mapping
from frtaudit.report.section import section
from frtaudit.report.source import Source
from frtaudit.report.words import words

BLANKS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """A place to sign: name and role as declared, empty where none was declared."""

    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of the check: what to type and what it tells."""

    command: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatures:
    """The view: places to sign, what a handwritten signature means, the steps of the check, the result's digest."""

    signers: tuple[Signer, ...]
    declared: bool
    means: tuple[str, ...]
    steps: tuple[Step, ...]
    result: str


SYNTHETIC, FOLDER_OF_DATA = "synthetic", " cohort.root=DATA"
OF_A_SIGNATURE = ("verify", "openssl")  # steps that a draft has not


@section("signatures", "Signatures", after="method")
def build(source: Source) -> Signatures:
    """Stands in every report."""
    named = tuple(
        Signer(name=signatory.name, role=signatory.role or "") for signatory in source.settings.signatories
    )
    signing, cohort = dict(words().signing), mapping(source.result.spec.get("cohort"))
    if str(cohort.get("type")).startswith(SYNTHETIC):  # made by the spec: there is no folder of data to name
        signing["reproduce_command"] = signing["reproduce_command"].removesuffix(FOLDER_OF_DATA)
    return Signatures(
        signers=named or (Signer(name="", role=""),) * BLANKS,
        declared=bool(named),
        means=(signing["ink"], signing["file" if source.signed else "draft"]),
        steps=tuple(
            Step(command=signing[f"{name}_command"], says=signing[f"{name}_says"])
            for name in ("verify", "reproduce", "digest", "openssl")
            if source.signed or name not in OF_A_SIGNATURE
        ),
        result=source.sha256,
    )
