"""heatproof in a script or a notebook: logs → samples → grid → chart, without a workflow.

What is public is named in `heatproof.__all__`; `reading` reads logs, `frames` takes tables of
others, `figures` draws, `builds` opens what a run has made.
"""
