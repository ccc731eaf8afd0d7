"""A converter for skl2onnx, so that pipelines of scikit-learn that end in an estimator of Quercus become ONNX graphs.

The columns of the pipeline's last step are the attributes of the model, in their order. Rows of doubles are answered as
the model answers them. Rows of float32 are, too, as the float32 numbers that they are; their probabilities leave as
float32, as of skl2onnx's own converters.
"""

from __future__ import annotations

from typing import Any

from quercus.errors import DependencyError, ExportError
from quercus.export.onnx import labels
from quercus.export.onnx_answers import answered
from quercus.export.onnx_columns import are_texts, column, read_columns
from quercus.export.onnx_pieces import Pieces
from quercus.export.program import Program, program_of
from quercus.fitted.algorithms import ALGORITHMS

__all__ = ["register_skl2onnx"]

_ML = 3  # the newest operators of ai.onnx.ml that skl2onnx writes


def register_skl2onnx() -> None:
    """Tell skl2onnx how estimators of Quercus are converted; call it once before ``convert_sklearn`` or ``to_onnx``.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from quercus import CARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), CARTClassifier()).fit(X, y)
    >>> from skl2onnx import to_onnx  # doctest: +SKIP
    >>> register_skl2onnx()  # doctest: +SKIP
    >>> graph = to_onnx(model, X[:1], options={"zipmap": False})  # doctest: +SKIP
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError as error:
        raise DependencyError("Pipelines are converted by skl2onnx: pip install skl2onnx.") from error
    import quercus

    choices = {"zipmap": [True, False, "columns"], "output_class_labels": [False, True], "nocl": [True, False]}
    for row in ALGORITHMS.values():
        if row.module:
            estimator, options = getattr(quercus, row.name), None if row.numbers else choices
            update_registered_converter(estimator, f"Quercus{row.name}", _shapes, _convert, options=options)


def _shapes(operator: Any) -> None:
    """Say what the outputs are: doubles if an input has doubles, else float32."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType

    program, n = program_of(operator.raw_operator), operator.inputs[0].get_first_dimension()
    doubles = any(isinstance(variable.type, DoubleTensorType) for variable in operator.inputs)
    operator.outputs[-1].set_type((DoubleTensorType if doubles else FloatTensorType)([n, program.width]))
    if program.has_classes:
        texts = all(isinstance(label, str) for label in program.classes) and not _option(operator, "nocl", False)
        operator.outputs[0].set_type((StringTensorType if texts else Int64TensorType)([n]))


def _option(operator: Any, name: str, default: Any) -> Any:
    """An option of the conversion: zipmap (shares as dictionaries) or nocl (positions of classes instead of them)."""
    return operator.scope_inst.get_options(operator.raw_operator, {name: default})[name]


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the graph of a fitted estimator to that of a pipeline."""
    import onnx

    program = program_of(operator.raw_operator)
    pieces = Pieces(onnx, scope.get_unique_variable_name("quercus") + "_", _ML)
    _check_opsets(container, pieces)
    shares, codes = answered(pieces, program, _cells(pieces, program, operator.inputs))
    outputs, kind = [variable.full_name for variable in operator.outputs], _tensor_type(operator.outputs[-1].type)
    if codes is not None and kind == pieces.types.DOUBLE and _option(operator, "zipmap", True) is True:
        raise ExportError('ZipMap of ONNX takes no doubles: convert with options={"zipmap": False}.')
    if codes is not None and _option(operator, "nocl", False):
        pieces.op("Identity", [codes], to=outputs[0])
    elif codes is not None:
        labels(pieces, program, codes, outputs[0])
    pieces.nodes.append(onnx.helper.make_node("Cast", [shares], [outputs[-1]], to=kind))
    for node in pieces.nodes:
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        version = pieces.opsets[node.domain]
        container.add_node(
            node.op_type, [*node.input], [*node.output], op_domain=node.domain, op_version=version, **attributes
        )
    container.initializers.extend(pieces.tensors)


def _tensor_type(kind: Any) -> int:
    """The type of a tensor's numbers as ONNX numbers it."""
    return int(kind.to_onnx_type().tensor_type.elem_type)


def _check_opsets(container: Any, pieces: Pieces) -> None:
    """Refuse to write for versions of ONNX that lack the operators."""
    for domain, needed in pieces.opsets.items():
        if container.target_opset_any_domain(domain) < needed:
            raise ExportError(
                f"target_opset is {container.target_opset_all}, but models of Quercus need at least {pieces.opsets}."
            )


def _cells(pieces: Pieces, program: Program, variables: list[Any]) -> str:
    """The columns that the model reads, side by side, as doubles."""
    places = [(variable, place) for variable in variables for place in range(_width(variable))]
    if len(places) != len(program.schema):
        raise ExportError(
            f"The model has {len(program.schema)} columns, but its inputs have {len(places)}: "
            f"{', '.join(variable.raw_name for variable in variables)}. Give initial_types with all columns, in order."
        )
    columns = []
    for position in read_columns(program):
        attribute, (variable, place) = program.schema[position], places[position]
        source = pieces.op("Gather", [variable.full_name, pieces.whole([place])], axis=1)
        texts, has_texts = are_texts(attribute), _tensor_type(variable.type) == pieces.types.STRING
        if texts != has_texts:
            raise ExportError(
                f"Column {attribute.name!r} holds {'texts' if texts else 'numbers'}, but the input "
                f"{variable.raw_name!r} holds {'texts' if has_texts else 'numbers'}."
            )
        columns.append(column(pieces, attribute, source if texts else pieces.cast(source)))
    return columns[0] if len(columns) == 1 else pieces.op("Concat", columns, axis=1)


def _width(variable: Any) -> int:
    """How many columns an input has."""
    shape = variable.type.shape
    if len(shape) != 2 or not isinstance(shape[1], int):
        raise ExportError(
            f"The input {variable.raw_name!r} has the shape {shape}; the number of its columns must be known."
        )
    return shape[1]
