"""One browser for all tests, and pages that the program makes of known inputs."""

import os
import pathlib
import shutil
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import inputs
from page import Page, start_browser

SOURCES = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    return inputs.Program(os.environ.get("PUSHDOWN_PROGRAM", SOURCES / "build/release/cli/pushdown"))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    downloads = tmp_path_factory.mktemp("downloads")
    driver = start_browser(downloads)
    driver.downloads = downloads
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def files(tmp_path_factory, program):
    """A directory with one input of each kind."""
    place = tmp_path_factory.mktemp("inputs")
    inputs.save_json(place / "languages.json", inputs.languages_export())
    for name, (results, published) in {"capacity": inputs.capacity_export(),
                                       "text": inputs.text_export()}.items():
        inputs.save_json(place / f"{name}.json", results)
        inputs.save_json(place / f"{name}-published.json", published)
    string = "0 1 1 # 1 1 0"
    for model in ("rns-2-3", "vrns-1-2-3", "sup-3", "lstm"):
        program("train", "--task", "marked-reversal", "--model", model, "--lengths", "3:21",
                "--training-size", 300, "--validation-size", 50, "--test-size", 5,
                "--max-epochs", 4, "--learning-rate", 0.01, "--out", place / model)
        program.save(place / f"{model}-inside.json", "inspect", place / model, string, "--runs", 4,
                     "--json")
    program.save(place / "test.json", "evaluate", place / "rns-2-3", "--json")
    program.save(place / "pca.json", "analyze", "pca", place / "rns-2-3", "--count", 20,
                 "--components", 3, "--json")
    program("compile", SOURCES / "examples/grammars/palindromes.cfg", "--out",
            place / "palindromes")
    program.save(place / "palindromes-inside.json", "inspect", place / "palindromes", "a b a",
                 "--runs", 3, "--json")
    return place


@pytest.fixture(scope="session")
def make_page(program, browser, tmp_path_factory):
    """Makes a page of inputs; the same inputs make one page."""
    made = {}

    def make(*arguments):
        key = tuple(map(str, arguments))
        if key not in made:
            out = tmp_path_factory.mktemp("page") / "report.html"
            program("report", *arguments, "--out", out)
            made[key] = out
        return Page(browser, made[key], browser.downloads)

    return make


@pytest.fixture(scope="session")
def everything(files):
    """The arguments of a page with every kind of figure on it."""
    inside = [files / f"{model}-inside.json" for model in
              ("rns-2-3", "vrns-1-2-3", "sup-3", "lstm", "palindromes")]
    return [files / "languages.json", files / "capacity.json", files / "text.json",
            files / "rns-2-3", files / "lstm", files / "test.json", *inside, files / "pca.json",
            SOURCES / "examples/grammars/brackets.pda", files / "palindromes",
            "--against", files / "capacity-published.json",
            "--against", files / "text-published.json", "--string", "( ( ) )"]


@pytest.fixture
def without_graphviz(tmp_path, monkeypatch):
    """A PATH on which there is everything but dot."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("dot") is None
