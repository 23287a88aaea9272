#!/usr/bin/env python3
"""Makes the images of this folder with other programs: Pillow, pypng, libjpeg-turbo's cjpeg and ImageMagick.

    pip install pillow pypng; apt-get install libjpeg-turbo-progs imagemagick
    make.py

The pixels follow formulas, which the tests know as well.
"""
import os
import subprocess
import sys

import png
from PIL import Image, ImageOps

os.chdir(os.path.dirname(os.path.abspath(__file__)))
cjpeg = os.environ.get("CJPEG", "cjpeg")

WIDTH, HEIGHT = 13, 9


def grey(x, y, depth):
    return (x * 2741 + y * 7919 * WIDTH) % (1 << depth)


def color(x, y, depth):
    return tuple((x * 4099 * k + y * 6007 * (k + 1) + 977 * k) % (1 << depth) for k in (1, 2, 3))


def alpha(x, y, depth):
    most = (1 << depth) - 1
    return [0, most, (x * 5003 + y * 9001) % (most + 1)][(x + y) % 3]


def rows(make):
    return [[sample for x in range(WIDTH) for sample in make(x, y)] for y in range(HEIGHT)]


def write(name, samples, **options):
    with open(name + ".png", "wb") as file:
        png.Writer(WIDTH, HEIGHT, compression=9, **options).write(file, samples)


# PNG, by pypng.
for depth in (1, 2, 4, 8, 16):
    write(f"grey{depth}", rows(lambda x, y: (grey(x, y, depth),)), greyscale=True, bitdepth=depth)
for depth in (8, 16):
    write(f"greyalpha{depth}", rows(lambda x, y: (grey(x, y, depth), alpha(x, y, depth))), greyscale=True, alpha=True, bitdepth=depth)
    write(f"rgb{depth}", rows(lambda x, y: color(x, y, depth)), greyscale=False, bitdepth=depth)
    write(f"rgba{depth}", rows(lambda x, y: color(x, y, depth) + (alpha(x, y, depth),)), greyscale=False, alpha=True, bitdepth=depth)
for depth in (1, 2, 4, 8):
    palette = [color(i, 3, 8) for i in range(min(1 << depth, 200))]
    index = rows(lambda x, y: (grey(x, y, 16) % len(palette),))
    write(f"palette{depth}", index, palette=palette, bitdepth=depth)
palette = [color(i, 3, 8) + (alpha(i, 1, 8),) for i in range(200)]
write("palette8-alpha", rows(lambda x, y: (grey(x, y, 16) % 200,)), palette=palette, bitdepth=8)
write("rgb8-key", rows(lambda x, y: color(x, y, 8)), greyscale=False, bitdepth=8, transparent=color(4, 2, 8))
for name, options in {
    "grey1-interlaced": dict(greyscale=True, bitdepth=1),
    "rgba8-interlaced": dict(greyscale=False, alpha=True, bitdepth=8),
    "rgba16-interlaced": dict(greyscale=False, alpha=True, bitdepth=16),
}.items():
    depth = options["bitdepth"]
    samples = rows(lambda x, y: (grey(x, y, 1),)) if depth == 1 else rows(lambda x, y: color(x, y, depth) + (alpha(x, y, depth),))
    write(name, samples, interlace=True, **options)
# gAMA of 1: the samples are linear.
write("grey8-linear", rows(lambda x, y: (grey(x, y, 8),)), greyscale=True, bitdepth=8, gamma=1.0)

# PNG, by Pillow.
whole = Image.new("RGBA", (WIDTH, HEIGHT))
whole.putdata([color(x, y, 8) + (alpha(x, y, 8),) for y in range(HEIGHT) for x in range(WIDTH)])
whole.save("rgba8-pillow.png", optimize=True)

# PNG, by ImageMagick: as many pixels as are decoded by default.
subprocess.run(["convert", "-size", "1024x1024", "xc:white", "-depth", "1", "-strip", "square.png"], check=True)

# JPEG. A gradient, which survives compression.
gradient = Image.new("RGB", (48, 32))
gradient.putdata([(x * 5, y * 7, 255 - x * 2 - y * 4) for y in range(32) for x in range(48)])
gradient.save("rgb.jpeg", quality=95, subsampling=0)
gradient.save("rgb-420.jpeg", quality=95, subsampling=2)
gradient.save("rgb-progressive.jpeg", quality=95, subsampling=0, progressive=True)
gradient.convert("CMYK").save("cmyk.jpeg", quality=95)
steps = Image.new("L", (48, 32))
steps.putdata([x * 3 + y * 3 for y in range(32) for x in range(48)])
steps.save("grey.jpeg", quality=95)
gradient.save("gradient.ppm")
for name, options in {"rgb-restarts": ["-restart", "1B"], "rgb-arithmetic": ["-arithmetic"]}.items():
    with open(name + ".jpeg", "wb") as file:
        subprocess.run([cjpeg, "-quality", "95", "-sample", "1x1", *options, "gradient.ppm"], stdout=file, check=True)
os.remove("gradient.ppm")

# The eight EXIF orientations of one image with a different colour in each quarter.
quarters = Image.new("RGB", (24, 16), (255, 255, 255))
quarters.paste((255, 0, 0), (0, 0, 12, 8))
quarters.paste((0, 255, 0), (12, 0, 24, 8))
quarters.paste((0, 0, 255), (0, 8, 12, 16))
back = {
    1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270,
}
for orientation, step in back.items():
    stored = quarters.transpose(step) if step is not None else quarters
    exif = Image.Exif()
    exif[0x010F] = "Maker"
    exif[0x0112] = orientation
    # EXIF in either byte order.
    exif.endian = ">" if orientation % 2 else "<"
    name = f"orientation{orientation}.jpeg"
    stored.save(name, quality=95, subsampling=0, exif=exif)
    upright = ImageOps.exif_transpose(Image.open(name))
    assert upright.size == quarters.size and upright.getpixel((3, 3))[0] > 200 and upright.getpixel((3, 12))[2] > 200

# The formats that are not decoded.
small = gradient.resize((20, 11))
small.save("small.gif")
small.save("small.tiff")
small.save("small.bmp")
small.convert("RGBA").save("small-alpha.bmp")
small.save("small.webp", quality=50)
small.save("small-lossless.webp", lossless=True)
whole.resize((20, 11)).save("small-alpha.webp", quality=50)
gradient.resize((64, 64)).save("small.ico", sizes=[(16, 16), (48, 48), (32, 32)])
print(sum(os.path.getsize(name) for name in os.listdir()), "bytes", file=sys.stderr)
