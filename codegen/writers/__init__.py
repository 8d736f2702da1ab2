"""One writer a kind of generated file. Each takes a family's rows and returns the file's text."""
