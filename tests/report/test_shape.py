"""A report in a shape of one's own. Tests also layout, which runs the templates."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from report_fixture import DATE, SETTINGS, result
from report_text import Page

from frtaudit.core import registry
from frtaudit.core.canonical import sha256
from frtaudit.core.spec import Report
from frtaudit.errors import FrtauditError, SpecError
from frtaudit.pipeline.run import _write_report
from frtaudit.report import render
from frtaudit.report.rendering import told_of
from frtaudit.report.words import words
from frtaudit.signing.signing import Signing

pytestmark = pytest.mark.usefixtures("words_alone")

DOCS = Path(__file__).resolve().parents[2] / "docs" / "guides" / "shaping.md"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cf"
    "500f0003860180341ab3b10000000049454e44ae426082"
)


def write(folder: Path, **files: str | bytes) -> Report:
    """A folder of templates, keys with ``__`` for ``/`` and ``_dot_`` for dots, and settings that name it."""
    for key, content in files.items():
        path = folder / key.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return replace(SETTINGS, templates=str(folder))


BARE = replace(result(), estimates=(), curves=(), findings=(), failures=())


def page_of(settings: Report) -> str:
    """The synthetic report in a shape."""
    return render.html(result(), settings, DATE, "demo")


def bare(settings: Report) -> str:
    """A report without a figure, which is laid out at once."""
    return render.html(BARE, settings, DATE, "demo")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the documentation's example, as it is printed there."""
    root = tmp_path_factory.mktemp("docs")
    found = re.findall(r"^`(office/[^`]+)`\n\n```\w*\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 5
    for name, text in found:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root / "office"


@pytest.fixture(scope="module")
def shaped(office: Path) -> str:
    """The page in the documentation's shape."""
    return page_of(replace(SETTINGS, templates=str(office)))


@pytest.fixture(scope="module")
def whole() -> str:
    """The page in the shipped shape."""
    return page_of(SETTINGS)


@pytest.mark.slow
def test_the_documented_example_does_what_it_says(shaped: str) -> None:
    """Logo, colour, German heading, a sentence before a shipped section, and a section of one's own at its place."""
    assert '<html lang="de"' in shaped
    assert '<img class="logo" src="data:image/svg+xml;base64,' in shaped
    assert "#14532d" in shaped
    assert "Geprüfte Personen" in shaped
    assert "erfüllt" in shaped
    assert "Wer geprüft wurde" in shaped
    assert shaped.index('id="cohort"') < shaped.index('id="office"') < shaped.index('id="record"')
    assert re.search(r'data-p="/cohort/subjects">[\d,]+</span></b> Personen', shaped)
    titles = re.findall(r'<li><a href="#(\w+)">([^<]+)</a>', shaped)
    assert ("office", "Die prüfende Stelle") in titles


def test_the_frame_and_every_number_stay(shaped: str, whole: str) -> None:
    """Mark, digest and policy stand as before, and each traced number of the plain page is traced in the shaped one."""
    plain = whole
    assert "DEMO KEY" in shaped
    assert result().sha256 in shaped
    assert "default-src &#39;none&#39;" in shaped
    assert "img-src data:" in shaped
    assert re.findall(r"script-src ([^;]+;[^;]+;)", shaped) == re.findall(r"script-src ([^;]+;[^;]+;)", plain)
    before = {(p, text) for p, kind, text in Page(plain).traced if "n" in kind.split()}
    after = {(p, text) for p, kind, text in Page(shaped).traced if "n" in kind.split()}
    assert before <= after


def test_without_a_folder_nothing_changes(whole: str) -> None:
    """No trace of templates where none are set: page, report.json and words are the shipped ones."""
    plain = whole
    assert "Laid out with" not in plain
    assert "img-src" not in plain
    assert '<html lang="en" data-status="demo"' in plain
    assert not {"templates", "checklists"} & set(told_of(SETTINGS, DATE, "demo"))


def test_words_are_those_of_one_report_only(shaped: str) -> None:
    """A report in other words leaves the words of the next one alone."""
    assert "erfüllt" in shaped
    assert "erfüllt" not in bare(SETTINGS)
    assert words().verdict["pass"] == "pass"


def test_the_files_stand_in_the_run_and_their_digests_in_what_is_signed(office: Path, tmp_path: Path) -> None:
    """The run keeps a copy; report.json names each file's sha256 and no path; the page names their digest."""
    settings = replace(SETTINGS, templates=str(office), pdf=False)
    _write_report(BARE, settings, tmp_path, Signing(signer=None), {}, None)
    copies = {
        path.relative_to(tmp_path / "templates").as_posix(): sha256(path.read_bytes())
        for path in (tmp_path / "templates").rglob("*")
        if path.is_file()
    }
    told = json.loads((tmp_path / "report.json").read_bytes())
    assert told["templates"] == copies
    assert len(copies) == 5
    assert str(office.parent) not in json.dumps(told)
    assert render.check_shape(settings).sha256 in (tmp_path / "report.html").read_text()


@pytest.mark.slow
@pytest.mark.filterwarnings(r"ignore:unclosed file .*sRGB2014\.icc:ResourceWarning")
@pytest.mark.filterwarnings(r"ignore:.*sRGB2014\.icc:pytest.PytestUnraisableExceptionWarning")
def test_the_paper_has_the_shape_too(office: Path) -> None:
    """The annex is laid out from the shaped page: a heading, and an own section that follows a section of the annex."""
    import io

    import pypdf

    page = bare(replace(SETTINGS, templates=str(office)))
    reader = pypdf.PdfReader(io.BytesIO(render.pdf(page, part=render.Part.ANNEX)))
    text = "\n".join(sheet.extract_text() for sheet in reader.pages)
    assert "Geprüfte Personen" in text
    assert "Die prüfende Stelle" in text


@dataclass(frozen=True)
class Brought:
    """A section of another wheel."""

    def template(self) -> str:
        """Title, place and a number of the result."""
        return "{# title: Brought along #}{# after: cohort #}<p>{{ m.text(number('/cohort/subjects')) }} people</p>"


def register_section(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Register it in a copy of the registry."""
    monkeypatch.setattr(registry, "_registered", {**registry._registered, ("section", name): Brought})


def test_a_section_of_another_wheel_stands_where_its_analysis_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands in its place, copied and digested as own templates are; an audit without the analysis does not move."""
    before = bare(SETTINGS)
    register_section(monkeypatch, "brought")
    assert bare(SETTINGS) == before
    asked = replace(BARE, spec={**BARE.spec, "analyses": {"brought": {}}})
    page = render.html(asked, SETTINGS, DATE, "demo")
    assert page.index('id="cohort"') < page.index('id="brought"') < page.index('id="record"')
    assert "Brought along" in page
    _write_report(asked, replace(SETTINGS, pdf=False), tmp_path, Signing(signer=None), {}, None)
    copied = tmp_path / "templates" / "sections" / "brought.html.j2"
    assert copied.read_text() == Brought().template()
    assert render.check_shape(SETTINGS, ["brought"]).digests == {
        "sections/brought.html.j2": sha256(copied.read_bytes())
    }


def test_a_section_of_another_wheel_takes_no_shipped_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another wheel cannot put itself in the place of a shipped section."""
    register_section(monkeypatch, "failures")
    with pytest.raises(SpecError, match=r"a plug-in's section is called 'failures'"):
        render.check_shape(SETTINGS, ["failures"])


def test_a_section_of_another_wheel_that_returns_no_text_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its module: it is no fault of frtaudit."""
    register_section(monkeypatch, "brought")
    monkeypatch.setattr(Brought, "template", lambda _: None)
    line = r"^plug-in .*test_shape: section 'brought' returned a NoneType; accepted: the text of a template$"
    with pytest.raises(FrtauditError, match=line):
        render.check_shape(SETTINGS, ["brought"])


REFUSED: dict[str, tuple[dict[str, str | bytes], str]] = {
    "a template that is broken": (
        {"sections__own_dot_html_dot_j2": "<p>\n{% if %}\n"},
        r"sections/own\.html\.j2, line 2: .*; accepted",
    ),
    "a name that is not there": (
        {"sections__own_dot_html_dot_j2": "<p>\n\n{{ rresult }}\n"},
        r"sections/own\.html\.j2, line 3: 'rresult' is undefined",
    ),
    "a place that the result lacks": (
        {"sections__own_dot_html_dot_j2": "{{ m.text(number('/cohort/nobody')) }}"},
        r"sections/own\.html\.j2, line 1: the result has no /cohort/nobody",
    ),
    "an error in a shipped section's stead": (
        {"sections__cohort_dot_html_dot_j2": "{{ 1 / 0 }}"},
        r"sections/cohort\.html\.j2, line 1: division by zero",
    ),
    "a way out of the sandbox": (
        {"sections__own_dot_html_dot_j2": "{{ ''.__class__.__mro__[1].__subclasses__() }}"},
        r"line 1: access to attribute '__class__' of 'str' object is unsafe",
    ),
    "a file outside": (
        {"sections__own_dot_html_dot_j2": "{% include '../../../../etc/passwd' %}"},
        r"sections/own\.html\.j2, line 1: ",
    ),
    "a file outside by way of the shipped": (
        {"sections__own_dot_html_dot_j2": "{% include 'shipped/../../pyproject.toml' %}"},
        r"sections/own\.html\.j2, line 1: ",
    ),
    "a script": ({"sections__own_dot_html_dot_j2": "<script>x()</script>"}, "a section holds <script>"),
    "an address outside": (
        {"sections__own_dot_html_dot_j2": "<a href='https://x.example'>x</a>"},
        "a section holds href='https://x.example'",
    ),
    "a file as an image": (
        {"sections__own_dot_html_dot_j2": "<img src='file:///etc/passwd' alt=''>"},
        "a section holds src='file:///etc/passwd'",
    ),
    "an image in a drawing": (
        {"sections__own_dot_html_dot_j2": "<svg><image xlink:href='file:///x.png'/></svg>"},
        "a section holds xlink:href",
    ),
    "a handler": ({"sections__own_dot_html_dot_j2": "<p onclick='x()'>x</p>"}, "the attribute 'onclick'"),
    "a style attribute": (
        {"sections__own_dot_html_dot_j2": "<p style='color:red'>x</p>"},
        "attribute 'style'",
    ),
    "a style element": ({"sections__own_dot_html_dot_j2": "<style>p{}</style>"}, "a section holds <style>"),
    "another policy": (
        {"sections__own_dot_html_dot_j2": "<meta http-equiv='refresh' content='0'>"},
        "a section holds <meta>",
    ),
    "a style that loads": (
        {"style_dot_css": "p { color: red }\np { background: url(x.png) }"},
        r"style\.css, line 2: 'url\('",
    ),
    "a style that loads once its comments are gone": (
        {"style_dot_css": "p { background: ur/*\n*/l(x.png) }"},
        r"style\.css: 'url\('",
    ),
    "a style that loads by escapes": (
        {"style_dot_css": "p { background: u\\72\nl(x.png) }"},
        r"style\.css: 'url\('",
    ),
    "a comment that a browser ends early": (
        {"sections__own_dot_html_dot_j2": "<!--><meta http-equiv='refresh' content='0;url=//x.example'>-->"},
        "a section holds a comment",
    ),
    "a part that a browser reads": (
        {"sections__own_dot_html_dot_j2": "<![CDATA[><img src='file:///x.png'>]]>"},
        "a section holds <!",
    ),
    "an attribute that ends an element": (
        {"sections__own_dot_html_dot_j2": "<noscript><p title='</noscript><meta>'></p></noscript>"},
        "in an attribute of <p>",
    ),
    "a style that ends itself": ({"style_dot_css": "</style><script>"}, r"style\.css, line 1: '</style'"),
    "a logo that runs": ({"logo_dot_svg": "<svg><script>x</script></svg>"}, r"logo\.svg, line 1: '<script'"),
    "a logo that reads a file": (
        {"logo_dot_svg": "<svg><image href='file:///etc/passwd'/></svg>"},
        r"logo\.svg, line 1: ",
    ),
    "a logo that is not an image": ({"logo_dot_png": "GIF89a"}, r"logo\.png is not a PNG"),
    "an unknown table of words": (
        {"words_dot_toml": "[metrics]\nfmr = 'x'"},
        r"no words called 'metrics' \(did you mean 'metric'\?\)",
    ),
    "an unknown word": (
        {"words_dot_toml": "[metric]\nfnmrr = 'x'"},
        r"\[metric\] has no word for 'fnmrr' \(did you mean 'fnmr'\?\)",
    ),
    "one word for two outcomes": (
        {"words_dot_toml": "[verdict]\npass = 'x'\nfail = 'x'"},
        r"\[verdict\] has one word for two outcomes",
    ),
    "an unknown word after a byte order mark": (
        {"words_dot_toml": b"\xef\xbb\xbf[metric]\nfnmrr = 'x'"},
        r"\[metric\] has no word for 'fnmrr'",
    ),
    "an unknown heading": (
        {"words_dot_toml": "[title]\ncohorts = 'x'"},
        r"\[title\] has no section 'cohorts' \(did you mean 'cohort'\?\)",
    ),
    "words that are no TOML": ({"words_dot_toml": "[metric\n"}, r"words\.toml: .*line 1"),
    "a language that is none": ({"words_dot_toml": "lang = 'de\"><script>'"}, "lang is "),
    "a place after nothing": (
        {"sections__own_dot_html_dot_j2": "{# after: ratess #}"},
        r"stands after 'ratess', which is no section \(did you mean 'rates'\?\)",
    ),
    "a file without a place": (
        {"report_dot_html_dot_j2": "x"},
        r"report\.html\.j2 is not a file of a layout",
    ),
    "text that is none": ({"style_dot_css": b"\xff\xfe"}, r"style\.css is not UTF-8"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_cannot_be_used_is_refused_in_one_line(case: str, tmp_path: Path) -> None:
    """Each mistake, and each try to read or load something else, is one line that names file and, where known, line."""
    files, said = REFUSED[case]
    with pytest.raises(SpecError, match=said) as caught:
        bare(write(tmp_path, **files))
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("report.templates: ")


def test_a_missing_folder_and_an_empty_one_are_refused(tmp_path: Path) -> None:
    """Both are said before anything is run."""
    with pytest.raises(SpecError, match=r"'nowhere' is not a folder"):
        render.check_shape(Report(templates=str(tmp_path / "nowhere")))
    with pytest.raises(SpecError, match="is empty"):
        render.check_shape(Report(templates=str(tmp_path)))


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    """A symbolic link cannot bring a file from elsewhere into a report."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "own" / "sections").mkdir(parents=True)
    (tmp_path / "own" / "sections" / "own.html.j2").symlink_to(tmp_path / "secret")
    with pytest.raises(SpecError, match="is outside the folder"):
        render.check_shape(Report(templates=str(tmp_path / "own")))


def test_a_syntax_error_is_found_before_the_audit(tmp_path: Path) -> None:
    """What run() checks first finds a template that is not written as one."""
    with pytest.raises(SpecError, match="line 1"):
        render.check_shape(write(tmp_path, sections__own_dot_html_dot_j2="{% endfor %}"))


def test_markup_in_the_result_stays_text(tmp_path: Path) -> None:
    """A section of one's own escapes what the result holds."""
    made = replace(BARE, spec={**BARE.spec, "question": "<script>alert(1)</script>"})
    settings = write(tmp_path, sections__own_dot_html_dot_j2="<p>{{ result.spec.question }}</p>")
    assert "<script>alert" not in render.html(made, settings, DATE, "demo")


def test_a_sentence_may_stand_before_any_shipped_section(tmp_path: Path) -> None:
    """A section that shares its template with others is there under its own name too."""
    text = '<p>First.</p>{% include "shipped/sections/failures.html.j2" %}'
    settings = write(tmp_path, sections__failures_dot_html_dot_j2=text)
    page = render.html(replace(BARE, failures=result().failures), settings, DATE, "demo")
    assert "<p>First.</p>" in page
    assert page.index("<p>First.</p>") < page.index('id="t-failures-and-exclusions"')


def test_a_png_logo_is_held_by_the_page(tmp_path: Path) -> None:
    """A PNG logo stands in the page itself, and the policy allows nothing else."""
    page = bare(write(tmp_path, logo_dot_png=PNG))
    assert "data:image/png;base64," in page
    assert "img-src data:" in page
