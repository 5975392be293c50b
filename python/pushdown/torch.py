"""The stacks as modules of PyTorch, and stack RNNs made of them.

    NondeterministicStack, SuperpositionStack   the stacks, differentiable, without parameters
    StackRNN                                    a stack, driven by a controller of your own
    LanguageModel                               a model of the program, as a module

Whatever version of PyTorch is there is used; tensors are on the CPU, of float32 or float64. The
work is done by ``pushdown.stacks``, on as many threads as ``pushdown.set_threads`` says. What a
stack needs for gradients it keeps itself, so that tensors may be changed in place after they have
been given to it. Second derivatives are not available.

>>> import torch
>>> from pushdown.torch import NondeterministicStack
>>> stack = NondeterministicStack(states=2, symbols=3)
>>> logits = torch.zeros(10, 7, stack.actions_size, requires_grad=True)
>>> readings = stack(logits)                    # ten whole sequences at once ...
>>> readings.shape
torch.Size([10, 8, 6])
>>> steps = stack.start(batch_size=10, max_steps=7)
>>> for t in range(7):                          # ... or step by step
...     steps.update(logits[:, t])
>>> torch.equal(steps.reading(), readings[:, 7])
True
>>> steps.reading()[:, 0].sum().backward()
>>> logits.grad.shape
torch.Size([10, 7, 84])
"""

from pushdown._torch_language_model import LanguageModel
from pushdown._torch_rnn import StackRNN, StackRNNState
from pushdown._torch_stacks import (
    NondeterministicStack, NondeterministicSteps, SuperpositionStack, SuperpositionSteps)

__all__ = [
    "LanguageModel", "NondeterministicStack", "NondeterministicSteps", "StackRNN", "StackRNNState",
    "SuperpositionStack", "SuperpositionSteps",
]

# What is public is called by its public name in files and messages.
for _name in __all__:
    globals()[_name].__module__ = __name__
