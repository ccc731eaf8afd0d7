"""Side-by-side runs against other programs: ratios in one run, tree size and accuracy beside each time."""
