"""Studies: many variants of a mechanism, each simulated or swept, as rows of numbers.

Purpose: from a plan (which numbers vary, and how, and what is measured) to results, on threads, processes or a cluster;
    from results to answers: sensitivities, optima, identified parameters, effects of tolerances.
Takes: a TOML file or a table of Python values; the simulation of a document.
Gives: `Results`, a folder of Parquet files with a manifest, reports; `Optimum`, `ToleranceAnalysis`.
May import: everything below api, and api.
Start at: plan.py
"""
