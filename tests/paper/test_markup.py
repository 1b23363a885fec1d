"""Manuscripts in Markdown, Typst and PDF are read as those in LaTeX are."""

from pathlib import Path

import pytest

from heatproof.config import paths
from heatproof.paper import check, values
from heatproof.util.errors import Error
from support import quoted

MARKDOWN = """\
---
title: 99.9
---
R1-Llama reaches **48.2** % on AIME24 at a ratio of 0.3 and a window of 2000 <!-- 11.1 -->.
It has 44.4 % there [@smith], as R1-Llama on AIME24 at ratio 0.3 and window 2000.

```python
accuracy = 12.3
```

Table: R1-Llama on AIME24

| Window | 0.1 | 0.2 | 0.3 |
|--------|----:|----:|----:|
| 500    | 40.0 | 45.3 | 41.9 |
| 2000   | 44.7 | **47.3** | $48.7 \\pm 9.1$ |
"""
TYPST = """\
#set page(width: 99.9cm)
R1-Llama reaches *48.2* % on AIME24 at a ratio of 0.3 and a window of 2000. // 11.1
It has 44.4 % there @smith, as R1-Llama on AIME24 at ratio 0.3 and window 2000.
#figure(
  table(columns: 4,
    [Window], [0.1], [0.2], [0.3],
    [500], [40.0], [45.3], [41.9],
    [2000], [44.7], [*47.3*], [$48.7 plus.minus 9.1$],
  ), caption: [R1-Llama on AIME24])
#hp("llama", "task=AIME24, ratio=0.3, local_window=2000") #hp("llama", "task=AIME42")
"""


@pytest.fixture
def build(tmp_path: Path) -> Path:
    path = tmp_path / paths.VALUES[1]
    path.parent.mkdir()
    path.write_bytes(values.json_text(quoted.figures()))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("main.md", MARKDOWN, [("48.2", 4, 20), ("41.9", 15, 26)]),
        ("main.qmd", MARKDOWN, [("48.2", 4, 20), ("41.9", 15, 26)]),
        ("main.typ", TYPST, [("48.2", 2, 19), ("41.9", 7, 29), ("value of llama at task=AIME42", 10, 59)]),
    ],
)  # fmt: skip
def test_markup_is_read(name: str, text: str, places: list[object], build: Path) -> None:
    """With line and column; comments, code and citations are no numbers of ours."""
    (build / name).write_text(text)
    report = check.check(build / name, build)
    wrong = [item for item in report.findings if item.sort == "contradiction"]
    assert [(item.says, item.line, item.column) for item in wrong] == places
    assert report.compared == 5


def test_the_text_of_a_pdf_is_read(build: Path) -> None:
    """By its pages; the file is asked for its figures, too."""
    typst = pytest.importorskip("typst")
    pytest.importorskip("pypdf")
    text = "R1-Llama reaches 48.2 % on AIME24 at a ratio of 0.3 and a window of 2000."
    (build / "main.typ").write_text(text)
    (build / "main.pdf").write_bytes(typst.compile(build / "main.typ"))
    (found,) = check.check(build / "main.pdf", build).findings
    assert (found.sort, found.says, found.prints) == ("contradiction", "48.2", "48.7")
    assert found.file.endswith("main.pdf page 1")


def test_what_is_no_manuscript_is_refused(build: Path) -> None:
    """And so is a project that is not built."""
    with pytest.raises(Error, match=r"it ends in one of \.tex, \.md, \.qmd, \.typ, \.pdf"):
        check.check(build / "main.docx", build)
    with pytest.raises(Error, match="no such file"):
        check.check(build / "main.tex", build)
    with pytest.raises(Error, match="the numbers of the build are not there"):
        check.check(build / "main.tex", build / "elsewhere")
