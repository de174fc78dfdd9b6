set.seed(42)
d <- read.csv("data/groups.csv")
for (l in levels(d$condition)) {
  s <- sample(d$score[d$condition == l], 3)
  cat(l, format(s, nsmall = 1), "\n")
}
