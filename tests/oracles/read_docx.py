"""Prints the text of every paragraph and table cell of a Word document as one JSON list."""

import json
import sys

import docx

document = docx.Document(sys.argv[1])
paragraphs = []
for block in document.iter_inner_content():
    if isinstance(block, docx.table.Table):
        for row in block.rows:
            for cell in row.cells:
                paragraphs.extend(cell.paragraphs)
    else:
        paragraphs.append(block)
# Formulas are no runs to python-docx: it leaves gaps in their paragraphs.
parts = [paragraph.text for paragraph in paragraphs if "<m:oMath" not in paragraph._p.xml]
print(json.dumps([part for part in parts if part.strip()]))
