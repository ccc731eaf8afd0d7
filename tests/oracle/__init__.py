"""The oracle: random tables on which the core, the reference grower and brute force must agree."""
