"""Writes what str's methods know of characters: classes and case mappings, from Python's own database."""

import sys

from unicode_tables import ranges, table

SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"
FINAL_SIGMA = "\N{GREEK SMALL LETTER FINAL SIGMA}"


def ends_in_final_sigma(text):
    return text.lower()[-1] == FINAL_SIGMA


def is_cased(c):
    """By its effect: a capital sigma behind a cased letter ends a word."""
    return ends_in_final_sigma(c + SIGMA)


def is_case_ignorable(c):
    return ends_in_final_sigma("A" + c + SIGMA) and not is_cased(c)


CLASSES = {
    "kAlphabetic": ("str.isalpha()", str.isalpha),
    "kDecimal": ("str.isdecimal(): whole runs from 0 to 9.", str.isdecimal),
    "kDigitOnly": ("str.isdigit() beyond the decimals.", lambda c: c.isdigit() and not c.isdecimal()),
    "kNumericOnly": ("str.isnumeric() beyond the digits.", lambda c: c.isnumeric() and not c.isdigit()),
    "kSpace": ("str.isspace()", str.isspace),
    "kLowercase": ("str.islower() of one character.", str.islower),
    "kUppercase": ("str.isupper() of one character.", str.isupper),
    "kTitlecase": ("Neither lower nor upper: the digraphs that begin a title.",
                   lambda c: c.istitle() and not c.isupper()),
    "kCased": ("Letters with case.", is_cased),
    "kCaseIgnorable": ("What may stand between a letter and a final sigma.", is_case_ignorable),
}

MAPPINGS = {
    "Lower": str.lower,
    "Upper": str.upper,
    "Title": str.title,
    "Fold": str.casefold,
}


def case_ranges(convert):
    """Runs (first, last, stride, delta) of characters that map to one other, and the rest."""
    runs, special = [], []
    for code in range(0x80, sys.maxunicode + 1):
        mapped = convert(chr(code))
        if mapped == chr(code):
            continue
        if len(mapped) > 1:
            special.append((code, [ord(c) for c in mapped]))
            continue
        delta = ord(mapped) - code
        if runs:
            first, last, stride, run_delta = runs[-1]
            gap = code - last
            if delta == run_delta and gap <= 2 and (stride in (0, gap)):
                runs[-1] = (first, code, gap, delta)
                continue
        runs.append((code, code, 0, delta))
    return [(first, last, stride or 1, delta) for first, last, stride, delta in runs], special


def case_table(name, convert):
    runs, special = case_ranges(convert)
    text = f"inline constexpr CaseRun k{name}Runs[] = {{\n"
    text += "".join(f"    {{0x{first:X}, 0x{last:X}, {stride}, {delta}}},\n"
                    for first, last, stride, delta in runs)
    text += "};\n"
    # Never empty: a language has no arrays without elements.
    rows = special or [(0, [0])]
    text += f"inline constexpr CaseSpecial k{name}Specials[] = {{\n"
    text += "".join(f"    {{0x{code:X}, {{{', '.join(f'0x{c:X}' for c in mapped)}}}}},\n"
                    for code, mapped in rows)
    return text + "};\n"


def main(output):
    text = "// Classes of characters beyond ASCII, and their case mappings; each table in order.\n"
    text += "#pragma once\n\n#include <cstdint>\n\n#include \"gen/unicode_tables.h\"\n\nnamespace tsc::gen {\n\n"
    text += "// Every `stride`-th character from first to last maps to itself plus delta.\n"
    text += "struct CaseRun {\n  uint32_t first;\n  uint32_t last;\n  uint32_t stride;\n  int32_t delta;\n};\n"
    text += "// One that maps to several; ended by 0.\n"
    text += "struct CaseSpecial {\n  uint32_t code_point;\n  uint32_t mapped[4];\n};\n\n"
    text += "\n".join(table(name, comment, ranges(test)) for name, (comment, test) in CLASSES.items())
    text += "\n" + "\n".join(case_table(name, convert) for name, convert in MAPPINGS.items())
    text += "\n}  // namespace tsc::gen\n"
    with open(output, "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
