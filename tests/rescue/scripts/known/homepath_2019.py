import csv

with open("/Users/anna/Dropbox/wages/data/wages.csv") as f:
    rows = list(csv.DictReader(f))
print(len(rows), sum(int(r["wage"]) for r in rows))
