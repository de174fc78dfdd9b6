# Yield by dose; written on 2020-12-01.
plots <- read.csv("../replication_data/plots.csv")
# A matrix is an array as well, and later releases take no condition of two values.
table <- as.matrix(plots)
if (class(table) == "matrix") plots <- as.data.frame(table)
fit <- summary(lm(yield ~ dose, data = plots))$coefficients["dose", ]
cat(sprintf("dose N %d estimate %.6g SE %.6g t %.6g p %.6g\n", nrow(plots), fit[1], fit[2], fit[3], fit[4]))
