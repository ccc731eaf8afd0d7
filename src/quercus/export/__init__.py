"""Exports: fitted models as programs for other places, which answer as the model does, to the last bit where they can."""
