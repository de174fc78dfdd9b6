standardise <- function(x) {
  if (class(x) == "matrix") {
    apply(x, 2, function(v) (v - mean(v)) / sd(v))
  } else {
    (x - mean(x)) / sd(x)
  }
}
d <- read.csv("data/groups.csv")
z <- standardise(as.matrix(d[, c("score", "age")]))
cat(round(colMeans(z^2), 4), "\n")
