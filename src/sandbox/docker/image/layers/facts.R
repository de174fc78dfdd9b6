# Prints R's version and, for each package of r.txt, its version and where it came from.
home <- commandArgs(trailingOnly = TRUE)[1]
cat("R\t", as.character(getRversion()), "\n", sep = "")
for (name in sub("\t.*$", "", readLines(file.path(home, "r.txt")))) {
  cat("R: ", name, "\t", utils::packageDescription(name, fields = "Version"), "\n", sep = "")
}
steps <- file.path(home, "record", "steps")
if (file.exists(steps)) {
  for (line in readLines(steps)) {
    parts <- strsplit(line, "\t", fixed = TRUE)[[1]]
    cat("R: ", parts[1], " from\t", parts[2], " (", parts[3], ")\n", sep = "")
  }
}
