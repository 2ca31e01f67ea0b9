"""What frtaudit computes for a case of tests/cases: a tree with the keys of the case's ``expected`` (cases/README.md).

Every number comes from the public functions of ``frtaudit.stats`` that the analyses use.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import oracles_thesis as literal

from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.core.spec import Plan, Weighting
from frtaudit.stats.bootstrap.resample import replicate
from frtaudit.stats.folds import fold_assignment, kfold_accuracy
from frtaudit.stats.groups import differentials
from frtaudit.stats.interclass import d_l2, iid_bootstrap
from frtaudit.stats.intervals import bootstrap_intervals, closed_form, dependence, rate_bounds, wilson
from frtaudit.stats.labels import spectral
from frtaudit.stats.rates.rates import rates
from frtaudit.stats.rates.sums import mated_sums
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.pairs import components
from frtaudit.stats.similarity.tail import from_listed, from_matrix

Tree = Any  # parsed JSON

INDICES = {"maxmin": "max_min", "maxgeo": "max_geomean", "loggeo": "log_geomean", "gini": "gini"}
SAME = 1e-12  # a cosine so near a threshold of the case is that threshold


def tree_of(kind: str, case: Mapping[str, Tree]) -> Tree:
    """The computed counterpart of ``case["expected"]``."""
    makers = {
        "roc": _roc, "wilson": _wilson, "dl2": _dl2, "folds": _folds, "spectral": _spectral, "bounds": _bounds
    }  # fmt: skip
    return makers[kind](case)


def _matrix(given: Mapping[str, Tree], thresholds: list[float]) -> np.ndarray:
    """Scores as given, else the cosines of the embeddings, ties made ties."""
    if given.get("scores") is not None:
        scores = np.array(given["scores"], dtype=np.float64)
    else:
        vectors = np.array(given["embeddings"], dtype=np.float64)
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        scores = np.round(unit @ unit.T, 13)
    upper = np.triu(scores, 1)
    scores = upper + upper.T
    for threshold in thresholds:
        scores[np.abs(scores - threshold) <= SAME] = threshold
    return scores


def _listing(value: Tree) -> list[Tree]:
    return list(value) if isinstance(value, list) else [value]


# ------------------------------------------------------------------------------------------------------------------ roc
def _roc(case: Mapping[str, Tree]) -> Tree:
    given, expected = case["input"], case["expected"]
    thresholds = [float(row["t"]) for row in expected.get("at_thresholds", [])]
    tail = from_matrix(_matrix(given, thresholds), given["ids"])
    names = sorted(set(given["ids"]))
    groups = _groups(given.get("groups") or {}, names)
    return {
        "at_thresholds": [_at_threshold(tail, groups, names, t) for t in thresholds],
        "at_far": [_at_far(given, tail, groups, names, far) for far in _listing(given["far_targets"])],
    }


def _groups(of: Mapping[str, str], names: list[str]) -> Groups:
    classes = sorted(set(of.values()))
    codes = [classes.index(of[name]) if name in of else -1 for name in names]
    return Groups(
        schemas=("group",),
        names=tuple(("group", one) for one in classes),
        of=np.array([codes], dtype=np.int32),
        ranked=(True,) * len(classes),
    )


def _by_group(groups: Groups, values: np.ndarray) -> Tree:
    """Values (G+1,) by the name of the group."""
    return {name: float(value) for (_, name), value in zip(groups.names, values[1:], strict=True)}


def _at_threshold(tail: ScoreTail, groups: Groups, names: list[str], t: float) -> Tree:
    found, mated = rates(tail, groups, [t]), mated_sums(tail, groups, [t])
    several = np.flatnonzero(mated.subject_pairs)
    frr = mated.subject_errors[0, several] / mated.subject_pairs[several]
    return {
        "t": t,
        "frr_by_identity": {names[k]: float(rate) for k, rate in zip(several, frr, strict=True)},
        "FRR_n": float(found.frr[0, 0]),
        "FRRbar_n": float(found.frr_bar[0, 0]),
        "FAR_n": float(found.far[0, 0]),
        "FNMR": float(found.fnmr[0, 0]),
        "FMR": float(found.fmr[0, 0]),
        "group_FRR": _by_group(groups, found.frr[0]),
        "group_FRRbar": _by_group(groups, found.frr_bar[0]),
        "group_FAR_within": _by_group(groups, found.far[0]),
    }


def _at_far(given: Tree, tail: ScoreTail, groups: Groups, names: list[str], far: Tree) -> Tree:
    t = threshold_at(tail, groups, far, Weighting.IDENTITY)
    pooled = threshold_at(tail, groups, far, Weighting.POOLED)
    found, at_pooled = rates(tail, groups, [t]), rates(tail, groups, [pooled])
    frr, bar, group_far = found.frr[0, 1:], found.frr_bar[0, 1:], found.far[0, 1:]
    tree = {
        "far": far,
        "t_a": t,
        "FAR_n(t_a)": float(found.far[0, 0]),
        "ROC_n": float(found.frr[0, 0]),
        "ROCbar_n": float(found.frr_bar[0, 0]),
        "pooled": {
            "t_a": pooled,
            "FMR(t_a)": float(at_pooled.fmr[0, 0]),
            "FNMR(t_a)": float(at_pooled.fnmr[0, 0]),
        },
        "group_rates": {
            "FRR": _by_group(groups, found.frr[0]),
            "FRRbar": _by_group(groups, found.frr_bar[0]),
            "FAR_within": _by_group(groups, found.far[0]),
        },
    }
    if groups.names:
        tree["fairness"] = {
            name: {"FRR": _index(name, frr), "FRR_vstat": _index(name, bar), "FAR": _index(name, group_far)}
            for name in INDICES
        }
        tree["composite_alpha_0.5"] = {
            "FDR": float(differentials.fdr(group_far, frr, 0.5)),
            "IR": float(differentials.inequity_rate(group_far, frr, 0.5)),
            "GARBE": float(differentials.garbe(group_far, frr, 0.5)),
        }
    if 0 < Fraction(str(far)) < 1:
        tree |= _replicated(given, tail, groups, names, far, (frr, bar, group_far), tree)
    return tree


def _index(name: str, group_rates: np.ndarray) -> Tree:
    found = differentials.rate_index(INDICES[name], group_rates)
    return found.tolist()


def _replicated(
    given: Tree, tail: ScoreTail, groups: Groups, names: list[str], far: Tree,
    at: tuple[np.ndarray, np.ndarray, np.ndarray], tree: Tree,
) -> Tree:  # fmt: skip
    out: Tree = {}
    levels = [float(c) for c in _listing(given.get("c") or 0.05)]
    if given.get("bootstrap_counts"):
        counts = np.array(given["bootstrap_counts"])[:, tail.rows]
        reps = replicate(
            tail,
            groups,
            plan=Plan.IMAGES,
            n=len(counts),
            seed=0,
            targets=[far],
            thresholds=[],
            weights=counts,
        )
        star = reps.fnmr[1, :, 0, 0]
        out["boot"] = {
            "t_star": reps.t_star[1, :, 0].tolist(),
            "roc_star": star.tolist(),
            "intervals": {str(c): _intervals(star, tree["ROC_n"], tree["ROCbar_n"], c) for c in levels},
        }
        if groups.names:
            out["fairness_boot"] = _fairness(reps.fnmr[1, :, 0, 1:], reps.fmr[1, :, 0, 1:], at, levels[0])
    if given.get("identity_counts"):
        copies = np.array([[row[name] for name in names] for row in given["identity_counts"]])
        reps = replicate(
            tail, groups, plan=Plan.SUBJECTS, n=len(copies), seed=0, targets=[far], thresholds=[],
            subject_weights=copies,
        )  # fmt: skip
        out["vertex_roc_star"] = reps.fnmr[1, :, 0, 0].tolist()
    return out


def _intervals(reps: np.ndarray, stat: float, vstat: float, c: float) -> Tree:
    return {
        "recentered": list(bootstrap_intervals.recentered(reps, stat, vstat, c)),
        "naive": list(bootstrap_intervals.percentile(reps, c)),
        "gaussian": list(bootstrap_intervals.gaussian(reps, stat, vstat, c)),
        "normalized_uncertainty": bootstrap_intervals.normalized_uncertainty(reps, stat, vstat, ddof=1),
        "normalized_uncertainty_ddof0": bootstrap_intervals.normalized_uncertainty(reps, stat, vstat, ddof=0),
    }


def _fairness(
    frr: np.ndarray, far: np.ndarray, at: tuple[np.ndarray, np.ndarray, np.ndarray], c: float
) -> Tree:
    out = {}
    for name, kind in INDICES.items():
        for rate, reps, stat, vstat in (("frr", frr, at[0], at[1]), ("far", far, at[2], at[2])):
            drawn = np.asarray(differentials.rate_index(kind, reps))
            point, centre = _index(name, stat), _index(name, vstat)
            tree = {"stat": point, "vstat": centre, "reps": drawn.tolist()}
            if np.isfinite([point, centre, *drawn]).all():
                tree |= {"c": c} | _intervals(drawn, point, centre, c)
            else:
                tree["note"] = "not finite"
            out[f"{rate}_{name}"] = tree
    return out


# --------------------------------------------------------------------------------------------------------------- wilson
def _wilson(case: Mapping[str, Tree]) -> Tree:
    given = case["input"]
    thresholds = [float(t) for t in _listing(given["thresholds"])]
    tail = (
        _pair_list(given) if given.get("genuine") else from_matrix(_matrix(given, thresholds), given["ids"])
    )
    groups = _groups({}, ["" for _ in tail.n_samples])
    rule = wilson.prepare(tail, groups, thresholds)
    rows = []
    for t in thresholds:
        for alpha in _listing(given["alpha"]):
            fmr = rule.fmr_residuals(t, 0, Weighting.POOLED)
            truncated = dependence.truncated_variance(fmr)
            rows.append(
                {
                    "t": t,
                    "FNMR": _wilson_side(rule.fnmr_residuals(t, 0, Weighting.POOLED), None, alpha),
                    "FMR": _wilson_side(fmr, truncated, alpha),
                }
                | ({"alpha": alpha} if isinstance(given["alpha"], list) else {})
            )
    return rows


def _wilson_side(residuals: dependence.Residuals, truncated: float | None, alpha: float) -> Tree:
    variance = dependence.plugin_variance(residuals)
    x, n = residuals.errors, residuals.trials
    used = variance if truncated is None else truncated
    iid = closed_form.wilson_iid(x, n, alpha)
    tree = {
        "errors": x,
        "n": n,
        "rate": residuals.rate,
        "var_plugin": variance,
        "iid": [iid.low, iid.high],
    }
    for cap in (False, True):
        score = closed_form.wilson_plugin(x, n, used, alpha, cap=cap)
        tree[f"wilson_cap_{cap}"] = {"n_eff": score.n_eff, "ci": [score.low, score.high]}
    return tree if truncated is None else tree | {"var_truncated": truncated}


def _pair_list(given: Mapping[str, Tree]) -> ScoreTail:
    """Every row is one comparison: it gets two samples of its own."""
    rows = [(who, who, score) for who, score in given["genuine"]]
    rows += [tuple(row) for row in given["impostor"]]
    names = sorted({str(row[side]) for row in rows for side in (0, 1)})
    subjects = np.array([[names.index(str(row[0])), names.index(str(row[1]))] for row in rows]).ravel()
    order = np.argsort(subjects, kind="stable")
    sample = np.empty(order.size, dtype=np.int64)
    sample[order] = np.arange(order.size)
    scores = np.array([float(row[2]) for row in rows])
    return from_listed(
        scores, sample[0::2], sample[1::2], subject_of=subjects[order], cells=np.zeros(len(names)),
        score_range=(float(scores.min()) - 1, float(scores.max()) + 1),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------------ dl2
def _dl2(case: Mapping[str, Tree]) -> Tree:
    given = case["input"]
    names = list(given["classes"])
    classes = [np.array(given["classes"][name], dtype=np.float64) for name in names]
    low, high = given.get("score_range") or (0, 100)
    span = (float(low), float(high))

    def by_class(values: np.ndarray) -> Tree:
        return dict(zip(names, values.tolist(), strict=True))

    def by_pair(values: np.ndarray) -> Tree:
        return {
            f"{one}|{two}": float(values[i, j])
            for i, one in enumerate(names)
            for j, two in enumerate(names)
            if i < j
        }

    tree = {
        "dl2_quantile": by_class(d_l2.d_l2(classes, span, d_l2.Space.QUANTILE)),
        "dl2_quantile_pairs": by_pair(d_l2.d_l2_pairs(classes, span, d_l2.Space.QUANTILE)),
        "dl2_vertical_0_100": by_class(d_l2.d_l2(classes, span, d_l2.Space.TAR)),
        "dl2_vertical_pairs_0_100": by_pair(d_l2.d_l2_pairs(classes, span, d_l2.Space.TAR)),
    }
    if given.get("counts"):
        counts = [[np.array(row[name]) for name in names] for row in given["counts"]]
        square = literal.squares([d_l2.to_scale(one, span) for one in classes], counts)
        tables = [
            _table(iid_bootstrap.bounds(classes, span, square, n=len(counts), alpha=alpha), names)
            for alpha in _listing(given["alpha"])
        ]
        tree["bootstrap_quantile"] = tables if isinstance(given["alpha"], list) else tables[0]
    return tree


def _table(table: iid_bootstrap.Table, names: list[str]) -> Tree:
    return {
        "classes": {
            name: {"point": float(point), "lower": float(lower), "upper": float(upper)}
            for name, point, lower, upper in zip(names, table.point, table.lower, table.upper, strict=True)
        },
        "total": float(table.upper.max()),
        "worst_by_upper": names[table.upper.argmax()],
        "max_point": float(table.point.max()),
        "t_crit": table.critical,
    }


# ---------------------------------------------------------------------------------------------------------------- folds
def _folds(case: Mapping[str, Tree]) -> Tree:
    given = case["input"]
    names, code = np.unique([[str(one), str(two)] for one, two in given["pairs"]], return_inverse=True)
    first, second = code.reshape(-1, 2).T
    mated = first == second if given.get("genuine") is None else np.array(given["genuine"], dtype=np.bool_)
    scores = np.array(given["scores"], dtype=np.float64)
    best = kfold_accuracy.training_thresholds(scores, mated, np.zeros(scores.size, dtype=np.int64), 2)[1]
    component = components(first[~mated], second[~mated], names.size)
    tree = {
        "global_best_threshold": float(best),
        "global_best_accuracy": float(kfold_accuracy.correct_at(scores, mated, best).mean()),
        "impostor_components": sorted(
            sorted(names[component == one].tolist()) for one in range(component.max() + 1)
        ),
    }
    for key, value in given.items():
        if not key.startswith("fold_") or value is None:
            continue
        assigned = np.array(value, dtype=np.int64)
        k = int(given.get("k") or assigned.max() + 1)
        name = key.removeprefix("fold_")
        tree[name] = _accuracy(kfold_accuracy.k_fold_accuracy(scores, mated, assigned, k))
        check = fold_assignment.check_folds(first, second, mated, assigned, k)
        tree[f"check_{name}"] = {
            "genuine_disjoint": check.mated_disjoint,
            "fully_disjoint": check.fully_disjoint,
            "genuine_counts": check.mated_counts.tolist(),
            "impostor_counts": check.non_mated_counts.tolist(),
        }
    return tree


def _accuracy(found: kfold_accuracy.FoldAccuracy) -> Tree:
    return {
        "fold_accuracy": found.accuracies.tolist(),
        "thresholds": found.thresholds.tolist(),
        "mean": found.mean,
        "std_ddof1": found.sd_ddof1,
        "std_ddof0": float(found.accuracies.std(ddof=0)),
        "sem": found.sem,
    }


CLUSTERS = ("disagree", "several", "none", "negative")  # what the cases call "clusters"


def _spectral(case: Mapping[str, Tree]) -> Tree:
    given = case["input"]
    names = {
        "T": "size",
        "ratio": "ratio",
        "tau": "tau",
        "min_faces": "min_faces",
        "min_positives": "min_positives",
    }
    limits = spectral.Limits(**{own: given[name] for name, own in names.items() if name in given})
    return [_query(query, limits) for query in given["queries"]]


def _query(query: Mapping[str, Tree], limits: spectral.Limits) -> Tree:
    matrices = [
        spectral.normalised(np.array(one["confidence"], dtype=np.float64), one["mode_low"], one["mode_high"])
        for one in query["services"]
    ]
    rules = {"public_code": spectral.Rule.PUBLIC, "paper": spectral.Rule.PAPER}
    found = {name: spectral.label(matrices, rule, limits) for name, rule in rules.items()}
    return {"query": query["query"], **{name: _labelled(one, limits) for name, one in found.items()}}


def _labelled(found: spectral.Labels, limits: spectral.Limits) -> Tree:
    reason = None if found.reason is None else str(found.reason)
    return {
        "included": reason is None,
        "reason": "clusters" if reason in CLUSTERS else reason,
        "labels": found.labels.tolist(),
        "services": [
            {
                "n_clusters": one.clusters,
                "lambda": one.values[:5].tolist(),
                "neg_mass": one.negative,
                "z": one.z.tolist(),
                "usable": one.usable,
                "labels": (one.z > limits.tau).astype(int).tolist() if one.usable else None,
            }
            for one in found.views
        ],
    }


# --------------------------------------------------------------------------------------------------------------- bounds


def _bounds(case: Mapping[str, Tree]) -> Tree:
    return [_bounds_of(row) for row in case["input"]["rows"]]


def _bounds_of(row: Mapping[str, Tree]) -> Tree:
    known = row["errors"] / row["trials"], row["n_eff"], row["df"]
    return {
        "bounds": [
            {
                "alpha_one_sided": error,
                "lower": float(rate_bounds.lower_bound(*known, error)),
                "upper": float(rate_bounds.upper_bound(*known, error)),
            }
            for error in row["alphas_one_sided"]
        ],
        "p": [
            {
                "limit": limit,
                "above": float(rate_bounds.p_above(*known, limit)),
                "below": float(rate_bounds.p_below(*known, limit)),
            }
            for limit in row["limits"]
        ],
    }
