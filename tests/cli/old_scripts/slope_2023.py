# Yield by dose; written on 2023-08-20.
import numpy as np

def told(n, x, y, xx, xy, yy):
    sxx, sxy, syy = xx - x * x / n, xy - x * y / n, yy - y * y / n
    b = sxy / sxx
    se = ((syy - b * sxy) / (n - 2) / sxx) ** 0.5
    t = b / se
    print("dose N %d estimate %.6g SE %.6g t %.6g p %.6g" % (n, b, se, t, 1 - t / (t * t + 2) ** 0.5))

plots = np.loadtxt("../replication_data/plots.csv", delimiter=",", skiprows=1)
dose, answer = np.float_(plots.T)
told(len(plots), dose.sum(), answer.sum(), (dose ** 2).sum(), (dose * answer).sum(), (answer ** 2).sum())
