"""The pages: same inputs same bytes, no network, every number traced, every page marked."""

import base64
import gc
import hashlib
import io
import json
import logging
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pypdf
import pytest
from landmarks import repeated
from report_fixture import DATE, SETTINGS, result
from report_text import GOLDEN, Page

from frtaudit.core import AuditResult
from frtaudit.core.spec_values import Paper
from frtaudit.errors import DataError, FrtauditError
from frtaudit.report import render
from frtaudit.report.references import FOLDED

ROOT = Path(__file__).resolve().parents[2]
FILES = {"result.json": b"{}\n", "report.json": b"{}"}
AGAIN = """
import hashlib, sys
sys.path[:0] = ["tests"]
from report_fixture import DATE, SETTINGS, result
from frtaudit.report import render
page = render.html(result(), SETTINGS, DATE, "unsigned")
paper = render.pdf(page, {"result.json": b"{}\\n", "report.json": b"{}"})
print(hashlib.sha256(page.encode()).hexdigest(), hashlib.sha256(paper).hexdigest())
"""


@pytest.fixture(scope="module")
def page() -> str:
    """The synthetic report as HTML."""
    return render.html(result(), SETTINGS, DATE, "unsigned")


def test_an_equal_error_rate_alone_is_not_folded() -> None:
    """No section of the main report is a heading with nothing below it."""
    rates = tuple(estimate for estimate in result().estimates if estimate.metric == "eer")
    alone = render.html(
        replace(result(), estimates=rates, findings=(), curves=()), SETTINGS, DATE, "unsigned"
    )
    sections = re.findall(r"<section[^>]*>.*?</section>", FOLDED.sub("", alone), re.DOTALL)
    texts = [re.sub(r"<h2.*?</h2>|<[^>]*>|\s", "", section, flags=re.DOTALL) for section in sections]
    assert any("equalerrorrate" in text.lower() for text in texts)
    assert all(texts)


def test_no_two_landmarks_have_one_name(page: str) -> None:
    """A table that scrolls is no landmark, and the others are distinguished by their names."""
    assert 'class="scroll" role="group"' in page
    assert repeated(page) == set()
    assert repeated("<nav></nav><nav></nav>") == {("navigation", "")}


@pytest.fixture(scope="module")
def printed(page: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[Path]]:
    """The synthetic report as PDF, made without a network, and what temporary files then lay there."""
    temporary = tmp_path_factory.mktemp("temporary")

    def refuse(*address: object) -> None:
        raise AssertionError(f"a report connects to nothing: {address}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(tempfile, "tempdir", str(temporary))
        gc.disable()
        try:
            return render.pdf(page, FILES), list(temporary.iterdir())
        finally:
            gc.enable()


@pytest.fixture(scope="module")
def paper(printed: tuple[bytes, list[Path]]) -> bytes:
    """The PDF."""
    return printed[0]


def test_a_pdf_leaves_no_temporary_files(printed: tuple[bytes, list[Path]]) -> None:
    """The layout's copies of fonts go with it, whenever memory is collected."""
    assert printed[1] == []


@pytest.fixture(scope="module")
def reader(paper: bytes) -> pypdf.PdfReader:
    """The PDF, read by another reader."""
    return pypdf.PdfReader(io.BytesIO(paper))


def resolve(document: object, pointer: str) -> object:
    """What a JSON pointer leads to."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        document = document[int(key)] if isinstance(document, list) else document[key]  # type: ignore[index]  # JSON
    return document


def reads_as(text: str) -> float | None:
    """The number that a printed number stands for."""
    plain = text.strip().replace("−", "-").replace(",", "").replace("∞", "inf").replace("undefined", "nan")
    power = re.fullmatch(r"(?:([\d.]+) × )?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", plain)
    if power:
        exponent = power[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(power[1] or 1) * 10.0 ** int(exponent)
    try:
        return float(plain.removesuffix(" %")) / (100 if plain.endswith(" %") else 1)
    except ValueError:
        return None


def test_text_is_the_golden_text(page: str) -> None:
    """The words and numbers of the page are those that were read and agreed on."""
    assert Page(page).text == GOLDEN.read_text("utf-8")


def test_every_printed_number_is_the_results(page: str) -> None:
    """Each traced number equals what its pointer leads to, rounded; rates within [0, 1]."""
    document = result().to_json()
    checked = 0
    for pointer, kind, text in Page(page).traced:
        exact, shown = resolve(document, pointer), reads_as(text)
        if "n" not in kind.split() or shown is None or not isinstance(exact, (int, float, str)):
            continue
        value = float(exact) + ("plus-one" in kind)
        if re.search(r"/intervals/\d+/(low|high)$", pointer):
            metric = resolve(document, re.sub(r"/intervals/.*", "/metric", pointer))
            value = (
                min(max(value, 0.0), 1.0)
                if metric in {"accuracy", "fnmr", "fmr", "fnmr_at_fmr", "fta"}
                else value
            )
        rounding = 0.051 if pointer.endswith(("mc_error", "n_eff")) else 0.0051
        assert shown == pytest.approx(value, rel=rounding) or (math.isinf(shown) and math.isinf(value)), (
            pointer
        )
        checked += 1
    assert checked > 300


def test_every_pointer_leads_somewhere(page: str) -> None:
    """No element names a place that result.json does not have."""
    document = result().to_json()
    for pointer, _, _ in Page(page).traced:
        resolve(document, pointer)


def test_no_number_of_a_table_is_without_its_place(page: str) -> None:
    """Digits in the rows of tables, in verdicts and of the group with the highest rate all stand in traced elements."""
    found = [
        (path, text)
        for path, text in Page(page).loose
        if re.search(r"\d", text) and any(step.startswith(("tbody", "aside")) for step in path)
    ]
    names = re.compile(r"log10|d_l2|\((?:0|1)\)")
    assert not [item for item in found if re.search(r"\d", names.sub("", item[1]))]


def test_nothing_is_loaded_and_one_script_runs(page: str) -> None:
    """One script and its data, no style attribute, no address but anchors of the page itself."""
    parsed = Page(page)
    tags = {tag for tag, _, _ in parsed.attributes}
    assert not tags & {"link", "iframe", "object", "embed", "img"}
    assert re.findall(r"<script\b[^>]*>", page) == ['<script type="application/json" id="data">', "<script>"]
    assert not [name for _, name, _ in parsed.attributes if name == "style" or name.startswith("on")]
    targets = {value for _, name, value in parsed.attributes if name in {"href", "src", "action", "srcset"}}
    assert all(value.startswith("#") for value in targets)
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", page)
    assert "@import" not in page


def test_the_policy_names_the_one_style_sheet(page: str) -> None:
    """The Content-Security-Policy allows nothing but the style element and the script, by their digests."""
    import base64

    policy = next(v for _, name, v in Page(page).attributes if name == "content" and "default-src" in v)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert script is not None
    sheet, run = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style[1], script[1])
    )
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{sheet}'; script-src 'sha256-{run}'; "
        "base-uri 'none'; form-action 'none'"
    )


def test_anchors_and_ids_hold_together(page: str) -> None:
    """Every link of the contents leads to an element, and no id is given twice."""
    attributes = Page(page).attributes
    ids = [value for _, name, value in attributes if name == "id"]
    assert len(ids) == len(set(ids))
    anchors = {value[1:] for tag, name, value in attributes if tag == "a" and name == "href"}
    named = {value for _, name, value in attributes if name == "aria-labelledby"}
    assert anchors | named <= set(ids)


def test_every_drawing_is_hidden_or_described(page: str) -> None:
    """A drawing is an image with words, or hidden from those who listen."""
    drawings = re.findall(r"<svg\b[^>]*>", page)
    assert drawings
    assert all('aria-hidden="true"' in tag or "aria-label=" in tag for tag in drawings)
    assert all(
        len(label) > 20 for label in re.findall(r'<div class="panel" role="img" aria-label="([^"]*)"', page)
    )


@pytest.mark.parametrize(
    ("status", "mark"), [("signed", "signed"), ("demo", "DEMO KEY"), ("unsigned", "UNSIGNED")]
)
def test_status_is_said(status: str, mark: str) -> None:
    """The banner says what a signature proves, or that there is none."""
    text = Page(
        render.html(replace(result(), estimates=(), findings=(), curves=()), SETTINGS, DATE, status)
    ).text
    assert text.splitlines()[1].startswith(mark)
    assert ("integrity" in text.splitlines()[1]) == (status != "signed")


def test_markup_in_names_stays_text() -> None:
    """A hostile title is printed, not interpreted."""
    bare = replace(result(), estimates=(), findings=(), curves=())
    page = render.html(bare, replace(SETTINGS, title="<script>alert(1)</script>"), DATE, "unsigned")
    assert page.count("<script") == 2
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(("date", "status"), [("31.1.2026", "signed"), (DATE, "blessed")])
def test_bad_input_is_one_line(date: str, status: str) -> None:
    """A date that is none, or a status that is none, is refused by name."""
    with pytest.raises(DataError, match=r"^report[ .](?:date|status): found "):
        render.html(result(), SETTINGS, date, status)


def test_paper_reads_no_file_of_the_machine(page: str, tmp_path: Path) -> None:
    """An image that leads to a file, also from inside a drawing, is left out: only shipped files are opened."""
    drawing = '<svg xmlns="http://www.w3.org/2000/svg"><image href="{}"/></svg>'
    file = tmp_path / "x.png"
    os.mkfifo(file)  # who opens it waits
    inside = base64.b64encode(drawing.format(file.as_uri()).encode()).decode()
    images = f'<img alt="" src="{file.as_uri()}"><img alt="" src="data:image/svg+xml;base64,{inside}">'
    head, main, _ = page.partition('<main class="page">')
    assert render.pdf(f"{head}{main}<h1>x</h1>{images}</main></body></html>").startswith(b"%PDF")


def test_only_our_pages_become_paper() -> None:
    """Another page is refused in one line."""
    with pytest.raises(DataError, match=r"report\.html: not a page of frtaudit"):
        render.pdf("<p>hello</p>")


def test_missing_system_libraries_name_the_packages(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pango the error is the apt line."""

    def absent(name: str) -> None:
        raise OSError(f"cannot load library 'libgobject-2.0-0' ({name})")

    monkeypatch.setattr("importlib.import_module", absent)
    with pytest.raises(FrtauditError, match="apt-get install -y --no-install-recommends libpango-1"):
        render.pdf(page)


def test_every_page_is_marked_and_numbered(reader: pypdf.PdfReader) -> None:
    """UNSIGNED, the audit, the result's digest, the date and the page number stand on every page."""
    count = len(reader.pages)
    assert count > 5
    for number, sheet in enumerate(reader.pages, 1):
        text = sheet.extract_text()
        for words in (
            "UNSIGNED",
            "Two systems at the border desk",
            result().sha256[:16],
            DATE,
            f"page {number} of {count}",
        ):
            assert words in text, (number, words)


def test_capitals_are_read_back_as_words(reader: pypdf.PdfReader) -> None:
    """Nothing on paper is letter-spaced, which is read back as several words."""
    assert "STATISTICAL AUDIT" in reader.pages[0].extract_text()
    spaced, paper = ((ROOT / "templates" / name).read_text("utf-8") for name in ("report.css", "print.css"))
    (normal,) = re.findall(r"(.*) \{ letter-spacing: normal; \}", paper)
    assert {*re.findall(r"(\S[^{}\n]*) \{[^}]*letter-spacing", spaced)} == {*normal.split(", ")}
    assert paper.count("letter-spacing") == 1


def test_attachments_are_what_was_given(reader: pypdf.PdfReader) -> None:
    """Files come out of the PDF as they went in."""
    assert {name: data[0] for name, data in reader.attachments.items()} == FILES


def test_paper_claims_its_conformance_and_carries_no_clock(reader: pypdf.PdfReader, paper: bytes) -> None:
    """PDF/A-3a and PDF/UA-1 are claimed, and the only dates are the report's."""
    said = reader.trailer["/Root"]["/Metadata"].get_data().decode()
    assert re.search(r"pdfaid:part(?:>|=\")3", said)
    assert re.search(r"pdfaid:conformance(?:>|=\")A", said)
    assert 'pdfuaid:part="1"' in said
    assert set(re.findall(r"\d{4}-\d\d-\d\d", said)) == {DATE}
    assert set(re.findall(rb"D:(\d{8})", paper)) <= {b"20260131"}


def tagged(element: object) -> Iterator[tuple[str, list[str]]]:
    """Each element of the structure below one: its type, and the types of what it holds."""
    held = element.get_object() if isinstance(element, pypdf.generic.IndirectObject) else element
    if not isinstance(held, dict) or "/K" not in held:
        return
    kids = [kid.get_object() for kid in held["/K"]]
    parts = [kid["/S"] for kid in kids if isinstance(kid, dict) and "/S" in kid]
    yield str(held.get("/S")), parts
    for kid in kids:
        yield from tagged(kid)


def test_lists_of_the_paper_hold_labels_and_bodies(reader: pypdf.PdfReader) -> None:
    """PDF/UA: an item of a list is a label and a body, also where the item holds paragraphs."""
    items = [parts for kind, parts in tagged(reader.trailer["/Root"]["/StructTreeRoot"]) if kind == "/LI"]
    assert len(items) > 20
    assert {part for parts in items for part in parts} <= {"/Lbl", "/LBody"}


@pytest.mark.parametrize("part", render.Part)
def test_headings_of_a_pdf_skip_no_level(page: str, part: render.Part) -> None:
    """The main report and the annex begin with the title, and no heading is two levels below the one before."""
    levels = [int(level) for level in re.findall(r"<h([1-6])", render._on_paper(page, part))]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


def test_the_head_of_rows_stays_with_them(page: str) -> None:
    """No page ends with the row that heads others, wherever the table begins."""
    rows = '<tr class="head"><th>leads</th></tr>' + "<tr><td>follows</td></tr>" * 3
    table = f'<table><thead><tr><th>title</th></tr></thead>{f"""<tbody class="whole">{rows}</tbody>""" * 2}</table>'
    parts = [
        f'<div style="break-before: page; height: {height}mm"></div><div class="tbl">{table}</div>'
        for height in range(150, 262, 4)
    ]
    head, main, _ = page.partition('<main class="page">')
    reader = pypdf.PdfReader(
        io.BytesIO(render.pdf(f"{head}{main}<h1>x</h1>{''.join(parts)}</main></body></html>"))
    )
    texts = [sheet.extract_text() for sheet in reader.pages]
    assert sum(text.count("leads") for text in texts) == 2 * len(parts)
    assert all(text.count("follows") == 3 * text.count("leads") for text in texts)


def test_notes_stay_with_rows_of_their_table(page: str) -> None:
    """No page has the notes of a table and none of its rows, wherever the table begins; a short one is not broken."""
    rows = "".join(f"<tr><td>row{number}.</td></tr>" for number in range(14))
    notes = '<ol class="notes">' + "<li>remark</li>" * 3 + '</ol><p class="left-out">remark</p>'
    kinds = ("", "short")
    parts = [
        f'<div style="break-before: page; height: {height}mm"></div><div class="tbl {kind}"><div class="scroll">'
        f"<table><thead><tr><th>{kind} head</th></tr></thead><tbody>{rows}</tbody></table></div>{notes}</div>"
        for kind in kinds
        for height in range(140, 200, 6)
    ]
    head, main, _ = page.partition('<main class="page">')
    reader = pypdf.PdfReader(
        io.BytesIO(render.pdf(f"{head}{main}<h1>x</h1>{''.join(parts)}</main></body></html>"))
    )
    texts = [sheet.extract_text() for sheet in reader.pages]
    noted = [text for text in texts if "remark" in text]
    assert len(noted) == len(parts)
    assert all("row" in text and text.count("remark") == 4 for text in noted)
    assert all(text.count("row") == 14 for text in noted if "short" in text)


@pytest.mark.parametrize(("width", "panels", "beside"), [
    (241.2, 1, True), (313.56, 1, True), (385.92, 1, False), (241.2, 2, False),
])  # fmt: skip
def test_a_caption_stands_beside_one_narrow_drawing(
    page: str, width: float, panels: int, *, beside: bool
) -> None:
    """Below a wide drawing, and below two."""
    head, main, _ = page.partition('<main class="page">')
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="90pt"><title>t</title></svg>'
    )
    drawings = f'<div class="panel">{drawing}</div>' * panels
    figure = f'<figure><div class="panels">{drawings}</div><figcaption>what it shows</figcaption></figure>'
    body = f'<section class="chapter">before{figure}</section></main></body></html>'
    (sheet,) = pypdf.PdfReader(io.BytesIO(render.pdf(f"{head}{main}{body}"))).pages
    places: dict[str, tuple[float, float]] = {}

    def noted(text: str, matrix: list[float], at: list[float], *_: object) -> None:
        if text.strip():
            places.setdefault(text.strip(), (matrix[0] * at[4] + matrix[4], matrix[3] * at[5] + matrix[5]))

    sheet.extract_text(visitor_text=noted)
    (left, high), (start, low) = places["what it shows"], places["before"]
    assert (left - start > width) is beside
    assert (abs(high - low) < 60) is beside  # points: else it stands below 90 of drawing


@pytest.mark.parametrize(("height", "pages"), [
    (5, "s c e"), (33, "s c e"), (34, "s|c e"), (120, "s|c e"), (200, "|s c e"),
])  # fmt: skip
def test_signatures_and_how_to_check_are_each_on_one_page(height: float, pages: str) -> None:
    """They follow what is before them where they have room; how to check goes first, with the report's last line."""
    page = render.html(result(), SETTINGS, DATE, "demo")
    head, main, _ = page.partition('<main class="page">')
    section = re.search(r'<section[^>]* id="signatures".*?</section>', page, re.DOTALL)
    assert section is not None
    body = f'<div style="height: {height}mm">before</div>{section[0]}<footer class="colophon"><p>the end</p></footer>'
    reader = pypdf.PdfReader(io.BytesIO(render.pdf(f"{head}{main}{body}</main></body></html>")))
    texts = [sheet.extract_text() for sheet in reader.pages]
    for word, phrases in {
        "s": ("By signing", "Handwritten signatures", "Place and date", "Not declared"),
        "c": ("How to check", "frtaudit verify", "openssl pkeyutl", "References"),
        "e": ("the end",),
    }.items():
        places = [word in part for part in pages.split("|")]
        assert all([phrase in text for text in texts] == places for phrase in phrases)


def test_fonts_are_the_shipped_ones(reader: pypdf.PdfReader) -> None:
    """Every font of the paper is one of the shipped files under its private name: no machine's own takes part."""
    names = set()
    for sheet in reader.pages:
        for font in sheet["/Resources"]["/Font"].values():
            names.add(re.sub(r"^/[A-Z]{6}\+", "", str(font.get_object()["/BaseFont"])))
    assert names == {"frtaudit-head-Bold", "frtaudit-text", "frtaudit-text-Semi-Bold"}


@pytest.mark.slow
def test_another_process_makes_the_same_bytes(page: str, paper: bytes) -> None:
    """Another hash seed, clock variable and folder for settings change no byte of page and paper."""
    here = f"{hashlib.sha256(page.encode()).hexdigest()} {hashlib.sha256(paper).hexdigest()}"
    environment = os.environ | {"PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "1", "PYTHONPATH": "."}
    done = subprocess.run(
        [sys.executable, "-c", AGAIN], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == here


def test_the_clock_variable_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE_DATE_EPOCH is as it was, set or not."""
    for before in ("42", None):
        monkeypatch.delenv(render.EPOCH, raising=False)
        if before:
            monkeypatch.setenv(render.EPOCH, before)
        with render._frozen(render._moment(DATE)):
            assert os.environ[render.EPOCH] == "1769817600"
        assert os.environ.get(render.EPOCH) == before


def test_rules_for_fonts_of_a_user_move_no_glyph(page: str, tmp_path: Path) -> None:
    """Settings of fontconfig change no byte of a PDF: without a user's there are none of another machine's."""
    rules = tmp_path / "fonts.conf"
    rules.write_text(
        "<fontconfig><dir>/usr/share/fonts</dir><match target='pattern'><edit name='family' mode='assign' "
        "binding='strong'><string>DejaVu Serif</string></edit></match></fontconfig>"
    )
    head, main, _ = page.partition('<main class="page">')
    small = f"{head}{main}<h1>Affinity 0.1</h1><p>Result sha256 {'0' * 64}.</p></main></body></html>"
    code = "import sys; from frtaudit.report import render; sys.stdout.buffer.write(render.pdf(sys.stdin.read()))"
    ruled = subprocess.run(
        [sys.executable, "-c", code],
        input=small.encode(),
        env=os.environ | {"FONTCONFIG_FILE": str(rules)},
        capture_output=True,
        check=True,
    )
    assert ruled.stdout == render.pdf(small)


@pytest.mark.browser
def test_a_browser_has_nothing_to_complain_about(page: str, tmp_path: Path) -> None:
    """Chromium opens the page without a console message: no policy is broken, nothing is fetched."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium: the page is not opened in a browser")
    (tmp_path / "report.html").write_text(page, "utf-8")
    quiet = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-sync",
    ]
    command = [
        chromium,
        *quiet,
        "--no-first-run",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--enable-logging=stderr",
    ]
    done = subprocess.run(
        [*command, "--dump-dom", (tmp_path / "report.html").as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "Two systems at the border desk" in done.stdout
    assert "CONSOLE" not in done.stderr


def test_dark_is_one_set_of_colours() -> None:
    """The colours that a machine asks for in the dark are those that a reader chooses, and light ones are repainted."""
    style = (ROOT / "templates" / "report.css").read_text("utf-8")
    blocks = [
        dict(re.findall(r"--([\w-]+): ([^;]+);", block))
        for block in re.findall(r":root[^{]*\{([^}]*--paper[^}]*)\}", style)
    ]
    light, asked, chosen = blocks
    assert asked == chosen
    assert set(asked) == set(light) - {"serif", "sans", "mono"}


@pytest.mark.slow
def test_a_sheet_is_the_one_asked_for(page: str) -> None:
    """report.paper=letter gives sheets of 8.5 by 11 inches; the page itself is the same but for its name."""
    letter = render.html(result(), replace(SETTINGS, paper=Paper.LETTER), DATE, "unsigned")
    assert letter.replace('data-paper="letter"', 'data-paper="a4"') == page
    bare = replace(result(), estimates=(), findings=(), curves=())
    short = render.html(bare, replace(SETTINGS, paper=Paper.LETTER), DATE, "unsigned")
    sheet = pypdf.PdfReader(io.BytesIO(render.pdf(short))).pages[0].mediabox
    assert (round(float(sheet.width)), round(float(sheet.height))) == (612, 792)


@pytest.mark.slow
def test_no_number_is_printed_across_its_limit() -> None:
    """0.09996 beside the limit 0.1 never reads 10.0 %, in no table of the page."""
    base = result()
    judged = {int(item.estimate.rsplit("/", 1)[1]) for item in base.findings if item.estimate}
    changed = tuple(
        replace(item, value=0.09999996 if index in judged and item.value else item.value)
        for index, item in enumerate(base.estimates)
    )
    findings = tuple(replace(item, limit=0.1) for item in base.findings)
    page = render.html(replace(base, estimates=changed, findings=findings), SETTINGS, DATE, "unsigned")
    places = {f"/estimates/{index}/value" for index in judged}
    shown = [
        reads_as(text)
        for pointer, kind, text in Page(page).traced
        if pointer in places and "n" in kind.split()
    ]
    assert len(shown) > 5
    assert all(value is None or value < 0.1 for value in shown)


def test_a_long_name_breaks_at_its_separators_on_page_1() -> None:
    """In the answer and in the narrow column of verdicts; a short name stays whole, and so do tables further on."""
    told = json.dumps(result().to_json()).replace("northgate", "resnet100_glint360k_arcface_v2")
    page = render.html(AuditResult.from_json(json.loads(told)), SETTINGS, DATE, "unsigned")
    answer = page[page.index('<section class="answer"') : page.index('<p class="legend">')]
    assert answer.count("resnet100_<wbr>glint360k_<wbr>arcface_<wbr>v2</span>") > 3
    assert "resnet100_glint360k_arcface_v2" not in answer
    assert "quill_2</span>" in answer
    assert "<wbr>" not in page[page.index('id="t-') :]


def test_a_page_that_cannot_be_broken_well_is_broken_anyhow(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where WeasyPrint gives up on the rules for breaks, it is asked again without them: no report is lost."""
    import weasyprint

    asked: list[str] = []

    class Html:
        """Gives up on the layout the first time."""

        pages: tuple[()] = ()
        metadata = SimpleNamespace(generate_rdf_metadata=None)

        def __init__(self, string: str, **_: object) -> None:
            asked.append(string)

        def render(self, **_: object) -> "Html":
            """The second time a document without pages."""
            assert len(asked) > 1
            return self

        def write_pdf(self, **_: object) -> bytes:
            """A PDF of the document."""
            return b"%PDF"

    monkeypatch.setattr(weasyprint, "HTML", Html)
    assert render.pdf(page, {}) == b"%PDF"
    assert render.ANYWHERE in asked[1]
    assert render.ANYWHERE not in asked[0]


SHEETS = """<html lang="en" data-paper="a4"><head><title>x</title><meta name="dcterms.created" content="2026-01-31">
<style></style></head><body>Result sha256 {digest}.<p style="break-after: page">1</p><p style="break-after: page">2</p>
<p>3</p></body></html>""".format(digest="0" * 64)


def test_a_signal_is_heard_between_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a page is laid out and before it is painted; WeasyPrint's logger is as it was, heard or not."""
    logger = logging.getLogger("weasyprint.progress")
    before = logger.level, logger.disabled, list(logger.filters)
    asked: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(render.signals, "check", lambda: asked.append(1))
        assert render.pdf(SHEETS).startswith(b"%PDF")
    assert len(asked) >= 6
    with render.signals.listening():
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(render.signals.Stopped):
            render.pdf(SHEETS)
    assert (logger.level, logger.disabled, list(logger.filters)) == before


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere libraries have other names")
def test_no_program_is_started_to_find_a_library() -> None:
    """WeasyPrint finds its libraries by their names: no compiler, linker or ldconfig runs; ctypes is as before."""
    code = (
        "import ctypes.util, sys\n"
        "before, started = ctypes.util.find_library, []\n"
        "sys.addaudithook(lambda event, args: started.append(args) if event == 'subprocess.Popen' else None)\n"
        "from frtaudit.report import render\n"
        "render.weasyprint()\n"
        "print(len(started), ctypes.util.find_library is before)"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.split() == ["0", "True"]
