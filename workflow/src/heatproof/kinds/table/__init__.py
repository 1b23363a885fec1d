"""Tables: numbers in rows and columns, the best in bold, with what ties with it marked."""

from heatproof.kinds.table.entry import Entry

__all__ = ["Entry"]
