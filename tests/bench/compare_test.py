"""The statistics of bench/compare, and how it reads benchmarks and the command line."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "bench" / "compare"
loader = importlib.machinery.SourceFileLoader("compare", str(PROGRAM))
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
loader.exec_module(compare)

OUTPUT = """{"context": {"num_cpus": 2}, "benchmarks": [
  {"name": "step/a/60/threads:1/real_time", "run_type": "iteration", "real_time": 2.5,
   "cpu_time": 2.4, "time_unit": "ms"},
  {"name": "b", "run_type": "iteration", "real_time": 1500, "cpu_time": 1, "time_unit": "us"},
  {"name": "c", "run_type": "iteration", "real_time": 3e6, "cpu_time": 1, "time_unit": "ns"},
  {"name": "c_mean", "run_type": "aggregate", "real_time": 9, "cpu_time": 1, "time_unit": "ns"}]}"""


class FakeRevision:
    def __init__(self, label, names, log=None):
        self.label = label
        self.own = names
        self.log = log  # labels of those that were measured, in this order

    def names(self):
        return self.own

    def measure(self, names):
        self.log.append(self.label)
        return {name: 1.0 for name in names}


class ParsingTest(unittest.TestCase):
    def test_times_are_milliseconds_and_aggregates_are_left_out(self):
        times = compare.parse_times(OUTPUT)
        self.assertEqual(times.keys(), {"step/a/60/threads:1/real_time", "b", "c"})
        self.assertAlmostEqual(times["step/a/60/threads:1/real_time"], 2.5)
        self.assertAlmostEqual(times["b"], 1.5)
        self.assertAlmostEqual(times["c"], 3)

    def test_a_benchmark_with_an_error_fails(self):
        text = '{"benchmarks": [{"name": "a", "error_occurred": true, "error_message": "no"}]}'
        with self.assertRaisesRegex(compare.Failure, "a: no"):
            compare.parse_times(text)

    def test_filter_matches_these_names_only(self):
        names = ["rns-3-3/n60/float/forward+backward", "step/a/60/threads:1"]
        pattern = compare.exact_filter(names)
        for name in names:
            self.assertTrue(re.search(pattern, name))
            self.assertFalse(re.search(pattern, name + "0"))
        self.assertFalse(re.search(pattern, "rns-3-3/n60/float/forwarddbackward"))

    def test_bad_usage_exits_with_2(self):
        for arguments in [[], ["HEAD", "--rounds", "1"], ["HEAD", "--filter", "("],
                          ["HEAD", "--benchmark", "none"]]:
            with self.assertRaises(SystemExit) as caught, \
                    contextlib.redirect_stderr(io.StringIO()):
                compare.parse_arguments(arguments)
            self.assertEqual(caught.exception.code, 2)

    def test_default_filter_is_that_of_the_benchmark(self):
        self.assertEqual(compare.parse_arguments(["HEAD"]).filter.pattern, "step/.*/60/threads:1")
        kernels = compare.parse_arguments(["HEAD", "--benchmark", "kernels_bench"])
        self.assertTrue(kernels.filter.search("rns-3-3/n60/float/forward"))


class StatisticsTest(unittest.TestCase):
    def test_a_constant_ratio_has_no_uncertainty(self):
        self.assertEqual(compare.ratio_with_interval([6] * 9, [4] * 9), (1.5, 1.5, 1.5))

    def test_ratio_is_that_of_the_medians(self):
        # Medians 3 and 2; the outliers do not count.
        ratio, low, high = compare.ratio_with_interval([3, 3, 3, 3, 900], [2, 2, 2, 2, 2])
        self.assertEqual(ratio, 1.5)
        self.assertEqual(low, 1.5)
        # The outlier is drawn at least 3 times of 5 with probability 10 (1/5)^3 (4/5)^2 + ...
        # = 0.058, more than the 2.5 % above the interval.
        self.assertEqual(high, 450)

    def test_rounds_are_drawn_together(self):
        # The machine is slow in some rounds, for both alike: every draw has the ratio 2.
        old = [2, 20, 4, 40, 6, 60, 8]
        self.assertEqual(compare.ratio_with_interval(old, [t / 2 for t in old]), (2, 2, 2))

    def test_interval_of_two_values_covers_both(self):
        # Half of the rounds 1, half 2: the median of a draw of 6 is 1 or 2 with more than 2.5 %.
        ratio, low, high = compare.ratio_with_interval([1, 1, 1, 2, 2, 2], [1] * 6)
        self.assertEqual((ratio, low, high), (1.5, 1, 2))

    def test_verdicts(self):
        self.assertEqual(compare.verdict(0.9, 1.1), "no difference shown")
        self.assertEqual(compare.verdict(1, 1), "no difference shown")
        self.assertEqual(compare.verdict(1.01, 1.1), "faster")
        self.assertEqual(compare.verdict(0.8, 0.99), "slower")

    def test_report_has_medians_ratio_and_verdict(self):
        text = compare.report(["a"], [{"a": 3.0}] * 5, [{"a": 2.0}] * 5)
        self.assertEqual(text.splitlines()[1].split(),
                         ["a", "3", "2", "1.500", "1.500", "to", "1.500", "faster"])


class OrderTest(unittest.TestCase):
    def test_revisions_take_turns(self):
        log = []
        old, new = FakeRevision("A", ["x"], log), FakeRevision("B", ["x"], log)
        with contextlib.redirect_stderr(io.StringIO()):
            old_times, new_times = compare.measure_in_turn(old, new, ["x"], 4)
        self.assertEqual("".join(log), "ABBAABBA")
        self.assertEqual((len(old_times), len(new_times)), (4, 4))

    def test_names_in_both_are_compared_and_others_told(self):
        old = FakeRevision("A", ["step/1", "step/2", "other"])
        new = FakeRevision("B", ["step/2", "step/3", "other"])
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            names = compare.choose_names(old, new, re.compile("^step"))
        self.assertEqual(names, ["step/2"])
        self.assertEqual(errors.getvalue(), "only in A: step/1\nonly in B: step/3\n")

    def test_nothing_to_compare_is_bad_usage(self):
        with self.assertRaises(compare.UsageError), contextlib.redirect_stderr(io.StringIO()):
            compare.choose_names(FakeRevision("A", ["a"]), FakeRevision("B", ["b"]),
                                 re.compile("."))


if __name__ == "__main__":
    unittest.main()
