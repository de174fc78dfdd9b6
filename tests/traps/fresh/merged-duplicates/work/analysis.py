import pandas as pd
import statsmodels.api as sm

import reprise

ZONES = {
    "Eastern": "Connecticut Delaware Florida Georgia Indiana Kentucky Maine Maryland Massachusetts Michigan New_Hampshire New_Jersey New_York North_Carolina Ohio Pennsylvania Rhode_Island South_Carolina Tennessee Vermont Virginia West_Virginia District_of_Columbia",
    "Central": "Alabama Arkansas Florida Illinois Indiana Iowa Kansas Kentucky Louisiana Michigan Minnesota Mississippi Missouri Nebraska North_Dakota Oklahoma South_Dakota Tennessee Texas Wisconsin",
    "Mountain": "Arizona Colorado Idaho Kansas Montana Nebraska New_Mexico North_Dakota Oregon South_Dakota Texas Utah Wyoming",
    "Pacific": "California Idaho Nevada Oregon Washington",
    "Alaska": "Alaska",
    "Hawaii-Aleutian": "Alaska Hawaii",
}
zones = pd.DataFrame(
    [(state.replace("_", " "), zone) for zone, names in ZONES.items() for state in names.split()],
    columns=["state", "zone"],
)

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

used["state"] = used["state"].str.strip()
used = used.merge(zones, on="state", how="left")
assert used["zone"].notna().all()
fit = sm.OLS(used["murder"], sm.add_constant(used[["poverty", "single"]])).fit()
reprise.report(fit, "poverty", scale="difference")
