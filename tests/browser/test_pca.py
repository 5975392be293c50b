"""Components: a scatter plot in which points can be selected."""

import collections

import pytest

POINTS = "#pca-1 .pca-marks path, #pca-1 .pca-letters text"


@pytest.fixture
def page(make_page, files):
    page = make_page(files / "pca.json").open()
    page.figure("pca-1")
    return page


def test_points_are_drawn(page):
    points = page.data()["pca"][0]["points"]
    drawn = page.marks(POINTS)
    assert sorted((mark["symbol"], float(mark["x"]), float(mark["y"])) for mark in drawn) == sorted(
        (point["symbol"], point["projected"][0], point["projected"][1]) for point in points)
    names = {mark["symbol"] for mark in page.marks("#pca-1 .pca-names g[data-symbol]")}
    assert names == {point["symbol"] for point in points}


def test_a_rectangle_selects_points(page):
    drawn = page.marks(POINTS)
    svg = page.one("#pca-1 svg.chart")
    page.script("arguments[0].scrollIntoView({block: 'center'})", svg)
    left, top, width, height = page.script(
        "const b = arguments[0].getBoundingClientRect(); return [b.left, b.top, b.width, b.height]",
        svg)
    # From inside the plot to its lower right corner.
    begin = left + 0.35 * width, top + 0.08 * height
    end = left + 0.97 * width, top + 0.85 * height
    inside = page.script(
        "const [x0, y0, x1, y1] = arguments[1];"
        "return [...document.querySelectorAll(arguments[0])].filter(e => {"
        " const b = e.getBoundingClientRect();"
        " const x = b.left + b.width / 2, y = b.top + b.height / 2;"
        " return x0 < x && x < x1 && y0 < y && y < y1; }).map(e => e.dataset.symbol)",
        POINTS, [*begin, *end])
    page.pointer(*begin)
    page.pointer(*begin, "mousePressed", 1)
    page.pointer(left + 0.6 * width, top + 0.5 * height, "mouseMoved", 1)
    page.pointer(*end, "mouseMoved", 1)
    page.pointer(*end, "mouseReleased", 1)
    selected = page.wait("return document.querySelector('#pca-1 .pca-selection [data-selected]')")
    count = int(selected.get_attribute("data-selected"))
    assert 0 < count <= len(drawn) and abs(count - len(inside)) <= 0.02 * len(drawn)
    rows = page.marks("#pca-1 .pca-selection tr[data-symbol]")
    assert sum(int(row["count"]) for row in rows) == count


def test_a_symbol_can_be_chosen_without_a_pointer(page):
    counts = collections.Counter(point["symbol"] for point in page.data()["pca"][0]["points"])
    symbol = next(iter(counts))
    select = next(each for each in page.all("#pca-1 select")
                  if f"={symbol}" in page.script(
                      "return [...arguments[0].options].map(o => o.value)", each))
    page.script("arguments[0].value = arguments[1];"
                "arguments[0].dispatchEvent(new Event('change'))", select, f"={symbol}")
    selected = page.one("#pca-1 .pca-selection [data-selected]")
    assert int(selected.get_attribute("data-selected")) == counts[symbol]


def test_other_components_can_be_chosen(page):
    points = page.data()["pca"][0]["points"]
    select = next(each for each in page.all("#pca-1 select")
                  if "component" in page.script("return arguments[0].parentNode.textContent",
                                                each).lower()
                  or "axis" in page.script("return arguments[0].parentNode.textContent",
                                           each).lower())
    options = page.script("return [...arguments[0].options].map(o => o.value)", select)
    page.script("arguments[0].value = arguments[1];"
                "arguments[0].dispatchEvent(new Event('change'))", select, options[-1])
    drawn = sorted((float(mark["x"]), float(mark["y"])) for mark in page.marks(POINTS))
    projected = [point["projected"] for point in points]
    assert drawn in (sorted((one[2], one[1]) for one in projected),
                     sorted((one[0], one[2]) for one in projected))
