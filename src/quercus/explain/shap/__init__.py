"""Shapley values: what each attribute brought to an answer, shared out fairly."""
