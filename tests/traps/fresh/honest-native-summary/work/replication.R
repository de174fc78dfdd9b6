# Replication of the income coefficient on new data:
# Canadian occupations, 1971 (Prestige.csv).
#
# Run from a directory beside replication_data/, for example work/:
#   Rscript ../replication_data/replication.R
# Base R only; no package is needed.

path <- file.path("..", "replication_data", "Prestige.csv")
occupations <- read.csv(path, stringsAsFactors = FALSE)

used <- c("prestige", "income", "education")
analysis <- occupations[complete.cases(occupations[, used]), ]

model <- lm(prestige ~ income + education, data = analysis)
fit <- summary(model)
coefs <- fit$coefficients
interval <- confint(model, level = 0.95)

six <- function(x) formatC(x, digits = 6, format = "g", flag = "#")
row_format <- "%-12s %13s %13s %13s %13s\n"

cat("Model: prestige ~ income + education (ordinary least squares)\n")
cat("Data: Prestige.csv, Canadian occupations, 1971\n")
cat("N =", nrow(analysis), "of", nrow(occupations), "rows\n")
cat("Residual df =", df.residual(model), "\n\n")

cat("Coefficients\n")
cat(sprintf(row_format, "term", "estimate", "std_error", "t", "p"))
for (term in rownames(coefs)) {
  v <- six(coefs[term, ])
  cat(sprintf(row_format, term, v[1], v[2], v[3], v[4]))
}

cat("\n")
cat("income, 95% CI: [", six(interval["income", 1]), ", ",
    six(interval["income", 2]), "]\n", sep = "")
cat("R2 =", six(fit$r.squared), "\n")
cat("Adjusted R2 =", six(fit$adj.r.squared), "\n")
cat("F(", fit$fstatistic["numdf"], ", ", fit$fstatistic["dendf"], ") = ",
    six(fit$fstatistic["value"]), "\n", sep = "")
cat("Residual std. error =", six(fit$sigma), "\n")

# Added for the replication: R's own summary.
print(fit)
