"""Feature predictors, one kind a file."""
