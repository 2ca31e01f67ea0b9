"""The page in a browser: with scripts it answers, without them it stands, and it never speaks to anybody.

``FRTAUDIT_AXE=axe.min.js`` (the file of the npm package axe-core) adds its rules, in both themes and at phone width.
"""

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_sweep
from browser import Tab, tab
from report_fixture import DATE, SETTINGS, result

from frtaudit.core.canonical import plain
from frtaudit.report import render, sweep

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LOOKS = [(1280, False), (1280, True), (390, False), (390, True)]
PHONE = 390


@pytest.fixture(scope="module")
def report_tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """The synthetic report, open in chromium."""
    folder = tmp_path_factory.mktemp("browser")
    (folder / "report.html").write_text(render.html(result(), SETTINGS, DATE, "unsigned"), "utf-8")
    with tab(folder / "profile") as page:
        page.resize(1280, 900)
        page.open(folder / "report.html")
        yield page
        assert page.console == []
        assert all(url.startswith("file:") and url.endswith("/report.html") for url in page.requests)


def test_long_words_leave_every_column_of_a_sweep_in_sight(tmp_path: Path) -> None:
    """A setting and an error with a name of 80 characters are broken: no row of a job is mostly blank."""
    text = json.dumps(plain(small_sweep.sweep().to_json()))
    found = json.loads(text.replace("bootstrap.alpha", "analyses.vendor_comparison.margins.fnmr_at_fmr"))
    name = "a" * 80
    found["jobs"][3] |= {
        "state": "failed",
        "counts": None,
        "error": f"providers: the cohort offers no '{name}'",
    }
    found["jobs"][3]["settings"]["providers"] = f"[{name}]"
    (tmp_path / "sweep.html").write_text(sweep.page(found, SETTINGS, DATE, "unsigned"), "utf-8")
    with tab(tmp_path / "profile") as page:
        page.resize(1280, 900)
        page.open(tmp_path / "sweep.html")
        scrolled, highest = page.run("""(() => { const place = document.querySelector("#t-jobs .scroll");
            const rows = [...place.querySelectorAll("tbody tr")].map(row => row.getBoundingClientRect().height);
            return [place.scrollWidth - place.clientWidth, Math.max(...rows.slice(0, 3))]; })()""")
    assert scrolled <= 0
    assert highest < 60


def test_the_slider_reads_rates_and_counts(report_tab: Tab) -> None:
    """At each end of the slider, and between, the rates are the counts' quotients and FNMR rises with the threshold."""
    read = """(place => {
        const slider = document.getElementById("at-threshold");
        slider.value = place * slider.max;
        slider.dispatchEvent(new Event("input"));
        const cells = [...document.querySelector("#at-threshold-rates tbody tr").cells].map(cell => cell.textContent);
        return [document.getElementById("at-value").textContent, ...cells];
    })"""
    rows = [report_tab.run(f"{read}({place})") for place in (0, 0.5, 1)]
    assert len({row[0] for row in rows}) == 3
    for row in rows:
        for rate, counts in ((row[3], row[4]), (row[5], row[6])):
            if counts != "–":
                errors, trials = (int(part.replace(",", "")) for part in counts.split(" / "))
                shown = re.fullmatch(r"([\d.]+) %", rate)
                if shown:
                    assert float(shown[1]) / 100 == pytest.approx(errors / trials, rel=0.0051)
    rates = [float(row[5].removesuffix(" %")) if row[5].endswith("%") else 0.0 for row in rows]
    assert rates == sorted(rates)
    assert rates[0] < rates[-1]


def test_numbers_are_printed_as_the_report_prints_them(report_tab: Tab) -> None:
    """Zero only for zero, powers of ten below 0.01 %, no rate rounded to 100 %: read off the slider of thresholds."""
    script = report_tab.run("document.scripts[document.scripts.length - 1].textContent")
    start, end = script.index("const trim"), script.index("const count")
    shown = report_tab.run(
        f"(() => {{{script[start:end]}; return [0, 4e-5, 2e-4, 0.0213, 0.961, 0.99996, 1].map(rate)}})()"
    )
    assert shown[:5] == ["0 %", "4.00 × 10⁻⁵", "0.0200 %", "2.13 %", "96.1 %"]
    assert shown[5].startswith("99.99")
    assert shown[6] == "100 %"


def test_toggles_hide_and_show_a_system(report_tab: Tab) -> None:
    """Unticking a system hides its rows, its findings and its lines; ticking brings them back."""
    count = """(() => [
        [...document.querySelectorAll("main tbody tr")].filter(row => !row.hidden).length,
        [...document.querySelectorAll("article.finding")].filter(part => !part.hidden).length,
        document.querySelectorAll("svg .s.off").length])()"""
    tick = 'document.querySelector("fieldset[data-kind=system] input").click()'
    before = report_tab.run(count)
    report_tab.run(tick)
    without = report_tab.run(count)
    report_tab.run(tick)
    assert without[0] < before[0]
    assert without[1] < before[1]
    assert without[2] > before[2] == 0
    assert report_tab.run(count) == before


def test_a_legend_switches_its_line(report_tab: Tab) -> None:
    """A legend's entry is a button that says whether its line is shown."""
    press = """(() => { const key = document.querySelector("#f-curves .keys button"); key.click();
        return [key.getAttribute("aria-pressed"), document.querySelectorAll("#f-curves .s.off").length]; })()"""
    first, second = report_tab.run(press), report_tab.run(press)
    assert first[0] == "false"
    assert first[1] > 0
    assert second == ["true", 0]


def test_a_table_is_copied_as_csv(report_tab: Tab) -> None:
    """The button gives the table's rows and cells, quoted where needed."""
    text = report_tab.run("""(async () => { const button = document.querySelector("#t-headline .copy"); button.click();
        await new Promise(done => setTimeout(done, 200)); return button.dataset.csv; })()""")
    lines = text.split("\r\n")
    assert lines[0].startswith("System,FNMR at FMR 1 % (one in 100)")
    assert len(lines) == 3
    assert '"' in lines[1]


def test_hovering_reads_a_curve(report_tab: Tab) -> None:
    """The pointer on a curve names its system and its rates; off the drawing the note goes."""
    seen = report_tab.run("""(() => { const svg = document.querySelector("#f-curves svg[data-frame]");
        svg.scrollIntoView(); const box = svg.getBoundingClientRect(); const tip = document.querySelector(".tip");
        const found = [];
        for (let x = 0.1; x < 1; x += 0.05) for (let y = 0.1; y < 0.9; y += 0.1) {
            const place = {clientX: box.left + x * box.width, clientY: box.top + y * box.height};
            svg.dispatchEvent(new PointerEvent("pointermove", place));
            if (!tip.hidden) found.push(tip.textContent);
        }
        svg.dispatchEvent(new PointerEvent("pointerleave"));
        return [[...new Set(found)], tip.hidden]; })()""")
    assert seen[1]
    assert any(re.match(r"(northgate|quill_2): FMR [\d.]+ %, FNMR [\d.]+ %", text) for text in seen[0])


def test_what_the_pointer_shows_can_be_closed_and_read(report_tab: Tab) -> None:
    """A real pointer may move onto the values of a curve; Escape closes them until it has left the drawing."""

    def move(x: float, y: float) -> bool:
        report_tab.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return bool(report_tab.run("!document.querySelector('.tip').hidden"))

    left, top, width, height = (
        report_tab.run("""(() => { const svg = document.querySelector("#f-curves svg[data-frame]");
        svg.scrollIntoView({block: "center", behavior: "instant"}); const box = svg.getBoundingClientRect();
        return [box.left, box.top, box.width, box.height]; })()""")
    )
    places = [(left + width * x / 20, top + height * y / 20) for x in range(2, 14) for y in range(2, 18)]
    here = next(place for place in places if move(*place))
    text = "document.querySelector('.tip').textContent"
    shown = report_tab.run(text)
    tip = """(box => [box.left + box.width / 2, box.top + box.height / 2])
        (document.querySelector('.tip').getBoundingClientRect())"""
    assert move(*report_tab.run(tip))
    assert report_tab.run(text) == shown
    assert not move(left + width / 2, top - 40)
    assert move(*here)
    report_tab.press("Escape")
    assert not move(here[0] + 1, here[1])
    assert not move(left + width / 2, top - 40)
    assert move(*here)
    assert not move(left + width / 2, top - 40)


def test_a_reader_chooses_the_colours(report_tab: Tab) -> None:
    """Light and dark by the reader's choice, whatever the machine asks for; by itself the page follows the machine."""
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    found = {}
    for dark in (False, True):
        report_tab.resize(1280, 900, dark=dark)
        for name in ("light", "dark", "auto"):
            report_tab.run(f'document.getElementById("theme-{name}").click()')
            found[dark, name] = report_tab.run(paper)
    assert found[False, "light"] == found[True, "light"] == found[False, "auto"]
    assert found[False, "dark"] == found[True, "dark"] == found[True, "auto"]
    assert found[False, "light"] != found[False, "dark"]


def test_nothing_is_wider_than_a_phone(report_tab: Tab) -> None:
    """At 390 pixels the page does not scroll sideways; wide tables scroll in themselves."""
    report_tab.resize(PHONE, 800)
    assert report_tab.run("document.documentElement.scrollWidth") <= PHONE


def test_a_phone_leads_from_the_question_to_the_facts(report_tab: Tab) -> None:
    """At 390 px a link below the question goes to the facts, after the answer; at 1280 px it is hidden."""
    shown = """(link => [link.offsetHeight > 0, document.querySelector(link.getAttribute("href")).className])
        (document.querySelector(".to-facts a"))"""
    report_tab.resize(PHONE, 900)
    assert report_tab.run(shown) == [True, "declared"]
    report_tab.resize(1280, 900)
    assert report_tab.run(shown) == [False, "declared"]


def test_a_phone_shows_the_answer_before_the_facts(report_tab: Tab) -> None:
    """At 390 px the answer begins within 600 px of the top and the declared facts come after it; at 1280 px before."""
    tops = """["#answer", ".declared"].map(place =>
        document.querySelector(place).getBoundingClientRect().top + window.scrollY)"""
    report_tab.resize(PHONE, 844)
    answer, facts = report_tab.run(tops)
    report_tab.resize(1280, 900)
    wide_answer, wide_facts = report_tab.run(tops)
    assert answer < min(facts, 600)
    assert wide_facts < wide_answer


def test_without_scripts_the_page_stands(report_tab: Tab, tmp_path: Path) -> None:
    """With scripts off the text is there and no control that would do nothing."""
    (tmp_path / "report.html").write_text(render.html(result(), SETTINGS, DATE, "unsigned"), "utf-8")
    with tab(tmp_path / "profile") as page:
        page.send("Emulation.setScriptExecutionDisabled", value=True)
        page.resize(1280, 900)
        page.send("Page.navigate", url=(tmp_path / "report.html").as_uri())
        time.sleep(2)  # no promise comes true in a page without scripts
        assert page.run("document.body.innerText.includes('What this report cannot show')")
        assert page.run("document.getElementById('explore').hidden")
        assert page.run("document.querySelectorAll('button').length") == 0


def test_axe_finds_nothing_serious(report_tab: Tab) -> None:
    """axe-core's rules hold, in both themes and at phone width: nothing serious, nothing critical."""
    axe = os.environ.get("FRTAUDIT_AXE")
    if not axe:
        pytest.skip("FRTAUDIT_AXE names no axe.min.js (npm pack axe-core)")
    report_tab.run(Path(axe).read_text("utf-8") + "; 0")
    for width, dark in LOOKS:
        report_tab.resize(width, 900, dark=dark)
        found = report_tab.run(
            "axe.run(document, {resultTypes: ['violations']}).then(all => all.violations.map("
            "item => [item.id, item.impact, item.nodes.length, String(item.nodes[0].target)]))"
        )
        assert [item for item in found if item[1] in ("serious", "critical")] == [], (width, dark)
