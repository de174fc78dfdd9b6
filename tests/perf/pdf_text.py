"""Processor time of reading PDFs as text: reprise, pdftotext and PyMuPDF over the same files.

pdf_text.py READER [FOLDER] [TIMES]

READER is the bench program (`cargo bench --bench documents --no-run` prints its path), which reads
every file in one process as the release program's helper does; FOLDER holds PDFs (default:
data/replicatorbench/original below REPRISE_SHARED). Each reader reads all files TIMES times (5); the
table has the median, in seconds of user and system time, and ours over theirs. pdftotext is a process
a file, and reprise is measured that way as well. PyMuPDF comes from the Python that runs this script
(`pip install pymupdf`); its import is left out, and where it is lacking its row is.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def whole(commands):
    """Processor time of processes, from start to end."""
    before = children()
    for command in commands:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return children() - before


def inner(command):
    """What a process prints of itself: the seconds of its reading alone."""
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(printed.strip().splitlines()[-1])["processor"]


PYMUPDF = """
import json, sys, time, pymupdf
start = time.process_time()
for path in sys.argv[1:]:
    for page in pymupdf.open(path):
        page.get_text()
print(json.dumps({"processor": time.process_time() - start}))
"""


def main():
    reader = sys.argv[1]
    shared = os.environ.get("REPRISE_SHARED", "../shared")
    folder = sys.argv[2] if len(sys.argv) > 2 else f"{shared}/data/replicatorbench/original"
    times = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    files = [str(path) for path in sorted(pathlib.Path(folder).rglob("*.pdf"))]
    if not files:
        sys.exit(f"no PDFs below {folder}; name a folder, or set REPRISE_SHARED")
    rows = [
        ("reprise, a process a file", None, lambda: whole([reader, "read", path] for path in files)),
        ("pdftotext, a process a file", 0, lambda: whole(["pdftotext", path, "-"] for path in files)),
        ("reprise, reading alone", None, lambda: inner([reader, "read", *files])),
    ]
    if subprocess.run([sys.executable, "-c", "import pymupdf"], capture_output=True).returncode == 0:
        rows.append(("PyMuPDF, without its import", 2, lambda: inner([sys.executable, "-c", PYMUPDF, *files])))
    seconds = [[] for _ in rows]
    for _ in range(times):
        for measured, (_, _, measure) in zip(seconds, rows):
            measured.append(measure())
    medians = [statistics.median(measured) for measured in seconds]
    print("| program | files | CPU seconds | ours over theirs |\n|---|---|---|---|")
    for (name, ours, _), median in zip(rows, medians):
        ratio = "" if ours is None else f"{medians[ours] / median:.2f}"
        print(f"| {name} | {len(files)} | {median:.3f} | {ratio} |")


main()
