"""`python -m csrag`, the same as the `csrag` command."""

import sys

from csrag.interfaces.cli.main import main

sys.exit(main())
