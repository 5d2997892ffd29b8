"""Made-up sentences about three topics: an input whose right answer is known by construction.

Enter: how many, and a seed. Leave: sentences that each use the words of one topic only, so that words of one topic
should come out as neighbours and words of two topics should not.
"""

from __future__ import annotations

import numpy as np

TOPICS = {
    "weather": ["rain", "storm", "wind", "cloud", "sun", "snow", "cold", "wet", "forecast", "thunder"],
    "kitchen": ["soup", "bread", "oven", "pepper", "onion", "bake", "salt", "dough", "recipe", "butter"],
    "football": ["goal", "striker", "referee", "penalty", "match", "keeper", "league", "coach", "corner", "save"],
}
FRAMES = [
    "the {} and the {}",
    "a {} after the {} and {}",
    "{} then {} before the {}",
    "we saw {} {} {} and {}",
]


def made_up_sentences(count: int = 900, seed: int = 0) -> list[str]:
    """Return sentences that each speak of one topic: the weather, the kitchen or football.

    Parameters
    ----------
    count : int, default=900
        How many sentences.
    seed : int, default=0
        The same seed gives the same sentences.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> made_up_sentences(2)
    ['we saw oven recipe soup and pepper', 'we saw salt butter onion and bake']
    """
    rng = np.random.default_rng(seed)
    topics = list(TOPICS.values())
    return [
        FRAMES[rng.integers(len(FRAMES))].format(*rng.choice(topics[rng.integers(len(topics))], 4, replace=False))
        for _ in range(count)
    ]
