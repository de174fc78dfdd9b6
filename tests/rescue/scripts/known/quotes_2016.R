d <- read.csv(“data/groups.csv”)
cat(nrow(d) – 1, "\n")
