# R's defaults of before 4.0 (text becomes factors) and of before 3.6 (how `sample` draws), for the code of a
# script. Set as R_PROFILE_USER. Packages keep the defaults of today, and so do calls by `utils::read.csv`,
# `as.data.frame` of a matrix, and columns that are added to a frame later.

# What stands in a profile would be hidden by the packages that R attaches behind it: they come first.
for (package in getOption("defaultPackages")) {
  suppressWarnings(require(package, character.only = TRUE, quietly = TRUE))
}
if (!"methods" %in% loadedNamespaces()) suppressWarnings(require("methods", quietly = TRUE))

local({
  # A copy of a function whose stringsAsFactors is true unless it is given, in its place among the arguments.
  with_factors <- function(name, package) {
    copy <- get(name, envir = asNamespace(package))
    if ("stringsAsFactors" %in% names(formals(copy))) {
      formals(copy)$stringsAsFactors <- TRUE
      return(copy)
    }
    # The readers hand their dots on to read.table, whose default is that of its own namespace.
    formals(copy)["stringsAsFactors"] <- list(TRUE)
    call <- body(copy)
    call[["stringsAsFactors"]] <- as.name("stringsAsFactors")
    body(copy) <- call
    copy
  }
  old <- list()
  if (getRversion() >= "4.0.0") {
    old$data.frame <- with_factors("data.frame", "base")
    for (reader in c("read.table", "read.csv", "read.csv2", "read.delim", "read.delim2")) {
      old[[reader]] <- with_factors(reader, "utils")
    }
  }
  if (length(old) > 0) attach(old, name = "reprise:r3", warn.conflicts = FALSE)
})
if (getRversion() >= "3.6.0") suppressWarnings(RNGkind(sample.kind = "Rounding"))
