"""Stage 2: go down once into the layers and come up with a Catchment."""

from csrag.ask.retrieval.catchment import AUTO_RADIUS_MULTIPLE, MAX_AUTO_RADIUS_KM, retrieval_key, retrieve

__all__ = ["AUTO_RADIUS_MULTIPLE", "MAX_AUTO_RADIUS_KM", "retrieval_key", "retrieve"]
