"""What a row of the dispatch table is: types, arguments, schemas, rows and structured groups.

The model knows nothing of yaml or C++; `schema_parser` and `rows` build it, `cpp` and the writers read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

# Names that a schema may use for one value; `SymInt` is kept because schemas must read as PyTorch's do.
BASE_TYPES = (
    "Tensor",
    "Scalar",
    "int",
    "SymInt",
    "float",
    "bool",
    "str",
    "ScalarType",
    "Layout",
    "Device",
    "MemoryFormat",
    "Generator",
    "Dimname",
    "Storage",
    "Stream",
    "QScheme",
)

# What computes: a structured group has an implementation for each.
BACKENDS = ("CPU", "CUDA")
# Of these, the ones that have a structured group's out= kernel only: Common makes the forms.
OUT_ONLY_BACKENDS = ("CUDA",)
# The columns whose kernels are of one backend: each has a namespace of direct entry points.
BACKEND_COLUMNS = (*BACKENDS, "Meta", "QuantizedCPU", "SparseCPU", "SparseMeta")


# In the place of a kernel of an out= row: the functional form's result is stored.
STORED = "stored"


@dataclass(frozen=True)
class Type:
    """A schema type: a base type, an optional of a type, or a list of a type (with a size where it has one)."""

    base: str | None = None
    optional_of: Type | None = None
    list_of: Type | None = None
    list_size: int | None = None

    def __str__(self) -> str:
        if self.optional_of is not None:
            return f"{self.optional_of}?"
        if self.list_of is not None:
            size = "" if self.list_size is None else str(self.list_size)
            return f"{self.list_of}[{size}]"
        return str(self.base)

    @property
    def is_tensor(self) -> bool:
        return self.base == "Tensor"

    @property
    def is_optional_tensor(self) -> bool:
        return self.optional_of is not None and self.optional_of.is_tensor

    @property
    def is_tensor_list(self) -> bool:
        if self.list_of is None:
            return False
        return self.list_of.is_tensor or self.list_of.is_optional_tensor

    @property
    def has_tensor(self) -> bool:
        return self.is_tensor or self.is_optional_tensor or self.is_tensor_list


@dataclass(frozen=True)
class Annotation:
    """`(a!)`, `(a -> *)`, `(a|b)`: which alias sets a value is in, and whether it is written."""

    before: tuple[str, ...]
    is_write: bool
    after: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = "|".join(self.before) + ("!" if self.is_write else "")
        return text + (f" -> {'|'.join(self.after)}" if self.after else "")


def type_text(type_: Type, annotation: Annotation | None) -> str:
    """The type as the schema writes it: the annotation stands behind the innermost base type."""
    if annotation is None:
        return str(type_)
    if type_.optional_of is not None:
        return f"{type_text(type_.optional_of, annotation)}?"
    if type_.list_of is not None:
        size = "" if type_.list_size is None else str(type_.list_size)
        return f"{type_text(type_.list_of, annotation)}[{size}]"
    return f"{type_}({annotation})"


@dataclass(frozen=True)
class Argument:
    name: str
    type: Type
    default: str | None = None
    annotation: Annotation | None = None
    kwarg_only: bool = False

    @property
    def is_write(self) -> bool:
        return self.annotation is not None and self.annotation.is_write

    @property
    def is_out(self) -> bool:
        """Written, keyword-only tensors are outputs that the caller provides."""
        return self.is_write and self.kwarg_only

    def __str__(self) -> str:
        text = f"{type_text(self.type, self.annotation)} {self.name}"
        return text if self.default is None else f"{text}={self.default}"


@dataclass(frozen=True)
class Return:
    type: Type
    name: str | None = None
    annotation: Annotation | None = None

    def __str__(self) -> str:
        text = type_text(self.type, self.annotation)
        return text if self.name is None else f"{text} {self.name}"


class SchemaKind(Enum):
    FUNCTIONAL = "functional"
    INPLACE = "inplace"
    OUT = "out"


@dataclass(frozen=True)
class Schema:
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]

    @property
    def full_name(self) -> str:
        return f"{self.name}.{self.overload}" if self.overload else self.name

    @property
    def is_dunder(self) -> bool:
        return self.name.startswith("__") and self.name.endswith("__")

    @property
    def kind(self) -> SchemaKind:
        if self.out_arguments:
            return SchemaKind.OUT
        if self.name.endswith("_") and not self.is_dunder:
            return SchemaKind.INPLACE
        if self.is_dunder and self.arguments and self.arguments[0].is_write:
            return SchemaKind.INPLACE
        return SchemaKind.FUNCTIONAL

    @property
    def base_name(self) -> str:
        """`add` for add, add_ and add.out alike; `__and__` for `__iand__`."""
        if self.kind is SchemaKind.INPLACE:
            return f"__{self.name[3:]}" if self.is_dunder else self.name[:-1]
        return self.name

    @property
    def out_arguments(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.is_out)

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """Every argument that is not an output the caller provides."""
        return tuple(argument for argument in self.arguments if not argument.is_out)

    @property
    def is_view(self) -> bool:
        """Whether a result shares an argument's memory without writing it."""
        return any(r.annotation is not None and not r.annotation.is_write for r in self.returns)

    @property
    def writes(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.is_write)

    @property
    def has_names(self) -> bool:
        """Whether an argument is the name of a dimension, for which there is no C++ type: such kernels are boxed."""
        return any("Dimname" in str(argument.type) for argument in self.arguments)

    @property
    def tensor_options(self) -> tuple[Argument, ...]:
        """dtype, layout, device and pin_memory, where all four stand in a row: a factory's options."""
        names = ("dtype", "layout", "device", "pin_memory")
        found = [argument for argument in self.arguments if argument.name in names]
        return tuple(found) if tuple(argument.name for argument in found) == names else ()

    def __str__(self) -> str:
        parts: list[str] = []
        starred = False
        for argument in self.arguments:
            if argument.kwarg_only and not starred:
                parts.append("*")
                starred = True
            parts.append(str(argument))
        if len(self.returns) == 1:
            returns = str(self.returns[0])
        else:
            returns = f"({', '.join(str(r) for r in self.returns)})"
        return f"{self.full_name}({', '.join(parts)}) -> {returns}"


@dataclass(frozen=True)
class Location:
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Place:
    """Where code that a yaml file holds begins."""

    file: str
    line: int
    column: int  # from 0


@dataclass(frozen=True)
class Family:
    """Rows that stand in one file, src/ops/<room>/<name>.yaml; src/autograd/ has the same rooms."""

    room: str
    name: str

    @staticmethod
    def of(path: Path) -> Family:
        return Family(path.parent.name, path.stem)

    @property
    def rows(self) -> str:
        return f"src/ops/{self.room}/{self.name}.yaml"

    @property
    def derivatives(self) -> str:
        return f"src/autograd/{self.room}/{self.name}.yaml"

    @property
    def formulas(self) -> str:
        """The header of formulas that are longer than a line of yaml."""
        return f"autograd/{self.room}/{self.name}.h"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Row:
    """One operator overload as its yaml entry declares it."""

    schema: Schema
    location: Location
    family: Family
    variants: tuple[str, ...] = ("function",)
    structured: bool = False
    structured_delegate: str | None = None
    structured_inherits: str | None = None
    # This form of a group has one kernel for all backends.
    every_backend: bool = False
    # Why PyTorch's group of this name is none here.
    unstructured: str | None = None
    # The formula that a structured row computes, e.g. "activation.silu"; then words (fields.py).
    formula: tuple[str, ...] = ()
    formula_place: Place | None = None
    dispatch: dict[str, str] = field(default_factory=dict)
    # The columns that a call passes by.
    fallthrough: tuple[str, ...] = ()
    # Device -> what autocast does.
    autocast: dict[str, str] = field(default_factory=dict)
    # A function of ops/names/name_rules.h, and one of ops/shape/view_inverses.h.
    names: str | None = None
    inverse: str | None = None
    aliasing: str | None = None
    # ExactSame or NoCheck; a structured row says it for its group.
    device_check: str | None = None
    # The result's memory is not written.
    uninitialized: bool = False
    tags: tuple[str, ...] = ()
    doc: str = ""
    python_module: str | None = None
    python_names: tuple[str, ...] = ()
    numbers_as_tensors: bool = False
    deprecated_signature: bool = False
    cpp_no_default_args: tuple[str, ...] = ()
    autogen: tuple[str, ...] = ()
    # Tags of made forms that are not this row's without core.
    autogen_tags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # Where made forms have their kernels, if not where this row has.
    autogen_keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # Made in-place forms that are functions of torch, too.
    autogen_functions: tuple[str, ...] = ()
    # A made out= form takes no other dtype than the result's.
    exact_out: bool = False
    # ... and has the result's strides where it is resized, or where it has no elements.
    strided_out: str = ""
    # ... and shares no memory with an input.
    out_apart: bool = False
    # The overload whose dimensions go by name.
    by_name: str | None = None
    # The functional row that this one stores the results of.
    made_from: Schema | None = None

    @property
    def full_name(self) -> str:
        return self.schema.full_name

    @property
    def is_structured(self) -> bool:
        return self.structured or self.structured_delegate is not None

    @property
    def is_composite_implicit(self) -> bool:
        """Made of other operators on every backend; beside a backend's kernel the composite is for the others."""
        return "CompositeImplicitAutograd" in self.dispatch and not (self.is_structured or set(self.dispatch) & set(BACKENDS))

    @property
    def may_view(self) -> bool:
        """Whether a result may share an argument's memory without writing it."""
        return self.schema.is_view or self.aliasing == "undeclared"

    @property
    def direct_columns(self) -> tuple[str, ...]:
        """The backends for which an author wrote a kernel of this form; those of a structured group are the group's."""
        if self.made_from is not None or self.schema.has_names:
            return ()
        return tuple(
            key
            for key in BACKEND_COLUMNS
            if key in self.dispatch and self.dispatch[key] != STORED and not (self.structured and key in BACKENDS)
        )

    @property
    def is_copy_of_view(self) -> bool:
        return self.made_from is not None and self.made_from.is_view

    @property
    def all_tags(self) -> tuple[str, ...]:
        """The row's own, and those that follow from it."""
        made = {
            "inplace": self.schema.kind is SchemaKind.INPLACE,
            "out": self.schema.kind is SchemaKind.OUT,
            "view_copy": self.is_copy_of_view,
            "pt2_compliant_tag": True,
        }
        return (*self.tags, *(tag for tag, holds in made.items() if holds))


@dataclass(frozen=True)
class StructuredGroup:
    """The forms of one computation: the out= row holds the kernels, the others delegate to it."""

    out: Row
    functional: Row
    inplace: Row | None = None

    @property
    def name(self) -> str:
        """The name that the meta function carries: `add_Tensor` for add.Tensor, add_.Tensor and add.out."""
        schema = self.functional.schema
        return f"{schema.name}_{schema.overload}" if schema.overload else schema.name

    @property
    def rows(self) -> tuple[Row, ...]:
        rows = (self.functional, self.inplace, self.out)
        return tuple(row for row in rows if row is not None)

    @property
    def backends(self) -> dict[str, str]:
        """Backend -> name of its implementation."""
        return {key: kernel for key, kernel in self.out.dispatch.items() if key in BACKENDS}

    @property
    def backends_with_forms(self) -> tuple[str, ...]:
        """Those for which every form is generated; the others have the out= kernel, and Common's forms around it."""
        return tuple(key for key in self.backends if key not in OUT_ONLY_BACKENDS)

    def is_shared(self, backend: str) -> bool:
        """Whether the implementation is the CPU's, too, and asks the outputs for the device."""
        return backend in OUT_ONLY_BACKENDS and self.backends[backend] == self.backends.get("CPU")
