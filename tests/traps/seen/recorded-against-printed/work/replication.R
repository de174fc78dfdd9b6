source("../helpers/reprise.R")

states <- read.csv(file.path("..", "replication_data", "statecrime.csv"))
print(summary(lm(violent ~ poverty + urban + single, data = states)))

model <- lm(violent ~ poverty + urban, data = states)
reprise.report(model, "poverty")
