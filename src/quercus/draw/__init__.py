"""Draw: pictures of trees and charts as SVG, by a layout and a writer of our own."""

from quercus.draw.answer_charts import confusion_chart, reliability_chart
from quercus.draw.chart import Chart
from quercus.draw.curve_charts import alpha_chart, learning_chart, reduced_error_effect, size_curve, trees_chart
from quercus.draw.layout import Layout, tree_layout
from quercus.draw.measure_charts import (
    bias_variance_chart,
    entropy_curve,
    entropy_diagram,
    gains_chart,
    importance_chart,
)
from quercus.draw.paths import path_parts
from quercus.draw.plane import class_regions, tree_regions
from quercus.draw.save import save_picture
from quercus.draw.shap_charts import beeswarm_chart, dependence_chart, waterfall_chart
from quercus.draw.tree_picture import tree_svg

__all__ = [
    "Chart",
    "Layout",
    "alpha_chart",
    "beeswarm_chart",
    "bias_variance_chart",
    "class_regions",
    "confusion_chart",
    "dependence_chart",
    "entropy_curve",
    "entropy_diagram",
    "gains_chart",
    "importance_chart",
    "learning_chart",
    "path_parts",
    "reduced_error_effect",
    "reliability_chart",
    "save_picture",
    "size_curve",
    "tree_layout",
    "tree_regions",
    "tree_svg",
    "trees_chart",
    "waterfall_chart",
]
