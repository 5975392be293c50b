"""Results of runs: the overview, learning curves, results by length, capacity and text."""

import json
import math

import inputs
import pytest


# The experiment of the page's data with this title, and its number, from 1, in the ids of figures.
def experiment(page, title):
    experiments = page.data()["experiments"]
    for number, each in enumerate(experiments, 1):
        if each["title"] == title:
            return each, number
    raise AssertionError(f"no experiment is called {title}")


@pytest.fixture
def page(make_page, everything):
    return make_page(*everything).open()


def test_overview_has_all_cells(page):
    results, place = experiment(page, "Two languages")
    rows = page.marks(f"#overview-{place} tr[data-cell]")
    assert [row["cell"] for row in rows] == [cell["name"] for cell in results["cells"]]
    for cell in results["cells"]:
        columns = {mark["column"]: mark.get("value") for mark in page.script(
            "const row = [...document.querySelectorAll(arguments[0])].find("
            "r => r.dataset.cell === arguments[1]);"
            "return [...row.querySelectorAll('td[data-column]')].map(e => ({...e.dataset}))",
            f"#overview-{place} tr[data-cell]", cell["name"])}
        for column in ("best", "mean", "median", "test"):
            assert float(columns[column]) == pytest.approx(cell[column], rel=1e-12), column
    facts = {mark["fact"] for mark in page.marks(f"#overview-{place} [data-fact]")}
    text = page.one(f"#overview-{place}").text
    assert facts and "0123abc" in text and "Some CPU" in text and "2026-01-02" in text
    failures = page.marks(f"#overview-{place} [data-failed-run]")
    assert failures == [{"failedRun": "task=marked-copy,model=lstm/restart-3"}]
    assert "the training diverged" in page.one(f"#overview-{place}").get_attribute("textContent")


def test_overview_sorts_and_filters(page):
    results, place = experiment(page, "Two languages")
    shown = (f"return [...document.querySelectorAll('#overview-{place} tr[data-cell]')]"
             ".filter(r => r.offsetParent !== null).map(r => r.dataset.cell)")
    ascending = [cell["name"] for cell in sorted(results["cells"], key=lambda cell: cell["best"])]
    button = page.one(f"#overview-{place} button[data-sort=best]")
    page.press(button, "ENTER")
    assert page.script(shown) == ascending
    assert page.one(f"#overview-{place} th[data-column=best]").get_attribute("aria-sort") == (
        "ascending")
    page.press(page.one(f"#overview-{place} button[data-sort=best]"), "ENTER")
    assert page.script(shown) == ascending[::-1]
    search = page.one(f"#overview-{place} input[type=search]")
    search.send_keys("count rns")
    assert page.script(shown) == ["task=count-3,model=rns-3-3"]


def test_overview_compares_with_what_was_published(page):
    results, place = experiment(page, "Capacity")
    for cell in results["cells"]:
        verdicts = page.script(
            "const row = [...document.querySelectorAll(arguments[0])].find("
            "r => r.dataset.cell === arguments[1]);"
            "return [...row.querySelectorAll('[class*=verdict]')].map(e => e.textContent)",
            f"#overview-{place} tr[data-cell]", cell["name"])
        assert len(verdicts) == 1
        # A sign and a word, not a colour alone.
        assert ("≠" in verdicts[0]) == cell["comparison"]["differs"], verdicts
    differing = {cell["values"]["model"] for cell in results["cells"]
                 if cell["comparison"]["differs"]}
    assert "sup-10" in differing and "rns-3-3" not in differing


def test_curves_are_those_of_the_runs(page):
    results, place = experiment(page, "Two languages")
    page.figure(f"learning-curves-{place}")
    lines = page.marks(f"#learning-curves-{place} path.line")
    shown = lines[0]["run"].partition(",")[0]  # one language at a time
    assert {line["run"] for line in lines} == {
        run["name"] for cell in results["cells"] for run in cell["restarts"]
        if run["curve"] and run["name"].startswith(shown)}
    best = [line for line in lines if line.get("best") == "true"]
    runs = {run["name"]: run for cell in results["cells"] for run in cell["restarts"]}
    assert len(best) >= 3
    for line in best:
        points = json.loads(line["points"])
        assert points == [[epoch, value]
                          for epoch, value in enumerate(runs[line["run"]]["curve"], 1)]
    best_of_cells = {cell["restarts"][cell["best_run"]]["name"] for cell in results["cells"]}
    assert {line["run"] for line in best} <= best_of_cells


def test_curves_show_the_point_under_the_pointer(page):
    results, place = experiment(page, "Two languages")
    figure = page.figure(f"learning-curves-{place}")
    # The first picture is the legend, for files and paper.
    page.hover(page.script("return arguments[0].ownerSVGElement", page.one("path.line", figure)))
    page.wait("return !document.getElementById('tooltip').hidden")
    mark = page.marks(f"#learning-curves-{place} .highlight circle")[0]
    run = next(run for cell in results["cells"] for run in cell["restarts"]
               if run["name"] == mark["run"])
    epoch = int(mark["x"])
    assert float(mark["value"]) == run["curve"][epoch - 1]
    rate = [rate for first, rate in run["rates"] if first <= epoch][-1]
    text = page.tooltip()
    assert mark["run"].split("/")[-1] in text and f"{epoch}" in text
    assert f"{rate:.3g}"[:4] in text.replace("−", "-"), text


def test_curves_move_with_keys(page):
    _, place = experiment(page, "Two languages")
    figure = page.figure(f"learning-curves-{place}")
    highlight = f"#learning-curves-{place} .highlight circle"
    page.press(figure, "HOME")
    first = page.marks(highlight)[0]
    page.press(figure, "ARROW_RIGHT")
    second = page.marks(highlight)[0]
    assert int(second["x"]) == int(first["x"]) + 1 and second["run"] == first["run"]
    page.press(figure, "ARROW_DOWN")
    assert page.marks(highlight)[0]["run"] != first["run"]


@pytest.mark.parametrize("section", ["learning-curves", "by-length", "capacity"])
def test_legends_switch_models(page, section):
    _, place = experiment(page, "Capacity" if section == "capacity" else "Two languages")
    figure = page.figure(f"{section}-{place}")
    drawn = f"#{section}-{place} path.line"
    before = {line["series"] for line in page.marks(drawn)}
    assert "lstm" in before and len(before) == 3
    button = page.one("button.legend-entry[data-series=lstm]", figure)
    page.press(button, "SPACE")
    assert {line["series"] for line in page.marks(drawn)} == before - {"lstm"}
    assert page.one("button.legend-entry[data-series=lstm]", figure).get_attribute(
        "aria-pressed") == "false"
    page.press(page.one("button.legend-entry[data-series=lstm]", figure), "SPACE")
    assert {line["series"] for line in page.marks(drawn)} == before


@pytest.mark.parametrize("section", ["learning-curves", "by-length", "capacity"])
def test_scales_can_be_logarithmic(page, section):
    _, place = experiment(page, "Capacity" if section == "capacity" else "Two languages")
    figure = page.figure(f"{section}-{place}")
    boxes = [label for label in page.all("label", figure) if "logarithmic" in label.text]
    before = page.one("path.line", figure).get_attribute("d")
    page.script("arguments[0].querySelector('input').click()", boxes[0])
    assert page.one("path.line", figure).get_attribute("d") != before


def test_lengths_have_both_bounds(page):
    results, place = experiment(page, "Two languages")
    figure = page.figure(f"by-length-{place}")
    runs = {run["name"]: run for cell in results["cells"] for run in cell["restarts"]}

    def check(column):
        lines = page.marks(f"#by-length-{place} path.line")
        assert len(lines) >= 3
        for line in lines:
            table = runs[line["run"]]["by_length"]
            assert json.loads(line["points"]) == [list(pair) for pair in
                                                  zip(table["lengths"], table[column])]

    check("difference_length")
    selects = [select for select in page.all("select", figure)
               if "bound" in page.script("return arguments[0].parentNode.textContent",
                                         select).lower()]
    options = page.script("return [...arguments[0].options].map(o => o.value)", selects[0])
    for value in options:
        page.script("arguments[0].value = arguments[1];"
                    "arguments[0].dispatchEvent(new Event('change'))", selects[0], value)
        if "set" in value:
            check("difference_set")
            break
    else:
        raise AssertionError(options)
    # Two bounds differ by what it costs to predict the length.
    table = runs[next(iter(runs))]["by_length"]
    for n, length in enumerate(table["lengths"]):
        gap = table["difference_length"][n] - table["difference_set"][n]
        assert gap == pytest.approx(math.log(len(table["lengths"])) / (length + 1), abs=2e-4)
    shade = page.marks(f"#by-length-{place} .shade")[0]
    assert (shade["from"], shade["to"]) == ("40", "80")


def test_capacity_has_our_means_and_the_published_ones(page):
    results, place = experiment(page, "Capacity")
    page.figure(f"capacity-{place}")
    marks = page.marks(f"#capacity-{place} .mark")
    ours = sorted(float(mark["value"]) for mark in marks if mark["of"] == "ours")
    assert ours == pytest.approx(sorted(cell["mean"] for cell in results["cells"]), rel=1e-12)
    paper = sorted(float(mark["value"]) for mark in marks if mark["of"] == "paper")
    assert paper == pytest.approx(sorted(cell["mean"] for cell in results["published"]["cells"]),
                                  rel=1e-12)
    signs = page.all(f"#capacity-{place} .sign")
    assert len(signs) == sum(cell["comparison"]["differs"] for cell in results["cells"]) > 0


def test_capacity_can_be_without_what_was_published(page):
    _, place = experiment(page, "Capacity")
    figure = page.figure(f"capacity-{place}")
    box = next(label for label in page.all("label", figure) if "published" in label.text)
    page.script("arguments[0].querySelector('input').click()", box)
    assert {mark["of"] for mark in page.marks(f"#capacity-{place} .mark")} == {"ours"}


def test_text_has_perplexities(page):
    results, place = experiment(page, "Some text")
    page.figure(f"text-{place}")
    bars = page.marks(f"#text-{place} .text-bar[data-series]")
    values = {(bar["series"], bar["set"], bar["of"]): float(bar["value"]) for bar in bars}
    for cell in results["cells"]:
        model = cell["values"]["model"]
        ours = {"validation": cell["best"], "test": cell["test"]}
        paper = {"validation": cell["comparison"]["best"], "test": cell["comparison"]["test"]}
        for of, numbers in (("ours", ours), ("paper", paper)):
            for split, value in numbers.items():
                assert values[model, split, of] == pytest.approx(value, rel=1e-12)


def test_runs_by_themselves_have_their_test_set(page):
    _, place = experiment(page, "")
    lines = page.marks(f"#by-length-{place} path.line")
    if not lines:
        page.figure(f"by-length-{place}")
        lines = page.marks(f"#by-length-{place} path.line")
    assert [line["series"] for line in lines] == ["rns-2-3"]


def unfinished(results, state="running"):
    for cell in results["cells"]:
        cell["runs"] = [{"state": state, "epochs": 2, "curve": run.get("curve", [])[:2]}
                        for run in cell["runs"]]
    return results


# Before the first run has finished, no figure says that its lines have been switched off.
def test_runs_that_have_not_finished(make_page, tmp_path):
    capacity, published = inputs.capacity_export()
    results = inputs.save_json(tmp_path / "capacity.json", unfinished(capacity))
    page = make_page(results).open()
    page.draw_all()
    assert page.problems() == [] and page.all("#capacity") == []
    assert "has finished" in page.one("#learning-curves-1 h3").text
    figure = page.figure("learning-curves-1")
    assert len(page.all("path.line", figure)) == 9
    box = next(label for label in page.all("label", figure) if "restarts" in label.text)
    page.script("arguments[0].querySelector('input').click()", box)
    assert "has finished" in page.one(".figure-body", figure).text

    against = inputs.save_json(tmp_path / "published.json", published)
    page = make_page(results, "--against", against).open()
    figure = page.figure("capacity-1")
    assert {mark["of"] for mark in page.marks("#capacity-1 .mark")} == {"paper"}
    box = next(label for label in page.all("label", figure) if "published" in label.text)
    page.script("arguments[0].querySelector('input').click()", box)
    assert page.one(".figure-body", figure).text == "No run has finished yet."


@pytest.mark.parametrize("state", ["running", "failed"])
def test_text_says_what_has_become_of_models(make_page, tmp_path, state):
    results, published = inputs.text_export()
    published["cells"].append({"model": "another", "validation": 99.5})
    unfinished({"cells": results["cells"][:1]}, state)
    page = make_page(inputs.save_json(tmp_path / "text.json", results), "--against",
                     inputs.save_json(tmp_path / "published.json", published)).open()
    texts = page.script("return [...arguments[0].querySelectorAll('svg:first-of-type "
                        ".text-value.paper')].map(e => e.textContent)", page.figure("text-1"))
    assert [text for text in texts if not text[0].isdigit()].count(state) >= 1
    assert "not trained" in texts


# Cells that tell their settings apart in different ways, and what they were trained on.
def test_cells_without_a_model(make_page, tmp_path):
    results = inputs.languages_export()
    del results["cells"][0]["keys"]["model"]
    results["cells"][1]["keys"]["model"] = ""
    results["cells"][2]["training_lengths"] = [10, 20]
    page = make_page(inputs.save_json(tmp_path / "languages.json", results)).open()
    page.draw_all()
    assert page.problems() == [] and page.all(".problem") == []
    series = {line["series"] for line in page.marks("#by-length-1 path.line")}
    assert series == {"lstm", "sup-10", "rns-3-3", "no model"}
    # Of the two panels, one has lines that were trained on the same lengths.
    assert len(page.all("#by-length-1 .shade")) == 1
    assert "differ" in page.one("#by-length-1 figcaption").text
