"""Run `python -m spark_batch`."""

import sys

from spark_batch.cli import main

if __name__ == "__main__":
    sys.exit(main())
