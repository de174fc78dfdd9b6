d <- read.csv("data/groups.csv")
items <- d[, c("score", "age")]
cat("means", round(mean(items), 3), "\n")
cat("sds", round(sd(items), 3), "\n")
