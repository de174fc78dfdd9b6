"""Writes one small data set in every format and release that Python can write."""

import sys

import numpy as np
import pandas as pd
import pyreadr
import pyreadstat
import scipy.io

folder = sys.argv[1]
rng = np.random.default_rng(7)
n = 120
frame = pd.DataFrame(
    {
        "id": np.arange(n),
        "x": rng.normal(size=n),
        "small": rng.integers(-5, 6, n).astype("float64"),
        "word": rng.choice(["a", "Zürich", "", "long text with, comma"], n),
        "when": pd.date_range("1999-12-30", periods=n, freq="D"),
        "moment": pd.date_range("2020-02-28 23:59:59", periods=n, freq="h"),
        "yes": rng.integers(0, 2, n).astype(bool),
    }
)
frame.loc[::7, "x"] = np.nan
frame.loc[::11, "small"] = np.nan

plain = frame.assign(yes=frame.yes.astype("int8"))
latin = plain.assign(word=plain.word.str.replace("ü", "u"))
for version in (114, 117, 118, 119):
    latin.to_stata(
        f"{folder}/release_{version}.dta",
        version=version,
        write_index=False,
        convert_dates={"when": "td", "moment": "tc"},
        convert_strl=["word"] if version >= 117 else None,
        variable_labels={"x": "a label"},
        byteorder="big" if version == 118 else "little",
    )
labels = {"small": {0.0: "none", 1.0: "one"}, "yes": {0: "no", 1: "yes"}}
wide = plain.assign(very=["v" * (i * 7 % 600) + "." for i in range(n)])
kept = dict(
    column_labels=[f"label of {c}" for c in wide.columns],
    variable_value_labels=labels,
    missing_ranges={"small": [3.0, {"lo": -5.0, "hi": -4.0}]},
)
pyreadstat.write_sav(wide, f"{folder}/plain.sav", **kept)
pyreadstat.write_sav(wide, f"{folder}/packed.sav", row_compress=True, **kept)
pyreadstat.write_sav(wide, f"{folder}/blocks.zsav", compress=True, **kept)
pyreadstat.write_dta(plain, f"{folder}/readstat.dta", variable_value_labels=labels)
pyreadstat.write_por(latin.rename(columns=str.upper).drop(columns=["MOMENT"]), f"{folder}/portable.por")
pyreadr.write_rds(f"{folder}/frame.rds", frame)
pyreadr.write_rds(f"{folder}/packed.rds", frame, compress="gzip")
pyreadr.write_rdata(f"{folder}/frame.RData", frame, df_name="frame")
frame.to_csv(f"{folder}/comma.csv", index=False)
frame.to_csv(f"{folder}/semicolon.csv", index=False, sep=";", decimal=",")
frame.to_csv(f"{folder}/tabs.csv", index=False, encoding="utf-8-sig", lineterminator="\r\n")
frame.to_excel(f"{folder}/book.xlsx", index=False)
frame.to_excel(f"{folder}/book.ods", index=False)
scipy.io.savemat(f"{folder}/arrays.mat", {"a": frame[["id", "x"]].to_numpy(), "i": np.arange(6, dtype="int16").reshape(2, 3)})
scipy.io.savemat(f"{folder}/packed.mat", {"a": frame[["id", "x"]].to_numpy()}, do_compression=True)
frame.to_parquet(f"{folder}/snappy.parquet")
frame.to_parquet(f"{folder}/gzip.parquet", compression="gzip")
frame.assign(word=frame.word.astype("category")).to_feather(f"{folder}/frame.feather", compression="lz4")
