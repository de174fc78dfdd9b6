"""Reads data files with pandas, pyreadstat and pyreadr and prints what each table holds, as JSON lines."""

import json
import math
import sys
import warnings

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")


def frames(path, kind):
    """Yields (name, data frame, metadata) of every table in a file."""
    if kind == "dta":
        try:
            yield "", pd.read_stata(path, convert_categoricals=False), None
        except Exception:
            import pyreadstat

            frame, meta = pyreadstat.read_dta(path, apply_value_formats=False)
            yield "", frame, meta
    elif kind == "sav":
        import pyreadstat

        frame, meta = pyreadstat.read_sav(path, apply_value_formats=False)
        yield "", frame, meta
    elif kind == "sas7bdat":
        import pyreadstat

        frame, meta = pyreadstat.read_sas7bdat(path)
        yield "", frame, meta
    elif kind == "rds":
        import pyreadr

        for name, frame in pyreadr.read_r(path).items():
            yield name or "", frame, None
    elif kind in ("xlsx", "xls", "ods"):
        for name, frame in pd.read_excel(path, sheet_name=None).items():
            yield name, frame, None
    elif kind == "parquet":
        yield "", pd.read_parquet(path), None
    elif kind == "feather":
        yield "", pd.read_feather(path), None
    elif kind == "json":
        yield "", pd.read_json(path), None
    elif kind == "csv;":
        yield "", pd.read_csv(path, sep=";", decimal=",", encoding_errors="replace"), None
    else:
        try:
            wide = open(path, "rb").read(2)[1:] == b"\0"
            frame = pd.read_csv(path, low_memory=False, encoding="utf-16-le" if wide else None)
        except UnicodeDecodeError:
            frame = pd.read_csv(path, low_memory=False, encoding="cp1252")
        yield "", frame, None


def describe(series):
    """Missing values and mean; dates in days and times in seconds since 1970."""
    missing = int(series.isna().sum())
    unit = None
    present = series.dropna()
    mean = None
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes
        codes = codes[codes >= 0] + 1
        mean = float(codes.mean()) if len(codes) else None
    elif pd.api.types.is_bool_dtype(series) or (len(present) and all(isinstance(v, (bool, np.bool_)) for v in present)):
        mean = float(present.astype(float).mean()) if len(present) else None
    elif pd.api.types.is_numeric_dtype(series):
        mean = math.fsum(present.astype(float)) / len(present) if len(present) else None
    elif pd.api.types.is_datetime64_any_dtype(series):
        seconds = present.astype("datetime64[ns]").astype("int64") / 1e9
        whole = bool((seconds % 86400 == 0).all())
        unit = "days" if whole else "seconds"
        mean = float(seconds.mean() / (86400 if whole else 1)) if len(present) else None
    elif len(present) and all(isinstance(v, (int, float, np.integer)) for v in present):
        mean = math.fsum(float(v) for v in present) / len(present)
    elif len(present) and all(type(v).__name__ == "date" for v in present):
        mean = float(np.mean([(v - pd.Timestamp("1970-01-01").date()).days for v in present]))
    elif len(present) and all(isinstance(v, str) and len(v) == 10 and v[4:8:3] == "--" for v in present):
        days = pd.to_datetime(present, format="%Y-%m-%d", errors="coerce")
        if days.notna().all():
            unit, mean = "days", float(np.mean([(v - pd.Timestamp("1970-01-01")).days for v in days]))
    if mean is not None and not math.isfinite(mean):
        mean = None
    return {"missing": missing, "mean": mean, "unit": unit}


for argument in sys.argv[1:]:
    kind, path = argument.split("=", 1)
    try:
        tables = []
        for name, frame, meta in frames(path, kind):
            columns = [{"name": str(c), **describe(frame.iloc[:, i])} for i, c in enumerate(frame.columns)]
            entry = {"name": str(name), "rows": len(frame), "columns": columns}
            if meta is not None:
                entry["labels"] = {k: v for k, v in zip(meta.column_names, meta.column_labels) if v}
                entry["values"] = {k: len(v) for k, v in meta.variable_value_labels.items()}
            tables.append(entry)
        print(json.dumps({"path": path, "tables": tables}))
    except Exception as error:
        print(json.dumps({"path": path, "error": f"{type(error).__name__}: {error}"}))
