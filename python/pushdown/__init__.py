"""Nondeterministic stack RNNs: exact, differentiable, fast.

    pushdown.stacks       the stacks themselves, on arrays
    pushdown.languages    formal languages: sampling, probabilities, membership
    pushdown.compile      networks that recognise the languages of grammars
    pushdown.train        trainings, and the runs that they leave
    pushdown.Experiment   many runs, and tables of their results
    pushdown.load         trained models, and what is inside them
    pushdown.torch        the same as modules of PyTorch (import it by its name)

Arrays are those of NumPy; whatever has ``__dlpack__`` or is an array of another library on the CPU
is accepted, too. All logarithms are natural.
"""

from pushdown import languages, stacks
from pushdown._core import revision, simd_target
from pushdown._core import version as __version__
from pushdown._arguments import set_threads, threads
from pushdown._errors import Error, InputError, LimitError, NumericError, OperatingSystemError
from pushdown.automaton_runs import AutomatonRuns
from pushdown.experiment import Experiment
from pushdown.languages import Grammar, Language
from pushdown.model import Model, load
from pushdown.recognizer import Automaton, Recognizer, compile
from pushdown.run import Run, settings, train

__all__ = [
    "Automaton", "AutomatonRuns", "Error", "Experiment", "Grammar", "InputError", "Language",
    "LimitError", "Model", "NumericError", "OperatingSystemError", "Recognizer", "Run",
    "__version__", "compile", "languages", "load", "revision", "set_threads", "settings",
    "simd_target", "stacks", "threads", "train",
]
