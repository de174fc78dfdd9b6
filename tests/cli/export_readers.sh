#!/usr/bin/env bash
# Opens exports by the programs that they are for.
#   tests/cli/export_readers.sh READERS LOGS BENCH_LOGS TABLES CRATE NOTEBOOK_LOGS NOTEBOOK
# READERS is a folder for an environment of Python; it is made where there is none.
set -euo pipefail
readers=$1 logs=$2 bench_logs=$3 tables=$4 crate=$5 notebook_logs=$6 notebook=$7
if [ ! -x "$readers/bin/inspect" ]; then
    uv venv --quiet --python python3 "$readers"
    uv pip install --quiet --python "$readers/bin/python" \
        inspect-ai==0.3.285 frictionless==5.21.0 rocrate==0.16.0 roc-validator==0.13.0 pandas pyarrow
fi
if ! "$readers/bin/python" -c 'import nbformat' 2>/dev/null; then
    uv pip install --quiet --python "$readers/bin/python" nbformat==5.10.4
fi
if ! "$readers/bin/python" -c 'import playwright' 2>/dev/null; then
    uv pip install --quiet --python "$readers/bin/python" playwright==1.65.2
fi
export PATH="$readers/bin:$PATH" HOME="$readers" INSPECT_TELEMETRY=0
for log in "$logs"/*.eval "$bench_logs"/*.eval "$notebook_logs"/*.eval; do
    inspect log dump "$log" | python -m json.tool >"$readers/dump.json"
done
inspect log list --json --log-dir "$bench_logs" >"$readers/list.json"
python - "$logs" "$bench_logs" "$notebook_logs" <<'PYTHON'
import glob
import sys

from inspect_ai.analysis import evals_df, events_df, messages_df, samples_df
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

for folder, samples in [(sys.argv[1], 1), (sys.argv[2], 4), (sys.argv[3], 1)]:
    read = 0
    for path in glob.glob(folder + "/*.eval"):
        log = read_eval_log(path)
        assert log.status == "success", log.status
        assert len(log.samples) == len(read_eval_log_sample_summaries(path)), path
        read += len(log.samples)
        for sample in log.samples:
            assert sample.messages and sample.scores, sample.id
            for event in sample.events:
                if event.event == "model":
                    assert event.input and event.input[0].role == "system", event
    assert read == samples, folder
    frames = [frame(folder, strict=True, quiet=True) for frame in (evals_df, samples_df, messages_df, events_df)]
    assert len(frames[1]) == samples and all(len(frame) > 0 for frame in frames)
    print("inspect:", ", ".join(f"{len(frame)} rows" for frame in frames))
PYTHON
python "$(dirname "$0")/view_log.py" "$(command -v chromium)" "$logs" "$bench_logs" "$notebook_logs"
python - "$notebook" <<'PYTHON'
import sys

import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5), notebook
cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
seen = "".join(str(cell.outputs) for cell in cells)
assert "test error" in seen, seen
print("nbformat:", len(cells), "cells of code")
PYTHON
frictionless validate "$tables/datapackage.json"
python - "$crate" <<'PYTHON'
import sys

from rocrate.rocrate import ROCrate

crate = ROCrate(sys.argv[1])
assert crate.mainEntity["@id"] == "workflow.json"
actions = [entity for entity in crate.get_entities() if entity.type == "CreateAction"]
assert len(actions) > 1, actions
print("rocrate:", len(list(crate.get_entities())), "entities")
PYTHON
python "$(dirname "$0")/validate_crate.py" "$crate" REQUIRED
