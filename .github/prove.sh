#!/usr/bin/env bash
# Draw, prove, compare, as the action does: prove.sh SOURCE [CONFIG [BASE]], called in the project. What it
# prints is Markdown; the exit status is that of drawing or of proving. SOURCE: what uvx installs, a folder, a
# wheel or a name, with the extra `run`; HEATPROOF: the command, where it is installed already;
# PAPER: a manuscript that is compared with the figures, if any.
set -uo pipefail
source=$1 config=${2:-} base=${3:-}
over=()
if [ -n "$config" ]; then over=(--configfile "$config"); fi
heatproof() {
    # `command` asks for the program: a function of that name would call itself.
    if [ -n "${HEATPROOF:-}" ]; then command "$HEATPROOF" "$@"; else uvx --from "$source" heatproof "$@"; fi
}
tell() { printf '### %s\n\n```\n%s\n```\n\n' "$1" "$2"; }

drawn=$(heatproof run "${over[@]}" --quiet all 2>&1)
status=$?
tell "Figures" "$drawn"
if [ "$status" -ne 0 ]; then exit "$status"; fi
proved=$(heatproof verify "${over[@]}" 2>&1)
status=$?
tell "Proof" "$proved"
if [ -n "${PAPER:-}" ]; then
    compared=$(heatproof paper "$PAPER" 2>&1) || status=$?
    tell "Paper" "$compared"
fi
if [ -n "$base" ]; then tell "Compared with the base" "$(heatproof diff "$base" . 2>&1)"; fi
exit "$status"
