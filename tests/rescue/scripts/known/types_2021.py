import numpy as np

x = np.array([1, 0, 1, 1], dtype=np.bool)
w = np.array(["1.5", "2", "3", "4"]).astype(np.float)
print(np.product(w), int(np.alltrue(x)), w[x].sum().astype(np.int))
print(np.NaN, np.in1d([1, 9], [9]).astype(np.int))
