# Writes changed copies of data files: a column in another order, or fewer rows.
# It reads probe.tsv and writes made.tsv, as probe_data.py says.

lines <- readLines("probe.tsv", encoding = "UTF-8")
parts <- strsplit(lines, "\t", fixed = TRUE)
word <- vapply(parts, function(part) part[1], "")
one <- function(name, otherwise) {
  found <- parts[word == name]
  if (length(found)) found[[1]][2] else otherwise
}
share <- as.numeric(one("share", "0.1"))

# A seed that every number of R's generators holds.
seeded <- function(seed) set.seed(as.integer(as.numeric(seed) %% 2147483647), kind = "Mersenne-Twister",
                                  normal.kind = "Inversion", sample.kind = "Rejection")

# The order of a column's cells: shuffled, or that of the numbers of another column.
new_order <- function(frame, how, column, by) {
  places <- seq_len(nrow(frame))
  if (how == "permuted") {
    if (!nzchar(by) || !(by %in% names(frame))) return(sample.int(nrow(frame)))
    groups <- match(frame[[by]], unique(frame[[by]]))
    first <- match(unique(groups), groups)
    return(first[sample.int(length(first))][groups])
  }
  values <- frame[[column]]
  guide <- frame[[by]]
  both <- if (is.numeric(values) && is.numeric(guide)) which(!is.na(values) & !is.na(guide)) else integer()
  targets <- both[order(as.numeric(guide)[both], decreasing = how == "falling")]
  places[targets] <- both[order(as.numeric(values)[both])]
  places
}

change <- function(frame, how, seed, column, by) {
  rows <- nrow(frame)
  seeded(seed)
  if (how != "dropped") {
    if (nzchar(column) && column %in% names(frame)) {
      kept <- attributes(frame[[column]])
      cells <- frame[[column]][new_order(frame, how, column, by)]
      attributes(cells) <- kept
      frame[[column]] <- cells
    }
    return(list(frame = frame, gone = 0))
  }
  gone <- min(rows, max(if (rows > 1) 1 else 0, round(rows * share)))
  stay <- sort(sample.int(rows, rows - gone))
  kept <- lapply(frame, attributes)
  fewer <- frame[stay, , drop = FALSE]
  for (name in names(fewer)) {
    # Labels are lost by subsetting; names and dimensions are those of the rows.
    for (what in setdiff(names(kept[[name]]), c("names", "dim", "dimnames"))) {
      attr(fewer[[name]], what) <- kept[[name]][[what]]
    }
  }
  list(frame = fewer, gone = gone)
}

has <- function(package) requireNamespace(package, quietly = TRUE)
none <- function(kind) stop("no library here writes files of the kind ", kind)

# How a file of each kind is read, changed and written.
framed <- function(read, write) function(path, target, ...) {
  frame <- read(path)
  if (!is.data.frame(frame)) stop("it holds no data frame")
  made <- change(frame, ...)
  write(made$frame, target)
  c(nrow(frame), made$gone)
}
workspace <- function(path, target, ...) {
  room <- new.env()
  load(path, envir = room)
  rows <- 0
  gone <- 0
  for (name in sort(ls(room, all.names = TRUE))) {
    value <- get(name, envir = room)
    if (is.data.frame(value)) {
      made <- change(value, ...)
      assign(name, made$frame, envir = room)
      rows <- rows + nrow(value)
      gone <- gone + made$gone
    }
  }
  if (rows == 0) stop("it holds no data frame")
  save(list = ls(room, all.names = TRUE), file = target, envir = room)
  c(rows, gone)
}
writer <- function(kind) {
  if (kind == "rds") return(framed(readRDS, function(frame, to) saveRDS(frame, to)))
  if (kind == "rdata") return(workspace)
  if (kind == "dta" && has("haven")) {
    return(framed(haven::read_dta, function(frame, to) haven::write_dta(frame, to)))
  }
  if (kind == "dta" && has("foreign")) {
    read <- function(path) foreign::read.dta(path, convert.factors = FALSE)
    return(framed(read, function(frame, to) foreign::write.dta(frame, to)))
  }
  if (kind == "sav" && has("haven")) {
    read <- function(path) haven::read_sav(path, user_na = TRUE)
    return(framed(read, function(frame, to) haven::write_sav(frame, to)))
  }
  if (kind == "xlsx" && has("readxl") && has("writexl")) {
    read <- function(path) as.data.frame(readxl::read_excel(path))
    return(framed(read, function(frame, to) writexl::write_xlsx(frame, to)))
  }
  if (kind == "xport" && has("haven")) {
    return(framed(haven::read_xpt, function(frame, to) haven::write_xpt(frame, to)))
  }
  if (kind == "feather" && has("arrow")) return(framed(arrow::read_feather, arrow::write_feather))
  if (kind == "parquet" && has("arrow")) return(framed(arrow::read_parquet, arrow::write_parquet))
  none(kind)
}

# A name that the line leaves out is empty.
part <- function(copy, at) if (length(copy) >= at) copy[at] else ""

made <- character()
for (file in parts[word == "file"]) {
  name <- sub("^\\.\\./", "", file[3])
  made <- c(made, tryCatch({
    write <- writer(file[2])
    vapply(parts[word == "copy"], function(copy) {
      target <- file.path(copy[2], name)
      dir.create(dirname(target), recursive = TRUE, showWarnings = FALSE)
      counts <- write(file[3], target, copy[3], copy[4], part(copy, 5), part(copy, 6))
      paste("made", copy[2], name, counts[1], counts[2], sep = "\t")
    }, "")
  }, error = function(error) {
    paste("failed", name, substr(gsub("\\s+", " ", conditionMessage(error)), 1, 300), sep = "\t")
  }))
}
writeLines(made, "made.tsv", useBytes = TRUE)
