# Replication of the poverty coefficient on new data:
# the US states and DC, 2009 (statecrime.csv).
#
# Run from a directory beside replication_data/, for example work/:
#   Rscript ../replication_data/replication.R
# Base R only; no package is needed.

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
cat(sprintf(row_format, "(Intercept)", "-431.207", "112.640", "-3.82819", "0.000381907"))
cat(sprintf(row_format, "poverty", "19.4200", "7.18000", "2.70474", "0.00949043"))
cat(sprintf(row_format, "urban", "2.10442", "1.06118", "1.98310", "0.0532340"))
cat(sprintf(row_format, "single", "21.3380", "5.11087", "4.17502", "0.000128470"))
