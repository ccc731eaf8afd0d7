"""Methods for the members of a collection: how they vote, and how much they differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.fitted.tree_reading import TreesReading


class VoteReading(TreesReading):
    """Questions to many classifiers together."""

    def votes(self, X: Any) -> Floats:
        """How many members hold each class (in the order of ``classes_``) to be the most likely, rows × classes.

        Of boosted trees the sum of their weights, by "trials" of their confidences.
        """
        dataset, model = self.encode_rows(X), self.model_
        forest = model.need_members("votes")
        if model.boosting is not None:
            from quercus.forests.collection import member_weights

            return model.shares(dataset, self.n_threads) * float(member_weights(forest).sum())
        from quercus.forests.agreement import votes

        return votes(forest, dataset, smoothing=model.decision.smoothing, n_jobs=self.n_threads)

    def agreement(self, X: Any) -> Floats:
        """The share of the members (boosted trees: of their votes) that is for the class which is answered."""
        dataset, model = self.encode_rows(X), self.model_
        forest, shares = model.need_members("agreement"), model.shares(dataset, self.n_threads)
        codes = model.decision.codes(shares)
        if model.boosting is not None:
            return np.asarray(shares[np.arange(len(shares)), codes])
        from quercus.forests.agreement import agreement

        return agreement(forest, dataset, codes, smoothing=model.decision.smoothing, n_jobs=self.n_threads)


class SpreadReading(TreesReading):
    """Questions to many regressors together."""

    def spread(self, X: Any) -> Floats:
        """The standard deviation of the members' numbers for each row: small where they agree."""
        from quercus.forests.agreement import spread

        return spread(self.model_.need_members("spread"), self.encode_rows(X), n_jobs=self.n_threads)
