def windows(values, size):
    it = iter(values)
    window = [next(it) for _ in range(size)]
    while True:
        yield sum(window)
        window = window[1:] + [next(it)]


print(list(windows([1, 2, 3, 4, 5], 3)))
