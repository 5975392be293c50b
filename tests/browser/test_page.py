"""The page as a whole: what holds of every figure, of every size of the window, and of every name."""

import csv
import io
import json
import re
import xml.etree.ElementTree

import pytest

import inputs

SIZES = [(1200, 900), (800, 900), (400, 800)]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width, height", SIZES)
def test_draws_everything_without_help_from_anywhere(make_page, everything, width, height, theme):
    page = make_page(*everything).open(width, height, theme)
    figures = page.draw_all()
    assert len(figures) == len(set(figures)) >= 15
    assert [p.text for p in page.all(".problem")] == []
    assert page.problems() == []
    assert page.requests() == []
    assert not page.scrolls_sideways()


def test_has_a_section_for_each_kind_of_input(make_page, everything):
    page = make_page(*everything).open()
    sections = page.script("return [...document.querySelectorAll('main > section')].map(s => s.id)")
    assert sections == ["overview", "learning-curves", "by-length", "capacity", "text", "inside",
                        "pca", "automata"]
    links = page.script(
        "return [...document.querySelectorAll('#contents a')].map(a => a.getAttribute('href'))")
    assert links == [f"#{section}" for section in sections]


def test_has_only_sections_that_it_has_data_for(make_page, files):
    page = make_page(files / "lstm-inside.json").open()
    sections = page.script("return [...document.querySelectorAll('main > section')].map(s => s.id)")
    assert sections == ["inside"]


def test_every_figure_has_title_caption_and_picture(make_page, everything):
    page = make_page(*everything).open()
    for name in page.draw_all():
        figure = page.figure(name)
        assert len(page.one("h3", figure).text) > 15, name
        assert len(page.one("figcaption", figure).text) > 40, name
        for picture in page.all("svg.chart", figure):
            assert picture.get_attribute("aria-label"), name


# The files that figures can be saved as have what is drawn.
def test_downloads_can_be_read(make_page, everything):
    page = make_page(*everything).open()
    for name in page.draw_all():
        figure = page.open().figure(name)
        pictures = page.all("svg.chart", figure)
        if pictures:
            file, text = page.download(figure, "svg")
            assert file == f"{name}.svg"
            root = xml.etree.ElementTree.fromstring(text)
            assert root.tag.endswith("svg") and "var(--" not in text and "light-dark" not in text
            assert len(list(root.iter())) > 10, name
        file, text = page.download(figure, "csv")
        assert file == f"{name}.csv"
        rows = list(csv.reader(io.StringIO(text)))
        assert len(rows) > 1 and all(len(row) == len(rows[0]) for row in rows), name
        file, text = page.download(figure, "pgfplots")
        assert file == f"{name}.tex"
        begun = re.findall(r"\\begin\{(\w+)\}", text)
        ended = re.findall(r"\\end\{(\w+)\}", text)
        assert sorted(begun) == sorted(ended) and "tikzpicture" in begun, name
        plain = re.sub(r"\\[\\{}]", "", text)
        assert plain.count("{") == plain.count("}"), name
        assert "undefined" not in text and "NaN" not in text, name


def test_numbers_of_a_figure_are_those_of_its_file(make_page, everything):
    page = make_page(*everything).open()
    for name in page.draw_all():
        figure = page.open().figure(name)
        rows = list(csv.reader(io.StringIO(page.download(figure, "csv")[1])))
        page.script("arguments[0].querySelector('details').open = true", figure)
        page.wait("return arguments[0].querySelector('details table') !== null", figure)
        head = page.script("return [...arguments[0].querySelectorAll('details th')]"
                           ".map(e => e.textContent)", figure)
        first = page.script("return [...arguments[0].querySelectorAll('details tbody tr:first-child"
                            " td')].map(e => e.textContent)", figure)
        assert head == rows[0] and first == rows[1], name


def test_themes(make_page, everything):
    page = make_page(*everything)
    background = "return getComputedStyle(document.body).backgroundColor"
    light = page.open(theme="light").script(background)
    dark = page.open(theme="dark").script(background)
    assert light == "rgb(255, 255, 255)" and dark != light
    button = page.one("#theme")
    seen = set()
    for _ in range(3):
        button.click()
        seen.add((page.script("return document.documentElement.dataset.theme || 'auto'"),
                  page.script(background)))
    assert seen == {("light", light), ("dark", dark), ("auto", dark)}


# On paper, all figures are there and nothing that can only be clicked.
def test_prints(make_page, everything):
    page = make_page(*everything).open(theme="dark", media="print")
    page.draw_all()
    assert page.script("return getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)")
    for hidden in (".controls", ".downloads", "#theme", "#contents"):
        assert page.script("return [...document.querySelectorAll(arguments[0])]"
                           ".every(e => e.offsetParent === null)", hidden), hidden
    document = page.driver.execute_cdp_cmd("Page.printToPDF", {})
    assert len(document["data"]) > 10000


# Everything that can be clicked can be reached with the Tab key, and has a name.
def test_controls_can_be_reached_by_keyboard(make_page, everything):
    page = make_page(*everything).open()
    page.draw_all()
    controls = page.all("button, select, input, summary, a[href]")
    assert len(controls) > 40
    for control in controls:
        if not control.is_displayed() or control.get_attribute("class") == "skip":
            continue
        assert page.script("return arguments[0].tabIndex", control) >= 0
        assert control.accessible_name, control.get_attribute("outerHTML")[:200]
    assert page.script("return [...document.querySelectorAll('svg [tabindex], svg a')].length"
                       " <= 200")


# What can have the focus without being a control is named too; the names follow the titles.
def test_what_has_the_focus_has_a_name(make_page, everything):
    page = make_page(*everything).open()
    page.draw_all()
    page.script("for (const d of document.querySelectorAll('details')) d.open = true")
    page.wait("return document.querySelectorAll('.numbers').length > 5")
    places = page.all("[tabindex='0']")
    assert len(places) > 10
    for place in places:
        assert place.accessible_name and place.aria_role not in ("", "generic", "none"), (
            place.get_attribute("outerHTML")[:200])
    figure = page.figure("learning-curves-1")
    before = page.one("h3", figure).text
    page.script("const s = arguments[0].querySelector('select'); s.selectedIndex += 1;"
                "s.dispatchEvent(new Event('change'))", figure)
    title = page.one("h3", figure).text
    assert title != before
    assert figure.accessible_name == title
    assert page.one(".downloads", figure).accessible_name == f"Download {title}"


# The figures of a string are not drawn again when those of another have taken their place.
def test_removed_figures_are_left_alone(make_page, everything):
    page = make_page(*everything).open()
    page.draw_all()
    page.script("window.old = [...document.querySelectorAll('#inside figure .figure-body')];"
                "window.drawn = window.old.map(body => body.firstChild);"
                "const s = document.querySelector('#inside select'); s.selectedIndex = 1;"
                "s.dispatchEvent(new Event('change'))")
    page.draw_all()
    # Observers of sizes are told before the next frame is shown.
    page.driver.execute_async_script(
        "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))")
    assert page.script("return window.old.length > 2 && window.old.every((body, n) => "
                       "!body.isConnected && body.firstChild === window.drawn[n])")


HOSTILE = ["</script><script>document.title = 'taken'</script>",
           "<img src=x onerror=\"document.title = 'taken'\">", "\u2028\u2029", "PUSHDOWN-DATA",
           "'\"`${document.title = 'taken'}", "<!--", "]]>", "\\u003c", "a" * 3000]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_only_names(make_page, files, tmp_path, name):
    results = inputs.languages_export(restarts=2, epochs=5)
    text = json.dumps(results)
    escaped = json.dumps(name)[1:-1]
    text = text.replace("rns-3-3", escaped).replace("count-3", escaped)
    text = text.replace("Two languages", escaped).replace("Some CPU", escaped)
    text = text.replace("the training diverged", escaped)
    export = tmp_path / "export.json"
    export.write_text(text)
    inspection = tmp_path / "inspection.json"
    value = json.loads((files / "rns-2-3-inside.json").read_text())
    value["model"] = name
    value["inputs"] = [name for _ in value["inputs"]]
    for prediction in value["predictions"]:
        prediction["symbol"] = name
    value["automaton"]["states"] = [f"{name}{n}" for n, _ in enumerate(value["automaton"]["states"])]
    value["automaton"]["symbols"] = [f"{name}{n}"
                                     for n, _ in enumerate(value["automaton"]["symbols"])]
    inspection.write_text(json.dumps(value))
    points = json.loads((files / "pca.json").read_text())
    for point in points["points"]:
        if point["symbol"] == "0":
            point["symbol"] = name
    analysis = tmp_path / "pca.json"
    analysis.write_text(json.dumps(points))
    automaton = tmp_path / "automaton.pda"
    quoted = re.sub(r"[\s\"'\\]", "", name)[:900] or "q"
    automaton.write_text(f'bottom: "{quoted}"\naccept: "{quoted}"\n'
                         f'"{quoted}" "{quoted}" "{quoted}" -> "{quoted}" "{quoted}" "{quoted}"\n')
    page = make_page(export, inspection, analysis, automaton, "--title", name).open()
    page.draw_all()
    assert [p.text for p in page.all(".problem")] == []
    assert page.problems() == []
    assert page.requests() == []
    assert not page.scrolls_sideways()
    # Long titles are cut, and control characters replaced.
    if name.isprintable():
        assert page.driver.title.startswith(name[:100])
    assert page.all("img") == []
    # The program's one script, the data and the licence: nothing has become a script.
    assert len(page.all("script")) == 3
    assert page.data()["experiments"][0]["title"] == name


def test_policy_forbids_everything_but_the_page(make_page, everything):
    page = make_page(*everything).open()
    policy = page.script("return document.querySelector("
                         "'meta[http-equiv=Content-Security-Policy]').content")
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    page.script("const s = document.createElement('script'); s.textContent = 'window.taken = 1';"
                "document.body.append(s);"
                "fetch('http://localhost:9/').catch(() => { window.refused = true; })")
    page.wait("return window.refused")
    assert page.script("return window.taken === undefined")


# The whole of the paper's capacity figures: three languages, seven models, six sizes, ten restarts.
def test_opens_a_thousand_runs(make_page, tmp_path):
    models = ("lstm", "sup-3", "sup-h", "rns-1-3", "rns-2-3", "vrns-1-1-3", "vrns-2-3-3")
    results, published = inputs.capacity_export((2, 40, 80, 120, 160, 200), 10, 200, models,
                                                ("dyck", "marked-reversal", "unmarked-reversal"))
    export = inputs.save_json(tmp_path / "capacity.json", results)
    against = inputs.save_json(tmp_path / "published.json", published)
    page = make_page(export, "--against", against).open()
    page.draw_all()
    assert page.problems() == []
    assert sum(len(cell["restarts"]) for cell in page.data()["experiments"][0]["cells"]) == 1260
    # The numbers are all there, whatever is drawn of them.
    assert all(len(run["curve"]) == 200 for cell in page.data()["experiments"][0]["cells"]
               for run in cell["restarts"])
    assert page.script("return document.querySelectorAll('*').length") < 60000


def test_is_small_with_a_hundred_runs(make_page, tmp_path):
    results, _ = inputs.capacity_export((2, 40), 9, 200)
    assert sum(len(cell["runs"]) for cell in results["cells"]) >= 100
    page = make_page(inputs.save_json(tmp_path / "capacity.json", results))
    assert page.path.stat().st_size < 1.5e6
