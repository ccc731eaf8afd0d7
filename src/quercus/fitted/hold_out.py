"""Holding out: a share of the rows is kept from growing, to prune or to stop by."""

from __future__ import annotations

from dataclasses import dataclass

from quercus.data.rows import Rows


@dataclass(frozen=True)
class HoldOut:
    """How rows are held out: which share of them, and the seed of the draw."""

    share: float
    seed: int

    def split(self, rows: Rows) -> tuple[Rows, Rows]:
        """The rows to grow from and those held out, class by class; rows without weight are left out."""
        from quercus.pruning.validation import hold_out

        rows = rows.with_weight()
        if rows.n_rows < 2:
            return rows, rows  # one row makes one leaf, whatever it is compared on
        growing, validation = hold_out(rows.n_rows, self.share, self.seed, stratify=rows.codes)
        return rows.take(growing), rows.take(validation)
