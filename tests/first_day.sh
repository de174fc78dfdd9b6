#!/usr/bin/env bash
# The first day of a new user, from a paper and data that are made here to a verdict and a
# report, by hand and without a key: `new`, `check`, extraction to design by hand, the plan
# written for registration, then execution and interpretation.
#   tests/first_day.sh PROGRAM [FOLDER]
set -euo pipefail
program=$(readlink -f "$1")
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
cd "$folder"
say() { echo "-- $*"; }
fail() { echo "first day: $*" >&2; exit 1; }
# Runs a command whose exit code is known.
ends() {
    local wanted=$1 code=0
    shift
    "$@" >out.txt 2>err.txt </dev/null || code=$?
    [ "$code" = "$wanted" ] || { cat out.txt err.txt >&2; fail "$* ended with $code, not $wanted"; }
}
has() { grep -qF -- "$2" "$1" || { cat "$1" >&2; fail "$1 does not say: $2"; }; }

say "a paper, data and a script"
python3 - <<'PY'
import random
lines = [
    "Income and satisfaction in 40 towns.",
    "Satisfaction rises with income: the slope of satisfaction on income is",
    "0.50 (SE = 0.05, t(38) = 10.0, p < .001, n = 40). Table 1, page 1.",
]
text = "BT /F1 11 Tf 60 740 Td 16 TL " + " ".join(f"({line.replace('(', chr(92) + '(').replace(')', chr(92) + ')')}) Tj T*" for line in lines) + " ET"
objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
]
out, places = "%PDF-1.4\n", []
for number, body in enumerate(objects, 1):
    places.append(len(out))
    out += f"{number} 0 obj\n{body}\nendobj\n"
start = len(out)
out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{place:010} 00000 n \n" for place in places)
out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
open("paper.pdf", "w").write(out)
random.seed(7)
with open("towns.csv", "w") as data:
    data.write("town,income,satisfaction\n")
    for town in range(60):
        income = random.gauss(10, 3)
        data.write(f"{town},{income:.4f},{2 + 0.5 * income + random.gauss(0, 1):.4f}\n")
PY
mkdir -p scripts
cat >scripts/slope.py <<'PY'
import csv
import math
import sys

sys.path.insert(0, "../helpers")
import reprise

with open("../replication_data/towns.csv") as file:
    rows = [(float(row["income"]), float(row["satisfaction"])) for row in csv.DictReader(file)]
n = len(rows)
mean_x = sum(x for x, _ in rows) / n
mean_y = sum(y for _, y in rows) / n
sxx = sum((x - mean_x) ** 2 for x, _ in rows)
slope = sum((x - mean_x) * (y - mean_y) for x, y in rows) / sxx
residual = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in rows)
error = math.sqrt(residual / (n - 2) / sxx)
p = math.erfc(abs(slope / error) / math.sqrt(2))
reprise.report(term="income", estimate=slope, se=error, p=p, n=n, df=n - 2)
print(f"rows {n}, income {slope:.6f}, SE {error:.6f}")
PY

say "reprise new"
ends 0 "$program" new study --paper paper.pdf --data towns.csv \
    --claim 'Satisfaction rises with income: the slope is 0.50 (SE = 0.05, t(38) = 10.0, p < .001, n = 40).' \
    --hypothesis 'Income raises satisfaction.' --title 'Income and satisfaction'
say "reprise check"
ends 0 "$program" check study

say "by hand: extraction"
ends 5 "$program" run study --model human --approve auto --sandbox local --stages ..design --out run
has out.txt "by-hand/extract.toml"
# An empty form comes back with its lines.
ends 5 "$program" resume run
has out.txt "is to be filled in"
cat >run/by-hand/extract.toml <<'TOML'
[original_study.claim]
study_type = "Observational"
[original_study.data]
source = "A survey of 40 towns"
sample_size = "40"
[original_study.method]
models = "satisfaction = a + b income"
[original_study.results]
summary = "Satisfaction rises with income."
[[original_study.results.numerical_results]]
outcome_name = "income"
value = 0.50
standard_error = 0.05
statistic = "t(38) = 10.0"
p_value = "< .001"
n = 40
direction = "positive"
location = "Table 1, page 1"
TOML
ends 5 "$program" resume run
has out.txt "by-hand/search.toml"
cat >run/by-hand/search.toml <<'TOML'
urls = []
[[missing]]
resource_name = "the survey's codebook"
search_query = "income satisfaction 40 towns codebook"
why = "nothing is deposited"
TOML
ends 5 "$program" resume run
has out.txt "by-hand/design.toml"

say "by hand: a plan that does not fit comes back with its line"
cat >run/by-hand/design.toml <<'TOML'
[replication_study]
hypothesis = "Income raises satisfaction."
study_type = "Observational"
[replication_study.criterion]
focal_term = "income"
direction = "upwards"
alpha = 0.05
two_sided = true
[replication_study.data_plan]
dataset_identifier = "towns.csv"
unit_of_analysis = "town"
[replication_study.data_plan.qualification]
deviation_from_original = "Sixty other towns."
[replication_study.data_used]
files = ["replication_data/towns.csv"]
expected_rows = 60
[replication_study.planned_method]
models = "satisfaction = a + b income, least squares"
outcome_variable = "satisfaction"
independent_variables = "income"
[replication_study.codebase.files]
"work/slope.py" = "the regression"
[[replication_study.entry_points]]
path = "work/slope.py"
TOML
cp scripts/slope.py run/by-hand/code/
ends 5 "$program" resume run
has out.txt 'line 6: `replication_study.criterion.direction`'
sed -i 's/"upwards"/"positive"/' run/by-hand/design.toml
ends 0 "$program" resume run

say "reprise preregister"
ends 0 "$program" preregister run
has run/preregistration.md "## Analysis plan"
has run/preregistration.html "satisfaction = a + b income"

say "execution, and a form that is killed over"
ends 5 "$program" resume run --stages ..interpret --registration https://osf.io/abcde
has out.txt "The analysis ran"
has run/by-hand/execute.said-1.txt "rows 60"
read -r estimate error <<<"$(sed -n 's/.*income \([0-9.]*\), SE \([0-9.]*\).*/\1 \2/p' run/by-hand/execute.said-1.txt | head -n 1)"
cat >run/by-hand/execute.toml <<TOML
execution_summary = "The script ran as planned."
[results]
hypothesis_tested = "Income raises satisfaction."
[[results.findings_summary]]
outcome_name = "income"
value = $estimate
standard_error = $error
n = 60
direction = "positive"
TOML
cp run/by-hand/execute.toml form.txt
events=$(wc -l <run/journal.jsonl)
# In a shell of its own, which says nothing of how it ended.
export REPRISE_DIE_AFTER_EVENT=$((events + 1))
if bash -c '"$1" resume run </dev/null; exit $?' bash "$program" >out.txt 2>/dev/null; then
    fail "the process was to be killed"
fi
unset REPRISE_DIE_AFTER_EVENT
cmp -s form.txt run/by-hand/execute.toml || fail "a form was changed by a process that was killed"
ends 5 "$program" resume run
has out.txt "by-hand/interpret.toml"

say "interpretation, verdict and report"
cat >run/by-hand/interpret.toml <<TOML
interpretation_summary = "Satisfaction rises with income in sixty other towns as well."
replication_report = """
Sixty towns were surveyed.

The slope is $estimate (SE $error)."""
[fidelity_assessment]
method_alignment = "The same model on other towns."
[results_comparison]
original_results = "0.50 (SE 0.05)"
replication_results = "$estimate (SE $error)"
overall_answer = "Yes. The slope is positive and differs from zero."
TOML
ends 0 "$program" resume run
has out.txt "criterion met"
has run/report.html "https://osf.io/abcde"
has run/report.html "Sixty other towns."
has run/report.html "The original study"
ends 0 "$program" replay run
ends 0 "$program" report run --format md

say "only the plan and the script"
ends 5 "$program" run study --plan run/artifacts/replication_info.json --code scripts --approve auto --sandbox local --out short
has out.txt "The analysis ran"

rm -f out.txt err.txt form.txt
say "done: $folder"
