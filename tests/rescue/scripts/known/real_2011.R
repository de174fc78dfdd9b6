x <- c(1.5, 2)
if (is.real(x)) cat("real", sum(x), "\n")
