# The versions that R packages had at an instant, by the lists that a CRAN-like archive keeps of its own files.
# Arguments: the instant in seconds (`day`: the address is of one day), then `name|version|bounds|1` of each package,
# with 0 at the end if it is only taken where another needs it. REPRISE_CRAN is the address of the archive.
# Prints one fact a line, tab-separated; `done` is the last one, or `failed` with the reason.
given <- commandArgs(trailingOnly = TRUE)
base <- paste0(sub("/+$", "", Sys.getenv("REPRISE_CRAN")), "/src/contrib/")
options(warn = -1, timeout = 600, stringsAsFactors = FALSE)

say <- function(...) {
  facts <- iconv(c(...), "UTF-8", "UTF-8", sub = "byte")
  cat(paste(gsub("[[:cntrl:]]+", " ", facts), collapse = "\t"), "\n", sep = "")
}

fetch <- function(path, lacking) {
  file <- tempfile()
  for (attempt in 1:3) {
    # R tells the status in a warning.
    said <- character()
    note <- function(condition) said <<- c(said, conditionMessage(condition))
    muffle <- function(warning) {
      note(warning)
      invokeRestart("muffleWarning")
    }
    get <- function() download.file(paste0(base, path), file, mode = "wb", quiet = TRUE)
    tryCatch(withCallingHandlers(get(), warning = muffle), error = note)
    if (length(said) == 0) return(file)
    if (any(grepl("'4[0-9][0-9]", said))) stop(path, ": ", lacking)
  }
  stop(path, " cannot be had: ", paste(said, collapse = "; "))
}

# The files of an archive, with the day on which each came.
files_of <- function(tables, below) {
  column <- function(name) as.numeric(unlist(lapply(tables, `[[`, name)))
  path <- sprintf("%s%s", below, unlist(lapply(tables, rownames)))
  data.frame(path = path, size = column("size"), came = column("mtime"))
}
table <- function(name) {
  path <- paste0("Meta/", name, ".rds")
  file <- fetch(path, "the archive has no such list, so that nothing is known by date: name another with `--cran`")
  tryCatch(readRDS(file), error = function(e) stop(path, " cannot be read: ", conditionMessage(e)))
}
is_day <- given[1] == "day"
until <- if (is_day) Inf else as.numeric(given[1])
read_files <- function() {
  if (!is_day) return(rbind(files_of(table("archive"), "Archive/"), files_of(list(table("current")), "")))
  listed <<- read.dcf(fetch("PACKAGES", "there is no list of packages"))
  data.frame(path = sprintf("%s_%s.tar.gz", listed[, "Package"], listed[, "Version"]), size = NA, came = NA)
}

describe <- function(row) {
  if (is_day) return(listed[match(row$name, listed[, "Package"]), ])
  file <- fetch(row$path, "the archive's list names this file, and it is not there")
  into <- tempfile()
  inside <- file.path(row$name, "DESCRIPTION")
  read <- function() {
    # R's own reader refuses archives in the oldest form of tar, which has no type of entries.
    try(untar(file, inside, exdir = into, tar = "internal"), silent = TRUE)
    if (!file.exists(file.path(into, inside))) untar(file, inside, exdir = into)
    read.dcf(file.path(into, inside))[1, ]
  }
  on.exit(unlink(c(file, into), recursive = TRUE))
  tryCatch(read(), error = function(e) stop(row$path, " holds no DESCRIPTION that can be read"))
}

needs_of <- function(description) {
  fields <- description[intersect(c("Depends", "Imports", "LinkingTo"), names(description))]
  parts <- trimws(unlist(strsplit(fields[!is.na(fields)], ",")))
  bound <- ifelse(grepl("(", parts, fixed = TRUE), trimws(gsub("^[^(]*\\(|\\).*$", "", parts)), "")
  needs <- data.frame(name = as.character(trimws(sub("\\(.*$", "", parts))), bound = as.character(bound))
  needs <- unique(needs[grepl("^[A-Za-z][A-Za-z0-9.]*$", needs$name) & !needs$name %in% c("R", of_r), ])
  needs[order(needs$name, needs$bound, method = "radix"), ]
}

# Whether a version keeps a bound; one that cannot be read is kept.
fits <- function(version, bound) {
  sign <- sub("^([<>=!]*).*$", "\\1", bound)
  other <- trimws(sub("^[<>=!]*", "", bound))
  if (!grepl("^[0-9]+([.-][0-9]+)*$", other)) return(TRUE)
  order <- utils::compareVersion(version, other)
  switch(sign, ">=" = order >= 0, ">" = , ">>" = order > 0, "<=" = order <= 0, "<" = , "<<" = order < 0,
         "==" = , "=" = order == 0, "!=" = order != 0, TRUE)
}
unkept <- function(version, bounds) bounds[!vapply(bounds, function(bound) fits(version, bound), TRUE)]
own_bounds <- function(name) trimws(unlist(strsplit(roots$bounds[roots$name == name], ",")))

# The file of a package, or why there is none: its kind and a detail.
pick <- function(name) {
  rows <- files[files$name == name, ]
  rows <- rows[order(rows$came, numeric_version(rows$version), decreasing = TRUE), ]
  if (nrow(rows) == 0) return(c("none", ""))
  wanted <- roots$version[roots$name == name & roots$version != ""]
  if (length(wanted)) {
    if (wanted[1] %in% rows$version) return(rows[match(wanted[1], rows$version), ])
    return(c("version", paste(head(unique(rows$version), 5), collapse = ", ")))
  }
  there <- rows[is.na(rows$came) | rows$came <= until, ]
  if (nrow(there) == 0) return(c("later", format(as.POSIXct(min(rows$came), origin = "1970-01-01", tz = "UTC"), "%Y-%m-%d")))
  kept <- vapply(there$version, function(version) length(unkept(version, own_bounds(name))) == 0, TRUE)
  there[c(which(kept), 1)[1], ]
}

resolve <- function() {
  picked <- needs <- list()
  queue <- roots$name[roots$wanted == "1"]
  while (length(queue)) {
    name <- queue[1]
    queue <- queue[-1]
    if (name %in% names(picked)) next
    picked[[name]] <- pick(name)
    if (!is.data.frame(picked[[name]])) next
    about <- describe(picked[[name]])
    picked[[name]]$system <- if ("SystemRequirements" %in% names(about)) about[["SystemRequirements"]] else NA
    needs[[name]] <- needs_of(about)
    queue <- c(queue, needs[[name]]$name)
  }
  # What others need comes first.
  order <- character()
  seen <- character()
  visit <- function(name) {
    if (name %in% seen) return()
    seen <<- c(seen, name)
    for (need in needs[[name]]$name) visit(need)
    order <<- c(order, name)
  }
  for (name in sort(names(picked), method = "radix")) visit(name)
  for (name in order) tell(name, picked[[name]], needs)
}

tell <- function(name, found, needs) {
  by <- sort(as.character(names(needs)[vapply(needs, function(one) name %in% one$name, TRUE)]), method = "radix")
  if (!is.data.frame(found)) {
    near <- unique(files$name[abs(nchar(files$name) - nchar(name)) <= 2])
    if (found[1] == "none") found[2] <- paste(near[adist(name, near, ignore.case = TRUE) <= 2], collapse = " ")
    return(say("refused", name, found, paste(by, collapse = " ")))
  }
  number <- function(value) if (is.na(value)) "" else sprintf("%.0f", floor(value))
  system <- if (is.na(found$system)) "" else found$system
  say("had", name, found$version, found$path, number(found$size), number(found$came), paste(by, collapse = " "), system)
  for (bound in unkept(found$version, own_bounds(name))) say("unkept", name, "", bound)
  for (other in by) {
    bounds <- needs[[other]]$bound[needs[[other]]$name == name]
    for (bound in unkept(found$version, bounds)) say("unkept", name, other, bound)
  }
}

tryCatch({
  of_r <- rownames(installed.packages(.Library, priority = "base"))
  roots <- as.data.frame(do.call(rbind, strsplit(given[-1], "|", fixed = TRUE)))
  names(roots) <- c("name", "version", "bounds", "wanted")
  files <- read_files()
  named <- "^(Archive/[A-Za-z][A-Za-z0-9.]*/)?([A-Za-z][A-Za-z0-9.]*)_([0-9]{1,9}([.-][0-9]{1,9})*)[.]tar[.]gz$"
  files <- files[grepl(named, files$path), ]
  files$name <- sub(named, "\\2", files$path)
  files$version <- sub(named, "\\3", files$path)
  resolve()
  say("done")
}, error = function(e) say("failed", conditionMessage(e)))
