"""The command line: each verb parses and calls. Its modules are imported here in the order of ``--help``.

They hold signatures and import nothing heavy; a verb's body imports what it calls. So ``--help``, ``--version``,
completion and a wrong flag are answered without importing torch.
"""

# isort: off
from unseen.cli import train as train
from unseen.cli import evaluate as evaluate
from unseen.cli import diagnose as diagnose
from unseen.cli import ensemble as ensemble
from unseen.cli import predict as predict
from unseen.cli import play as play
from unseen.cli import export as export
from unseen.cli import choose as choose
from unseen.cli import reproduce as reproduce
from unseen.cli import download as download
from unseen.cli.app import main

__all__ = ["main"]
