"""Counterfactuals: the smallest changes of an example that give another answer."""
