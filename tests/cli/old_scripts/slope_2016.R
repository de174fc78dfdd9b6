# Yield by dose; written on 2016-06-01.
plots <- read.csv("../replication_data/plots.csv")
fit <- summary(lm(yield ~ dose, data = plots))$coefficients["dose", ]
cat(sprintf("dose N %d estimate %.6g SE %.6g t %.6g p %.6g\n", nrow(plots), fit[1], fit[2], fit[3], fit[4]))
