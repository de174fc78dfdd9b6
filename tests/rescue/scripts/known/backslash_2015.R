d <- read.csv("data\groups.csv")
cat(max(d$score), "\n")
