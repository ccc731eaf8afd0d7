"""Tests of the tree: arrays, nodes, text and dictionary forms."""
