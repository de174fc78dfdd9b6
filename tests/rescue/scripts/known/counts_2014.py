import csv, sys
from StringIO import StringIO

codes = {}
reader = csv.reader(open("data/wages.csv", "rb"))
header = reader.next()
for row in reader:
    if codes.has_key(row[0]) and row[0] <> "":
        codes[row[0]] += 1L
    else:
        codes[row[0]] = 1L
out = StringIO()
for i in xrange(3):
    print >>out, i, "of", len(codes)
sys.stdout.write(out.getvalue())
for sector, n in sorted(codes.iteritems()):
    print "%-8s %d" % (sector, n)
try:
    raise ValueError, "done"
except ValueError, e:
    print (e)
