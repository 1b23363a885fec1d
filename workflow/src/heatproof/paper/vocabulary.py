"""Words of papers by which a number is a value, another quantity, or of somebody else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.paper.typed_numbers import Role


def any_word(listed: str, *, before: str = "", after: str = r"\b") -> re.Pattern[str]:
    """Finds any of some words, in any case; `_` is a space and `*` the rest of a word."""
    words = [term.replace("_", r"[\s-]+").replace("*", r"\w*") for term in listed.split()]
    return re.compile(rf"{before}\b(?:{'|'.join(words)}){after}", re.IGNORECASE)


FOREIGN = any_word(
    "et_al report reports reported prior previous previously official officially published human "
    "humans leaderboard original originally concurrent claim claims claimed card earlier "
    "in_contrast_to would suppose hypothe* if paper"
)
"""A number may be of somebody else, or of no build."""

OTHER_QUANTITY = (
    "section sec table tab figure fig eq equation appendix chapter line page step layer seed seeds "
    "version v top-?p top-?k temperature rate lr dropout beta alpha gamma lambda epsilon level "
    "threshold p α λ weight decay steps epoch epochs batch rank degree algorithm theorem lemma "
    "python cuda exponent confidence probability cost costs quantile penalty momentum bit bits "
    "factor speedup latency takes took year in"
)
NO_VALUE = re.compile(
    any_word(OTHER_QUANTITY, after="").pattern
    + r"\b[\s.:=~≈<>≤≥(]*(?:of|to|is|at|was|set|about|around|and|,|\d[\d.]*)?[\s=(]*$"
    + r"|[<>≤≥=$€£#@]\s*$",
    re.IGNORECASE,
)
"""What stands before a number that is no value of a figure."""

VARIANT = any_word(
    "ablat* variant* without w/o quanti* 4-bit 8-bit int4 int8 fp8 fine-?tun* baseline greedy "
    "previous old older earlier published reported dev development validation subset"
)
"""A table with these in its caption may be of other runs with the same settings."""

UNITS = (
    "hours? h days? minutes? min seconds? secs? s ms [kMGT]i?B tokens? x times parameters? params? "
    "layers? heads? seeds? gpus? cpus? runs? models? tasks? benchmarks? epochs? steps? figures? "
    "tables? sections? methods? baselines? settings? windows? ratios? languages? annotators? "
    "years? billion million thousand [BM] usd dollars? words? pages? nodes? degrees? points?_per"
)
SHARES = (
    "confidence CI interval relative relatively faster slower fewer sparsity compression "
    "less_memory less_compute less_time"
)
SHARED_THINGS = "time memory compute cost tokens cache data problems samples questions papers all"
UNIT = re.compile(
    rf"(?:\s*[–-]\s*\d[\d.]*)?\s*[-~]?\s*(?:{any_word(UNITS).pattern}|[×$€°]|\d+(?:\.\d+)?[BMK]\b|/\s?[A-Za-z]"
    rf"|(?:%|percent)\s*(?:{any_word(SHARES).pattern}"
    rf"|of\s+(?:the\s+|all\s+)?{any_word(SHARED_THINGS).pattern}))",
    re.IGNORECASE,
)
"""What stands behind a number of something else."""

VERSIONED = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w-]*\s+$")
"""The name of a product before its version: GPT 3.5."""

COUNTED = any_word(
    "problems questions items instances examples exercises samples records",
    before=r"^\s*(?:[\w-]+\s+)?",
)
SOLVED = any_word(
    "solves? solved answers? answered passes passed", after=r"\s*(?:only|just|about)?\s*$"
)
"""What stands before a share of problems that is a value."""
SIZED = re.compile(r"\b[nN]\s*=\s*$")
DIFFERENCES = (
    "by gains?_of drops?_of difference_of gap_of margin_of improvements?_of increase_of loss_of "
    "decrease_of lead_of"
)
CHANGED = re.compile(
    rf"(?:{any_word(DIFFERENCES).pattern}|[(,]\s*[+−-])"
    r"\s*(?:about|only|just|roughly|over|≈)?\s*[+−-]?\s*$",
    re.IGNORECASE,
)
POINTS = re.compile(
    r"\s*(?:%?[\s-]*(?:percentage |absolute )?points?\b|pp\b|p\.p\.)", re.IGNORECASE
)
COMPARED = any_word("higher lower more less ahead behind better worse gain drop")
RANGED = any_word("interval intervals CI between", after=r"(?!\w)")
BOUND = re.compile(
    rf"[\[(][^\])]*$|(?:{RANGED.pattern}).{{0,50}}(?:from|between|to|and|–)\s*$", re.IGNORECASE
)
"""What stands before an end of an interval."""
TOP = any_word("best highest peak peaks peaked maximum max top")
LOWEST = any_word("worst lowest minimum")
SHARED = any_word("average averages averaged mean means overall across aggregate")
CLAIMS = any_word(
    "best highest outperform* significant significantly comparable on_par consistently superior "
    "surpass* beat beats better_than worse_than clearly dominat* sweet_spot optimal statistically "
    "indistinguishable matches_the no_difference no_significant_difference state_of_the_art "
    "substantial substantially improves?_over improves?_on improves?_upon robust robustly"
)
"""Words of comparison."""
FIRM = any_word(
    "significant* outperform* clearly consistent* superior surpass* beats? better worse dominat* "
    "sweet_spot optimal best highest substantial* improve*"
)
"""Those that say that settings differ."""
DENIED = any_word("not no cannot neither nor without never hardly insignificant", after=r"\b|n't\b")

ROLES: Sequence[tuple[Role, re.Pattern[str] | None, re.Pattern[str] | None]] = (
    ("error", re.compile(r"±\s*$"), None),
    ("count", SIZED, COUNTED),
    ("value", SOLVED, None),
    ("other", None, UNIT),
    ("difference", CHANGED, POINTS),
    ("other", NO_VALUE, None),
)
"""What a number says, by the words before it or behind it; the first one holds."""
