"""Slow, obvious float64 twins of the core: the tests compare the two."""
