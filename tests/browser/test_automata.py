"""Automata: drawings, and the run of a string that steps through them."""

import pytest

from conftest import SOURCES

BRACKETS = SOURCES / "examples/grammars/brackets.pda"


@pytest.fixture
def page(make_page):
    page = make_page(BRACKETS, "--string", "( ( ) )").open()
    page.figure("automaton-1")
    return page


def state(page):
    return page.script("return {...document.getElementById('automaton-1').dataset}")


def enter(page, string):
    box = page.one("#automaton-1 .string-box")
    box.clear()
    box.send_keys(string)
    page.press(box, "ENTER")
    page.wait("return document.getElementById('automaton-1').dataset.string === arguments[0]",
              string)


def test_is_drawn_by_graphviz(page):
    automaton = page.data()["automata"][0]
    assert automaton["layout"] is not None
    assert len(page.all("#automaton-1 .state[data-state]")) == len(automaton["states"])
    labels = {int(mark["transition"]) for mark in page.marks("#automaton-1 .edge-label")}
    assert labels == set(range(len(automaton["transitions"])))


def test_steps_through_a_string(page):
    assert state(page)["string"] == "( ( ) )" and state(page)["decision"] == "accepted"
    figure = page.figure("automaton-1")
    heights = []
    for step in range(5):
        assert state(page)["step"] == str(step)
        heights.append(int(state(page)["height"]))
        assert len(page.all("#automaton-1 .stack-cells .cell")) == heights[-1]
        page.press(figure, "ARROW_RIGHT")
    assert heights == [1, 2, 3, 2, 1]
    assert state(page)["step"] == "4"  # the last one
    page.script("arguments[0].click()", page.one("#automaton-1 [aria-label='First step']"))
    page.script("arguments[0].click()", page.one("#automaton-1 [aria-label='One step forward']"))
    assert state(page)["step"] == "1" and state(page)["transition"] == "0"
    assert page.marks("#automaton-1 .edge-label.current")[0]["transition"] == "0"
    assert "reads (" in page.one("#automaton-1 .run-words").text


@pytest.mark.parametrize("string, decision", [
    ("", "accepted"), ("( )", "accepted"), ("( ) ( ( ) )", "accepted"), (")", "rejected"),
    ("( (", "rejected"), ("( ) )", "rejected")])
def test_decides(page, string, decision):
    enter(page, string)
    assert state(page)["decision"] == decision


def test_other_symbols_are_named(page):
    enter(page, "( x )")
    assert state(page)["decision"] != "accepted"
    assert "x is not an input symbol." in page.one("#automaton-1 .run-decision").text
    enter(page, "(())")
    assert ("(()) is not an input symbol; separate symbols by spaces"
            in page.one("#automaton-1 .run-decision").text)
    enter(page, "( x )")
    page.press(page.figure("automaton-1"), "END")
    assert "x" in page.one("#automaton-1 .run-words").text
    assert page.problems() == []


# The page and the program agree on every short string.
def test_agrees_with_the_recognizer(make_page, files, program):
    page = make_page(files / "palindromes").open()
    page.figure("automaton-1")
    strings = [[]]
    for length in range(5):
        strings += [string + [symbol] for string in strings if len(string) == length
                    for symbol in "ab"]
    for string in strings[1:]:
        enter(page, " ".join(string))
        assert (state(page)["decision"] == "accepted") == (string == string[::-1]), string


def test_is_a_table_without_graphviz(without_graphviz, make_page):
    page = make_page(BRACKETS).open()
    page.figure("automaton-1")
    assert page.data()["automata"][0]["layout"] is None
    assert "Graphviz" in page.one("#automaton-1").text
    rows = page.marks("#automaton-1 tr[data-transition]")
    assert [row["transition"] for row in rows] == ["0", "1", "2"]
    assert page.problems() == []
