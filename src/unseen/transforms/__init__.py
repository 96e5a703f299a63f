"""Label-preserving transformations with parameters: what the ascent moves when it isn't pixels."""

from unseen.transforms.catalogue import SETS, named, register
from unseen.transforms.chains import Chains, Links
from unseen.transforms.transform import KINDS, Transform

__all__ = ["KINDS", "SETS", "Chains", "Links", "Transform", "named", "register"]
