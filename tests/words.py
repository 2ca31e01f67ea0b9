"""Words that the project does not use, and the field's terms that stand instead: a check of `make check`.

`python tests/words.py [PATH ...]` looks through these files and folders, else through all that people read. It prints
`FILE:LINE: WORD: use TERM` for each word that it finds and ends with 1.

Names are looked for where code gives them: modules, classes, functions, attributes and parameters, whole identifiers
only. Phrases are looked for in texts, docstrings and comments, across the ends of lines.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
READ = (
    *("frtaudit", "templates", "docs", "conf", "benchmarks", "tests"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml"),
)
UNREAD = (
    "tests/words.py",
    "tests/test_words.py",
    "tests/signed_runs/",
)  # the words themselves; signed reports of 0.1
SUFFIXES = {".py", ".md", ".toml", ".yaml", ".j2", ".html", ".js", ".css", ""}

MODULE, CLASS, FUNCTION, ATTRIBUTE, PARAMETER = "module", "class", "function", "attribute", "parameter"
ANYWHERE = frozenset({MODULE, CLASS, FUNCTION, ATTRIBUTE, PARAMETER})
PUBLIC = frozenset({FUNCTION, ATTRIBUTE})
TYPES = frozenset({CLASS})

NAMES = {
    "Trial": ("SystemData", TYPES),
    "trial": ("system", ANYWHERE),
    "on_trial": ("evaluate_system", ANYWHERE),
    "put_on_trial": ("evaluate_system", ANYWHERE),
    "Material": ("CohortData", TYPES),
    "material": ("cohort_data", ANYWHERE),
    "material_of": ("load_cohort", ANYWHERE),
    "Ground": ("PassContext", TYPES),
    "ground": ("context", ANYWHERE),
    "Crew": ("Executor", TYPES),
    "crew": ("executor", ANYWHERE),
    "room": ("cell", PUBLIC),
    "Course": ("ReplicateLayout", TYPES),
    "course": ("layout", ANYWHERE),
    "Walk": ("SortedComparisons", TYPES),
    "walk": ("comparisons", ANYWHERE),
    "Site": ("RescoreInputs", TYPES),
    "site": ("inputs", PUBLIC | {PARAMETER}),
    "fused": ("second_pass", ANYWHERE),
    "pay_in": ("accumulate", ANYWHERE),
    "Worse": ("Direction", TYPES),
    "worse": ("direction", PUBLIC),
    "Left": ("LeaveOneOut", TYPES),
    "thesis": ("iid_bootstrap", frozenset({MODULE})),
    "thin": ("too_few_errors", PUBLIC),
    "effective": ("n_eff", ANYWHERE),
    "Reading": ("RateSummary", TYPES),
    "reading": ("summary", PUBLIC),
    "readings": ("summaries, over_fmr", PUBLIC),
    "tag": ("group_index", ANYWHERE),
    "kept": ("per_system_state, or what is kept", PUBLIC),
    "Finished": ("StoredSystem", TYPES),
    "settle": ("resolve_presets", ANYWHERE),
    "doubts": ("class_uncertainty, label_uncertainty", ANYWHERE),
    "Footing": ("CommonSupport", TYPES),
    "footing": ("support", ANYWHERE),
    "Standing": ("SystemOnSupport", TYPES),
    "standing": ("on_support", ANYWHERE),
    "standings": ("systems", ANYWHERE),
    "Piece": ("TextSpan", TYPES),
    "say": ("text", PUBLIC),
    "wobble": ("monte_carlo_error", ANYWHERE),
    "called": ("display_name", PUBLIC),
    "speaking": ("use_vocabulary", ANYWHERE),
    "Dial": ("ThresholdCurves", TYPES),
    "dial": ("curves", ANYWHERE),
    "dials": ("threshold_curves", ANYWHERE),
    "Purse": ("Budget", TYPES),
    "purse": ("budget", ANYWHERE),
    "Turnstile": ("RateLimiter", TYPES),
    "turnstile": ("rate_limiter", ANYWHERE),
    "Sitting": ("CollectionRun", TYPES),
    "sitting": ("run", ANYWHERE),
    "Landed": ("CallResult", TYPES),
    "landed": ("results", PUBLIC),
    "Again": ("RetryEvent", TYPES),
    "again": ("retries", PUBLIC),
    "barred": ("authentication_error", ANYWHERE),
    "Seen": ("DetectedFace", TYPES),
    "seen": ("detected, or what was seen", PUBLIC | {MODULE}),
    "Outcome": ("AnalysisOutput, CheckStatus", TYPES),
    "outcome": ("output, status", PUBLIC),
    "panel": ("components", ANYWHERE),
    "Sounding": ("PilotSample", TYPES),
    "sounding": ("pilot", ANYWHERE),
    "Ladder": ("ScoreLevels", TYPES),
    "ladder": ("levels", ANYWHERE),
    "dig": ("rescore", ANYWHERE),
    "floor": ("tail depth", PUBLIC),
    "below": ("rescore", PUBLIC),
    "Strips": ("GammaTables", TYPES),
    "strips": ("gamma_tables", ANYWHERE),
    "Lender": ("DesignEffectSource", TYPES),
    "lender": ("source", ANYWHERE),
    "vectors": ("simd; embeddings, templates", frozenset({MODULE, FUNCTION})),
    "rivals": ("multiple_comparisons", ANYWHERE),
    "Pile": ("ScoreAtom", TYPES),
    "pile": ("atom", ANYWHERE),
    "heaps": ("histograms", ANYWHERE),
    "foldings": ("fold_assignment", ANYWHERE),
    "crossing": ("eer", PUBLIC),
    "erring": ("subjects_with_errors", ANYWHERE),
    "Place": ("OperatingPoint", TYPES),
    "At": ("OperatingPoint", TYPES),
    "points": ("thresholds", PUBLIC),
    "Surveyor": ("CohortAnalysis", TYPES),
    "said": ("notes", PUBLIC),
    "finished": ("build_table; complete", PUBLIC | {MODULE}),
    "deeper": ("extend_tail", ANYWHERE),
    "under": ("attach_seal", PUBLIC),
    "opened": ("load_seal", PUBLIC),
    "leverage": ("influence", ANYWHERE),
    "Bench": ("JudgementContext", TYPES),
    "bench": ("context", ANYWHERE),
    "Case": ("RequirementTest", TYPES),
    "written": ("make_estimate", PUBLIC),
    "blamed": ("attribution_notes", ANYWHERE),
    "effort": ("sample_sizes", ANYWHERE),
    "Docket": ("FindingRow", TYPES),
    "docket": ("row", ANYWHERE),
    "dockets": ("requirement_rows", ANYWHERE),
    "Ruling": ("FindingRow", TYPES),
    "ruling": ("row", ANYWHERE),
    "rulings": ("finding_rows", ANYWHERE),
    "Five": ("BoxStats", TYPES),
    "Look": ("BandStyle", TYPES),
    "look": ("style", PUBLIC),
    "Lane": ("ServiceWorker", TYPES),
    "lane": ("worker", ANYWHERE),
    "Shelf": ("ImageCache", TYPES),
    "shelf": ("cache", ANYWHERE),
    "Drive": ("Scheduler", TYPES),
    "drive": ("scheduler", PUBLIC),
    "sort": ("classify_error", PUBLIC),
    "Desk": ("ReviewState, PlanContext", TYPES),
    "desk": ("review, context", ANYWHERE),
    "sit": ("serve_review", ANYWHERE),
    "asked": ("recorded_settings", PUBLIC),
}
"""Name as it stood: the term instead, and where it is refused. Of :data:`PUBLIC` kinds, private names pass."""
PREFIXES = {"MOST": "MAX", "LEAST": "MIN"}  # of constants
FITS = {
    "frtaudit/core/result_schema.py": {"finished"},  # a collection that is: a key of result.json
    "frtaudit/analyses/densities.py": {"points"},  # key of a spec
    "frtaudit/analyses/tar_curves.py": {"points"},  # the same
    "frtaudit/datasets/cohorts/synthetic_queries.py": {"floor"},  # the same
    "frtaudit/stats/rates/censoring.py": {"floor"},  # floor and ceiling of censored scores
    "frtaudit/testing/checks.py": {"floor"},  # the lowest coverage that is claimed
    "tests/printed_values.py": {"tag"},  # of HTML, as html.parser calls it
    "tests/report_text.py": {"tag"},  # the same
    "tests/test_docs.py": {"tag"},  # the same
    "tests/devices.py": {"floor"},  # NumPy's function
}
"""Names that are right where they stand: keys that are stored, and terms that mean something else there."""

PHRASES = {
    r"not decided|undecided": "inconclusive",
    r"(is|are|was|were|stays?|remains?) open\b": "inconclusive",
    r"(not|is|are|was|were) met\b": "pass, fail; sampled",
    r"worst[- ]off": "group with the highest error rate",
    r"people like these|drawn the way": "the population that the test subjects were sampled from",
    r"these people,? (with )?new images": "the same subjects, new images",
    r"as if independent": "treated as independent",
    r"(weigh\w*|counts?|counted) alike": "each subject weighted equally",
    r"wrongly matched with": "false matches within the group",
    r"plausibl[ey]": "95 % CI A to B",
    r"would attack|doubters|opponent": "robustness and limitations",
    r"(a|the|no|its|their|report's) ledger\b": "failures and exclusions",
    r"(when|if|where|were|of) ((\w+ )?(that )?(are )?)alike": "under equality, equal",
    r"(groups|classes|they|systems) (\w+ )?are alike": "under equality, equal",
    r"decide[sd]? otherwise": "discordant",
    r"would have been found": "minimum detectable difference (80 % power)",
    r"leaves? the line out": "intervals that exclude 0 are significant",
    r"rest(s|ed|ing)? (up)?on\b": "is based on; effective n, resamples",
    r"new people(?! like these)|for these people": "the population; the same subjects",
    r"told apart|tells? (\w+ ){1,3}apart": "differ significantly; distinguished",
    r"holds? the truth|held the truth": "contains the true value",
    r"in the eyes of|nobody (knows|can tell)": "by; is not known",
    r"no person stands behind": "synthetic data",
    r"of two lines|upper is better": "higher is better",
    r"from these data, named": "threshold set at ... on these data",
    r"uprights": "vertical lines",
    r"(in|with|and) ink\b|ink covers|for a pen": "handwritten signatures",
    r"sp(eak(s|ing)?|oke) of": "is covered by; says, names",
    r"many looks|makes? news": "adjusted for multiple testing",
    r"halves of (the )?false matches": "share of false matches",
    r"luck": "chance; estimates are correlated",
    r"nothing in this audit": "is not estimated",
    r"(say|label\w*),? by keyboard|page (of|on) this machine": "label faces in the browser",
    r"the same words (go|ask)": "repeat the command to resume",
    r"(came|comes?) out byte": "identical",
    r"your house|of the house|house rules?": "deploy it; of the project",
    r"says? its line|in the table with it": "is reported",
    r"made-up(?!-)": "synthetic",
    r"(?!\Aground\Z)grounds?\b(?! truth)": "context; background; data",
    r"crews?\b": "executor",
    r"(?<!of\s)course\b|courses\b": "layout; curve over dates",
    r"doubts\b|doubted": "uncertainty of labels or classes",
    r"foot(ing|ings)\b": "common support",
    r"wobbl(es?|ed|ing)\b": "Monte Carlo error",
    r"purses?\b": "budget",
    r"turnstiles?\b": "rate limiter",
    r"soundings?\b": "pilot sample",
    r"lenders?\b": "source of the design effect",
    r"rivals?\b": "systems; multiple comparisons",
    r"surveyors?\b": "analyses of the cohort",
    r"dockets?\b": "rows of requirements",
    r"beyond the bar": "the claim is rejected",
    r"all told": "in total",
    r"all the same(?=[.,;:])": "still; too",
    r"at a glance": "overview",
    r"for want of": "without; because of too few",
    r"(its|their) own judges?\b": "evaluated on its own labels",
    r"while (it was|they were) asked": "during the collection",
    r"labels? (are |is )?in doubt": "uncertain labels",
    r"who is who|nobody (gave|named)": "identities; estimated labels",
    r"lies? upon": "overlap",
}
"""Phrase as it stood, a pattern in any case, from a word's beginning: what is said instead."""
_PHRASES = [
    (re.compile(rf"\b(?:{old})".replace(" ", r"\s+"), re.IGNORECASE), new) for old, new in PHRASES.items()
]


class Find(NamedTuple):
    """A word that the project does not use: where, which, and what stands instead."""

    file: str
    line: int
    word: str
    instead: str

    def __str__(self) -> str:
        """As a compiler says it."""
        return f"{self.file}:{self.line}: {self.word}: use {self.instead}"


class Name(NamedTuple):
    """A name where it is given."""

    line: int
    kind: str
    name: str


def given(tree: ast.AST, *, local: bool = False) -> Iterator[Name]:
    r"""Names that code gives to what others see: locals of functions are not among them.

    >>> [name.name for name in given(ast.parse("class A:\n    b: int\n    def f(self, c): self.d = e = 1"))]
    ['A', 'b', 'f', 'self', 'c', 'd']
    """
    for node in ast.iter_child_nodes(tree):
        inside = local
        if isinstance(node, ast.ClassDef):
            yield Name(node.lineno, CLASS, node.name)
            inside = False
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Name(node.lineno, FUNCTION, node.name)
            inside = True
        elif isinstance(node, ast.arg):
            yield Name(node.lineno, PARAMETER, node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield Name(node.lineno, ATTRIBUTE, node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not local:
            alias = node.id.lstrip("_")[:1].isupper() and not node.id.isupper()
            yield Name(node.lineno, CLASS if alias else ATTRIBUTE, node.id)
        elif isinstance(node, ast.comprehension):
            inside = True
        yield from given(node, local=inside)


def names(path: Path) -> Iterator[Find]:
    """Names in a module that the project does not use."""
    module = path.parent.name if path.stem == "__init__" else path.stem
    for line, kind, name in (Name(1, MODULE, module), *given(ast.parse(path.read_text(encoding="utf-8")))):
        plain = name.strip("_")
        instead, kinds = NAMES.get(plain, ("", frozenset[str]()))
        fits = name in FITS.get(_shown(path), ())
        if kind in kinds and not fits and not (kinds == PUBLIC and name.startswith("_")):
            yield Find(_shown(path), line, f"{kind} {name}", instead)
        prefix, _, rest = plain.partition("_")
        if kind == ATTRIBUTE and prefix in PREFIXES:
            yield Find(_shown(path), line, f"{kind} {name}", f"{PREFIXES[prefix]}_{rest or '...'}")


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of a file, each with its first line: of code its strings, docstrings and comments, else the whole file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield 1, text
        return
    tree = ast.parse(text)
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    parts = {id(part) for node in joined for part in ast.walk(node)}
    for node in joined:
        yield node.lineno, "".join(str(getattr(part, "value", "")) for part in node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.lineno, node.value
    yield from _comments(text)


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Comments of code; those of lines that follow each other are one."""
    block: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        if block and token.start[0] != block[-1].start[0] + 1:
            yield block[0].start[0], "\n".join(line.string.lstrip("# ") for line in block)
            block = []
        block.append(token)
    if block:
        yield block[0].start[0], "\n".join(line.string.lstrip("# ") for line in block)


def phrases(path: Path) -> Iterator[Find]:
    """Phrases in a file that the project does not use."""
    for first, text in texts(path):
        for pattern, instead in _PHRASES:
            for found in pattern.finditer(text):
                line = first + text.count("\n", 0, found.start())
                yield Find(_shown(path), line, " ".join(found.group().split()), instead)


def _shown(path: Path) -> str:
    """A path as it is printed: from the project's folder on."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()


def files(paths: Sequence[Path]) -> list[Path]:
    """Files of these and below these that people read; hidden folders hold what was installed."""
    listed = {file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])}
    hidden = {file for file in listed for path in paths if _is_hidden(file, path)}
    read = {file for file in listed - hidden if not _shown(file).startswith(UNREAD)}
    return sorted(file for file in read if file.is_file() and file.suffix in SUFFIXES)


def _is_hidden(file: Path, folder: Path) -> bool:
    return file.is_relative_to(folder) and any(
        part.startswith(".") for part in file.relative_to(folder).parts
    )


def finds(paths: Sequence[Path]) -> list[Find]:
    """Names and phrases that the project does not use, in these files and folders, by file and line."""
    found = {find for file in files(paths) for find in phrases(file)}
    found |= {find for file in files(paths) if file.suffix == ".py" for find in names(file)}
    return sorted(found)


def main(arguments: Sequence[str]) -> int:
    """Print what is found; 1 if there is any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "paths", nargs="*", type=Path, default=[ROOT / name for name in READ], help="files and folders"
    )
    found = finds([path.resolve() for path in parser.parse_args(arguments).paths])
    for find in found:
        print(find)  # noqa: T201  a check that prints
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
