# Prints the names that the packages of this R export, a package a line: name, version, names.
# Run it where the packages are installed (docs/rescue.md says how the table was made):
#   Rscript rescue/exports/make.R > rescue/exports/r.tsv
attached <- c("base", "methods", "datasets", "utils", "grDevices", "graphics", "stats")
# What packages stand on, and scripts of analyses do not call.
beneath <- scan(text = "
MatrixModels ModelMetrics R6 Rcpp RcppArmadillo RcppEigen Rdpack SQUAREM SparseM abind backports
base64enc bayestestR bdsmatrix bit bit64 brio bslib cachem callr cellranger checkmate chron class_
cli clipr clock collapse colorspace commonmark compiler conquer cpp11 crayon curl datawizard deldir
desc diffobj digest doSNOW effectsize ellipsis estimability evaluate fansi farver fastmap
fontawesome fs future future.apply generics ggeffects globals gower grid gridExtra_ gtable hardhat
highr htmltools htmlwidgets httpuv insight ipred isoband jpeg jquerylib labeling later lava
lifecycle listenv littler maptools mathjaxr mcmc_ memoise metadat mime minqa miscTools munsell
nloptr numDeriv parallelly parameters pbivnorm performance pillar pkgKitten pkgconfig pkgload png
praise prettyunits processx prodlim progress progressr promises proxy ps rappdirs rbibutils recipes
rematch rematch2 rio_ rlang rprojroot rstudioapi sass shiny sjlabelled sourcetools statmod stringi_
sys tcltk testthat tidyselect_ timeDate timechange tinytex tools tzdb ucminf utf8 vctrs viridisLite
waldo withr xfun
", what = "", quiet = TRUE)
for (package in sort(rownames(installed.packages()))) {
  if (package %in% c(attached, beneath)) next
  names <- tryCatch(suppressWarnings(suppressMessages(getNamespaceExports(package))), error = function(e) character())
  names <- sort(grep("^[A-Za-z][A-Za-z0-9._]*$|^%[^% ]+%$", names, value = TRUE))
  # Methods of S4 classes, replacement functions and what is not to be called by hand.
  names <- names[!grepl("^\\.|<-$", names)]
  if (length(names) > 0) cat(package, as.character(packageVersion(package)), paste(names, collapse = " "), sep = "\t", fill = FALSE)
  if (length(names) > 0) cat("\n")
}
