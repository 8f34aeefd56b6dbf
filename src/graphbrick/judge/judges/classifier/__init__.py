"""A judge that learns without torch: a logistic model of similarities, a re-ranker and shared words."""
