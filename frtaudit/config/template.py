"""The files that ``frtaudit init`` writes: a commented spec of one's own and the header of the metadata."""

import os
from contextlib import suppress
from pathlib import Path
from shlex import quote

from frtaudit.core.machine import signals
from frtaudit.core.machine.faults import as_line
from frtaudit.core.machine.output import OutputFolder
from frtaudit.errors import SpecError, printable

AUDIT = """\
# @package _global_
# My audit: say in one line who is tested and why.
#
# Run it:    frtaudit run --config-dir {folder} audit=my_audit
# Check it:  frtaudit check --config-dir {folder} audit=my_audit
# What can be named: frtaudit list        Every field: frtaudit schema spec
defaults:
  - override /cohort: templates        # or scores: lists of comparison scores
  - override /protocol: all_pairs      # or round_robin, listed

question: What are the error rates of each system, overall and by group?

# A folder with metadata.csv (image_id, subject_id, and a column per schema) and templates/<provider>.npz
# (embedding: N x D numbers; image_id: N names).
cohort:
  root: {root}

# Who is compared with whom. Quote names that YAML would read as something else: "no", "010", "1.0".
schemas:
  gender:
    column: gender
    classes: [female, male]
    labels: [Female, Male]
    unknown: ["*"]                     # any other value, and none, is unknown
    conflicts: error                   # subjects whose samples disagree: error, drop, majority or unknown

# providers: [vendor_a, vendor_b]      # default: every file in templates/

# Which analyses run. Names with settings are added to those of an audit that defaults: names first; a list,
# analyses: [error_rates, failures], means only these. On the command line: analyses=[error_rates] only this,
# +analyses.quality={{}} this too, ~analyses.interclass not this.
analyses:
  error_rates: {{}}
  similarity_roc: {{}}
  differentials: {{}}
  failures: {{}}
  interclass: {{}}
  robustness: {{}}
  identity_check: {{}}

thresholds:
  fmr: [0.01, 0.001]                   # FMR targets: at least 5 false matches must be expected at each

bootstrap:
  B: 1000                              # resamples; at least 2/alpha - 1
  alpha: 0.05                          # 1 - level

# Targets: population (that the test subjects were sampled from), fixed_identities (the same subjects, new images).
intervals:
  - {{method: wilson, target: population}}
  - {{method: vertex, target: population}}
  - {{method: recentered, target: fixed_identities}}

requirements:
  - name: fnmr-each-gender
    metric: fnmr_at_fmr
    at: {{fmr: 0.001}}
    schema: gender
    group: each                        # all, each, max, or a class
    limit: 0.02                        # pass if the one-sided upper bound is at most this

report:
  title: My audit
  organisation: null
  auditor: null
  commissioner: null
  purpose: null
  system_version: null
  earlier_runs: null       # in words: how often these data were looked at before, and what changed since
  reference: null
  paper: a4                            # or letter
  signatories: []                      # handwritten signatures: [{{name: A. Person, role: Auditor}}]
  previous: null                       # the result.json of the last audit: the report says what changed
"""
METADATA = "image_id,subject_id,gender\n"


def write_starter(folder: str | Path) -> str:
    """Write ``audit/my_audit.yaml`` and ``metadata.csv`` into a folder; returns what to do next.

    Raises :class:`SpecError`, before anything is written, if one of them already exists, and a
    :class:`~frtaudit.errors.FrtauditError` where one cannot be written: then neither is, nor a folder for it.
    """
    place = Path(folder)
    if str(place) != printable(str(place)):
        raise SpecError("folder", f"found {str(place)!r}", "a name of printable text, which a spec can hold")
    files = {"audit/my_audit.yaml": _audit(place), "metadata.csv": METADATA}
    for name in files:
        if os.path.lexists(place / name):
            raise SpecError(name, "already exists", "a folder without it")
    missing = [path for path in (place / "audit", place, *place.parents) if not path.exists()]
    written: list[Path] = []
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            signals.check()
            written.append(OutputFolder(place).write(name, text.encode()))
    except BaseException as error:
        for path in written:
            path.unlink(missing_ok=True)
        for path in missing:
            with suppress(OSError):  # one that was not made, or holds what another wrote
                path.rmdir()
        if isinstance(error, OSError):
            raise as_line(error, str(place / error.filename if error.filename in files else place)) from None
        raise
    return "\n".join(
        [
            *(f"wrote {place / name}" for name in files),
            f"next: frtaudit check --config-dir {quote(str(place))} audit=my_audit",
        ]
    )


def _audit(place: Path) -> str:
    quoted = "'" + str(place).replace("'", "''") + "'"
    return AUDIT.format(folder=place, root=quoted)
