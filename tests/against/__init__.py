"""Conformance: figures of other programs, each beside the command that produced it, and ours against them."""
