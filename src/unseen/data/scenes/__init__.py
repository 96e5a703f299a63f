"""Built-in street scenes: fifteen domains, three places in five conditions, drawn with exact labels.

>>> scene = scenes.render("old-town", "winter", index=0)      # scene.image, scene.ids
>>> scenes.write("~/data", "old-town", "winter", images=900)  # as SYNTHIA's files
"""

from unseen.data.scenes.rendering import Scene, render
from unseen.data.scenes.writing import write

__all__ = ["Scene", "render", "write"]
