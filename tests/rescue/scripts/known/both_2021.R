age <- c(24, 71, 35)
if (age > 18 && age < 65) cat("working age\n") else cat("not\n")
