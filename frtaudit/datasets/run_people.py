"""Who stands behind the pseudonyms of a finished run: told by the data of the run, where this machine knows them."""

from frtaudit.config.plugins import load_plugins
from frtaudit.core.canonical import pseudonym
from frtaudit.core.identity import from_plain
from frtaudit.core.machine.run_files import RESULT
from frtaudit.errors import DataError, FrtauditError
from frtaudit.inputs.run_tables import RunTables
from frtaudit.pipeline.components import load_cohort
from frtaudit.pipeline.rederive import noted_paths

ONE_LIST = "runs on one list of subjects (the same metadata), or runs whose data are at their original paths"


def names_of(run: RunTables) -> dict[str, str]:
    """Pseudonym to name of every sample of a run, from its data, which are read again and stay in memory.

    Raises :class:`DataError` where this machine does not know where they lie, or finds others there.
    """
    load_plugins()
    try:
        cohort_data = load_cohort(from_plain(run.spec, noted_paths(run.digests[RESULT])))
    except FrtauditError as error:
        problem = f"its pseudonyms differ, and its data were not found ({error})"
        raise DataError(run.folder, problem, ONE_LIST) from None
    if not cohort_data.inputs:  # drawn by its seed: equal ids of another draw are other people
        problem = "its synthetic subjects are not those of every run"
        raise DataError(run.folder, problem, "runs with the same cohort and seed")
    key, names = cohort_data.pseudonym_key, cohort_data.cohort.sample_ids
    known = {pseudonym(key, name): name for name in names}
    if not known.keys() >= set(run.tables["samples"]["sample"].astype(str)):
        raise DataError(run.folder, "its data or its pseudonym key have changed since the run", ONE_LIST)
    return known
