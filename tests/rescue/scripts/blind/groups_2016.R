# Study 2, main comparison
d <- read.csv("data/groups.csv")
contrasts(d$condition) <- contr.sum(2)
m <- lm(score ~ condition, data = d)
print(round(coef(m), 3))
cat("levels:", paste(levels(d$condition), collapse = ", "), "\n")
