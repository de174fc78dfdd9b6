# Vitamin C and the growth of guinea pigs' teeth: an analysis of variance, and a permutation
# test of the interaction. The data are those that R ships.

arguments <- commandArgs(trailingOnly = TRUE)
results <- if (length(arguments) > 0) arguments[[1]] else "/results"
dir.create(results, showWarnings = FALSE, recursive = TRUE)

teeth <- datasets::ToothGrowth
teeth$dose <- factor(teeth$dose)

model <- lm(len ~ supp * dose, data = teeth)
table <- anova(model)
statistic <- table["supp:dose", "F value"]

# No seed is set: the p-value varies a little from run to run.
permuted <- replicate(2000, {
  shuffled <- teeth
  shuffled$len <- sample(shuffled$len)
  anova(lm(len ~ supp * dose, data = shuffled))["supp:dose", "F value"]
})
p_value <- (1 + sum(permuted >= statistic)) / (1 + length(permuted))

means <- aggregate(len ~ supp + dose, data = teeth, FUN = mean)
write.csv(means, file.path(results, "means.csv"), row.names = FALSE)

cat(sprintf("F of the interaction: %.4f on %d and %d degrees of freedom\n",
            statistic, table["supp:dose", "Df"], table["Residuals", "Df"]))
cat(sprintf("permutation p of the interaction: %.5f\n", p_value))
cat(sprintf("R squared: %.4f\n", summary(model)$r.squared))

pdf(file.path(results, "figure_1.pdf"), width = 5, height = 4)
barplot(means$len, names.arg = paste(means$supp, means$dose), ylab = "length", las = 2)
invisible(dev.off())
