halves = [0.5, 1.5, 2.5, 3.5]
for h in halves:
    print "%.1f is %d" % (h, round(h))
print "sum", sum(int(round(h)) for h in halves)
