"""Helpers for figures: axes, colors, labels without overlap, and saving."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import install
from ..files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIGURE_FORMATS = ("png", "svg")

# Okabe & Ito 2008: distinguishable with any color vision.
COLORS = "#0072B2 #E69F00 #009E73 #CC79A7 #56B4E9 #D55E00 #F0E442 #000000".split()
GRID = "#eeeeee"
_MARKERS = "osD^vPX*"


def has_matplotlib() -> bool:
    """Whether figures can be drawn."""
    return find_spec("matplotlib") is not None


def require_matplotlib() -> None:
    """Raise a ValueError if matplotlib is not installed."""
    if not has_matplotlib():
        raise ValueError(f"figures need matplotlib: {install('plots')}")


def render_figure(figure: Figure, format: str) -> bytes:
    """Render a figure as an image, reproducibly."""
    import matplotlib

    buffer = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "spacy_deid", "svg.fonttype": "path"}):
        metadata = {"Date": None} if format == "svg" else {}
        figure.savefig(buffer, format=format, dpi=150, bbox_inches="tight", metadata=metadata)
    return buffer.getvalue()


def save_figures(figures: Mapping[str, Figure], folder: Path, format: str = "png") -> list[Path]:
    """Save figures as `folder/NAME.FORMAT`, atomically."""
    paths = []
    for name, figure in figures.items():
        paths.append(folder / f"{name}.{format}")
        with replacing(paths[-1]) as file:
            file.write(render_figure(figure, format))
    return paths


def make_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """Create a figure (size in inches) with one pair of axes; needs no display.

    Each series that is plotted gets the next color and marker.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.set_axisbelow(True)
    axes.set_prop_cycle(color=COLORS, marker=list(_MARKERS))
    return figure, axes


def draw_cells(
    axes: Axes, shade: np.ndarray, texts: np.ndarray, bold: np.ndarray, color: str, fontsize: int
) -> None:
    """Draw a table of cells with shades from 0 to 1, the `color`; some of the texts are bold."""
    from matplotlib.colors import LinearSegmentedColormap

    colors = LinearSegmentedColormap.from_list("shade", ["white", color])
    axes.imshow(shade, cmap=colors, vmin=0, vmax=1, aspect="auto")
    for (row, column), text in np.ndenumerate(texts):
        if text:
            weight = "bold" if bold[row, column] else "normal"
            ink = "white" if shade[row, column] > 0.7 else "black"
            style: dict[str, Any] = {"ha": "center", "va": "center", "color": ink, "weight": weight}
            axes.text(column, row, text, fontsize=fontsize, **style)


def add_legend(axes: Axes, n: int) -> None:
    """Add a legend to the right of the axes if there is more than one series."""
    if n > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)


def label_points(axes: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """Label points, each as close as possible without overlapping other points or labels."""
    from matplotlib.transforms import Bbox

    figure: Any = axes.figure
    figure.draw_without_rendering()  # computes the layout
    pixels = axes.transData.transform([point[:2] for point in points])
    places, size = pixels * 72 / figure.dpi, 7.0  # in points, as fonts are
    taken = [Bbox.from_bounds(x - size / 2, y - size / 2, size, size) for x, y in places]
    for (x, y), (left, bottom, name) in zip(places, points, strict=True):
        width = 0.68 * size * len(name)
        for dx, dy in _offsets(width, size):
            box = Bbox.from_bounds(x + dx, y + dy, width, size)
            if not box.count_overlaps(taken):
                break
        taken.append(box)
        axes.annotate(
            name,
            (left, bottom),
            (dx, dy),
            textcoords="offset points",
            fontsize=size,
            arrowprops={"arrowstyle": "-", "color": "#999999", "lw": 0.5, "shrinkA": 0},
        )


def _offsets(width: float, size: float) -> Iterator[tuple[float, float]]:
    """Possible offsets of a label's lower left corner from its point, nearest first."""
    for distance in np.arange(0.8, 15, 0.6) * size:
        for angle in np.deg2rad(np.arange(0, 360, 30)):
            dx, dy = distance * np.cos(angle), distance * np.sin(angle)
            yield dx - (width if dx < -1 else width / 2 if abs(dx) <= 1 else 0), dy - size / 2
