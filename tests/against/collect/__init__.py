"""Scripts that run other programs and write their figures to ../figures; the tests themselves need none of them."""
