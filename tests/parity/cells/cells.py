"""The kinds of the cells of a row, a letter each: the same code under PyTorch and under tensorscope."""

KEYS = [
    "Undefined", "CPU", "PrivateUse1", "Meta", "QuantizedCPU", "SparseCPU", "SparseMeta", "BackendSelect", "Conjugate",
    "Negative", "ZeroTensor", "ADInplaceOrView", "AutogradOther", "AutogradCPU", "AutogradCUDA", "AutogradMeta",
    "AutogradPrivateUse1", "AutocastCPU", "AutocastCUDA",
]
# Their defaults of structured operators are called Common here.
LETTERS = {
    "kernel": "k",
    "default backend kernel": "d",
    "from Common": "d",
    "math kernel": "m",
    "autograd kernel": "a",
    "backend fallback": "b",
    "ambiguous autogradother": "o",
}
NONE = "-" * len(KEYS)


def letters_of(table):
    """Of the text that torch._C._dispatch_dump_table gives. f falls through."""
    cells = {}
    for line in table.splitlines():
        key, text = line.split(": ", 1)
        if key in KEYS:
            kind = LETTERS[text[text.rindex("[") + 1:-1]]
            cells[key] = "f" if text.startswith("fallthrough") else kind
    return "".join([cells.get(key, "-") for key in KEYS])


def agree(theirs, ours):
    """Every operator has a kernel for Meta here; those that PyTorch's Python layer registers hide what the library has there."""
    return all(a == b or (key == "Meta" and b in "kdm") for key, a, b in zip(KEYS, theirs, ours))
