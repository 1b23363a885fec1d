"""python -m heatproof.paper TABLE FOLDER: a packed log in FOLDER for each digit of TABLE."""

import sys
from pathlib import Path

from heatproof.paper import published, reconstruction

if len(sys.argv) != 3:
    sys.exit(__doc__)
table, folder = map(Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
rows = published.read(table.read_text(), str(table))
for name, text in reconstruction.reconstruct(rows).items():
    (folder / f"{name}.gz").write_bytes(reconstruction.packed(text))
