"""The files of a figure: drawn once, written in each format, each with its record inside."""
