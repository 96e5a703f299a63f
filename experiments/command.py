"""How these scripts are run: what the user can put right is one message, as of ``unseen`` itself."""

import sys
from collections.abc import Callable

from unseen.errors import UnseenError


def run(main: Callable[[], None]) -> None:
    """Call it; an error is printed in place of its traceback, and gives its exit code."""
    try:
        main()
    except UnseenError as error:
        print(f"error: {error}", file=sys.stderr)
        if "--data" in str(error):
            print("This script has no such flags: it finds its data in UNSEEN_DATA.", file=sys.stderr)
        raise SystemExit(error.exit_code) from error
