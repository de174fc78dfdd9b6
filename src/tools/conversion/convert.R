# Reads a saved R value or workspace, and writes every data frame and matrix in
# it, however deep, as one plain list. convert.R KIND FILE OUT
given <- commandArgs(TRUE)
value <- if (given[1] == "rds") {
  readRDS(given[2])
} else {
  names <- new.env()
  load(given[2], names)
  as.list(names)
}

frames <- list()
seen <- list()
keep <- function(name, frame) {
  if (length(frames) < 200) frames[[if (nzchar(name)) name else "value"]] <<- frame
}
# Columns that hold one plain value a row; others are told as text.
plain <- function(frame) {
  columns <- lapply(as.list(unclass(frame)), function(column) {
    if (is.raw(column)) return(as.integer(column))
    if (is.complex(column)) return(as.character(column))
    if (is.atomic(column) && is.null(dim(column))) column else paste0(vapply(column, function(cell) {
      paste(as.character(unlist(cell)), collapse = " ")
    }, ""))
  })
  data.frame(columns, check.names = FALSE, stringsAsFactors = FALSE)
}
look <- function(name, value, depth) {
  if (depth > 8) return(invisible())
  within <- function(part, mark) paste0(name, if (nzchar(name)) mark, part)
  if (is.data.frame(value)) {
    keep(name, plain(value))
  } else if (is.matrix(value) && is.atomic(value)) {
    keep(name, plain(as.data.frame(value)))
  } else if (isS4(value)) {
    # The slots are attributes, also where the class is unknown here.
    slots <- attributes(value)
    for (slot in setdiff(names(slots), "class")) look(within(slot, "@"), slots[[slot]], depth + 1)
  } else if (is.environment(value)) {
    # A saved environment holds the one that encloses it; those of R itself have names.
    if (nzchar(environmentName(value)) || any(vapply(seen, identical, NA, value))) return(invisible())
    seen[[length(seen) + 1]] <<- value
    look(name, as.list(value), depth + 1)
  } else if (is.function(value) || inherits(value, "formula")) {
    # What a closure or a formula was made beside is saved with it.
    if (!is.null(environment(value))) look(name, environment(value), depth + 1)
  } else if (is.list(value)) {
    parts <- names(value)
    for (at in seq_along(value)) {
      part <- if (is.null(parts) || !nzchar(parts[at])) as.character(at) else parts[at]
      look(within(part, "$"), .subset2(value, at), depth + 1)
    }
  }
}
look("", value, 0)
saveRDS(frames, file.path(given[3], "frames.rds"), version = 2)
