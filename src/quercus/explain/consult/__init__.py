"""Consultation: asking only for what a model needs, and what that costs on average."""
