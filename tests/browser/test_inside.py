"""One string inside a model: five views of the same time steps."""

import pytest

VIEWS = ["inside-readings", "inside-runs", "inside-flow", "inside-tops", "inside-loss"]


@pytest.fixture
def page(make_page, files):
    page = make_page(files / "rns-2-3-inside.json").open()
    page.draw_all()
    return page


@pytest.fixture
def inspection(page):
    return page.data()["inspections"][0]


def test_has_five_views(page):
    figures = page.script(
        "return [...document.querySelectorAll('#inside figure')].map(f => f.id)")
    assert figures == VIEWS


def test_readings_are_drawn(page, inspection):
    cells = page.marks("#inside-readings .heat rect[data-value]")
    readings = inspection["readings"]
    assert len(cells) == len(readings) * len(readings[0])
    for cell in cells:
        assert float(cell["value"]) == readings[int(cell["step"])][int(cell["row"])]


def test_runs_are_drawn_as_their_stacks(page, inspection):
    runs = inspection["automaton"]["runs"]
    assert len(page.all("#inside-runs .run-choice")) == len(runs) == 4
    for number, run in enumerate(runs):
        # The stack after each step, from the run's transitions.
        stack, stacks = [0], [[0]]
        for operation, _, *symbol in run["transitions"]:
            if operation == "pop":
                stack = stack[:-1]
            else:
                stack = (stack if operation == "push" else stack[:-1]) + symbol
            stacks.append(stack)
        assert stack == run["stack"]
        page.script("arguments[0].click()",
                    page.all("#inside-runs .run-choice")[number])
        group = page.marks("#inside-runs g[data-run]")[0]
        assert float(group["probability"]) == run["probability"]
        blocks = page.marks("#inside-runs .stack-block[data-from]")
        for step, expected in enumerate(stacks):
            drawn = {int(block["depth"]): block["symbol"] for block in blocks
                     if int(block["from"]) <= step <= int(block["to"])}
            names = inspection["automaton"]["symbols"]
            assert [drawn[depth] for depth in sorted(drawn)] == [
                names[symbol] for symbol in expected]


def test_flow_has_the_transitions(page, inspection):
    links = page.marks("#inside-flow .flow-links [data-step]")
    drawn = {}
    for link in links:
        key = int(link["step"]), link["operation"]
        drawn[key] = drawn.get(key, 0) + float(link["probability"])
    expected = {}
    for step, transitions in enumerate(inspection["automaton"]["transitions"], 1):
        for transition in transitions:
            key = step, transition["transition"][0]
            expected[key] = expected.get(key, 0) + transition["probability"]
    for key, probability in expected.items():
        # A pop that is drawn in two halves counts twice.
        assert key in drawn
        if key[1] != "pop":
            assert drawn[key] == pytest.approx(probability, abs=1e-6), key


def test_bars_of_the_flow_have_all_transitions(page, inspection):
    automaton = inspection["automaton"]
    names = [f"{state} {symbol}" for state in automaton["states"]
             for symbol in automaton["symbols"]]
    bars = page.marks("#inside-flow .flow-nodes rect")
    assert bars
    for bar in bars:
        exact = automaton["tops_given_all"][int(bar["step"])]
        assert float(bar["probability"]) == exact[names.index(bar["pair"])]
    title = page.one("#inside-flow h3").text
    for verb in ["push", "replace", "pop"]:
        total = sum(step[verb] for step in automaton["operations"])
        assert f"{total:.1f}" in title, (verb, title)


def test_tops_have_the_times_of_pushes(page, inspection):
    cells = page.marks("#inside-tops .heat rect[data-value]")
    pushed_in = inspection["automaton"]["pushed_in"]
    assert len(cells) >= len(pushed_in)
    for cell in cells:
        assert float(cell["value"]) == pushed_in[int(cell["step"])][int(cell["pushed"])]


def test_losses_are_beside_the_optimum(page, inspection):
    bars = page.marks("#inside-loss rect.loss-model[data-step]")
    predictions = inspection["predictions"]
    assert [bar["symbol"] for bar in bars] == [each["symbol"] for each in predictions]
    assert [float(bar["value"]) for bar in bars] == [-each["log_p"] for each in predictions]
    optima = page.marks("#inside-loss circle.loss-optimum[data-step]")
    assert [float(mark["value"]) for mark in optima] == pytest.approx(
        [-each["optimum_log_p"] for each in predictions])


def test_titles_say_which_runs_count(page):
    titles = [page.one(f"#{view} h3").text for view in VIEWS]
    assert [title.split(":")[0] for title in titles[:4]] == [
        "So far", "Given the whole string", "Given the whole string", "So far"]
    assert "can differ" in page.one("#inside .inside-which").text


# The step that is highlighted in each view; None where none is.
def highlighted(page):
    return page.script(
        "return arguments[0].map(id => {"
        " const band = document.querySelector(`#${id} .time-band`);"
        " return getComputedStyle(band).visibility === 'visible' ? Number(band.dataset.step)"
        "   : null; })", VIEWS)


@pytest.mark.parametrize("view", VIEWS)
def test_pointer_highlights_a_step_in_all_views(page, view):
    page.script("document.getElementById(arguments[0]).scrollIntoView({block: 'center'})", view)
    symbol = page.one(f"#{view} .time-symbol[data-step='4']")
    x = page.script("const b = arguments[0].getBoundingClientRect(); return b.left + b.width / 2",
                    symbol)
    box = page.script("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                      "return [b.top, b.height]", f"#{view} svg.chart")
    page.pointer(x, box[0] + box[1] / 2)
    page.wait("return document.querySelector('.inside-readout').dataset.step === '4'")
    assert highlighted(page) == [4] * 5


def test_keys_move_through_time_and_runs(page, inspection):
    figure = page.figure("inside-flow")
    page.press(figure, "HOME")
    assert highlighted(page) == [0] * 5
    page.press(figure, "ARROW_RIGHT", "ARROW_RIGHT")
    assert highlighted(page) == [2] * 5
    page.press(figure, "ARROW_LEFT")
    assert highlighted(page) == [1] * 5
    text = page.one(".inside-readout").text
    assert inspection["inputs"][0] in text
    page.press(page.figure("inside-runs"), "ARROW_DOWN")
    pressed = page.all("#inside-runs .run-choice[aria-pressed=true]")
    assert [each.get_attribute("data-run") for each in pressed] != ["0"]
    page.press(figure, "ESCAPE")
    assert highlighted(page) == [None] * 5


def test_several_strings_to_choose_from(make_page, everything):
    page = make_page(*everything).open()
    page.draw_all()
    views = {"rns": VIEWS, "vrns": VIEWS, "lstm": ["inside-loss"],
             "sup": ["inside-readings", "inside-actions", "inside-contents", "inside-loss"]}
    select = page.one("#inside select")
    options = page.script("return [...arguments[0].options].map(o => o.value)", select)
    inspections = page.data()["inspections"]
    assert len(options) == len(inspections) == 5
    for value, inspection in zip(options, inspections):
        page.script("arguments[0].value = arguments[1];"
                    "arguments[0].dispatchEvent(new Event('change'))", select, value)
        page.draw_all()
        figures = page.script(
            "return [...document.querySelectorAll('#inside figure')].map(f => f.id)")
        if inspection["kind"] == "recognizer":
            assert "accepted" in page.one("#inside").text.lower()
            assert figures == [view for view in VIEWS if view != "inside-loss"]
        else:
            assert figures == views[inspection["model"].split("-")[0]]
            summary = page.one("#inside .inside-summary").text
            assert ("of the stack" in summary) == (figures != ["inside-loss"])
        assert bool(page.all("#inside .inside-which")) == (inspection["automaton"] is not None)
    assert page.problems() == []


def test_contents_of_a_superposition_stack(make_page, files):
    page = make_page(files / "sup-3-inside.json").open()
    page.draw_all()
    stack = page.data()["inspections"][0]["superposition"][0]
    for mark in page.marks("#inside-actions .action[data-action]"):
        column = ["push", "no-op", "pop"].index(mark["action"])
        actions = stack["actions"][int(mark["step"]) - 1]
        value = actions[column] if isinstance(actions, list) else actions[mark["action"]]
        assert float(mark["value"]) == pytest.approx(value)
    cells = page.marks("#inside-contents .heat rect[data-value]")
    assert cells
    for cell in cells:
        assert float(cell["value"]) == stack["weights"][int(cell["step"])][int(cell["depth"])]
