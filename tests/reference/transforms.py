"""Transformations of one image, pixel by pixel in float64, straight from their formulas."""

import math
from itertools import product

import numpy as np

VOID = 255


def _pixels(image):
    return product(*(range(side) for side in image.shape))


def _at(image, c, row, column):
    """What is at the border goes on outside."""
    return image[c, min(max(row, 0), image.shape[1] - 1), min(max(column, 0), image.shape[2] - 1)]


# Colour and light.


def _mixed(matrix, image):
    made = np.zeros_like(image)
    for c, i, j in _pixels(image):
        made[c, i, j] = sum(matrix[c][d] * image[d, i, j] for d in range(len(image)))
    return made


def colour(image, w):
    channels = len(image)
    matrix = [[(c == d) + w[3 * c + d] for d in range(channels)] for c in range(channels)]
    made = _mixed(matrix, image - 0.5) + 0.5 + np.array(w[9 : 9 + channels])[:, None, None]
    for c in range(channels):
        if w[12 + c] > 0.5:
            made[c] = 1 - made[c]
    return made


def tone(image, w):
    exponent, contrast, pivot = 2 ** w[0], math.exp(w[1]), 0.5 + w[2]
    return pivot + contrast * (image**exponent - pivot)


def exposure(image, w):
    tint = np.array(w[2 : 2 + len(image)])[:, None, None]
    return image ** (2 ** w[0]) * 2 ** w[1] * (1 + tint)


def shade(image, w):
    made = image.copy()
    for c, i, j in _pixels(image):
        made[c, i, j] += bicubic(np.array(w[16 * c : 16 * c + 16]).reshape(4, 4), i, j, *image.shape[1:])
    return made


def hue(image, w):
    """Keys' luma is kept while the rest is pushed by e^s; then all is turned about (1, 1, 1), as Rodrigues says."""
    if len(image) != 3:
        return image
    axis, made = np.ones(3) / math.sqrt(3), np.zeros_like(image)
    for i, j in product(*map(range, image.shape[1:])):
        x = image[:, i, j]
        grey = np.full(3, 0.299 * x[0] + 0.587 * x[1] + 0.114 * x[2])
        v = math.exp(w[1]) * (x - grey)
        turned = v * math.cos(w[0]) + np.cross(axis, v) * math.sin(w[0]) + axis * (axis @ v) * (1 - math.cos(w[0]))
        made[:, i, j] = grey + turned
    return made


def solarize(image, w):
    return np.where(image > 1 - w[0], 1 - image, image)


def posterize(image, w):
    return image if w[0] == 0 else np.round(image / w[0]) * w[0]


# Texture.


def filter5(image, w):
    made, kernel = image.copy(), np.array(w).reshape(5, 5) - sum(w) / 25
    for (c, i, j), di, dj in product(list(_pixels(image)), range(5), range(5)):
        made[c, i, j] += kernel[di, dj] * _at(image, c, i + di - 2, j + dj - 2)
    return made


def blur(image, w):
    row, smooth = (1, 4, 6, 4, 1), np.zeros_like(image)
    for (c, i, j), di, dj in product(list(_pixels(image)), range(5), range(5)):
        smooth[c, i, j] += row[di] * row[dj] / 256 * _at(image, c, i + di - 2, j + dj - 2)
    return image + w[0] * (image - smooth)


def waves(image, w):
    made, (_, height, width) = image.copy(), image.shape
    for (c, i, j), k in product(list(_pixels(image)), range(3)):
        down, across = i / (height - 1) - 0.5, j / (width - 1) - 0.5
        angle = 2 * math.pi * (w[2 * k] * down + w[2 * k + 1] * across) + w[6 + k]
        made[c, i, j] += w[9 + 3 * k + c] * math.sin(angle)
    return made


def jpeg(image, w):
    _, height, width = image.shape
    rows, columns = -(-height // 8) * 8, -(-width // 8) * 8
    made = np.zeros((len(image), rows, columns))
    for c, top, left in product(range(len(image)), range(0, rows, 8), range(0, columns, 8)):
        block = np.array([[_at(image, c, top + i, left + j) for j in range(8)] for i in range(8)])
        values = np.array([[(block * _cosine(u, v)).sum() for v in range(8)] for u in range(8)])
        step = w[0] * (1 + np.arange(8)[:, None] + np.arange(8)) / 8
        coded = values if w[0] == 0 else np.round(values / step) * step
        made[c, top : top + 8, left : left + 8] = sum(
            coded[u, v] * _cosine(u, v) for u, v in product(range(8), range(8))
        )
    return made[:, :height, :width]


def _cosine(u, v):
    def wave(k):
        return np.cos(math.pi / 8 * (np.arange(8) + 0.5) * k) * math.sqrt((1 if k == 0 else 2) / 8)

    return wave(u)[:, None] * wave(v)


def randconv(image, w):
    channels, signed = len(image), 2 * image - 1
    side = (1, 3, 5, 7)[min(int(w[1] * 4), 3)]
    kernel = np.array(w[2:]).reshape(3, 3, 7, 7)
    made = (1 - w[0]) * signed
    reach = range(-(side // 2), side // 2 + 1)
    for (c, i, j), d, di, dj in product(list(_pixels(image)), range(channels), reach, reach):
        if 0 <= i + di < image.shape[1] and 0 <= j + dj < image.shape[2]:
            weight = kernel[c, d, di + 3, dj + 3] / math.sqrt(channels * side**2)
            made[c, i, j] += w[0] * weight * signed[d, i + di, j + dj]
    return (1 + made) / 2


# Viewpoint.


def cutout(image, w):
    made, (_, height, width) = image.copy(), image.shape
    for c, i, j in _pixels(image):
        down, across = i / (height - 1) - 0.5, j / (width - 1) - 0.5
        if abs(down - w[1]) < w[0] / 2 and abs(across - w[2]) < w[0] / 2:
            made[c, i, j] = 0.5 + w[3 + c]
    return made


def affine_place(w, i, j, height, width):
    """From which row and column the pixel at (i, j) comes: turned, sheared and scaled about the middle, in pixels."""
    angle, shear, log_scale, right, down = w
    across, below = j + 0.5 - width / 2, i + 0.5 - height / 2
    sheared = np.array([across + shear * below, below])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    x, y = turn @ sheared / math.exp(log_scale)
    return y + height / 2 - 0.5 + down * height / 2, x + width / 2 - 0.5 + right * width / 2


def warp_place(w, i, j, height, width):
    across, down = (np.array(half).reshape(5, 5) for half in (w[:25], w[25:]))
    return (
        i + bicubic(down, i, j, height, width) * height / 2,
        j + bicubic(across, i, j, height, width) * width / 2,
    )


def crop_place(w, i, j, height, width):
    """What is kept has sides of (1 - cut) e^(+-a/2); ``right`` and ``down`` share out what is left on either side."""
    cut, log_aspect, right, down = w
    across, below = (1 - cut) * math.exp(log_aspect / 2), (1 - cut) * math.exp(-log_aspect / 2)
    top, left = (1 - below) * height * (1 + down) / 2, (1 - across) * width * (1 + right) / 2
    return top + (i + 0.5) * below - 0.5, left + (j + 0.5) * across - 0.5


PLACES = {"affine": affine_place, "warp": warp_place, "crop": crop_place}


def moved(name, image, w):
    """Bilinear; outside is what is at the border."""
    made, (_, height, width) = np.zeros_like(image), image.shape
    for c, i, j in _pixels(image):
        row, column = PLACES[name](w, i, j, height, width)
        row, column = min(max(row, 0), height - 1), min(max(column, 0), width - 1)
        for r, s in product((math.floor(row), math.floor(row) + 1), (math.floor(column), math.floor(column) + 1)):
            made[c, i, j] += max(1 - abs(row - r), 0) * max(1 - abs(column - s), 0) * _at(image, c, r, s)
    return made


def moved_mask(name, mask, w):
    """The nearest pixel's label; outside is void. NaN where a place is so near to two pixels that either will do."""
    made, (height, width) = np.zeros(mask.shape), mask.shape
    for i, j in product(range(height), range(width)):
        row, column = PLACES[name](w, i, j, height, width)
        nearest = round(row), round(column)
        inside = 0 <= nearest[0] < height and 0 <= nearest[1] < width
        made[i, j] = mask[nearest] if inside else VOID
        if max(abs(row - nearest[0]), abs(column - nearest[1])) > 0.499:
            made[i, j] = math.nan
    return made


def bicubic(knots, i, j, height, width):
    """The field at pixel (i, j) of knots whose corners lie on the image's; Keys' kernel with a = -3/4."""
    rows, columns = _taps(i, height, len(knots)), _taps(j, width, len(knots))
    return sum(a * b * knots[r, s] for (r, a), (s, b) in product(rows, columns))


def _taps(i, side, knots):
    place = i * (knots - 1) / (side - 1)
    first = math.floor(place) - 1
    return [(min(max(k, 0), knots - 1), _keys(abs(place - k))) for k in range(first, first + 4)]


def _keys(t, a=-0.75):
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


TWINS = {
    "colour": colour,
    "tone": tone,
    "exposure": exposure,
    "shade": shade,
    "hue": hue,
    "solarize": solarize,
    "posterize": posterize,
    "filter": filter5,
    "blur": blur,
    "waves": waves,
    "jpeg": jpeg,
    "randconv": randconv,
    "cutout": cutout,
    "affine": lambda image, w: moved("affine", image, w),
    "warp": lambda image, w: moved("warp", image, w),
    "crop": lambda image, w: moved("crop", image, w),
    "flip": lambda image, w: image[:, :, ::-1].copy() if w[0] else image,
    "flip-vertical": lambda image, w: image[:, ::-1, :].copy() if w[0] else image,
}
