"""The ratios of `./dev bench families` as a picture: a row for each operator, a
dot for each size, on a logarithmic axis. Right of the line at 1 tensorscope is
faster."""

import math
from xml.sax.saxutils import escape

ROW = 15
LEFT = 230
WIDTH = 620
TOP = 58
AXIS = (0.25, 64)  # ratios at its ends
COLOURS = ("#5e3c99", "#2b83ba", "#e08214", "#b2182b")


def place(ratio):
    """The x of a ratio; what lies beyond the axis is drawn at its end."""
    low, high = (math.log(end) for end in AXIS)
    share = (math.log(min(max(ratio, AXIS[0]), AXIS[1])) - low) / (high - low)
    return LEFT + share * WIDTH


def text(x, y, content, anchor="start", size=11, colour="#333"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{colour}">{escape(content)}</text>')


def axis(bottom):
    ratio = AXIS[0]
    while ratio <= AXIS[1]:
        x = place(ratio)
        colour = "#333" if ratio == 1 else "#ddd"
        yield f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" stroke="{colour}"/>'
        yield text(x, TOP - 12, f"{ratio:g}", "middle")
        ratio *= 2


def legend(sizes):
    x = LEFT
    for size, colour in zip(sizes, COLOURS):
        yield f'<circle cx="{x + 5}" cy="20" r="4" fill="{colour}"/>'
        label = "1 element" if size == 1 else f"{size:,} elements".replace(",", " ")
        yield text(x + 14, 24, label)
        x += 40 + 7 * len(label)


def svg(families, sizes):
    """`families`: {family: {operator: {elements: ratio}}}."""
    marks = []
    y = TOP
    for family, operators in families.items():
        y += ROW
        marks.append(text(8, y, family, size=12, colour="#000"))
        for operator, ratios in operators.items():
            y += ROW
            marks.append(text(LEFT - 8, y, operator, "end"))
            for size, colour in zip(sizes, COLOURS):
                if size in ratios:
                    marks.append(f'<circle cx="{place(ratios[size]):.1f}" cy="{y - 4}" r="3.5" '
                                 f'fill="{colour}" fill-opacity="0.85"/>')
        y += 4
    height = y + 14
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" height="{height}" '
             'font-family="sans-serif">',
             f'<rect width="100%" height="100%" fill="white"/>',
             text(8, 24, "PyTorch's time / tensorscope's", size=12, colour="#000"),
             *legend(sizes), *axis(y), *marks, "</svg>"]
    return "\n".join(lines) + "\n"
