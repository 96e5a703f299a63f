"""File formats, one module each: decoded to arrays and checked, or refused with one message.

To read a new image format in folders and masks' images, start in ``image_file``. To read a published set in a new
format, add a module here with a ``find_NAME(root, name)`` that gives a ``Copy``, and list it in ``digits.real_digits``.
"""
