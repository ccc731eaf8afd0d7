"""Why this answer: the way of an example, the rule that fired, the attributes that pushed."""
