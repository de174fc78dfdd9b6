d <- read.csv("data/groups.csv", stringsAsFactors = TRUE)
d$again <- factor(rev(as.character(d$condition)))
both <- c(d$condition, d$again)
cat(sum(as.integer(both)), class(both)[1], "\n")
