# exported from a notebook
counts = Counter(line.strip().lower() for line in open("data/ids.txt"))
print(sorted(counts.items())[0], math.sqrt(sum(counts.values()) + 3))
