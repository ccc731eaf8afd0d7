"""The fields of an export to PMML: the data dictionary, the mining schemas, and the names of outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from quercus.data.schema import Attribute
from quercus.errors import ExportError
from quercus.export.pmml_xml import Document, value_as_text
from quercus.export.program import Program, TreeTable
from quercus.export.vectors import number_tokens


class Fields:
    """The names and types of all fields of a program.

    target: the name of the field that is predicted; target_type: its type. share_names: of the outputs with the shares
    of the classes.
    """

    def __init__(self, program: Program, xml: Document) -> None:
        self.program, self.xml = program, xml
        self._types: dict[str, str] = {}
        self.attributes = {place: program.schema[place] for place in program.inputs}
        self._spread = {place for table in program.trees() for place in _spread(table)}
        self._taken = {attribute.name for attribute in self.attributes.values()}
        classes = program.classes
        outputs = program.target_kind.output_names(value_as_text)
        self.share_names = outputs[1:]
        same = sorted(self._taken & set(outputs))
        if same or "" in self._taken:
            raise ExportError(
                f"A column is called {same[0] if same else ''!r}, as an output of the export is, or has no name. "
                "Rename the column before fitting."
            )
        self._taken.update(outputs)
        self.target = self.free_name(program.schema.target or "target")
        if program.together and len(classes) == 1:
            raise ExportError("The model has one class only, and JPMML needs two in a forest. Export a single tree.")
        if program.together and "" in classes:
            raise ExportError(
                "A class is an empty text, which PMML4S takes to be missing in a forest. Name it otherwise."
            )
        self.target_type = _type_of(classes, "The classes are") if program.has_classes else "double"

    def free_name(self, name: str) -> str:
        """A name that no field has yet, as close as possible to the given one."""
        while name in self._taken or not name:
            name += "_"
        self._taken.add(name)
        return name

    def dictionary(self) -> None:
        """Write the data dictionary."""
        program = self.program
        with self.xml.element("DataDictionary", numberOfFields=str(len(self.attributes) + 1)):
            if not program.has_classes:
                self.xml.empty("DataField", name=self.target, optype="continuous", dataType="double")
            else:
                with self.xml.element("DataField", name=self.target, optype="categorical", dataType=self.target_type):
                    self._values(program.classes)
            for attribute in self.attributes.values():
                self._field(attribute)

    def type_of(self, attribute: Attribute) -> str:
        """The type of the values of an attribute."""
        if attribute.kind in ("numeric", "date"):
            return "double"
        if attribute.kind == "boolean":
            return "string"
        if attribute.name not in self._types:
            whose = f"Column {attribute.name!r} has values that are"
            self._types[attribute.name] = _type_of(attribute.values, whose)
        return self._types[attribute.name]

    def _field(self, attribute: Attribute) -> None:
        optype = {"numeric": "continuous", "date": "continuous", "ordered": "ordinal"}.get(
            attribute.kind, "categorical"
        )
        with self.xml.element("DataField", name=attribute.name, optype=optype, dataType=self.type_of(attribute)):
            if attribute.kind == "date":
                self.xml.empty("Extension", extender="Quercus", name="date_type", value=attribute.date_type)
            if attribute.kind in ("boolean", "ordered"):
                self.xml.empty("Extension", extender="Quercus", name="kind", value=attribute.kind)
            self._values(attribute.values)
            for token in dict.fromkeys(_tokens(attribute)):
                self.xml.empty("Value", value=token, property="missing")

    def _values(self, values: Iterable[Any]) -> None:
        for value in values:
            self.xml.empty("Value", value=value_as_text(value))

    def mining_schema(self, inputs: Sequence[int]) -> None:
        """Write the fields that a model reads and predicts. inputs: the positions of the attributes."""
        with self.xml.element("MiningSchema"):
            self.xml.empty("MiningField", name=self.target, usageType="target")
            for place in inputs:
                name, strict = self.attributes[place].name, place in self._spread
                self.xml.empty(
                    "MiningField",
                    name=name,
                    invalidValueTreatment="returnInvalid" if strict else "asMissing",
                    missingValueTreatment="returnInvalid" if strict else None,
                )


def _tokens(attribute: Attribute) -> list[str]:
    """The texts of values that mean "missing"; a value of another type than the column never occurs."""
    if attribute.kind in ("numeric", "date"):
        texts = [token for token in attribute.missing_tokens if isinstance(token, str)]
        return [*texts, *map(value_as_text, number_tokens(attribute)), "NaN"]
    types = {type(value) for value in attribute.values} - {bool}
    return [value_as_text(token) for token in attribute.missing_tokens if type(token) in types]


def _spread(table: TreeTable) -> set[int]:
    """The attributes whose unknown values follow several branches."""
    tree = table.tree
    return set(tree.attribute[(tree.n_children > 0) & (tree.missing_child < 0)].tolist())


def _type_of(values: Sequence[Any], whose: str) -> str:
    """The type of PMML that all values have."""
    for kind, name in ((str, "string"), (bool, "boolean")):
        if all(isinstance(value, kind) for value in values):
            return name
    if not any(isinstance(value, bool) for value in values):
        if all(isinstance(value, int) and abs(value) < 2**31 for value in values):  # as engines have them
            return "integer"
        if all(isinstance(value, float) or (isinstance(value, int) and abs(value) <= 2**53) for value in values):
            return "double"
    raise ExportError(
        f"{whose} of several types, dates or whole numbers above 2^53, which a field of PMML cannot be. Convert them "
        "to texts before fitting."
    )
