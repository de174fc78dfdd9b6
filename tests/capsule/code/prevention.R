# Programmes of prevention: effects pooled with standard errors that are robust to clusters.
effects <- as.data.frame(readRDS("/data/sv_meta_data.rds"))
effects$d <- as.numeric(effects$d)
weights <- 1 / as.numeric(effects$var_d)

# The residuals are summed by paper before they are squared.
pooled <- function(rows) {
  w <- weights[rows]
  estimate <- sum(w * effects$d[rows]) / sum(w)
  scores <- tapply(w * (effects$d[rows] - estimate), effects$unique_paper_id[rows], sum)
  c(estimate = estimate, se = sqrt(sum(scores^2)) / sum(w), papers = length(scores))
}
usable <- which(is.finite(effects$d) & is.finite(weights) & weights > 0)
all <- pooled(usable)
designs <- levels(effects$study_design)
by_design <- sapply(designs, function(name) pooled(intersect(usable, which(effects$study_design == name)))[["estimate"]])
writeLines(c(
  sprintf("pooled d: %.6f, robust SE %.6f", all[["estimate"]], all[["se"]]),
  sprintf("papers: %d", as.integer(all[["papers"]])),
  sprintf("by design: %s", paste(sprintf("%.4f", by_design), collapse = " ")),
  sprintf("largest effect: %s", designs[which.max(by_design)])
), "/results/output.txt")
