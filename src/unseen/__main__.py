"""``python -m unseen`` is the ``unseen`` command."""

from unseen.cli import main

main()
