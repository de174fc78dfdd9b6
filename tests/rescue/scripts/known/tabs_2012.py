import csv

rows = list(csv.reader(open("data/wages.csv")))
best = {}
for row in rows[1:]:
    sector, wage = row[0], int(row[1])
    if sector not in best:
	best[sector] = wage
    elif wage > best[sector]:
        best[sector] = wage
for sector in sorted(best):
	print sector, best[sector]
