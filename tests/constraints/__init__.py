"""Constraints: answers that rise or fall with an attribute, and attributes that may meet."""
