"""File formats: decoded to arrays and checked, or refused with one message.

To read a new image format in labelled folders and in the image folder of ``unseen.masks``, start in ``image_file``.
``png`` is for masks, whose pixels are numbers.

To read a published set in a new format, add a module here with a ``find_NAME(root, name)`` that gives a ``Copy``, and
list it in ``digits.real_digits``.
"""
