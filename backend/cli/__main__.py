"""`python -m backend.cli` is `ringcast`."""

import sys

from backend.cli import main

sys.exit(main())
