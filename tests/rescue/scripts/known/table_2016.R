tab <- with(read.csv("data/groups.csv"), tapply(score, condition, mean))
print(xtable(data.frame(mean = tab)), type = "html", comment = FALSE)
