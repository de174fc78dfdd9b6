# wage regressions, table 1 -- needs csv only
import csv
import string

rows = [r for r in csv.reader(open("data/wages.csv", "rb"))]
header, rows = rows[0], rows[1:]
by_sector = {}
for row in rows:
    sector = row[header.index("sector")]
    if not by_sector.has_key(sector):
        by_sector[sector] = []
    by_sector[sector].append(int(row[header.index("wage")]))

print "sector      n   mean"
for sector, wages in sorted(by_sector.iteritems()):
    # wages are in whole cents
    print string.ljust(sector, 10), len(wages), sum(wages) / len(wages)
