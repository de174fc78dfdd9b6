"""Writes changed copies of data files: a column in another order, or fewer rows.

Read from probe.tsv in the current folder, one instruction a line, its parts
separated by tabs:

    share    SHARE                of the rows that are dropped
    file     KIND  PATH           a data file, as seen from this folder
    copy     FOLDER  CHANGE SEED COLUMN BY

CHANGE is `permuted` (the cells of COLUMN are shuffled, or exchanged between the groups of BY), `dropped` (rows are), `rising` or
`falling` (the numbers of COLUMN are put in the order of those of BY).

Written to made.tsv: `made FOLDER PATH ROWS DROPPED` for each copy of a file, which
stands at FOLDER/PATH, and `failed PATH WHY` for a file that cannot be written.
"""

import numbers
import os
import random
import sys


class Change:
    """One change, as an instruction names it."""

    def __init__(self, share, change, seed, column="", by=""):
        self.share, self.change, self.seed, self.column, self.by = share, change, int(seed), column, by

    def stay(self, rows):
        """The rows that stay, where some go."""
        if self.change != "dropped":
            return None
        gone = min(rows, max(1 if rows > 1 else 0, round(rows * self.share)))
        dropped = set(random.Random(self.seed).sample(range(rows), gone))
        return [place for place in range(rows) if place not in dropped]

    def order(self, rows, cells):
        """The new order of a column's cells; `cells` gives those of a column, or None."""
        places = list(range(rows))
        if self.change == "permuted":
            groups = cells(self.by)
            if groups is None:
                random.Random(self.seed).shuffle(places)
                return places
            first = {}
            for place, group in enumerate(groups):
                first.setdefault(group, place)
            sources = list(first.values())
            random.Random(self.seed).shuffle(sources)
            exchanged = dict(zip(first, sources))
            return [exchanged[group] for group in groups]
        elif self.change in ("rising", "falling"):
            values, guide = cells(self.column), cells(self.by)
            if values is None or guide is None:
                return places
            # Where few rows have numbers in both, hardly anything moves.
            both = [place for place in places if number(values[place]) and number(guide[place])]
            targets = sorted(both, key=lambda place: guide[place], reverse=self.change == "falling")
            for target, source in zip(targets, sorted(both, key=lambda place: values[place])):
                places[target] = source
        return places


def number(value):
    """Whether a cell holds a number that has an order."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and value == value


def changed(frame, change):
    """A data frame's copy, and how many of its rows are gone."""
    stay = change.stay(len(frame))
    if stay is not None:
        return frame.iloc[stay].reset_index(drop=True), len(frame) - len(stay)
    copy = frame.copy()
    order = change.order(len(frame), lambda name: frame[name].tolist() if name in frame.columns else None)
    if change.column in copy.columns:
        cells = frame[change.column].iloc[order].reset_index(drop=True)
        cells.index = copy.index
        copy[change.column] = cells
    return copy, 0


class Stata:
    """Through pyreadstat where it is there, else through pandas."""

    def __init__(self, path):
        try:
            import pyreadstat
        except ImportError:
            import pandas

            self.meta = None
            with pandas.read_stata(path, iterator=True, convert_categoricals=False) as reader:
                self.frame = reader.read()
                self.variables = reader.variable_labels()
                names = getattr(reader, "_lbllist", [])
                self.values = {
                    variable: labels
                    for variable, name in zip(self.frame.columns, names)
                    for labels in [reader.value_labels().get(name)]
                    if labels
                }
        else:
            self.frame, self.meta = pyreadstat.read_dta(path)

    def write(self, frame, path):
        if self.meta is None:
            frame.to_stata(
                path, write_index=False, version=118, variable_labels=self.variables, value_labels=self.values
            )
            return
        import pyreadstat

        pyreadstat.write_dta(
            frame,
            path,
            file_label=self.meta.file_label or "",
            column_labels=self.meta.column_names_to_labels,
            variable_value_labels=self.meta.variable_value_labels,
            variable_format=formats(self.meta),
        )


class Spss:
    """Through pyreadstat."""

    def __init__(self, path):
        import pyreadstat

        self.frame, self.meta = pyreadstat.read_sav(path, user_missing=True)

    def write(self, frame, path):
        import pyreadstat

        pyreadstat.write_sav(
            frame,
            path,
            file_label=self.meta.file_label or "",
            column_labels=self.meta.column_names_to_labels,
            variable_value_labels=self.meta.variable_value_labels,
            missing_ranges=self.meta.missing_ranges,
            variable_measure=self.meta.variable_measure,
            variable_format=formats(self.meta),
        )


class Portable:
    """SPSS portable and SAS transport files, through pyreadstat."""

    def __init__(self, path, kind):
        import pyreadstat

        self.kind = kind
        self.frame, self.meta = getattr(pyreadstat, "read_" + kind)(path)

    def write(self, frame, path):
        import pyreadstat

        kept = {"file_label": self.meta.file_label or "", "column_labels": self.meta.column_names_to_labels}
        if self.kind == "xport":
            kept["table_name"] = self.meta.table_name or ""
        getattr(pyreadstat, "write_" + self.kind)(frame, path, **kept)


class RFile:
    """One data frame in R's own formats, through pyreadr, else through rdata."""

    def __init__(self, path, kind):
        self.kind = kind
        try:
            import pyreadr
        except ImportError:
            import rdata

            self.writer = rdata
            read = (rdata.read_rds if kind == "rds" else rdata.read_rda)(path)
            tables = {None: read} if kind == "rds" else read
        else:
            self.writer = pyreadr
            tables = pyreadr.read_r(path)
        if len(tables) != 1:
            raise ValueError("it holds several objects, and one alone can be written")
        ((self.name, self.frame),) = tables.items()
        if not hasattr(self.frame, "columns"):
            raise ValueError("it holds no data frame")

    def write(self, frame, path):
        if self.writer.__name__ == "rdata":
            if self.kind == "rds":
                self.writer.write_rds(path, frame)
            else:
                self.writer.write_rda(path, {self.name: frame})
        elif self.kind == "rds":
            self.writer.write_rds(path, frame, compress="gzip")
        else:
            self.writer.write_rdata(path, frame, df_name=self.name, compress="gzip")


def formats(meta):
    """Display formats; those of dates are written by the library itself."""
    dates = ("DATE", "TIME", "%t", "%d", "MOYR", "QYR", "WKYR", "MONTH", "WKDAY")
    kept = {name: text for name, text in meta.original_variable_types.items() if text and text != "NULL"}
    return {name: text for name, text in kept.items() if not any(date in text for date in dates)}


class Columnar:
    """Parquet and Feather, through pandas."""

    def __init__(self, path, kind):
        import pandas

        self.kind = kind
        self.frame = getattr(pandas, "read_" + kind)(path)

    def write(self, frame, path):
        getattr(frame, "to_" + self.kind)(path)


class Workbook:
    """A workbook, through openpyxl: cells move, and everything else stays."""

    frame = None

    def __init__(self, path):
        import openpyxl

        self.path = path
        self.open = openpyxl.load_workbook
        self.open(path, read_only=True).close()

    def copy(self, change, path):
        book = self.open(self.path)
        rows = gone = 0
        for sheet in book.worksheets:
            top, place = header(sheet, change.column)
            count = sheet.max_row - top
            if count < 1:
                continue
            stay = change.stay(count)
            if stay is None and place is not None:

                def cells(name):
                    column = header(sheet, name)[1]
                    return column and [sheet.cell(top + 1 + row, column).value for row in range(count)]

                values, order = cells(change.column), change.order(count, cells)
                for row in range(count):
                    sheet.cell(top + 1 + row, place).value = values[order[row]]
            if stay is not None:
                values = [[cell.value for cell in line] for line in sheet.iter_rows(min_row=top + 1)]
                sheet.delete_rows(top + 1, count)
                for row, kept in enumerate(stay):
                    for position, value in enumerate(values[kept]):
                        if value is not None:
                            sheet.cell(top + 1 + row, position + 1).value = value
                gone += count - len(stay)
            rows += count
        book.save(path)
        return rows, gone


def header(sheet, column):
    """The row that names the columns, and the place of one of them."""
    for number, line in enumerate(sheet.iter_rows(max_row=20, values_only=True), start=1):
        for place, value in enumerate(line, start=1):
            if value is not None and str(value).strip() == column:
                return number, place
    return 1, None


def opened(kind, path):
    if kind == "dta":
        return Stata(path)
    if kind == "sav":
        return Spss(path)
    if kind in ("por", "xport"):
        return Portable(path, kind)
    if kind in ("rds", "rdata"):
        return RFile(path, kind)
    if kind in ("parquet", "feather"):
        return Columnar(path, kind)
    if kind == "xlsx":
        return Workbook(path)
    raise ValueError("no library here writes files of the kind " + kind)


def main():
    share, files, copies = 0.1, [], []
    with open("probe.tsv", encoding="utf-8") as instructions:
        for line in instructions:
            word, *parts = line.rstrip("\n").split("\t")
            if word == "share":
                share = float(parts[0])
            elif word == "file":
                files.append(parts)
            elif word == "copy":
                copies.append(parts)
    with open("made.tsv", "w", encoding="utf-8") as made:
        for kind, path in files:
            name = os.path.relpath(path, "..")
            try:
                source = opened(kind, path)
                for folder, *parts in copies:
                    change = Change(share, *parts)
                    target = os.path.join(folder, name)
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    if source.frame is None:
                        rows, gone = source.copy(change, target)
                    else:
                        frame, gone = changed(source.frame, change)
                        rows = len(source.frame)
                        source.write(frame, target)
                    print("made", folder, name, rows, gone, sep="\t", file=made)
            except Exception as error:
                why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                print("failed", name, why, sep="\t", file=made)


sys.exit(main())
