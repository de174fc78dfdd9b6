wages = [1250, 1480, 1311, 2075]
years = [3, 5, 4, 9]
pairs = zip(wages, years)
top = max(w for w, y in pairs)
mean_years = sum(y for w, y in pairs) * 1.0
print "top", top, "years", mean_years
