"""Learning a graph from itself: questions written from its own relations teach the scorer of relation patterns."""

from graphbrick.learn.learning import LearnReport, learn, learned_pipeline, learned_place, unlearned

__all__ = ["LearnReport", "learn", "learned_pipeline", "learned_place", "unlearned"]
