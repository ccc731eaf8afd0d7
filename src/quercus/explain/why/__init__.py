"""Why this answer: the path of an example, the rule that fired, the attributes with the largest influence."""
