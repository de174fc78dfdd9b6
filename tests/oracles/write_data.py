"""Writes one small data set in every format and release that Python can write."""

import datetime
import struct
import sys

import numpy as np
import openpyxl
import pandas as pd
import pyreadr
import pyreadstat

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
pyreadr.write_rds(f"{folder}/frame.rds", frame)
pyreadr.write_rds(f"{folder}/packed.rds", frame, compress="gzip")
pyreadr.write_rdata(f"{folder}/frame.RData", frame, df_name="frame")
frame.to_csv(f"{folder}/comma.csv", index=False)
frame.to_csv(f"{folder}/semicolon.csv", index=False, sep=";", decimal=",")
frame.to_csv(f"{folder}/tabs.csv", index=False, encoding="utf-8-sig", lineterminator="\r\n")
frame.to_excel(f"{folder}/book.xlsx", index=False)
frame.to_excel(f"{folder}/book.ods", index=False)
frame.to_parquet(f"{folder}/snappy.parquet")
frame.to_parquet(f"{folder}/gzip.parquet", compression="gzip")
frame.assign(word=frame.word.astype("category")).to_feather(f"{folder}/frame.feather", compression="lz4")


def old_stata(path, release):
    """A Stata file of a release that no library writes, after Stata's `help dta` of that time."""
    typed = {"b": ("b", 251, 127), "i": ("h", 252, 32767), "l": ("i", 253, 2**31 - 1), "f": ("f", 254, 2.0**127), "d": ("d", 255, 2.0**1023)}
    names = ["b", "i", "l", "f", "d", "s"]
    numbers = bytes(typed[k][1] if release >= 111 else ord(k) for k in names[:5])
    width = 33 if release >= 110 else 9
    long = 81 if release >= 108 else 32
    count = len(names)

    def fields(values, size):
        return b"".join(value.encode().ljust(size, b"\0") for value in values)

    out = struct.pack("<BBBBHI", release, 2, 1, 0, count, 5) + b"old".ljust(long, b"\0") + b"\0" * 18
    out += numbers + bytes([4 if release >= 111 else 0x7F + 4])
    out += fields(names, width) + b"\0" * (2 * (count + 1))
    out += fields(["%8.0g"] * 5 + ["%4s"], 49 if release >= 114 else 12)
    out += fields([""] * count, width) + fields([f"label {n}" for n in names], long)
    out += b"\0" * (5 if release >= 110 else 3)
    for row in range(5):
        for key in names[:5]:
            code, _, missing = typed[key]
            lettered = {"b": 101, "i": 32741, "l": 2147483621}.get(key, missing) if release >= 113 else missing
            value = lettered if row == 3 else (row - 2) * (1 if key in "bil" else 0.25)
            out += struct.pack("<" + code, value)
        out += f"w{row}".encode().ljust(4, b"\0")
    with open(path, "wb") as file:
        file.write(out)


for release in (105, 108, 110, 111, 113, 115):
    old_stata(f"{folder}/old_{release}.dta", release)
starts = {"tc": "2020-01-01 10:11:12", "td": "2020-01-01", "tw": "2020-01-08", "tm": "2020-03-01", "tq": "2020-04-01", "th": "2020-07-01"}
moments = pd.DataFrame({unit: pd.to_datetime([start, None, start]) for unit, start in starts.items()})
moments.to_stata(f"{folder}/units.dta", write_index=False, convert_dates={unit: unit for unit in starts})
for epoch in (openpyxl.utils.datetime.CALENDAR_MAC_1904, openpyxl.utils.datetime.WINDOWS_EPOCH):
    book = openpyxl.Workbook()
    book.epoch = epoch
    book.active.append(["k", "when", "moment"])
    for day in range(1, 5):
        book.active.append([day, datetime.date(2020, 1, day), datetime.datetime(1999, 12, 30, 18, day)])
    book.save(f"{folder}/epoch_{epoch.year}.xlsx")
plain.drop(columns=["when", "moment"]).to_json(f"{folder}/columns.json")
plain.drop(columns=["when", "moment"]).to_json(f"{folder}/records.json", orient="records")
latin.drop(columns=["word", "when", "moment"]).to_csv(f"{folder}/wide.csv", encoding="utf-16-le", index=False)
