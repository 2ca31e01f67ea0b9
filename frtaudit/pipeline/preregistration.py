"""What ``frtaudit seal`` signs: the spec as it would be run, and the cohort and inputs as they are now.

Nothing is scored for it; a cohort that is itself a list of scores is read.
"""

from collections.abc import Mapping, Sequence

from frtaudit.config.load import load_spec
from frtaudit.core.canonical import Json
from frtaudit.core.identity import to_plain
from frtaudit.core.seal import sealed_content
from frtaudit.pipeline.audit import refuse_few_replicates
from frtaudit.pipeline.components import comparisons_of, load_cohort, load_providers
from frtaudit.pipeline.evaluate import groups_of
from frtaudit.pipeline.provenance import inputs_of


def content(overrides: Sequence[str], config_dir: str | None = None) -> Mapping[str, Json]:
    """What is sealed of a spec, given as on the command line.

    >>> sorted(content(["audit=demo", "cohort.subjects=20"]))
    ['digests', 'spec']
    """
    spec = load_spec(overrides, config_dir)
    cohort_data = load_cohort(spec)
    # a protocol that the cohort cannot serve and a B that is too small are refused now, not after the seal
    comparisons_of(spec, cohort_data)
    providers = load_providers(spec, cohort_data)
    refuse_few_replicates(spec, groups_of(cohort_data.cohort), len(providers))
    inputs = inputs_of(spec, cohort_data, providers)
    return sealed_content(to_plain(spec), cohort_data.cohort.digest, inputs)
