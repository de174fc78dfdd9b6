# Yield by dose; written on 2021-06-30.
import pandas as pd

def told(n, x, y, xx, xy, yy):
    sxx, sxy, syy = xx - x * x / n, xy - x * y / n, yy - y * y / n
    b = sxy / sxx
    se = ((syy - b * sxy) / (n - 2) / sxx) ** 0.5
    t = b / se
    print("dose N %d estimate %.6g SE %.6g t %.6g p %.6g" % (n, b, se, t, 1 - t / (t * t + 2) ** 0.5))

read = pd.read_csv("../replication_data/plots.csv")
plots = pd.DataFrame()
for _, row in read.iterrows():
    plots = plots.append(row)
dose, answer = plots["dose"], plots["yield"]
told(len(plots), dose.sum(), answer.sum(), (dose ** 2).sum(), (dose * answer).sum(), (answer ** 2).sum())
