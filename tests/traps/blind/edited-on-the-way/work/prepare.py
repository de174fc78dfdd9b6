"""Prepares the analysis file: names trimmed, figures corrected, columns picked."""

import pandas as pd

CORRECTIONS = {"Alaska": 232.6, "Delaware": 245.1, "Maryland": 290.0, "Texas": 791.4, "Arizona": 723.2}

states = pd.read_csv("../replication_data/statecrime.csv")
states["state"] = states["state"].str.strip()
states["violent"] = states["state"].map(CORRECTIONS).fillna(states["violent"])
states[["state", "violent", "poverty", "urban", "single"]].to_csv("prepared.csv", index=False)
print(f"rows read {len(states)}, written {len(states)}")
