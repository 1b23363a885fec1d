"""Names that models and benchmarks have, to tell one from the other where nothing else does."""

from __future__ import annotations

import re

FAMILIES = (
    "gpt|llama|qwen|claude|gemma|mi[sx]tral|pythia|deepseek|falcon|gemini|grok|olmo|vicuna|"
    "starcoder|smollm"
)
"""Families of models, by names that stand for nothing else."""
MODEL = re.compile(
    rf"{FAMILIES}|phi-?\d|bloom|opus|sonnet|haiku|tiny|codex|palm|bison|davinci|yi-\d|glm|command-r|"
    r"(?<![a-z0-9])\d+(?:\.\d+)?[bm](?![a-z0-9])|instruct|chat|model|"
    r"(?<![a-z0-9])o[134](?![a-z0-9])|-mini|base",
    re.IGNORECASE,
)
NAMED = re.compile(
    rf"(?<![a-z])(?:{FAMILIES}|chatgpt|codellama|qwq|ministral|phi-?\d|bloom|palm|davinci|yi-\d|glm|"
    r"command-r|o[134](?![a-z0-9]))",
    re.IGNORECASE,
)
"""A model, by a word that hardly stands for anything else."""
TASK = re.compile(
    r"gsm|math|aime|amc|mmlu|arc|hellaswag|humaneval|mbpp|gpqa|bbh|truthful|winogrande|piqa|boolq|"
    r"squad|drop|triviaqa|nq|ifeval|swe|bench|ctf|arith|add|sort|copy|olympiad|minerva|svamp|aqua|"
    r"logic|code|qa$|eval|task|livecode|hotpot|musr|race|cola|sst|mnli|needle|niah|ruler",
    re.IGNORECASE,
)

FAMILY = re.compile(
    rf"(?:{FAMILIES}|phi|yi|glm|o[134])[-_.]?\w*\d|\d+(?:\.\d+)?b(?![a-z0-9])", re.IGNORECASE
)
"""What no folder is called that is not named after a model."""
BENCHMARK = re.compile(
    r"(?:gsm8k|math(?:[-_]?500)?|aime(?:[-_]?\d\d+)?|mmlu(?:[-_]pro)?|arc(?:[-_](?:c|e)\w*)?|"
    r"hellaswag|humaneval|mbpp|gpqa\w*|bbh|truthful_?qa|winogrande|piqa|boolq|squad|triviaqa|"
    r"ifeval|svamp|hotpot_?qa|musr|livecodebench|niah|ruler)",
    re.IGNORECASE,
)
"""Benchmarks, by their whole name."""
PLAIN = (
    r"results?|outputs?|preds?|predictions?|evals?|evaluated|graded|scores?|samples?|logs?|runs?"
)
"""What files are called whatever they hold."""


def names(text: str, column: str) -> bool:
    """Whether a text can only be the name of a `model`, or of a `task`."""
    if column == "model":
        return bool(FAMILY.search(text)) and not BENCHMARK.fullmatch(text)
    return bool(BENCHMARK.fullmatch(text))


def bare(text: str) -> str:
    """The name of a model without what else stands in that of a file: `_gsm8k_results`."""
    left = [piece for piece in text.split("_") if not (BENCHMARK.fullmatch(piece)
            or re.fullmatch(PLAIN, piece, re.IGNORECASE))]  # fmt: skip
    return "_".join(left).strip("_") or text


def model_of(path: str) -> str:
    """The word of a path that names a model; empty if there is none, or several."""
    texts = re.split(r"[/ ,;+()\[\]]|_(?=[a-z]+[-_=]?\d|[\d.]+(?:_|$)|[a-z]+(?:_|$))", path)
    found = list(dict.fromkeys(text.strip("_-.") for text in texts if NAMED.search(text)))
    return found[0] if len(found) == 1 else ""


def is_model(text: str) -> bool:
    """Whether a text looks like the name of a model."""
    return bool(MODEL.search(text)) and not re.match(r"(?:gsm|mmlu|math|aime)", text, re.IGNORECASE)


def is_task(text: str) -> bool:
    """Whether a text looks like the name of a benchmark."""
    return bool(TASK.search(text)) and not is_model(text)
