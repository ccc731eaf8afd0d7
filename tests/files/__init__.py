"""Tests of the readers and of writing whole files."""
