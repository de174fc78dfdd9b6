# Yield by dose; written on 2025-05-20.
plots <- read.csv("../replication_data/plots.csv")
# Both functions are part of the release of the day.
answer <- grepv("^yield$", names(plots)) %||% "none"
fit <- summary(lm(reformulate("dose", answer), data = plots))$coefficients["dose", ]
cat(sprintf("dose N %d estimate %.6g SE %.6g t %.6g p %.6g\n", nrow(plots), fit[1], fit[2], fit[3], fit[4]))
