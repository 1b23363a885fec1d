"""`python -m heatproof`."""

import sys

from heatproof.cli.main import main

sys.exit(main())
