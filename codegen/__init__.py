"""Reads the yaml rows of src/ops and writes the C++ that nobody should write by hand."""
