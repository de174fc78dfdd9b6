# Which installed packages export a name: `Rscript --vanilla r_exports.R NAME...` prints a line of name, tab and
# package for each. Packages are read as files; no code of theirs is loaded.
wanted <- commandArgs(trailingOnly = TRUE)
quiet <- function(value) tryCatch(suppressWarnings(value), error = function(e) NULL)
for (library in .libPaths()) {
  for (package in list.files(library)) {
    folder <- file.path(library, package)
    exported <- quiet(readRDS(file.path(folder, "Meta", "nsInfo.rds")))
    if (!is.list(exported)) next
    found <- wanted %in% as.character(exported$exports)
    patterns <- as.character(exported$exportPatterns)
    if (length(patterns) > 0 && !all(found)) {
      index <- quiet(readRDS(file.path(folder, "R", paste0(package, ".rdx"))))
      own <- if (is.list(index)) names(index$variables) else character()
      for (pattern in patterns) {
        matched <- quiet(grepl(pattern, wanted))
        if (is.logical(matched)) found <- found | (matched & wanted %in% own)
      }
    }
    for (name in wanted[found]) cat(name, "\t", package, "\n", sep = "")
  }
}
