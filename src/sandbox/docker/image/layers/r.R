# Decides where each R package comes from, and installs what no Debian package has.
# Arguments: find, choose or install; our folder; and the folder of this RUN.
arguments <- commandArgs(trailingOnly = TRUE)
phase <- arguments[1]
home <- arguments[2]
private <- arguments[3]
options(timeout = 600, warn = 1)
Sys.setenv(MAKEFLAGS = paste0("-j", max(1L, parallel::detectCores(), na.rm = TRUE)))

# Versions, made comparable: Debian writes a dot where an author wrote a dash.
plain <- function(version) gsub("-", ".", version, fixed = TRUE)
same <- function(one, other) plain(one) == plain(other)
number <- function(version) tryCatch(package_version(plain(version)), error = function(e) package_version("0"))

table_of <- function(file, columns) {
  lines <- readLines(file)
  parts <- strsplit(lines, "\t", fixed = TRUE)
  fields <- lapply(seq_along(columns), function(at) vapply(parts, function(part) if (length(part) >= at) part[at] else "", ""))
  as.data.frame(setNames(fields, columns), stringsAsFactors = FALSE)
}

record <- function(name, step, reason) {
  cat(name, "\t", step, "\t", reason, "\n", sep = "", file = file.path(home, "record", "steps"), append = TRUE)
  cat("R package ", name, ": ", step, " (", reason, ")\n", sep = "")
}

fail <- function(name, kind, lines) {
  folder <- file.path(home, "record", "failures")
  file <- file.path(folder, sprintf("%04d", length(list.files(folder))))
  writeLines(c(paste("r", name, sep = "\t"), paste("reason", kind, sep = "\t"), tail(lines, 60)), file)
  cat("R package ", name, ": ", kind, "\n", sep = "")
}

installed <- function(name) {
  found <- suppressWarnings(utils::packageDescription(name, fields = "Version"))
  if (is.na(found)) "" else found
}

wanted <- table_of(file.path(home, "r.txt"), c("name", "version"))

find_here <- function() {
  todo <- wanted[0, ]
  for (at in seq_len(nrow(wanted))) {
    name <- wanted$name[at]
    version <- wanted$version[at]
    here <- installed(name)
    own <- here != "" && identical(utils::packageDescription(name, fields = "Priority"), "base")
    if (here != "" && (version == "" || same(here, version))) {
      record(name, "base image", "it is there")
    } else if (own) {
      fail(name, "other", paste0("it is part of R itself, in version ", here))
    } else {
      todo <- rbind(todo, wanted[at, ])
    }
  }
  writeLines(paste(todo$name, todo$version, sep = "\t"), file.path(private, "todo"))
}

# Packages of the distribution: lower-case names to versions.
offers <- function() {
  lines <- readLines(file.path(private, "offered"))
  parts <- strsplit(lines, " *\\| *")
  names <- trimws(vapply(parts, `[`, "", 1))
  versions <- vapply(parts, function(part) if (length(part) > 1) part[2] else "", "")
  versions <- sub("^[0-9]+:", "", versions)
  versions <- sub("-[^-]*$", "", versions)
  versions <- sub("[+~].*$", "", versions)
  versions <- setNames(versions, sub("^r-cran-", "", names))
  versions[!duplicated(names(versions))]
}

# The places that packages are fetched from, in their order.
repositories <- function() {
  own <- getOption("repos")["CRAN"]
  snapshot <- Sys.getenv("REPRISE_CRAN_SNAPSHOT")
  if (snapshot == "" && !is.na(own) && grepl("[0-9]{4}-[0-9]{2}-[0-9]{2}", own)) snapshot <- unname(own)
  cran <- Sys.getenv("REPRISE_CRAN", "https://cloud.r-project.org")
  found <- c(if (snapshot != "") c(snapshot = snapshot), CRAN = if (cran == "") "https://cloud.r-project.org" else cran)
  sub("/+$", "", found)
}

# What a repository offers; NULL, with a note, when it cannot be reached. R tries
# several forms of an index, and warns of each that is not there.
index <- function(url, name) {
  before <- options(timeout = 60)
  on.exit(options(before))
  unreachable <- FALSE
  note <- function(w) {
    if (grepl("unable to access index", conditionMessage(w), fixed = TRUE)) unreachable <<- TRUE
    invokeRestart("muffleWarning")
  }
  read <- function() utils::available.packages(contriburl = paste0(url, "/src/contrib"), ignore_repo_cache = TRUE)
  found <- withCallingHandlers(tryCatch(read(), error = function(e) NULL), warning = note)
  if (is.null(found) || unreachable) {
    cat("R packages: ", name, " cannot be reached\n", sep = "")
    return(NULL)
  }
  found
}

# The file of an older version in a repository's archive, fetched; "" where there is none.
archived <- function(url, name, version) {
  source <- paste0(url, "/src/contrib/Archive/", name, "/", name, "_", version, ".tar.gz")
  target <- file.path(tempdir(), basename(source))
  fetched <- tryCatch(utils::download.file(source, target, quiet = TRUE) == 0, error = function(e) FALSE, warning = function(w) FALSE)
  if (fetched) target else ""
}

base_packages <- rownames(utils::installed.packages(priority = "high"))

# Names of the packages in a dependency field, and the versions that they must have.
needs <- function(text) {
  parts <- trimws(unlist(strsplit(text[!is.na(text)], ",", fixed = TRUE)))
  names <- sub("[ (].*$", "", parts)
  least <- ifelse(grepl(">=", parts, fixed = TRUE), sub("^.*>=[ ]*([0-9.-]+).*$", "\\1", parts), "0")
  keep <- names != "R" & names != "" & !names %in% base_packages
  setNames(least[keep], names[keep])
}

fields <- c("Depends", "Imports", "LinkingTo")

# Everything that packages need, from a repository's index: names to least versions.
closure <- function(starts, db) {
  found <- character()
  seen <- character()
  queue <- starts
  while (length(queue)) {
    for (name in intersect(queue, rownames(db))) {
      least <- needs(db[name, fields])
      for (need in names(least)) {
        if (!need %in% names(found) || number(least[[need]]) > number(found[[need]])) found[[need]] <- least[[need]]
      }
    }
    seen <- c(seen, queue)
    queue <- setdiff(names(found), seen)
  }
  found
}

choose <- function() {
  todo <- table_of(file.path(private, "todo"), c("name", "version"))
  debian <- offers()
  debs <- character()
  rest <- data.frame(name = character(), version = character(), place = character(), file = character(), reason = character())
  missing <- data.frame(name = character(), version = character(), reason = character())
  for (at in seq_len(nrow(todo))) {
    name <- todo$name[at]
    version <- todo$version[at]
    there <- debian[tolower(name)]
    if (!is.na(there) && (version == "" || same(there, version))) {
      debs <- c(debs, tolower(name))
      reason <- if (version == "") "no version was asked for" else "it has the version that was asked for"
      record(name, paste0("Debian package r-cran-", tolower(name)), reason)
    } else {
      reason <- if (is.na(there)) "there is no Debian package" else paste("Debian has", there)
      missing <- rbind(missing, data.frame(name = name, version = version, reason = reason))
    }
  }
  places <- if (nrow(missing)) repositories() else character()
  indexes <- list()
  for (place in names(places)) indexes[[place]] <- index(places[[place]], place)
  unreachable <- setdiff(names(places), names(indexes))
  for (at in seq_len(nrow(missing))) {
    name <- missing$name[at]
    version <- missing$version[at]
    reason <- missing$reason[at]
    found <- ""
    known <- character()
    for (place in names(indexes)) {
      db <- indexes[[place]]
      offered <- if (name %in% rownames(db)) db[name, "Version"] else NA
      if (!is.na(offered) && (version == "" || same(offered, version))) {
        found <- place
        break
      }
      if (!is.na(offered)) known <- c(known, paste(place, "has", offered))
      if (version != "") {
        file <- archived(places[[place]], name, version)
        if (file != "") {
          # Kept for the next phase, which has a temporary folder of its own.
          folder <- file.path(dirname(tempdir()), "reprise-archive")
          dir.create(folder, showWarnings = FALSE)
          kept <- file.path(folder, basename(file))
          file.copy(file, kept)
          rest <- rbind(rest, data.frame(name = name, version = version, place = place, file = kept, reason = paste(c(reason, known), collapse = ", ")))
          found <- "archive"
          break
        }
      }
    }
    if (found == "") {
      kind <- if (length(unreachable)) "unreachable" else if (version != "" && length(known)) "version" else "unknown"
      fail(name, kind, c(paste("asked for:", name, version), reason, known, if (length(unreachable)) paste(unreachable, "cannot be reached")))
    } else if (found != "archive") {
      rest <- rbind(rest, data.frame(name = name, version = version, place = found, file = "", reason = paste(c(reason, known), collapse = ", ")))
    }
  }
  # What the rest needs comes from Debian wherever Debian's is new enough.
  compiled <- any(vapply(rest$file[rest$file != ""], function(file) any(grepl("^[^/]+/src/", utils::untar(file, list = TRUE))), TRUE))
  for (place in unique(rest$place)) {
    db <- indexes[[place]]
    starts <- rest$name[rest$place == place]
    least <- closure(starts, db)
    for (file in rest$file[rest$place == place & rest$file != ""]) {
      folder <- tempfile()
      utils::untar(file, exdir = folder)
      description <- read.dcf(list.files(folder, "^DESCRIPTION$", recursive = TRUE, full.names = TRUE)[1])
      own <- needs(description[1, intersect(fields, colnames(description))])
      least <- c(least, own, closure(names(own), db))
    }
    needed <- unique(names(least))
    fits <- function(name) {
      there <- debian[tolower(name)]
      !is.na(there) && all(vapply(least[names(least) == name], function(one) number(there) >= number(one), TRUE))
    }
    from_debian <- needed[vapply(needed, function(name) installed(name) == "" && fits(name), TRUE)]
    debs <- c(debs, tolower(from_debian))
    from_source <- intersect(c(starts, setdiff(needed, from_debian)), rownames(db))
    compiled <- compiled || any(!db[from_source, "NeedsCompilation"] %in% "no")
  }
  lines <- paste0("r-cran-", sort(unique(debs)))[length(debs) > 0]
  if (compiled) lines <- c(lines, "gcc", "g++", "gfortran", "make", "libc6-dev", "libblas-dev", "liblapack-dev")
  writeLines(as.character(lines), file.path(private, "debs"))
  writeLines(sprintf("%s\t%s\t%s\t%s\t%s", rest$name, rest$version, rest$place, rest$file, rest$reason), file.path(private, "rest"))
}

# What this phase has said so far: r.sh keeps a copy.
said <- function() {
  file <- file.path(private, "said")
  # The copy is made by another process, which may be a moment behind.
  Sys.sleep(0.3)
  if (file.exists(file)) readLines(file, warn = FALSE) else character()
}

# Runs what installs one package; a failure is noted with what was said meanwhile.
installing <- function(name, version, call) {
  cat("Installing the R package ", name, "\n", sep = "")
  tryCatch(call(), error = function(e) cat("Error: ", conditionMessage(e), "\n", sep = ""))
  here <- installed(name)
  if (here != "" && (version == "" || same(here, version))) return(TRUE)
  lines <- said()
  start <- which(lines == paste("Installing the R package", name))
  fail(name, "install", if (length(start)) lines[start[length(start)]:length(lines)] else lines)
  FALSE
}

install_rest <- function() {
  places <- repositories()
  rest <- table_of(file.path(private, "rest"), c("name", "version", "place", "file", "reason"))
  for (at in seq_len(nrow(rest))) {
    name <- rest$name[at]
    url <- paste0(places[[rest$place[at]]], "/src/contrib")
    date <- regmatches(url, regexpr("[0-9]{4}-[0-9]{2}-[0-9]{2}", url))
    title <- if (rest$place[at] == "snapshot") paste("CRAN snapshot", date) else "CRAN"
    if (rest$file[at] == "") {
      done <- installing(name, rest$version[at], function() {
        utils::install.packages(name, contriburl = url, type = "source")
      })
    } else {
      title <- paste(title, "archive")
      done <- installing(name, rest$version[at], function() {
        folder <- tempfile()
        utils::untar(rest$file[at], exdir = folder)
        description <- read.dcf(list.files(folder, "^DESCRIPTION$", recursive = TRUE, full.names = TRUE)[1])
        own <- names(needs(description[1, intersect(fields, colnames(description))]))
        own <- own[vapply(own, installed, "") == ""]
        if (length(own)) utils::install.packages(own, contriburl = url, type = "source")
        utils::install.packages(rest$file[at], repos = NULL, type = "source")
      })
    }
    if (done) record(name, trimws(title), rest$reason[at])
  }
  for (name in setdiff(wanted$name, base_packages)) {
    if (installed(name) == "") next
    wrong <- tryCatch({ loadNamespace(name); "" }, error = function(e) conditionMessage(e))
    if (wrong != "") fail(name, "load", wrong)
  }
}

switch(phase, find = find_here(), choose = choose(), install = install_rest())
