"""Names that models and benchmarks have, to tell one from the other where nothing else does."""

from __future__ import annotations

import re

MODEL = re.compile(
    r"gpt|llama|qwen|claude|gemma|mi[sx]tral|phi-?\d|pythia|deepseek|falcon|gemini|grok|bloom|olmo|"
    r"vicuna|opus|sonnet|haiku|tiny|(?<![a-z0-9])\d+(?:\.\d+)?[bm](?![a-z0-9])|instruct|chat|model|"
    r"starcoder|codex|palm|bison|davinci|yi-\d|glm|command-r|smollm|o[134]-|-mini|base",
    re.IGNORECASE,
)
TASK = re.compile(
    r"gsm|math|aime|amc|mmlu|arc|hellaswag|humaneval|mbpp|gpqa|bbh|truthful|winogrande|piqa|boolq|"
    r"squad|drop|triviaqa|nq|ifeval|swe|bench|ctf|arith|add|sort|copy|olympiad|minerva|svamp|aqua|"
    r"logic|code|qa$|eval|task|livecode|hotpot|musr|race|cola|sst|mnli|needle|niah|ruler",
    re.IGNORECASE,
)


def is_model(text: str) -> bool:
    """Whether a text looks like the name of a model."""
    return bool(MODEL.search(text)) and not re.match(r"(?:gsm|mmlu|math|aime)", text, re.IGNORECASE)


def is_task(text: str) -> bool:
    """Whether a text looks like the name of a benchmark."""
    return bool(TASK.search(text)) and not is_model(text)
