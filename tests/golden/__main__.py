"""The command `python tests/golden`."""

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "workflow/src"), str(PROJECT / "tests")]

import golden  # noqa: E402

sys.exit(golden.main())
