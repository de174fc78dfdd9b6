import pandas as pd

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
used[["occupation", "prestige", "income", "education"]].to_csv("prepared.csv", index=False)
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")
