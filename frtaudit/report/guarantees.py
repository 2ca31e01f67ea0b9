"""The page of the study of guarantees, one self-contained file, and its figures as files of their own."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from frtaudit.core.machine.resources import shipped
from frtaudit.report.figures import coverage as draw
from frtaudit.report.layout import shipped_templates
from frtaudit.report.pieces import Panel
from frtaudit.report.render import minified, policy_of

Study = Mapping[str, Any]  # Any: JSON of mixed depth
PAPER = '<rect width="100%" height="100%" fill="#fefefe"/>'


def page(study: Study) -> str:
    """The study as one HTML file: no script, no network. Identical for the same study."""
    style = minified((shipped("templates") / "report.css").read_text("utf-8"))
    template = shipped_templates().get_template("guarantees.html.j2")
    number, share = (partial(_printed, form) for form in (".3g", ".3f"))
    return template.render(
        found=study, figures=panels(study), number=number, share=share, style=style, policy=policy_of(style)
    )


def panels(study: Study) -> dict[str, Panel]:
    """Every figure of the page by name, in the page's order; what the study left out is left out."""
    figures: dict[str, Panel] = {}
    if study["levels"]:
        figures["levels"] = draw.levels(study)
    if study["cells"]:
        figures["misses"] = draw.misses(study)
    for quantity in dict.fromkeys(row["quantity"] for cell in study["cells"] for row in cell["intervals"]):
        stem = quantity.lower().replace(" ", "_")
        if draw.is_seen(study, quantity, "coverage"):
            figures[f"coverage_{stem}"] = draw.coverage(study, quantity, f"coverage-{stem}")
        if draw.is_seen(study, quantity, "width_ratio"):
            figures[f"width_{stem}"] = draw.widths(study, quantity, f"width-{stem}")
    figures["few_errors"] = draw.few_errors(study)
    return figures


def files(study: Study) -> dict[str, str]:
    """Every figure as an SVG file on paper of its own, by file name without its ending."""
    return {name: on_paper(panel.svg) for name, panel in panels(study).items()}


def for_documents(study: Study) -> dict[str, str]:
    """The two figures of docs/methods/guarantees.md, as SVG files; a study without levels has one of them."""
    figures = {"few_errors": draw.few_errors(study, "few-errors")}
    if study["levels"]:
        figures["for_whom"] = draw.levels(study, "for-whom")
    return {name: on_paper(panel.svg) for name, panel in figures.items()}


def on_paper(svg: str) -> str:
    """Inline SVG as a file: light paper under it, so that it reads on a dark page too."""
    head, rest = svg.split("</title>", 1)
    return f"{head}</title>{PAPER}{rest}\n"


def _printed(form: str, value: object) -> str:
    """A number; a dash for nothing."""
    return f"{value:{form}}" if isinstance(value, int | float) else "–"
