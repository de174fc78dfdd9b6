import pandas as pd

s = pd.Series([1.0, None, 3.0, None], index=pd.to_datetime(["2020-01-06", "2020-01-07", "2020-01-08", "2020-01-09"]))
for label, value in s.iteritems():
    print(label.weekday_name if hasattr(label, "weekday_name") else label.day_name(), value)
print(s.mad())
