"""The command line: each verb parses and calls. What is imported here is what there is, in the order of ``--help``."""

# isort: off
from unseen.cli import train as train
from unseen.cli import evaluate as evaluate
from unseen.cli import diagnose as diagnose
from unseen.cli import ensemble as ensemble
from unseen.cli import reproduce as reproduce
from unseen.cli import download as download
from unseen.cli.app import main

__all__ = ["main"]
