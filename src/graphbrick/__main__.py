"""Run the command line as ``python -m graphbrick``."""

from graphbrick.cli.__main__ import main

if __name__ == "__main__":
    main()
