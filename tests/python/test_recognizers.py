"""Compiled networks against definitions of their languages that are written down here."""

import concurrent.futures
import itertools
import math
import pathlib

import numpy
import pytest

import pushdown


def all_strings(alphabet, longest):
    for length in range(longest + 1):
        for symbols in itertools.product(alphabet, repeat=length):
            yield "".join(symbols)


def is_balanced(x):
    depth = 0
    for c in x:
        depth += 1 if c == "a" else -1
        if depth < 0:
            return False
    return depth == 0


AN_BN_CM = "S -> S c | T\nT -> a T b | eps"
AM_BN_CN = "S -> a S | T\nT -> b T c | eps"
BRACKETS = """
bottom: $
accept: q
q a $ -> q $ X
q a X -> q X X
q b X -> q eps
"""

# By name: the sources, the alphabet, the longest strings that are tried, and the definition.
LANGUAGES = {
    "palindromes": ("S -> a S a | b S b | a | b | eps", "ab", 9, lambda x: x == x[::-1]),
    "ambiguous brackets": ("S -> S S | a S b | eps", "ab", 9, is_balanced),
    "a^n b^n c^n": ([AN_BN_CM, AM_BN_CN], "abc", 7,
                    lambda x: x == "".join(c * (len(x) // 3) for c in "abc")),
    "automaton": (pushdown.Automaton(BRACKETS), "ab", 9, is_balanced),
    "automaton and grammar": (  # balanced, and a palindrome when its ends are exchanged
        [pushdown.Automaton(BRACKETS), "S -> a S b | b S a | eps"], "ab", 8,
        lambda x: is_balanced(x) and all(c != d for c, d in zip(x, x[::-1]))),
    "named": (pushdown.languages.get("marked-reversal"), "01#", 7,
              lambda x: x.count("#") == 1 and x == x[::-1]),
    "nothing": (pushdown.Automaton("bottom: $\nstates: q p\naccept: p\nq a $ -> q $"), "a", 5,
                lambda x: False),
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_accepts_exactly_the_language(name):
    sources, alphabet, longest, definition = LANGUAGES[name]
    recognizer = pushdown.compile(sources)
    assert sorted(recognizer.alphabet) == sorted(alphabet)
    for string in all_strings(alphabet, longest):
        assert recognizer.accepts(list(string)) == definition(string), string


def test_what_recognize_says():
    # Runs by hand: a can only push, and b only pop, so that one run accepts "a b". A second run is
    # added for every string, so that there are two.
    recognizer = pushdown.compile(pushdown.Automaton(BRACKETS))
    found = recognizer.recognize("a b")
    assert found["accepted"] is True and found["decision"] == "output" and found["y"] > 0.5
    assert found["log_runs"] == pytest.approx(math.log(2))
    assert found["acceptance"] == pytest.approx([0.5])
    found = recognizer.recognize("b a")  # which no run of the automaton reads
    assert found["accepted"] is False and found["y"] <= 0.5
    assert found["log_runs"] == pytest.approx(0, abs=1e-12)
    assert found["acceptance"] == pytest.approx([0], abs=1e-12)


def test_acceptance_by_language():
    recognizer = pushdown.compile([AN_BN_CM, AM_BN_CN])
    shares = {string: [share > 0 for share in recognizer.recognize(string)["acceptance"]]
              for string in ("a b c", "a b c c", "a a b c", "b a")}
    assert shares == {"a b c": [True, True], "a b c c": [True, False], "a a b c": [False, True],
                      "b a": [False, False]}


def test_ever_longer_strings():
    recognizer = pushdown.compile("S -> a S b | eps")
    for n in (1, 2, 3, 40, 41, 100):
        assert recognizer.accepts([0] * n + [1] * n)
        assert not recognizer.accepts([0] * n + [1] * (n - 1))
    assert recognizer.accepts("")


@pytest.mark.slow
def test_an_answer_that_double_precision_cannot_give():
    # Every step has eight choices, so that 350 steps have 8^350 = e^728 runs, too many for doubles.
    # None of them accepts.
    choices = "".join(f"q{n} a $ -> q{m} $\n" for n in range(8) for m in range(8))
    recognizer = pushdown.compile(pushdown.Automaton(
        f"bottom: $\naccept: end\n{choices}q0 b $ -> end $\n"))
    assert recognizer.accepts("a a a b") and not recognizer.accepts("a a a")
    with pytest.raises(pushdown.NumericError, match=r"e\^728 runs"):
        recognizer.accepts(["a"] * 350)


def test_in_and_forms_of_strings():
    recognizer = pushdown.compile("S -> left S right | eps")
    for string in ("left right", ["left", "right"], [0, 1], numpy.array([0, 1])):
        assert string in recognizer
    assert "right left" not in recognizer
    assert "left up" not in recognizer and not recognizer.accepts("left up")
    with pytest.raises(pushdown.InputError, match="position 2: \"up\""):
        recognizer.recognize("left up")
    with pytest.raises(pushdown.InputError, match="position 1: 2 is not the number"):
        recognizer.recognize([2])


def test_an_alphabet_that_is_larger_than_the_grammar():
    for alphabet in (["b", "c"], "b c"):
        recognizer = pushdown.compile("S -> a S | eps", alphabet=alphabet)
        assert sorted(recognizer.alphabet) == ["a", "b", "c"]
        assert "a a" in recognizer and "a b" not in recognizer and "c" not in recognizer


def test_the_automaton_of_a_network_makes_the_network_again():
    recognizer = pushdown.compile("S -> a S a | b")
    again = pushdown.Automaton(str(recognizer.automaton))
    assert again.states == recognizer.automaton.states
    assert again.stack_symbols == recognizer.automaton.stack_symbols
    recompiled = pushdown.compile(again)
    for string in all_strings("ab", 5):
        expected = len(string) % 2 == 1 and string == string[::-1] and string.count("b") == 1 \
            and string[len(string) // 2] == "b"
        assert recompiled.accepts(list(string)) == expected


def test_weights_are_those_of_the_construction():
    recognizer = pushdown.compile("S -> a S b | eps")
    weights = recognizer.weights
    assert all(array.dtype == numpy.float64 for array in weights.values())
    states, symbols = (int(n) for n in recognizer.name.split("-")[1:])
    assert (states, symbols) == (len(recognizer.automaton.states),
                                 len(recognizer.automaton.stack_symbols))
    assert sum(array.size for array in weights.values()) > 0
    first = next(iter(weights.values()))
    first[...] = 7  # a copy, so that the network stays what it was
    assert recognizer.accepts("a b") and not recognizer.accepts("b a")


def test_threads_share_a_recognizer():
    recognizer = pushdown.compile(LANGUAGES["palindromes"][0])
    strings = list(all_strings("ab", 6))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda x: recognizer.accepts(list(x)), strings))
    assert found == [x == x[::-1] for x in strings]


def test_files_of_grammars_and_automata(tmp_path):
    grammar = tmp_path / "some.cfg"
    grammar.write_text("S -> a S b | eps")
    automaton = tmp_path / "some.pda"
    automaton.write_text(BRACKETS)
    recognizer = pushdown.compile([grammar, automaton])
    assert recognizer.sources == [str(grammar), str(automaton)]
    assert "a a b b" in recognizer and "a b a b" not in recognizer
    automaton.write_text("bottom: $\nq a $ > q")
    with pytest.raises(pushdown.InputError, match=r"some.pda:2:\d+: "):
        pushdown.compile(automaton)
    with pytest.raises(pushdown.Error, match="missing.cfg"):
        pushdown.compile(tmp_path / "missing.cfg")


def test_saved_and_loaded(tmp_path):
    recognizer = pushdown.compile([AN_BN_CM, AM_BN_CN])
    recognizer.save(tmp_path / "network")
    loaded = pushdown.Recognizer.load(tmp_path / "network")
    assert loaded.sources == recognizer.sources == ["grammar 1", "grammar 2"]
    assert str(loaded.automaton) == str(recognizer.automaton)
    assert loaded.weights.keys() == recognizer.weights.keys()
    for name, array in recognizer.weights.items():
        assert numpy.array_equal(loaded.weights[name], array)
    assert "a a b b c c" in loaded and "a a b b c" not in loaded
    with pytest.raises(pushdown.OperatingSystemError, match="not an empty directory"):
        recognizer.save(tmp_path / "network")  # which holds something
    (tmp_path / "network" / "config.json").write_text("{")
    with pytest.raises(pushdown.InputError, match="config.json"):
        pushdown.Recognizer.load(tmp_path / "network")
    with pytest.raises(pushdown.Error, match="nothing"):
        pushdown.Recognizer.load(tmp_path / "nothing")


def test_the_program_reads_what_is_saved_and_the_other_way_round(tmp_path, program):
    source = tmp_path / "palindromes.cfg"
    source.write_text(LANGUAGES["palindromes"][0])
    recognizer = pushdown.compile(pathlib.Path(source))
    recognizer.save(tmp_path / "python")
    program("compile", source, "--out", tmp_path / "program")
    assert (tmp_path / "python" / "model.safetensors").read_bytes() == \
        (tmp_path / "program" / "model.safetensors").read_bytes()
    lines = program("recognize", tmp_path / "python", input="a b a\na b\n").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["accept", "reject"]
    for line in lines:
        _, y, string = line.split("\t")
        assert recognizer.recognize(string)["y"] == pytest.approx(float(y), rel=1e-12)
    assert "a b a" in pushdown.Recognizer.load(tmp_path / "program")


@pytest.mark.parametrize("call, kind, message", [
    (lambda: pushdown.compile("S -> a |\nT"), pushdown.InputError, r"grammar:2:\d+: "),
    (lambda: pushdown.compile(["S -> a", "S -> B"]), pushdown.InputError, r"grammar 2:1:6: .*B"),
    (lambda: pushdown.Automaton("q a"), pushdown.InputError, r"automaton:1:\d+: "),
    (lambda: pushdown.Automaton("", name="mine"), pushdown.InputError, r"mine:1:1: "),
    (lambda: pushdown.compile([]), pushdown.InputError, "language"),
    (lambda: pushdown.compile(["S -> a", "S -> b"]), pushdown.InputError, "grammar 2.*alphabet"),
    (lambda: pushdown.compile(5), pushdown.InputError, "5 is not the text of a grammar"),
    (lambda: pushdown.compile([5]), pushdown.InputError, "5 is not the text of a grammar"),
    (lambda: pushdown.compile(pushdown.languages.get("marked-copy")), pushdown.InputError,
     "marked-copy is not context-free"),
    (lambda: pushdown.compile("S -> a", alphabet=["a b"]), pushdown.InputError, "'a b'"),
    (lambda: pushdown.compile("S -> a", max_size=0), pushdown.InputError, "max_size is 0"),
    (lambda: pushdown.compile("S -> a b c d e f", max_size=3), pushdown.LimitError, "grammar"),
    (lambda: pushdown.compile("S -> a S b | eps", max_parameters=5), pushdown.LimitError,
     "restricted form.* limit"),
    (lambda: pushdown.compile("S -> a S b | eps", max_parameters=200), pushdown.LimitError,
     "parameters, more than 200"),
])
def test_what_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_warnings_have_the_place_of_the_call():
    with pytest.warns(UserWarning, match=r"grammar:2:\d+: .*T") as record:
        pushdown.compile("S -> a\nT -> a")
    assert record[0].filename == __file__
    with pytest.warns(UserWarning, match="T"):
        grammar = pushdown.Grammar("S -> a\nT -> a")
    assert "a" in pushdown.compile(grammar)


# Work that takes many seconds.
LONG_WORK = {
    # Forty nonterminals, each of which can begin with each.
    "compiling": r"pushdown.compile('\n'.join(f'A{n} -> b A{(n + 1) % 40} A{3 * n % 40} | b | ' +"
                 " ' | '.join(f'A{m} a{(n * m + n) % 101}' for m in range(40)) for n in range(40)),"
                 " max_size=10**8)",
    "recognizing": "pushdown.compile('S -> S S | a | b b').accepts([0] * 900)",
}


@pytest.mark.parametrize("work", LONG_WORK)
def test_long_work_is_interrupted(work, interrupted):
    interrupted(f"""
import pushdown
started()
{LONG_WORK[work]}
""")
