"""Entries of config.yaml: sources of logs, and figures made of them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from heatproof.config import roles, venues
from heatproof.config.choice import Choice, LeftOut, Word, Written, read_choices
from heatproof.config.roles import Type  # noqa: TC001  msgspec looks it up
from heatproof.config.schema import check, is_bare_exponent
from heatproof.metrics import metric
from heatproof.util.errors import Error, Mistake
from heatproof.util.numerals import words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    NamedColumns = dict[str, str]  # key of a figure → the column or metric that it names
    ListedValues = dict[
        str, tuple[str, list[Word]]
    ]  # key of a figure → a column, some of its values

Spaces = Literal["spaces"]
Format = Literal["svg", "pdf", "png", "html", "svg-text"]
LINES = re.compile(r"\.(jsonl|ndjson)(\.gz|\.zst)?\Z")
"""Endings of logs whose lines are records, packed or not."""
USUAL: tuple[Format, ...] = ("svg", "pdf", "png", "html")
"""The formats of a figure that names none."""
FORMATS: dict[str, str] = {**{form: form for form in USUAL}, "svg-text": "text.svg"}
"""Format of a figure's file → how its name ends."""


ONE_OR_LIST = [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]


class Param(msgspec.Struct):
    """A hyper-parameter: its type, and its name in the logs if its column is called otherwise."""

    type: Type
    field: str | None = None
    default: Word | None = None
    """Its value if the logs do not give it."""

    def place(self, name: str) -> str:
        """Where logs have it; `name`: of its column. A table may have a column without a name."""
        return name if self.field is None else self.field

    @classmethod
    def all(cls, params: Mapping[str, Type | Param]) -> dict[str, Param]:
        """Hyper-parameters of a source by their names; an entry may be a type alone."""
        return {name: v if isinstance(v, Param) else cls(v) for name, v in params.items()}

    def mistakes(self) -> list[Mistake]:
        """Mistakes that types do not show."""
        return [] if self.default is None else unfit(self.default, self.type, ".default")


class Printed(msgspec.Struct):
    """A printed number: its place, and what is known of its uncertainty."""

    value: str
    """Its place in the record; `{task}` in it stands for each column of a table."""
    n: str | int | None = None
    """Its problems, as a number or a place; a share of right answers then has an interval."""
    stderr: str | None = None
    """Place of its standard error."""
    total: str | None = None
    """Place of the whole, for a count such as solved problems; the figure shows the share."""
    of: list[str] = []
    """Columns that `{task}` stands for; by default all that no other key names."""

    @property
    def size(self) -> str | int | None:
        return self.total or self.n


class Derived(msgspec.Struct):
    """A column made of another one: parted into bins, matched, looked up, or value by value."""

    bin: str = ""
    """A column of numbers, parted at the ends `at`, or into `quantiles`."""
    at: list[float | str] = []
    """Ends of bins, rising, such as `[8k, 16k]` (k is 1000, Ki 1024); those beyond are bins too."""
    quantiles: int | None = None
    """So many bins that hold about as many samples each; fewer where many samples are equal."""
    closed: Literal["left", "right"] = "left"
    """The end that belongs to a bin: 8k to 8k–16k (`left`), or 16k."""
    names: list[str] = []
    """What bins are called, the lowest first; by default `<8k`, `8k–16k`, `≥16k`."""
    match: str = ""
    """A column of text, in which `pattern` is searched."""
    pattern: str = ""
    """A regular expression; its one group is the value."""
    join: str = ""
    """A file that has the value, as under `join` (`heatproof guide logs`)."""
    by: str | dict[str, str] = ""
    """The column by whose value is looked up there; or column → its place there."""
    take: str = ""
    """The place there; `$value` is what an object holds for an id."""
    each: str = ""
    """Place of the list or object that holds the records; by default it is the document."""
    map: str = ""
    """A column, whose values `to` gives other ones."""
    to: dict[str, Word] = {}
    """Value → value."""
    type: Type = "str"
    """Type of the value, unless it is a bin."""
    default: Word | None = None
    """The value of a sample that has none otherwise."""

    @property
    def operation(self) -> str:
        """The key that says how it is made."""
        return next((key for key in OPERATIONS if getattr(self, key)), "")

    def origins(self) -> list[str]:
        """The columns that it is made of."""
        if self.join:
            if isinstance(self.by, str):
                return [self.by]
            return list(self.by)
        return [getattr(self, self.operation)]

    def bins(self) -> list[str]:
        """The names of its bins, the lowest first, if the config gives their ends."""
        if self.names or not self.at:
            return self.names
        words = [end if isinstance(end, str) else spelling(end) for end in self.at]
        return bin_names(words, self.closed)


OPERATIONS: dict[str, tuple[str, ...]] = {
    "bin": ("at", "quantiles", "closed", "names"),
    "match": ("pattern",),
    "join": ("by", "take", "each"),
    "map": ("to",),
}
"""How a column is made of another → the keys that go with it."""


def bin_names(ends: Sequence[str], closed: str) -> list[str]:
    """What bins are called by default: `<8k`, `8k–16k`, `≥16k`."""
    lower_sign, upper_sign = ("<", "≥") if closed == "left" else ("≤", ">")
    between = [f"{low}–{high}" for low, high in pairwise(ends)]
    return [f"{lower_sign}{ends[0]}"] + between + [f"{upper_sign}{ends[-1]}"]


class Source(msgspec.Struct, kw_only=True):
    """Logs of one format. Each reader adds the keys that its format needs."""

    name: str = ""
    """Key in config.yaml; names the folder of tables."""
    format: str
    """Format of the logs (`heatproof guide logs`); `auto` detects it."""
    logs: str | list[str]
    """Patterns of paths below the project folder; `**` spans folders."""
    compare_printed: bool = True
    """Compare the numbers that the harness printed with those computed from its logs."""
    strict: bool = False
    """Stop the run at the first log with a refused record."""
    refused: float | None = None
    """Share of the records that one kind of reason may refuse before the run stops; by default a
    tenth, with more rules (`heatproof guide logs`)."""
    shards: int | None = None
    """Number of tables for the logs; by default one for about a thousand logs or 200 MB."""
    max_record: int = 64 << 20
    """Bytes of one record at most; a longer one is refused unread."""
    max_expansion: int = 200
    """A compressed log may unpack to this many times its size; beyond, it is refused as a bomb."""
    expect: int | dict[str, int] | None = None
    """Samples (problems × epochs) of a complete run: a number, or task → number. It overrides what
    logs declare. The last lines name runs with more."""
    derived: dict[str, Derived] = msgspec.field(default_factory=dict, name="columns")
    """Column → how it is made of others (`heatproof guide logs#columns-made-of-columns`)."""
    show_records: int = 0
    """Records of each cell that the page quotes, as they stand in the logs; 0 where these are not
    for all who see the page."""

    private: bool = False
    """Whether files of figures hold no counts of single problems, which have no names there."""

    shares_runs: ClassVar[bool] = False
    """Whether several logs may be of one run; else each is a run, or several, named by its path."""

    def mistakes(self) -> list[Mistake]:
        problems = [
            Mistake(f".{key}", f"{value} is not 1 or more")
            for key in ("shards", "max_record", "max_expansion")
            if (value := getattr(self, key)) is not None and value < 1
        ]
        if self.logs in ([], ""):
            message = "names no file: write a pattern of paths, such as data/*.jsonl"
            problems.append(Mistake(".logs", message))
        if self.refused is not None and not 0 <= self.refused <= 1:
            problems.append(Mistake(".refused", f"{self.refused:g} is not between 0 and 1"))
        if self.show_records < 0:
            problems.append(Mistake(".show_records", f"{self.show_records} is not 0 or more"))
        sizes = self.expect if isinstance(self.expect, dict) else {"": self.expect}
        return problems + [
            Mistake(f".expect.{task}".rstrip("."), f"{n} is not 1 or more (samples of a run)")
            for task, n in sizes.items()
            if n is not None and n < 1
        ]

    def columns(self) -> Columns:
        raise NotImplementedError

    def all_columns(self) -> Columns:
        """The same with columns made of others: a setting is made of settings alone."""
        columns = self.columns()
        for name, derived in self.derived.items():
            is_setting = set(derived.origins()) <= {*roles.SETTINGS, *columns.params}
            kinds = columns.params if is_setting else columns.properties
            kinds[name] = derived.type
        return columns

    def joins(self, path: str) -> bool:
        """Whether `columns` are looked up in a file, by its path."""
        files = [column.join for column in self.source_of(path).derived.values() if column.join]
        return any(f"/{path}".endswith(f"/{file}") for file in files)

    def source_of(self, path: str) -> Source:  # noqa: ARG002
        """The source that a log is of: itself, but of several that are joined one."""
        return self

    def keeping_answers(self) -> str:
        """Keys by which tables keep the answers, for a vote; empty: no log has answers."""
        return ""

    def beside_records(self) -> dict[str, str]:
        """Column → its place outside of the records."""
        return {}

    def ranges(self) -> dict[str, list[float]]:
        """Column → the values of its 0 and 1 in the logs, if the source has a `range`."""
        ends = getattr(self, "range", None) or {}  # a list is of the score
        return {**ends} if isinstance(ends, dict) else {"score": ends}

    def has_lines(self, path: str) -> bool:
        """Whether each line of a log is a record."""
        return LINES.search(path) is not None

    @staticmethod
    def is_sidecar(path: str) -> bool:  # noqa: ARG004
        """Whether a file is read together with logs, and is none, by its path."""
        return False

    def leaves_out(self, path: str) -> bool:
        """Whether a file that matches `logs` is no log."""
        return self.is_sidecar(path)

    def repeated(self) -> str:
        """Keys that would tell repetitions of a sample apart."""
        return ""

    def chooses(self) -> bool:
        """Whether the reader chooses a scorer for each task: the summary of a run names it."""
        return False

    def unchosen(self, tasks: Sequence[str]) -> list[Mistake]:  # noqa: ARG002
        """Choices for tasks that are none of `tasks`."""
        return []

    def sidecars(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        """Files that the log at `path` is read together with, such as its run's settings.

        Paths of files that exist, like the log's own; a change in one is a change of the log.
        """
        return []

    def printed_in(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        """Files in which the harness printed numbers of the log at `path`, perhaps the log itself.

        They are compared with computed numbers, if the reader has a function `printed`, and never
        read as data: a change in one that is no log and no sidecar redoes the comparison alone.
        """
        return []


class Columns(msgspec.Struct):
    """The columns of a source's tables beyond those that every table has."""

    params: dict[str, Type] = {}  # hyper-parameters
    measures: list[str] = []  # numbers beside the score
    defaults: dict[str, Word] = {}  # hyper-parameter → its value where logs have none
    answers: bool = False  # whether there is a column of answers
    properties: dict[str, Type] = {}  # of problems or answers: columns made of others
    printed: dict[str, list[str]] = {}  # aggregate, a measure → the columns of its uncertainty

    @classmethod
    def with_params(cls, params: Mapping[str, Param], measures: list[str]) -> Columns:
        defaults = {}
        for name, param in params.items():
            if param.default is not None:
                defaults[name] = constant(param.default, param.type)
        return cls({name: param.type for name, param in params.items()}, measures, defaults)

    def kinds(self) -> dict[str, Type]:
        """All columns of its tables, by type."""
        return roles.samples(self.params, self.measures, self.answers, self.properties)

    def identity(self) -> dict[str, Type]:
        """Columns that tell runs, problems and repetitions apart, by type."""
        run, *rest = roles.KEY
        return {
            **{name: roles.OWN[name].type for name in roles.SETTINGS},
            **self.params,
            **self.properties,
            **{name: roles.OWN[name].type for name in (*rest, run, roles.PLACE[0])},
        }

    def numbers(self) -> list[str]:
        """Columns that metrics are taken of."""
        return [*roles.own("measure"), *self.measures]

    def mistakes(self) -> list[Mistake]:
        """Names that are taken."""
        taken = "is the name of a column of heatproof"
        problems = [
            Mistake(
                f".params.{name}",
                f"{name!r} {taken}; remove it here, or rename it: "
                f"my_{name}: {{type: {kind}, field: its name in the logs}}",
            )
            for name, kind in self.params.items()
            if name in roles.TAKEN
        ]
        for name in self.measures:
            if name in roles.TAKEN or name in self.params:
                message = f"{name!r} is the name of another column; rename it"
                problems.append(Mistake(f".measures.{name}", message))
        return problems


def of_kind(value: Word | list[Word], kind: Type | None) -> Any:
    """A value of the config, or each of a list, as a column of a type holds it: 1 as 1.0."""
    if isinstance(value, list):
        return [of_kind(item, kind) for item in value]
    if kind == "float" and (type(value) is int or is_bare_exponent(value)):
        return float(value)
    return value


def chosen_of_kind(written: Written, kind: Type | None) -> Written:
    """What `where` writes, with values as a column of a type holds them."""
    if isinstance(written, LeftOut):
        return LeftOut(of_kind(written.not_, kind))
    kept: Written = of_kind(written, kind)
    return kept


CONSTANT: dict[Type, Any] = {"str": str | int, "int": int, "float": float, "bool": bool}
"""Type of a column → values that the config may give to records; a whole number may be a name."""


def constant(value: Word, kind: Type) -> Word:
    """A value that the config gives to records, as a column of a type holds it."""
    return str(value) if kind == "str" else of_kind(value, kind)


def family_fault(pattern: str) -> str:
    """The fault of a pattern for families of problems; empty if there is none."""
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        return f"is not a regular expression: {error}"
    return "" if groups == 1 else f"has {groups} groups, not one"


def refused(key: str, reads: Callable[..., Any], *arguments: Any) -> list[Mistake]:
    """The mistake at a key, if the function that reads its value raises an Error."""
    try:
        reads(*arguments)
    except Error as error:
        return [Mistake(key, str(error))]
    return []


def unfit(value: Word, kind: Type, place: str) -> list[Mistake]:
    """Why records cannot have a value of the config in a column of a type."""
    return check(CONSTANT[kind], of_kind(value, kind), place)


class Figure(msgspec.Struct, kw_only=True):
    """One figure. Each kind adds the keys that it needs."""

    LOOK: ClassVar[set[str]] = {
        "title", "caption", "labels", "names", "width", "height", "font", "type", "formats",
        "footer", "id",
    }  # fmt: skip
    """Keys that change the picture alone, and no number of it; a kind lists its own."""

    name: str = ""
    """Key in config.yaml; names grid, spec and files."""
    kind: str
    """The kind of figure (`heatproof guide figures`)."""
    source: Annotated[str, msgspec.Meta(extra_json_schema={"anyOf": ONE_OR_LIST})]
    """The source of its samples, or a list; the column `source` tells several apart."""
    title: str = ""
    """A line above the figure."""
    caption: str = ""
    """The first sentence of its caption and of its text for screen readers."""
    where: dict[str, Written] = {}
    """Column → the value, or values, to keep; or `{not: [A, B]}`, those to leave out."""
    labels: dict[str, str] = {}
    """Column or metric → its name in the figure."""
    names: dict[str, dict[str, str] | Spaces] | Spaces = {}
    """Column → value → its name in the figure; or `spaces`, for one column or for all: blanks stand
    for underscores."""
    width: str = ""
    """The exact width: `single` (3.3 in), `double` (7 in), a length or a venue; by default what the
    figure needs, at most 7 in."""
    height: str = ""
    """Height of a page, a length; by default the venue's, or 9 in. The last lines of a run name
    higher figures."""
    font: str | venues.Font = "sans"
    """`sans` (Source Sans), `serif` (Source Serif), or three files of your own."""
    type: venues.Type | None = None
    """Sizes of type in pt, such as `{cell: 7, label: 6}`; by default those of the venue."""
    formats: list[Format] = msgspec.field(default_factory=lambda: list(USUAL))
    """Files to write; by default svg, pdf, png and html."""
    uncertainty: Literal["none", "se", "interval", "tied"] = "tied"
    """Beside a number: its standard error (`se`), its 95 % interval, or which others cannot be told
    apart from the highest (`tied`)."""
    family: str | None = None
    """A regular expression; its one group is the part of a sample's id that names its family.
    Variants of one template are not independent: the family becomes the unit."""
    footer: bool = True
    """Print the lines below the figure: notes and the meaning of marks."""
    id: bool = True
    """Print the figure's id in its corner; its files keep the provenance record without it."""
    ranges: dict[str, list[float]] = {}
    """Column → the values of its 0 and 1 in the logs: no key, but the `range` of the source."""
    opponent: str = ""
    """The column of the other side of games: no key, but the `versus` of the source."""
    mixable: list[str] = []
    """Settings that a cell may mix: no key, but those of which `columns` of the source are made."""
    orders: dict[str, list[str]] = {}
    """Column → its bins in order: no key, but as `columns` of the source has them."""

    def mistakes(self) -> list[Mistake]:
        problems = []
        for key, (_, values) in self._chosen().items():
            if not values:
                problems.append(Mistake(f".{key}", "lists no value"))
        if not self.formats:
            problems.append(Mistake(".formats", f"names none; there are {', '.join(FORMATS)}"))
        if self.name.endswith(".text"):
            message = ".text at the end is kept for files of other figures; rename it"
            problems.append(Mistake("", message))
        wide = refused(".width", venues.width, self.width)
        size = wide or refused(".height", venues.height, self.height, self.width)
        problems += size + venues.type_mistakes(self.type)
        return problems + venues.font_mistakes(self.font)

    @property
    def page_width(self) -> float:
        """The most that it may be wide, in pt."""
        return venues.width(self.width)

    @property
    def page_height(self) -> float:
        """The most that it may be high, in pt."""
        return venues.height(self.height, self.width)

    def used(self) -> NamedColumns:
        """Key → the column it names, where this must be an identity column."""
        return {f"where.{column}": column for column in self.where}

    def required(self) -> ListedValues:
        """Key → a column and its values that some sample must have."""
        return self._chosen()

    def _chosen(self) -> ListedValues:
        """Key → a column and its values that `where` names."""
        keys = {}
        for name, choice in read_choices(self.where).items():
            keys[f"where.{name}{choice.key}"] = name, choice.named
        return keys

    def called(
        self, column: str, values: Sequence[Any], plain: Sequence[str] = ()
    ) -> dict[Any, str]:
        """Value → its name in the figure: of `names`, else of `plain`, else as numbers are printed.

        Raises Error: two of them would have one name.
        """
        place = f"figures.{self.name}.names.{column}"
        return name_values(values, names_in(self.names, column), plain, place)

    def selected(self) -> dict[str, Choice]:
        """Column → its values that are shown; samples with others have no part in the figure."""
        return read_choices(self.where)

    def spelled(self) -> ListedValues:
        """Key → a column and values that must be of its type."""
        return self.required()

    def labelled(self) -> list[str]:
        """Columns and numbers that have a label."""
        return list(self.labels)

    def fitted(self, types: Mapping[str, Type]) -> Figure:
        """The figure with values as their columns, of these `types`, hold them."""
        where = {name: chosen_of_kind(value, types.get(name)) for name, value in self.where.items()}
        return msgspec.structs.replace(self, where=where)

    def measured(self) -> dict[str, str]:
        """Key → the column it names, where this must be a number."""
        return {key: metric(metric_word).of for key, metric_word in self.metrics().items()}

    def asks_uncertainty(self) -> bool:
        """Whether it asks for standard errors or intervals, which not all numbers have."""
        return self.uncertainty in ("se", "interval")

    def metrics(self) -> NamedColumns:
        """Key → the metric that it names."""
        return {}

    def mistyped(self, types: Mapping[str, Type]) -> list[Mistake]:  # noqa: ARG002
        """Keys that do not fit the `types` of columns."""
        return []

    def misranged(self, ranges: Mapping[str, list[float]]) -> list[Mistake]:  # noqa: ARG002
        """Metrics that do not exist for columns with a `range`."""
        return []

    def shows(self) -> str:
        """A description in a few words."""
        return self.caption or self.title or self.name

    def expects(self) -> bool:
        """Whether its grid has the expected samples that logs declare."""
        return False

    @classmethod
    def drawing(cls) -> set[str]:
        """All keys of `LOOK`. A change of any other key makes the grid anew."""
        return set().union(*(kind.LOOK for kind in cls.__mro__ if issubclass(kind, Figure)))


def names_in(
    names: Mapping[str, Mapping[str, str] | Spaces] | Spaces, column: str
) -> Mapping[str, str] | Spaces:
    """What the key `names` says of a column."""
    if names == "spaces":
        return names
    return names.get(column, {})


def name_values(
    values: Sequence[Any], names: Mapping[str, str] | Spaces, plain: Sequence[str], place: str
) -> dict[Any, str]:
    """Value → its name in a figure: of `names`, else of `plain`, else as numbers are printed.

    Raises Error at a place of the config: two of them would have one name.
    """
    distinct = list(dict.fromkeys(values))
    if names == "spaces":
        texts = [value for value in distinct if isinstance(value, str)]
        names = {text: text.replace("_", " ") for text in texts}
    names = {spelling(key): name for key, name in names.items()}
    value_of: dict[str, Any] = {}
    for value, label in zip(distinct, plain or words(distinct), strict=True):
        name = names.get(spelling(value), label)
        if name in value_of:
            message = f"{value_of[name]!r} and {value!r} would both be named {name!r}"
            raise Error(Mistake(place, message))
        value_of[name] = value
    return {value: name for name, value in value_of.items()}


def spelling(value: object) -> str:
    """A value as a key of `names`: 1 and 1.0 are one key, and so are 1e-5 and 0.00001."""
    if isinstance(value, bool):
        return str(value).lower()
    number = float(value) if is_bare_exponent(value) else value
    if isinstance(number, float):
        return repr(number).removesuffix(".0")
    return str(number)
