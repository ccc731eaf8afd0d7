"""Forests: the answers of many models together, how far they agree, and their answers for rows they have not seen.

- ``collection``: a forest, a committee or a sum of scores, what its members answer together, a part of it;
  ``committee``: rule lists that answer together; ``score_sum``: trees that add up scores, and a link.
- ``agreement``: votes, the share that agrees, the spread of numbers.
- ``out_of_bag``: training rows answered by the members that have not seen them; ``stopping``: when that curve is flat.
- ``staged``: answers and error after so many members.
- ``boosting``: trees grown one after the other from the mistakes of those before.
- ``importance``: of attributes, by impurity, by permutation and unbiased, with intervals; ``impurity_importance``: the
  shares alone.
- ``partial_dependence``: what is answered when attributes are set to values.
- ``proximity``: rows that come to the same leaves; neighbours and outliers.
- ``quantile_forest``: quantiles from the training targets that share leaves with a row.
- ``distill``: rows to ask a forest about, when a tree is to imitate it.
"""

from quercus.forests.agreement import agreement, spread, votes
from quercus.forests.collection import collection_answers
from quercus.forests.committee import Committee
from quercus.forests.impurity_importance import impurity_importance
from quercus.forests.out_of_bag import OutOfBag, OutOfBagTally, out_of_bag
from quercus.forests.score_sum import ScoreSum
from quercus.forests.stopping import FlatCurve

__all__ = [
    "Committee",
    "FlatCurve",
    "OutOfBag",
    "OutOfBagTally",
    "ScoreSum",
    "agreement",
    "collection_answers",
    "impurity_importance",
    "out_of_bag",
    "spread",
    "votes",
]
