"""The trace of growing: every candidate of every node, and why the winner won."""
