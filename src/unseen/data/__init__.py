"""Domains: labelled images, built in, published or one's own, checked before anything trains on them.

``catalogue`` finds a domain by its name. ``digits`` and ``streets`` have the sets, ``image_folder`` and ``masks`` read
one's own files, ``formats`` decodes them, and ``download`` fetches published ones.
"""
