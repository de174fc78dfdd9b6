#!/bin/sh
# Rebuild this study's PDFs from their sources.
#
# Needs Python 3 with the packages in requirements.txt:
#   python3 -m venv /tmp/study-venv && /tmp/study-venv/bin/pip install -r requirements.txt
#   PYTHON=/tmp/study-venv/bin/python ./build.sh
# The typst package brings its own compiler and fonts; the system's fonts are not used.
set -eu
cd "$(dirname "$0")"
PYTHON=${PYTHON:-python3}
"$PYTHON" compute.py
"$PYTHON" - <<'PY'
import typst

fonts = typst.Fonts(include_system_fonts=False)
for source, target in [
    ("brief.typ", "../input/original_paper.pdf"),
    ("preregistration.typ", "../gt/human_preregistration.pdf"),
    ("report.typ", "../gt/human_report.pdf"),
]:
    typst.Compiler(source, root=".", font_paths=fonts).compile(output=target, format="pdf")
    print(target)
PY
