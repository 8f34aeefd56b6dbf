"""Run the command line as ``python -m graphbrick.cli``."""

from graphbrick.cli.app import main

main()
