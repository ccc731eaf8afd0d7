"""Words for true and false in a text file, and columns that mix several pairs of them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["mixed_truth_words", "truth_of"]

_PAIRS = (("true", "false"), ("yes", "no"), ("t", "f"), ("y", "n"), ("1", "0"))
_TRUTH = {word: word == true for true, false in _PAIRS for word in (true, false)}
_PAIR = {word: pair for pair in _PAIRS for word in pair}


def truth_of(text: str) -> bool | None:
    """Return what a text means as a truth value; None if it is none.

    >>> truth_of(" Yes"), truth_of("F"), truth_of("2")
    (True, False, None)
    """
    return _TRUTH.get(text.strip().lower())


def mixed_truth_words(values: Sequence[str]) -> tuple[str, ...]:
    """Return the values if all of them mean true or false, but are written in several ways; else nothing.

    Two letters of different pairs may mean anything, so they are not mixed.

    >>> mixed_truth_words(["True", "yes", "0"]), mixed_truth_words(["Yes", "no"])
    (('True', 'yes', '0'), ())
    """
    spellings = set()
    for value in values:  # in a column of names, the first decides
        if truth_of(value) is None:
            return ()
        spellings.add(value.strip())
    words = {spelling.lower() for spelling in spellings}
    codes = len(words) == 2 and all(len(word) == 1 and word.isalpha() for word in words)  # such as n and t
    pairs = 1 if codes else len({_PAIR[word] for word in words})
    return tuple(values) if len(words) < len(spellings) or pairs > 1 else ()
