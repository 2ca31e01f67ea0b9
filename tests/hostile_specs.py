"""Specs that try to do something: files of a folder of presets and words of a command line, and what refuses each.

``LOOT`` in a text stands for a folder outside the run's; nothing may come to lie there.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

HANDLER = "handlers: {h: {'()': pathlib.Path.touch, self: LOOT/x}}\nroot: {handlers: [h]}\nversion: 1\n"
FILE_HANDLER = (
    "version: 1\nhandlers: {h: {class: logging.FileHandler, filename: LOOT/x}}\nroot: {handlers: [h]}\n"
)
SHELL = "_target_: subprocess.check_call\nargs: [touch, LOOT/x]\n"
PACKAGES = {
    "hydra": SHELL,
    "hydra.job_logging": HANDLER,
    "_global_.hydra.job_logging": HANDLER,
    "_global_.hydra.hydra_logging": FILE_HANDLER,
    "_global_.hydra.run": "dir: LOOT/run\n",
    "_global_.hydra.sweep": "dir: LOOT/sweep\n",
    "_global_.hydra.job.env_set": "PYTHONSTARTUP: LOOT/x\n",
    "_global_.hydra.job": "chdir: true\nenv_copy: [HOME]\n",
    "_global_.hydra.callbacks": "x: {_target_: subprocess.check_call, args: [touch, LOOT/x]}\n",
    "_global_.hydra.launcher": SHELL,
    "_global_.hydra.sweeper": SHELL,
    "_global_.hydra": "searchpath: ['file://LOOT']\n",
    "_global_._global_.hydra.run": "dir: LOOT/run\n",
    "schemas._global_.hydra.run": "dir: LOOT/run\n",
    "_group_": "a: 1\n",
    "_name_": "a: 1\n",
    "_here_": "a: 1\n",
    "ｈydra.run": "dir: LOOT\n",  # noqa: RUF001  a look-alike
    "Hydra.run": "dir: LOOT\n",
    "report": "title: x\n",
    "": "a: 1\n",
}
HEADERS = {
    "# @package _global_\n# @package hydra.run\n": "the package 'hydra.run'",
    "\n\n  #   @package   hydra.run\n": "the package 'hydra.run'",
    "#@package hydra.run\n": "the package 'hydra.run'",
    "## @package hydra.run\n": "unknown key 'dir'",
    "# @package _global_\u2028# @package hydra.run\n": "the package 'hydra.run'",
    "# @package\thydra.run\n": "broken header",
    "# @package hydra.run x\n": "broken header",
    "# @Package hydra.run\n": "unknown key 'dir'",
    "# a comment\n# @package hydra.run\n": "unknown key 'dir'",
}
GROUPS = {
    "cohort": "cohort", "protocol": "protocol", "schema": "schemas.NAME", "provider": "provider.NAME",
    "analysis": "analyses.NAME", "requirement": "profiles.NAME", "bootstrap": "bootstrap", "report": "report",
}  # fmt: skip
TEXTS = {  # of audit/theirs.yaml, below a header that is right
    "hydra: {run: {dir: LOOT/x}}": "line 2, column 1: unknown key 'hydra'",
    "hydra: {job_logging: {version: 1}}": "unknown key 'hydra'",
    "hydra: {callbacks: {x: {_target_: os.abort}}}": "the key '_target_'",
    "hydra: {searchpath: ['pkg://this']}": "unknown key 'hydra'",
    "hydra: {job: {env_set: {LD_PRELOAD: x}}}": "unknown key 'hydra'",
    "hydra: null": "unknown key 'hydra'",
    "Hydra: {run: {dir: LOOT}}": "unknown key 'Hydra'",
    "'hydra ': {run: {dir: LOOT}}": "unknown key 'hydra '",
    "hydra.run.dir: LOOT": "unknown key 'hydra.run.dir'",
    "hydra/launcher: joblib": "unknown key 'hydra/launcher'",
    "ｈydra: {}": "unknown key",  # noqa: RUF001  a look-alike
    '"\\x68ydra": {run: {dir: LOOT}}': "unknown key 'hydra'",
    "!!str hydra: {run: {dir: LOOT}}": "the tag",
    "? hydra\n: {run: {dir: LOOT}}": "unknown key 'hydra'",
    "? &k hydra\n: 1": "unknown key 'hydra'",
    "_global_: {hydra: {}}": "the key '_global_'",
    "_self_: 1": "the key '_self_'",
    "seed: &a {hydra: {run: {dir: LOOT}}}\n<<: *a": "merge",
    "<<: {hydra: {run: {dir: LOOT}}}": "merge",
    "<<: [{hydra: {}}, {seed: 1}]": "merge",
    "!!merge name: {hydra: {run: {dir: LOOT}}}": "merge",
    "cohort: {<<: {_target_: os.abort}}": "merge",
    "cohort: {type: synthetic, hydra: {run: {dir: LOOT}}}": "cohort: unknown key 'hydra'",
    "cohort: {type: os.system}": "cohort.type: ",
    "cohort: {type: subprocess.Popen, args: [touch, LOOT/x]}": "cohort.type: ",
    "analyses: {os.system: {}}": "analyses.os.system",
    "analyses: {x: {type: ../../x}}": "analyses.x.type",
    "providers: [{name: x, type: os.system}]": "providers[0].type",
    "cohort: {_target_: os.system}": "the key '_target_'",
    "cohort: {_partial_: true}": "the key '_partial_'",
    "1: x": "unknown key '1'",
    "true: x": "the key 'true' is no text in YAML",
    "~: x": "the key '~' is no text in YAML",
    "? [a]\n: x": "a key that is not text",
    "? {a: b}\n: x": "a key that is not text",
    "'': x": "a key that is not text",
    "seed: 1\nseed: 2": "'seed' appears twice",
    "seed: 1\n---\nhydra: {}": "broken YAML",
    "a: \x01": "broken YAML",
    "a: [" + "[" * 2000: "nested too deeply",
    "- 1": "broken YAML",
    "seed: !!python/object/apply:os.system ['touch LOOT/x']": "the tag",
    "seed: !!python/object/new:subprocess.Popen [[touch, LOOT/x]]": "the tag",
    "seed: !!python/name:os.system": "the tag",
    "seed: !!python/module:os": "the tag",
    "seed: !!python/tuple [1]": "the tag",
    "seed: !!python/object/apply:pathlib.PosixPath [LOOT]": "the tag",
    "seed: !<tag:yaml.org,2002:python/object/apply:os.system> ['touch LOOT/x']": "the tag",
    "seed: !mine 1": "the tag '!mine'",
    "seed: !!binary aHlkcmE=": "the tag",
    "seed: !!set {a}": "the tag",
    "seed: !!omap [a: 1]": "the tag",
    "!!binary aHlkcmE=: {}": "the tag",
    "seed: !!int os": "the tag",
    "".join(" " * n + "a:\n" for n in range(300)): "unknown key 'a'",
    "seed: &a [*a]": "an alias that contains itself",
    "seed: *nowhere": "broken YAML",
    "a0: &a0 [1, 1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40)): "repeated too often",
    "name: ../../../LOOT": "name: ",
    "name: /LOOT/x": "name: ",
    "name: ''": "name: ",
    "name: [a]": "name: ",
    'name: "a\\nb"': "name: ",
    "fail_on: x": "unknown key 'fail_on'",
    "job: 1": "unknown key 'job'",
    "dask: tcp://127.0.0.1:9": "dask: 'tcp://127.0.0.1:9' is set in a file; accepted: dask=ADDRESS",
    "dask: LOOT/scheduler.json": "dask: ",
    "checkpoint: LOOT/blocks": "checkpoint: ",
    "checkpoint: local": "checkpoint: 'local' is set in a file; accepted: checkpoint=FOLDER",
    "dask: ${question}\nquestion: tcp://127.0.0.1:9": "dask: 'tcp://127.0.0.1:9' is set in a file",
    "report: {pades: B-T, tsa: 'http://127.0.0.1:9'}": "report.tsa: 'http://127.0.0.1:9' is set in a file",
    "trained_on: &t {tsa: 'http://127.0.0.1:9'}\nreport: *t": "report.tsa: ",
    "trained_on: {tsa: 'http://127.0.0.1:9'}\nreport: ${trained_on}": "report.tsa: ",
}  # fmt: skip
INTERPOLATIONS = (
    "${oc.env:HOME}", "${oc.env:HOME,x}", "${oc.decode:'1'}", "${oc.create:{a: 1}}", "${oc.select:hydra}",
    "${oc.dict.keys:cohort}", "${oc.deprecated:name}", "${now:%H}", "${hydra:run.dir}", "${hydra.run.dir}", "${hydra}",
    "${.seed}", "${..name}", "${cohort.${name}}", "${nope:1}", "${ name }", "${name", "a ${oc.env:HOME} b",
    "\\${oc.env:HOME}", "${[hydra]}", "${oc.env:${oc.env:X}}", "${name}${hydra.x}", "${nаme}",  # noqa: RUF001
)  # fmt: skip
REFERENCES = {
    "question: ${question}": "${question} names itself",
    "question: ${report.title}\nreport: {title: '${question}'}": "names itself",
    "question: ${nowhere}": "'nowhere' not found",
    "question: ${trained_on}x\ntrained_on: {a: b}": "has no single value",
    "report: ${cohort}": "report: ",
    "trained_on: {a0: aaaaaaaa, "
    + ", ".join(
        f"a{n}: '{'${trained_on.a' + str(n - 1) + '}'}${{trained_on.a{n - 1}}}'" for n in range(1, 30)
    )
    + "}": "expands too far",
}
DEFAULTS = (
    "override /hydra/launcher: joblib", "/hydra/launcher: joblib", "override hydra/job_logging: default",
    "/hydra: config", "hydra: config", "/hydra/config", "/schema@hydra: theirs", "/schema@_global_: theirs",
    "/schema@_global_.hydra.job_logging: theirs", "/schema@schemas.a@hydra: theirs", "'/schema@hydra:theirs'",
    "/schema@_here_: theirs", "/schema@_group_: theirs", "/schema@schemas._name_: theirs", "/schema: ../theirs",
    "/schema: /etc/passwd", "/schema: ${oc.env:HOME}", "/schema: '${name}'", "/schema: [theirs, '../x']",
    "/schema: {hydra: x}", "schema: theirs", "theirs@hydra.run", "../theirs", "/etc/passwd", "pkg://this",
    "optional /hydra/launcher: joblib", "override /schema@hydra:_global_: theirs", "${oc.env:HOME}", "[a]", "~",
    "/ｓchema: theirs", "/schema: '???'", "/config: x", "_global_", "override: x",  # noqa: RUF001
)  # fmt: skip
WORDS = (
    "hydra.verbose=true", "hydra.searchpath=[file://LOOT]", "+hydra.searchpath=['pkg://this']", "hydra.mode=MULTIRUN",
    "hydra.job.chdir=true", "hydra.job.env_set.A=1", "+hydra.job.env_set.LD_PRELOAD=LOOT", "hydra.output_subdir=LOOT",
    "++hydra.callbacks.x._target_=os.abort", "hydra={}", "~hydra", "~hydra.run", "hydra/job_logging=default",
    "+hydra/job_logging@hydra.x=default", "hydra/launcher=mine", "hydra/launcher=${oc.env:X}", "hydra/launcher=../x",
    "+hydra/launcher=joblib", "hydra/launcher@hydra.sweeper=joblib", "hydra/sweeper=basic",
    "hydra.launcher._target_=os.abort", "hydra.launcher={_target_: os.abort}", "hydra.launcher.setup=[touch LOOT/x]",
    "hydra.launcher.submitit_folder=LOOT", "hydra.launcher.temp_folder=LOOT", "hydra.launcher.pre_dispatch=x()",
    "+hydra.launcher.n_jobs=1", "hydra.launcher.partition=cpu\ntouch LOOT/x", "hydra.launcher.name=${oc.env:HOME}",
    "hydra.sweep.subdir=LOOT", "hydra.sweep.dir=${oc.env:HOME}", "hydra.sweep.dir=", "hydra.sweeper.params={}",
    "/hydra/launcher=joblib", " hydra.verbose=true", "_global_.hydra.verbose=true", "HYDRA.verbose=true",
    "schema@_global_.hydra.run=theirs", "schema@hydra=theirs", "schema@schemas.a:hydra=theirs", "/schema=theirs",
    "schema=../theirs", "schema=[theirs,../x]", "schema=${oc.env:HOME}", "schema=a@hydra", "audit=_global_",
    "+schema@hydra.job_logging=theirs", "cohort={_target_: os.abort}", "cohort._target_=os.abort", "fail_on=x",
    "seed=${oc.env:HOME}", "seed='${oc.env:HOME}'", 'seed="${now:%H}"', "question='\\${oc.env:HOME}'",
    "++question=${hydra.run.dir}", "question=${hydra:run.dir}", "report={tsa: 'http://127.0.0.1:9'}",
    "dask=${question}", "checkpoint=${question}", "report.tsa=${question}", "report[tsa]=http://127.0.0.1:9",
    "=x", "@hydra=x", "x@hydra=y",
    "seed=" + "[" * 1500, "config=x", "name=../../LOOT", "'name'=x", "cohort.type=os.system", "defaults=[hydra]",
    "question=" + "x" * 3_000_000, "x" * 3_000_000 + "=1",
)  # fmt: skip
FLAGS = (
    "--config-path=LOOT", "--config-name=x", "--experimental-rerun=LOOT/x.pickle", "--hydra-help", "--run", "-r",
    "--shell-completion", "--cfg=hydra", "-cp=LOOT", "-cn=x", "--config=LOOT", "--multirun=x",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hostile:
    """One attempt: files of the folder of presets, words and flags, and a part of the line that refuses it."""

    name: str
    says: str
    files: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ("audit=theirs",)


AUDIT, SCHEMA, HEADER = "audit/theirs.yaml", "schema/theirs.yaml", "# @package _global_\n"
BODY = "\ndefaults:\n  - demo\n"


def attempts() -> Iterator[Hostile]:
    """Every attempt."""
    for package, text in PACKAGES.items():
        says = "broken header" if not package else f"the package {package!r}"
        yield Hostile(
            f"header {package}", says, {AUDIT: f"# @package {package}\n{text}".replace("_target_", "t")}
        )
    for header, says in HEADERS.items():
        yield Hostile(f"header {header!r}", says, {AUDIT: f"{header}dir: LOOT\n"})
    for group, lands in GROUPS.items():
        preset = {f"{group}/theirs.yaml": "# @package _global_.hydra.run\ndir: LOOT\n"}
        says = f"{group}/theirs.yaml: the package '_global_.hydra.run'; accepted: {lands}"
        yield Hostile(f"header in {group}", says, preset, ("audit=demo", f"{group}=theirs"))
    for text, says in (TEXTS | REFERENCES).items():
        yield Hostile(f"text {text[:60]!r}", says, {AUDIT: HEADER + text + BODY})
    for text in INTERPOLATIONS:
        line = f"question: {json.dumps(text)}"
        yield Hostile(
            f"interpolation {text}", "theirs.yaml line 2, column 11: ", {AUDIT: HEADER + line + BODY}
        )
    for item in DEFAULTS:
        files = {AUDIT: f"defaults:\n  - demo\n  - {item}\n", SCHEMA: "column: a\n"}
        yield Hostile(f"defaults {item}", f"{AUDIT} line 3", files)
    for word in WORDS:
        yield Hostile(f"word {word[:60]!r}", "", {SCHEMA: "column: a\n"}, ("audit=demo", word))
    for flag in FLAGS:
        yield Hostile(f"flag {flag}", "command line: ", {}, ("audit=demo", flag))
    yield Hostile("a folder hydra", "--config-dir hydra: ", {"hydra/x.yaml": "a: 1\n", AUDIT: BODY})
    yield Hostile("a file that shadows", "is shipped", {"audit/demo.yaml": "a: 1\n"}, ("audit=demo",))
    yield Hostile(
        "a plug-in that is shadowed", "is shipped", {"cohort/scores.yaml": "type: x\n"}, ("audit=demo",)
    )
    yield Hostile("a file yml", "accepted: theirs.yaml", {"audit/theirs.yml": BODY})
    yield Hostile(
        "a file that is a package", "a name of", {"schema/_global_.hydra.yaml": "a: 1\n"}, ("audit=demo",)
    )
    yield Hostile(
        "a name with dots",
        "the package",
        {"schema/a._global_.hydra.yaml": "a: 1\n"},
        ("audit=demo", "schema=a._global_.hydra"),
    )
    yield Hostile("no file", "audit: no option", {"config.yaml": "a: 1\n"}, ("audit=config",))
    yield Hostile("a file below", "command line: ", {"audit/below/x.yaml": BODY}, ("audit=below/x",))
    yield Hostile("too long", "is too large for a spec", {AUDIT: "question: " + "x" * 250_000 + BODY})
    bomb = {f"audit/a{n}.yaml": f"defaults: [a{n + 1}, b{n + 1}]\n" for n in range(30)}
    bomb |= {name.replace("/a", "/b"): text for name, text in bomb.items()} | {
        AUDIT: "defaults: [demo, a0]\n"
    }
    yield Hostile("defaults that multiply", "selects too many presets", bomb)
    chain = {f"audit/a{n}.yaml": f"defaults: [a{n + 1}]\n" for n in range(400)}
    yield Hostile(
        "defaults without end", "selects too many presets", chain | {AUDIT: "defaults: [demo, a0]\n"}
    )
    circle = {AUDIT: "defaults: [b]\n", "audit/b.yaml": "defaults: [{/schema: theirs}]\n"}
    circle[SCHEMA] = "defaults: [theirs.yaml]\ncolumn: a\n"
    yield Hostile("defaults in a circle", "schema/theirs.yaml: selects itself through its defaults", circle)
    dense = HEADER + "trained_on: {" + ", ".join(f"k{n}: x" for n in range(4000)) + "}" + BODY
    yield Hostile("many values", "at most 10000 values", {AUDIT: dense.replace("x", "[x, y]")})
    both = {AUDIT: dense + "  - other\n", "audit/other.yaml": dense}
    yield Hostile("many values together", "at most 10000 values", both)
    yield Hostile("zero bytes", "broken YAML", {AUDIT: "question: \0" + BODY})
    yield Hostile(
        "tsa in a report",
        "report.tsa: ",
        {"report/theirs.yaml": "tsa: 'http://127.0.0.1:9'\n"},
        ("audit=demo", "report=theirs"),
    )
