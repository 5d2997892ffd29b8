"""The benchmark: definitions → missing cells → one file a cell → tables and figures."""
