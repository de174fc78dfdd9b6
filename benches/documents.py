"""The other side of `benches/documents.rs`: writes data files, and reads files with pandas and its kin.

documents.py write FOLDER ROWS    the same survey in every format
documents.py read TOOL FILE...    reads each file once; the cost without imports as JSON
"""

import json
import os
import resource
import sys
import time
import warnings


def survey(rows):
    """A survey as replicators have them: codes, scales, amounts, dates, names, answers in words."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(7)
    words = np.array("the survey asks about trust income work school health party region vote family age".split())
    answers = [" ".join(random.choice(words, 6)) for _ in range(5000)]
    regions = np.array(["North", "South", "East", "West", "Überlingen", "São Paulo", "Île-de-France"])
    frame = {
        "id": np.arange(1, rows + 1),
        "respondent": [f"R{number:08d}" for number in range(rows)],
        "age": np.where(random.random(rows) < 0.05, np.nan, random.integers(18, 95, rows)),
        "income": random.lognormal(10, 1, rows).round(2),
        "region": random.choice(regions, rows),
        "answer": random.choice(answers, rows),
        "day": pd.Timestamp("2015-01-01") + pd.to_timedelta(random.integers(0, 3000, rows), "D"),
        "weight": random.gamma(2, 0.5, rows),
    }
    for scale in range(1, 7):
        frame[f"q{scale}"] = random.integers(1, 8, rows)
    frame["score"] = np.where(random.random(rows) < 0.1, np.nan, random.normal(0, 1, rows))
    return pd.DataFrame(frame)


def write(folder, rows):
    import pyreadr
    import pyreadstat

    os.makedirs(folder, exist_ok=True)
    frame = survey(rows)
    labels = {f"q{scale}": {1: "not at all", 4: "neither", 7: "completely"} for scale in range(1, 7)}
    names = {"age": "Age in years", "income": "Household income per year"}
    frame.to_csv(f"{folder}/survey.csv", index=False)
    frame.to_stata(f"{folder}/survey.dta", write_index=False, version=118, value_labels=labels,
                   convert_dates={"day": "td"}, variable_labels=names)
    pyreadstat.write_sav(frame, f"{folder}/survey.sav", column_labels=names, variable_value_labels=labels,
                         compress=False)
    pyreadr.write_rds(f"{folder}/survey.rds", frame.assign(day=frame["day"].astype("datetime64[ns]")),
                      compress="gzip")
    # Sheets are small, as people can look at them.
    frame.head(rows // 10).to_excel(f"{folder}/survey.xlsx", index=False)
    for compression in ["snappy", "zstd"]:
        frame.to_parquet(f"{folder}/survey-{compression}.parquet", compression=compression)
    frame.to_feather(f"{folder}/survey.feather")


def reader(tool):
    """The call that reads one file; what it needs is imported here."""
    if tool == "pymupdf":
        import pymupdf

        return lambda path: [page.get_text() for page in pymupdf.open(path)]
    import pandas as pd

    if tool == "pyreadstat":
        import pyreadstat

        return lambda path: getattr(pyreadstat, "read_" + path.rsplit(".")[-1])(path)
    if tool == "pyreadr":
        import pyreadr

        return pyreadr.read_r
    if tool == "openpyxl":
        import openpyxl  # noqa: F401

        return lambda path: pd.read_excel(path, sheet_name=None)
    if tool == "pyarrow":
        import pyarrow.feather  # noqa: F401
        import pyarrow.parquet  # noqa: F401

        return lambda path: (pd.read_parquet if path.endswith(".parquet") else pd.read_feather)(path)
    return lambda path: (pd.read_stata if path.endswith(".dta") else pd.read_csv)(path)


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def read(tool, paths):
    call = reader(tool)
    warnings.simplefilter("ignore")
    failed = []
    start, used = time.perf_counter(), processor()
    for path in paths:
        try:
            call(path)
        except Exception as error:  # A file that only one side reads is named.
            failed.append(f"{os.path.basename(path)}: {type(error).__name__}")
    print(json.dumps({"seconds": time.perf_counter() - start, "processor": processor() - used, "failed": failed}))


if sys.argv[1] == "write":
    write(sys.argv[2], int(sys.argv[3]))
else:
    read(sys.argv[2], sys.argv[3:])
