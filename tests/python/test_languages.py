"""Formal languages against definitions, enumerations and closed forms that are written here."""

import collections
import concurrent.futures
import copy
import itertools
import json
import math
import pickle

import numpy
import pytest

import pushdown
from pushdown import languages

WORD = "01"


def is_word(w):
    return all(c in WORD for c in w)


def in_padded_reversal(x):
    return is_word(x) and any(
        x[:n] == x[len(x) - n:][::-1] and len(set(x[n:len(x) - n])) <= 1
        for n in range(len(x) // 2 + 1))


def in_dyck(x):
    opened = []
    for c in x:
        if c in "([":
            opened.append(c)
        elif not opened or opened.pop() + c not in ("()", "[]"):
            return False
    return bool(x) and not opened


def in_hardest(x):
    """Blocks that end with ; have pieces with commas between; one inner piece of each is chosen."""
    if not x.endswith(";"):
        return False
    choices = [[piece for piece in block.split(",")[1:-1] if piece] for block in x[:-1].split(";")]
    return any(chosen.startswith("$") and in_dyck(chosen[1:])
               for chosen in ("".join(pieces) for pieces in itertools.product(*choices)))


def thirds(x):
    n = len(x) // 3
    return x[:n], x[n:2 * n], x[2 * n:]


def in_halves(x, second):
    w = x[:len(x) // 2]
    return is_word(w) and x[len(w):] == second(w)


def shifted(w):
    return "".join(chr(ord(c) + 2) for c in w)


# By language: its alphabet, in which each symbol is a character, and its definition.
DEFINITIONS = {
    "count-3": ("abc", lambda x: x == "".join(c * (len(x) // 3) for c in "abc")),
    "marked-reverse-and-copy": ("01#", lambda x: x.count("#") == 2 and (
        lambda w, r, v: w == v and r == w[::-1])(*x.split("#"))),
    "count-and-copy": ("01#", lambda x: (lambda w, m, v: is_word(w) and v == w and
                                         m == "#" * len(w))(*thirds(x))),
    "marked-copy": ("01#", lambda x: x.count("#") == 1 and (
        lambda w, v: w == v)(*x.split("#"))),
    "unmarked-copy-different-alphabets": ("0123", lambda x: in_halves(x, shifted)),
    "unmarked-reverse-and-copy": ("01", lambda x: (lambda w, r, v: v == w and r == w[::-1])(
        *thirds(x))),
    "unmarked-copy": ("01", lambda x: in_halves(x, lambda w: w)),
    "marked-reversal": ("01#", lambda x: x.count("#") == 1 and (
        lambda w, r: r == w[::-1])(*x.split("#"))),
    "dyck": ("()[]", in_dyck),
    "unmarked-reversal": ("01", lambda x: in_halves(x, lambda w: w[::-1])),
    "padded-reversal": ("01", in_padded_reversal),
    "hardest-cfl": ("()[],;$", in_hardest),
}


def all_strings(alphabet, longest):
    for length in range(longest + 1):
        yield from itertools.product(range(len(alphabet)), repeat=length)


def test_every_language_has_a_definition_here():
    assert languages.names() == list(DEFINITIONS)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_membership_of_all_short_strings(name):
    characters, definition = DEFINITIONS[name]
    language = languages.get(name)
    assert len(language.alphabet) == len(characters)
    longest = {2: 9, 3: 7, 4: 6, 7: 4}[len(characters)]
    members = 0
    for numbers in all_strings(characters, longest):
        expected = definition("".join(characters[number] for number in numbers))
        assert language.contains(numbers) == expected, numbers
        members += expected
    assert members > 1 or name == "hardest-cfl"  # whose shortest strings have 6 symbols


@pytest.mark.parametrize("name", DEFINITIONS)
def test_samples_are_members_and_their_neighbours_are_judged_rightly(name):
    characters, definition = DEFINITIONS[name]
    language = languages.get(name)
    random = numpy.random.default_rng(1)
    for string in language.sample(30, lengths=(9, 21), seed=5):
        numbers = language.encode(string)
        assert 9 <= len(numbers) <= 21
        assert definition("".join(characters[number] for number in numbers)), string
        numbers[random.integers(len(numbers))] = int(random.integers(len(characters)))
        expected = definition("".join(characters[number] for number in numbers))
        assert (language.decode(numbers) in language) == expected, numbers


def test_objections_have_position_and_reason():
    language = languages.get("marked-reversal")
    assert language.objection("0 1 # 1 0") is None
    objection = language.objection("0 1 # 0 0")
    assert objection.position == 4
    assert "\"1\"" in objection.reason
    assert language.objection("0 1").position == 3  # the end of the string
    unknown = language.objection("0 x")
    assert unknown.position == 2 and "x" in unknown.reason


GRAMMAR = """
S -> a S b [0.3] | S S [0.2] | c [0.4] | eps [0.1]
"""


def inside_probability(string):
    """Of GRAMMAR, by its equations: sums over the ways to derive a string, with S S to itself.

    With e the probability of the empty string, S S contributes 2 e p(w) where a part is empty.
    """
    # e = 0.2 e^2 + 0.1, the smaller root
    empty = (1 - math.sqrt(1 - 4 * 0.2 * 0.1)) / (2 * 0.2)
    if not string:
        return empty
    rest = 0.0
    if string == ("c",):
        rest += 0.4
    if string[0] == "a" and string[-1] == "b" and len(string) >= 2:
        rest += 0.3 * inside_probability(string[1:-1])
    for cut in range(1, len(string)):
        rest += 0.2 * inside_probability(string[:cut]) * inside_probability(string[cut:])
    return rest / (1 - 2 * 0.2 * empty)


def test_weights_of_a_grammar_with_cycles():
    grammar = pushdown.Grammar(GRAMMAR)
    for length in range(6):
        for string in itertools.product("abc", repeat=length):
            expected = inside_probability(string)
            found = math.exp(grammar.log_weight(list(string)))
            assert found == pytest.approx(expected, rel=1e-12), string
            assert (" ".join(string) in grammar) == (expected > 0)


def test_probabilities_of_a_length_sum_to_one():
    grammar = pushdown.Grammar(GRAMMAR)
    for length in range(6):
        strings = list(itertools.product("abc", repeat=length))
        weights = numpy.array([inside_probability(string) for string in strings])
        found = [grammar.log_probability_given_length(list(string)) for string in strings]
        assert numpy.exp(found) == pytest.approx(weights / weights.sum(), rel=1e-12)
        assert numpy.exp(found).sum() == pytest.approx(1, rel=1e-12)


def test_p_l_chooses_lengths_uniformly():
    grammar = pushdown.Grammar("S -> a S b [0.9] | c [0.1]")  # odd lengths, one string each
    assert grammar.lengths((2, 8)) == [3, 5, 7]
    assert grammar.log_probability("a c b", lengths=(2, 8)) == pytest.approx(-math.log(3))
    assert grammar.log_probability("a c b", lengths=3) == 0
    assert grammar.log_probability("a c b", lengths=numpy.int64(3)) == 0
    assert grammar.log_probability("c", lengths=(2, 8)) == -math.inf  # of another length
    assert grammar.log_probability("a c c", lengths=(2, 8)) == -math.inf  # not in the language
    found = grammar.log_probabilities(["a c b", "c", ["a", "a", "c", "b", "b"]], lengths=(2, 8))
    assert isinstance(found, numpy.ndarray) and found.dtype == numpy.float64
    assert found == pytest.approx([-math.log(3), -math.inf, -math.log(3)])


def test_prefixes_by_enumeration():
    grammar = pushdown.Grammar(GRAMMAR)
    lengths = (2, 5)
    probabilities = {}
    for length in range(2, 6):
        strings = list(itertools.product("abc", repeat=length))
        weights = numpy.array([inside_probability(string) for string in strings])
        probabilities.update(zip(strings, weights / weights.sum() / 4))
    for string in ("a b c c", "a a c b", "b", "c a b c c c"):
        symbols = tuple(string.split())
        expected = [sum(p for other, p in probabilities.items() if other[:t] == symbols[:t])
                    for t in range(len(symbols) + 1)]
        with numpy.errstate(divide="ignore"):
            found = grammar.prefix_log_probabilities(string, lengths)
        assert numpy.exp(found) == pytest.approx(expected, rel=1e-11, abs=1e-15)


def test_the_lower_bound_counts_ends():
    language = languages.get("unmarked-copy")  # 2^n strings of length 2n
    strings = ["0 1 0 1", "1 1"]
    # p_L("0 1 0 1") = 1/3 1/4 and p_L("1 1") = 1/3 1/2; 4 + 1 and 2 + 1 symbols
    expected = (math.log(12) + math.log(6)) / 8
    assert language.lower_bound(strings, lengths=(1, 6)) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(pushdown.InputError, match="string 1: has 8 symbols"):
        language.lower_bound(["1 1", "0 0 0 0 0 0 0 0"], lengths=(1, 6))
    with pytest.raises(pushdown.InputError, match="string 0: position 2"):
        language.lower_bound(["1 0"], lengths=(1, 6))
    with pytest.raises(pushdown.InputError, match="no strings"):
        language.lower_bound([])


def test_samples_have_the_probabilities():
    grammar = pushdown.Grammar(GRAMMAR)
    count = 20000
    found = collections.Counter(grammar.sample(count, lengths=(2, 3), seed=7))
    statistic, freedom = 0.0, -1
    for length in (2, 3):
        strings = list(itertools.product("abc", repeat=length))
        weights = numpy.array([inside_probability(string) for string in strings])
        for string, p in zip(strings, weights / weights.sum() / 2):
            if p == 0:
                assert found[" ".join(string)] == 0
                continue
            statistic += (found[" ".join(string)] - count * p) ** 2 / (count * p)
            freedom += 1
    # Wilson and Hilferty: nearly normal. Five deviations are less than one in a million.
    z = ((statistic / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))
    assert abs(z) < 5


def test_sampling_depends_on_the_seed_only():
    language = languages.get("dyck")
    first = language.sample(5, lengths=(10, 20), seed=3)
    language.sample(1, lengths=(10, 50))  # now it is prepared for longer strings
    assert language.sample(5, lengths=(10, 20), seed=3) == first
    assert language.sample(5, lengths=(10, 20), seed=4) != first


def test_a_language_for_ever_longer_strings():
    language = languages.get("marked-copy", symbols=3)
    for n in (1, 2, 3, 50, 51, 2000):
        string = [0] * n + [3] + [0] * n
        assert language.log_probability_given_length(string) == pytest.approx(-n * math.log(3))


def test_threads_share_a_language():
    language = languages.get("dyck", symbols=1)
    alone = languages.get("dyck", symbols=1)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: language.sample(3, lengths=2 * n, seed=n), range(1, 40)))
    assert found == [alone.sample(3, lengths=2 * n, seed=n) for n in range(1, 40)]


def test_strings_in_three_forms():
    language = languages.get("dyck", symbols=2)
    assert language.alphabet == ["(1", ")1", "(2", ")2"]
    assert language.encode("(2 )2") == [2, 3]
    for string in ("(2 )2", ["(2", ")2"], ("(2", ")2"), [2, 3], numpy.array([2, 3])):
        assert language.contains(string)
    assert language.decode(numpy.array([2, 3])) == "(2 )2"
    with pytest.raises(pushdown.InputError, match="position 2: \"x\""):
        language.encode("(1 x")
    with pytest.raises(pushdown.InputError, match="position 1: 4"):
        language.contains([4])
    with pytest.raises(pushdown.InputError, match="position 1: 0.5"):
        language.contains([0.5])


def test_parameters_change_probabilities():
    language = languages.get("marked-reversal", symbols=1, p="1/4")
    assert language.log_weight("0 # 0") == pytest.approx(math.log(0.25 * 0.75))
    same = languages.get("marked-reversal", symbols=1, p=0.25)
    assert str(same.grammar) == str(language.grammar)
    assert languages.describe("marked-reversal")["parameters"]["p"]["default"] == 60 / 61
    assert languages.describe("count-3")["default_symbols"] is None
    assert languages.get("count-3").grammar is None


def test_grammars_can_be_read_again():
    grammar = pushdown.Grammar("""
        start: T
        S -> a | T "#"   # not first
        T -> S T [1/4] | eps
    """)
    assert grammar.start == "T"
    assert grammar.rules == [("S", ("a",), 0.5), ("S", ("T", "#"), 0.5), ("T", ("S", "T"), 0.25),
                             ("T", (), 0.75)]
    again = pushdown.Grammar(str(grammar))
    assert again.start == "T" and sorted(again.rules) == sorted(grammar.rules)


def test_grammars_of_files(tmp_path):
    path = tmp_path / "some.cfg"
    path.write_text("S -> a S | b\n")
    assert "a a b" in pushdown.Grammar.read(path)
    assert "a a b" in pushdown.Grammar.read(str(path))
    with pytest.raises(pushdown.Error, match="missing.cfg"):
        pushdown.Grammar.read(tmp_path / "missing.cfg")
    path.write_text("S -> a S | b\nT ->")
    with pytest.raises(pushdown.InputError, match="some.cfg:2:5"):
        pushdown.Grammar.read(path)


@pytest.mark.parametrize("text, message", [
    ("", "grammar:1:1"),
    ("S -> a | A", "grammar:1:10.*A"),
    ("S -> a [0.5] | b [0.6]", "sum to 1.1"),
    ("S -> a [x]", "grammar:1:8"),
    ("S -> S", "S"),
    ("S - a", "grammar:1:"),
    ("S -> \"a", "grammar:1:6"),
])
def test_hostile_grammars(text, message):
    with pytest.raises(pushdown.InputError, match=message):
        pushdown.Grammar(text)


def test_warnings_of_grammars():
    with pytest.warns(UserWarning, match=r"mine:2:\d+: .*T") as record:
        pushdown.Grammar("S -> a\nT -> b", name="mine")
    assert record[0].filename == __file__


@pytest.mark.parametrize("call, message", [
    (lambda l: l.sample(1, lengths=(5, 3)), "lengths: .5, 3."),
    (lambda l: l.sample(1, lengths=(1, 20000)), "10000"),
    (lambda l: l.sample(1, lengths="40-80"), "lengths: '40-80'"),
    (lambda l: l.log_probabilities(["a b c", "a x"]), "string 1: position 2: \"x\""),
    (lambda l: l.log_probability(None), "None is not a string"),
    (lambda l: l.sample(-1), "count is -1"),
    (lambda l: l.sample(1.5), "count is 1.5, must be an integer"),
    (lambda l: l.sample(1, lengths=(3.5, 6)), "lengths: .3.5, 6."),
    (lambda l: l.sample(1, seed=-1), "seed is -1"),
    (lambda l: l.sample(1, seed=None), "seed is None"),
    (lambda l: l.sample(1, lengths=(4, 5)), "lengths: .* no string .*; it has some of length 3"),
    (lambda l: l.dataset(lengths=3, training_size=0), "training set is 0"),
    (lambda l: l.dataset(lengths=3, batch_size=0), "batch size is 0"),
    (lambda l: l.log_weight("a x"), "position 2"),
    (lambda l: l.log_probabilities("a b c"), "one string is given"),
    (lambda l: languages.get("count3"), "did you mean count-3"),
    (lambda l: languages.get("count-3", symbols=2), "cannot be chosen"),
    (lambda l: languages.get("dyck", symbols=0), "symbols is 0"),
    (lambda l: languages.get("dyck", symbols=10**9), "symbols is 1000000000"),
    (lambda l: languages.get("dyck", s="x"), "s: 'x', must be a probability"),
    (lambda l: languages.get("dyck", s=1), "must be at least 0 and less than 1"),
    (lambda l: languages.describe("x"), "unknown language"),
])
def test_what_is_refused(call, message):
    with pytest.raises(pushdown.InputError, match=message):
        call(languages.get("count-3"))


def test_strings_that_are_too_long():
    with pytest.raises(pushdown.LimitError, match="10001 symbols"):
        languages.get("count-3").contains([0] * 10001)


def test_datasets():
    language = languages.get("unmarked-copy")
    sets = language.dataset(lengths=(1, 6), training_size=25, validation_size=8, test_size=3,
                            batch_size=4)
    # Tests go to a quarter more, 7 symbols, of which there are the lengths 2, 4 and 6.
    assert [len(sets[name]["strings"]) for name in ("training", "validation", "test")] == [25, 8, 9]
    training = sets["training"]["strings"]
    for first in range(0, 25, 4):  # a batch has one length
        assert len({len(string) for string in training[first:first + 4]}) == 1
    assert sets["test"]["lengths"] == (1, 7) and sets["test"]["valid_lengths"] == 3
    for split in sets.values():
        assert split["symbols"] == sum(len(s.split()) + 1 for s in split["strings"])
        logs = [-math.log(3) - len(s.split()) / 2 * math.log(2) for s in split["strings"]]
        assert split["lower_bound"] == pytest.approx(-sum(logs) / split["symbols"], rel=1e-12)
    assert sets["test"]["lower_bound_by_length"][4] == pytest.approx(math.log(3 * 4) / 5)
    assert language.dataset(lengths=(1, 6), training_size=9, test_size=0)["test"] is None


@pytest.mark.parametrize("name", ["dyck", "count-and-copy", "hardest-cfl"])
def test_samples_are_those_of_the_program(name, program):
    lines = program("sample", "--task", name, "--lengths", "20:40", "--count", 20, "--seed", 3,
                    "--log-prob").splitlines()
    language = languages.get(name)
    strings = language.sample(20, lengths=(20, 40), seed=3)
    assert [line.split("\t")[1] for line in lines] == strings
    logs = [float(line.split("\t")[0]) for line in lines]
    assert language.log_probabilities(strings, (20, 40)) == pytest.approx(logs, rel=1e-12)


def test_datasets_are_those_of_the_program(tmp_path, program):
    directory = tmp_path / "data"
    program("data", "--task", "dyck", "--symbols", 3, "--lengths", "10:20", "--training-size", 50,
            "--validation-size", 20, "--test-size", 2, "--seed", 4, "--out", directory)
    sets = languages.get("dyck", symbols=3).dataset(
        lengths=(10, 20), training_size=50, validation_size=20, test_size=2, seed=4)
    task = json.loads((directory / "task.json").read_text())
    for name, split in sets.items():
        expected = task["splits"][name]
        assert (directory / expected["file"]).read_text().splitlines() == split["strings"]
        assert split["lower_bound"] == pytest.approx(expected["lower_bound"], rel=1e-14)
        assert list(split["lengths"]) == expected["lengths"]


# Work that takes minutes.
LONG_WORK = {
    "preparing": "pushdown.Grammar('S -> ' + ' | '.join(f'A{n} S' for n in range(300))"
                 " + ' | eps\\n' + '\\n'.join(f'A{n} -> A{n} A{n} | a' for n in range(300)))"
                 ".sample(1, lengths=10000)",
    "weighing": "pushdown.Grammar('S -> S S | a').log_weight([0] * 10000)",
    "objecting": "pushdown.Grammar('S -> S S S [0.1] | a [0.8] | S a [0.1]')"
                 ".objection([0] * 10000)",
    "prefixes": "languages.get('dyck', symbols=1)"
                ".prefix_log_probabilities([0] * 700, lengths=(1, 1400))",
}


@pytest.mark.parametrize("work", LONG_WORK)
def test_long_work_is_interrupted(work, interrupted):
    interrupted(f"""
import pushdown
from pushdown import languages
started()
{LONG_WORK[work]}
""")


def test_lengths_as_the_program_writes_them():
    language = languages.get("count-3")
    assert language.lengths("2:9") == language.lengths((2, 9)) == [3, 6, 9]
    assert language.lengths("6") == [6]


@pytest.mark.parametrize("language", [
    languages.get("dyck", symbols=3, s="1/3"), languages.get("marked-copy"),
    languages.get("marked-reversal").grammar, pushdown.Grammar("S -> a S b [0.5] | eps [0.5]")],
    ids=repr)
def test_languages_go_into_other_processes(language):
    for same in (pickle.loads(pickle.dumps(language)), copy.deepcopy(language)):
        assert type(same) is type(language) and same.name == language.name
        assert same.sample(5, (3, 15)) == language.sample(5, (3, 15))
