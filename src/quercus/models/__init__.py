"""Model files: fitted models saved as versioned JSON with a published schema, and loaded without running code."""

from quercus.models.document import FORMAT, VERSION, schema
from quercus.models.loading import ModelFile, load, read_model
from quercus.models.saving import save

__all__ = ["FORMAT", "VERSION", "ModelFile", "load", "read_model", "save", "schema"]
