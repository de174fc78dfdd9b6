# Contributions to a public good by trust and by the emotion that pictures called up.
arguments <- commandArgs(trailingOnly = TRUE)
data <- if (length(arguments) > 0) arguments[[1]] else "/data"
results <- if (length(arguments) > 1) arguments[[2]] else "/results"

people <- read.csv(file.path(data, "study2.csv"), check.names = FALSE)
people <- people[!is.na(people$trust_index) & !is.na(people$contribution), ]
people$treatment <- factor(people$treatment, levels = c("Neutral", "Disgust", "Fear", "Joy"))
model <- lm(contribution ~ trust_index + treatment, data = people)
slope <- coef(model)[["trust_index"]]

# No seed is set: the p-value varies a little from run to run.
permuted <- replicate(400, cor(sample(people$trust_index), people$contribution))
observed <- cor(people$trust_index, people$contribution)
p_value <- (1 + sum(abs(permuted) >= abs(observed))) / 401

means <- tapply(people$contribution, people$treatment, mean)
output <- c(
  sprintf("slope of trust: %.5f", slope),
  sprintf("permutation p of the correlation: %.5f", p_value),
  sprintf("people by treatment: %s", paste(table(people$treatment), collapse = ", ")))
writeLines(output, file.path(results, "output.txt"))
pdf(file.path(results, "figure_1.pdf"), width = 5, height = 4)
barplot(means, ylab = "contribution")
invisible(dev.off())
cat("highest bar:", names(which.max(means)), "\n")
