"""Interventions against eating meat: effects pooled by DerSimonian and Laird, by theory."""

import csv
import math
import sys

data, results = sys.argv[1:3]
with open(f"{data}/vegan-meta.csv", newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))


def effect(row):
    """Standardised difference of means and its variance, of rows that give both means' scale."""
    if row["eff_type"] not in ("d_i_m", "d_i_d") or row["ctrl_sd"] == "NA":
        return None
    treated, control = float(row["n_t_post"]), float(row["n_c_post"])
    d = float(row["u_s_d"]) / float(row["ctrl_sd"])
    return row["theory"], d, (treated + control) / (treated * control) + d * d / (2 * (treated + control))


def pooled(effects):
    weights = [1 / variance for _, _, variance in effects]
    fixed = sum(w * d for w, (_, d, _) in zip(weights, effects)) / sum(weights)
    q = sum(w * (d - fixed) ** 2 for w, (_, d, _) in zip(weights, effects))
    spread = sum(weights) - sum(w * w for w in weights) / sum(weights)
    tau = max(0.0, (q - len(effects) + 1) / spread) if spread > 0 else 0.0
    random = [1 / (variance + tau) for _, _, variance in effects]
    mean = sum(w * d for w, (_, d, _) in zip(random, effects)) / sum(random)
    return mean, math.sqrt(1 / sum(random)), tau


effects = [found for found in map(effect, rows) if found]
estimate, error, tau = pooled(effects)
theories = sorted({theory for theory, _, _ in effects})
by_theory = {name: pooled([one for one in effects if one[0] == name])[0] for name in theories}
with open(f"{results}/output.txt", "w") as file:
    print(f"effects: {len(effects)}", file=file)
    print(f"pooled d: {estimate:.6f} (SE {error:.6f}, tau squared {tau:.6f})", file=file)
    for name, value in by_theory.items():
        print(f"  {name}: {value:.6f}", file=file)
    print(f"largest: {max(by_theory, key=by_theory.get)}", file=file)
