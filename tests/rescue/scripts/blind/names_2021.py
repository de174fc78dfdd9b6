import csv

counts = {}
with open("data/names_latin1.csv") as f:
    for row in csv.DictReader(f, delimiter=";"):
        counts[row["canton"]] = counts.get(row["canton"], 0) + int(row["n"])

for canton in sorted(counts):
    print(len(canton), counts[canton])
