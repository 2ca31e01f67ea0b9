"""What ``frtaudit seal`` signs: the spec as it would be run, and the cohort and inputs as they are now.

Nothing is scored for it; a cohort that is itself a list of scores is read.
"""

from collections.abc import Mapping

from frtaudit.core.canonical import Json
from frtaudit.core.identity import to_plain
from frtaudit.core.seal import sealed_content
from frtaudit.core.spec import AuditSpec
from frtaudit.pipeline.prepared import prepare
from frtaudit.pipeline.provenance import inputs_of


def content(spec: AuditSpec) -> Mapping[str, Json]:
    """What is sealed of a spec.

    >>> from frtaudit.config.load import load_spec
    >>> sorted(content(load_spec(["audit=demo", "cohort.subjects=24"])))
    ['digests', 'spec']
    """
    prepared = prepare(spec)  # what an audit would refuse before it scores is refused now, not after the seal
    inputs = inputs_of(spec, prepared.cohort_data, prepared.providers)
    return sealed_content(to_plain(spec), prepared.cohort_data.cohort.digest, inputs)
