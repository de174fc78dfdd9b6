"""Reads a data file with pandas and its kin, and writes its tables as JSON.

convert.py KIND FILE OUT: for table N, OUT/N.json holds its columns as lists, and
OUT/tables.json what they are called, hold and mean.
"""

import json
import math
import sys

import numpy as np
import pandas as pd

SORTS = {"i": "integer", "u": "integer", "b": "bool", "f": "number"}


def read(kind, file):
    """The tables of a file by name, with labels of columns and of values."""
    if kind == "parquet":
        return {"": pd.read_parquet(file)}, {}, {}
    if kind == "feather":
        return {"": pd.read_feather(file)}, {}, {}
    if kind == "mat":
        return matrices(file), {}, {}
    if kind == "sheets":
        return pd.read_excel(file, sheet_name=None), {}, {}
    import pyreadstat

    frame, meta = getattr(pyreadstat, "read_" + kind)(file)
    return {"": frame}, meta.column_names_to_labels, meta.variable_value_labels


def matrices(file):
    """The matrices of numbers in a MATLAB file, and a list of what else it holds."""
    import scipy.io

    values = scipy.io.loadmat(file)
    tables, rest = {}, []
    for name, extents, kind in scipy.io.whosmat(file):
        value = values.get(name)
        if len(extents) == 2 and isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            matrix = value.astype(bool) if kind == "logical" else value
            tables[name] = pd.DataFrame(matrix, columns=range(1, extents[1] + 1))
        else:
            rest.append((name, kind, " x ".join(map(str, extents))))
    if rest:
        tables["(contents)"] = pd.DataFrame(rest, columns=["left out", "type", "size"])
    return tables


def plain(value):
    """A value as JSON holds it; missing where it has none."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    return value if isinstance(value, (bool, int)) else str(value)


def column(series):
    """What a column holds, and its values."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(object)
    if pd.api.types.is_datetime64_any_dtype(series):
        moments = pd.to_datetime(series, utc=True) - pd.Timestamp(0, tz="UTC")
        return "datetime", [plain(value) for value in moments.dt.total_seconds().tolist()]
    present = series.dropna()
    kinds = {type(value).__name__ for value in present}
    if kinds == {"date"}:
        days = [None if pd.isna(value) else value.toordinal() - 719163 for value in series]
        return "date", days
    sort = SORTS.get(getattr(series.dtype, "kind", "O"), "text")
    return sort, [plain(value) for value in series.tolist()]


def main():
    kind, file, out = sys.argv[1:]
    tables, labels, meanings = read(kind, file)
    described = []
    for number, (name, frame) in enumerate(tables.items()):
        if not isinstance(frame.index, pd.RangeIndex):
            frame = frame.reset_index()
        columns, values = [], {}
        for position, label in enumerate(frame.columns):
            sort, cells = column(frame.iloc[:, position])
            title = str(label)
            known = meanings.get(title, {})
            columns.append({
                "name": title,
                "sort": sort,
                "label": labels.get(title),
                "labels": [[plain(key), str(text)] for key, text in known.items()],
            })
            # Names can repeat; places cannot.
            values[str(position)] = cells
        with open(f"{out}/{number}.json", "w", encoding="utf-8") as target:
            json.dump(values, target, allow_nan=False)
        described.append({"name": name, "rows": len(frame), "columns": columns})
    with open(f"{out}/tables.json", "w", encoding="utf-8") as target:
        json.dump(described, target, allow_nan=False)


main()
