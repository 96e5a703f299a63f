"""Built-in street scenes: fifteen domains, three places in five conditions, drawn with exact labels.

>>> scene = scenes.render("old-town", "winter", index=0)      # scene.image, scene.ids
"""

from unseen.scenes.rendering import Scene, render

__all__ = ["Scene", "render"]
