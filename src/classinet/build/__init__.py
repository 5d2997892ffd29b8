"""One restartable orchestrator: the stages of a fit, a journal of what is finished, a corpus that streams."""

from classinet.build.corpus import Corpus, stream_corpus
from classinet.build.forecast import Estimate, estimate
from classinet.build.journal import JournalEngine
from classinet.build.orchestrator import Built, build_directory, build_text, discard, is_build, shared_folder
from classinet.build.stages import Recipe, build_net
from classinet.build.updating import check_recipe, check_updatable, count_all, merge_nets, restricted, update_net

__all__ = [
    "Built",
    "Corpus",
    "Estimate",
    "JournalEngine",
    "Recipe",
    "build_directory",
    "build_net",
    "build_text",
    "check_recipe",
    "check_updatable",
    "count_all",
    "discard",
    "estimate",
    "is_build",
    "merge_nets",
    "restricted",
    "shared_folder",
    "stream_corpus",
    "update_net",
]
