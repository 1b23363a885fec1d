"""`python -m heatproof`."""

import sys

from heatproof.cli import main

sys.exit(main())
