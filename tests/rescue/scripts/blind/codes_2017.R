d <- read.csv("data/groups.csv")
d$code <- as.numeric(d$condition)
cat("mean code", mean(d$code), "\n")
cat("cor", round(cor(d$code, d$score), 4), "\n")
