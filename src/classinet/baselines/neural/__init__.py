"""Rivals that are neural networks, in torch on the CPU: FastSent, SDAE, Skip-thought, and Kim's convolutions.

They need `pip install "classinets[neural,baselines]"`, which is asked for when one is fitted, not when it is imported.
Training is a fixed number of steps, never a time, and runs on two threads whatever the machine has: the same texts and
seed give the same bytes on one type of CPU and one version of torch.
"""

from classinet.baselines.neural.cnn import CNN
from classinet.baselines.neural.fastsent import FastSent
from classinet.baselines.neural.sdae import SDAE
from classinet.baselines.neural.skip_thought import SkipThought

__all__ = ["CNN", "SDAE", "FastSent", "SkipThought"]
