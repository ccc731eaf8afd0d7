"""``python -m quercus``: the same as the program ``quercus``."""

from quercus.cli import main

if __name__ == "__main__":
    main()
