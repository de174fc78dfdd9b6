d <- read.csv("data/groups.csv")
windows()
hist(d$score)
cat(median(d$age), "\n")
