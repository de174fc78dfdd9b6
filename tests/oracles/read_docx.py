"""Prints the text of every paragraph and table cell of a Word document as one JSON list."""

import json
import re
import sys

import docx

document = docx.Document(sys.argv[1])
parts = []
for block in document.iter_inner_content():
    if isinstance(block, docx.table.Table):
        for row in block.rows:
            for cell in row.cells:
                parts.extend(paragraph.text for paragraph in cell.paragraphs)
    else:
        parts.append(block.text)
# Formulas are no runs to python-docx and leave a gap of two spaces.
pieces = [piece for part in parts for piece in re.split(r"\s{2,}", part)]
print(json.dumps([piece for piece in pieces if piece.strip()]))
