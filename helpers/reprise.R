# Records results where they are computed: reprise.report(model, "term").
#
# Each call appends one JSON line to the file that REPRISE_RESULTS names (results.jsonl
# where it names none) and prints one labelled line. Numbers are read off the fitted
# object; arguments by name add what it does not carry, or give all:
#
#   reprise.report(fit, "income")
#   reprise.report(t.test(y ~ g), "g", groups = split(y, g))
#   reprise.report(term = "x", estimate = .4, se = .1, statistic = 4, kind = "t", df = 98,
#                  p = .0001, sides = 2)
#
# Arguments by name: name, estimate, se, statistic, kind, df, p, sides, alternative,
# adjusted (a p raised for a family of tests: by what), relation, interval, level, interval_kind, n, groups, scale, outcome, label.
local({

keywords <- strsplit(paste(
  "name estimate se statistic kind df p sides alternative adjusted relation interval level",
  "interval_kind n groups scale outcome label"), " ")[[1]]
scales <- c("difference", "ratio", "log_ratio", "correlation", "standardized", "unsigned")
smallest <- .Machine$double.xmin
# Scripts may change folder; the path is the one of the start.
results <- Sys.getenv("REPRISE_RESULTS", "results.jsonl")
if (results == "") results <- "results.jsonl"
if (!grepl("^/", results)) results <- file.path(getwd(), results)

report <- function(model = NULL, term = NULL, ...) {
  given <- list(...)
  strange <- if (length(given)) setdiff(if (is.null(names(given))) "" else names(given), keywords)
  if (length(strange)) {
    fail("reprise.report() has no argument ", paste0("'", strange, "'", collapse = ", "),
         "; it has: ", paste(keywords, collapse = ", "))
  }
  given <- given[!vapply(given, is.null, NA)]
  level <- if (is.null(given[["level"]])) 0.95 else given[["level"]]
  if (!isTRUE(level > 0 && level < 1)) fail("level = ", level, " is outside 0 to 1")
  line <- list(term = term)
  if (is.null(model) || is.character(model)) line[["model"]] <- model
  else {
    found <- read(model, term, level)
    line[names(found)] <- found
    paired <- identical(line[["statistic"]]$kind, "V")
    if (inherits(model, "htest") && is.null(line[["n"]]) && !is.null(given[["groups"]]) && !paired) {
      line[["n"]] <- sum(unlist(lapply(groups_of(given[["groups"]]), function(group) number(group[["n"]]))))
    }
  }
  if (is.null(line[["term"]])) fail("reprise.report() needs a term: reprise.report(model, \"term\")")
  line <- checked(merged(line, given, level))
  append_line(json(line))
  cat(escaped(shown(line)), "\n", sep = "")
  invisible(line)
}

fail <- function(...) stop(paste0(...), call. = FALSE)
attempt <- function(code) tryCatch(suppressWarnings(code), error = function(why) NULL)

# The fields that the object itself tells.
read <- function(model, term, level) {
  if (inherits(model, "htest")) return(read_test(model, level))
  if (inherits(model, c("emmGrid", "summary_emm"))) return(read_means(model, term, level))
  if (inherits(model, c("aov", "aovlist"))) {
    rows <- summary(model)
    strata <- if (inherits(model, "aovlist")) lapply(rows, function(stratum) stratum[[1]]) else unclass(rows)[1]
    return(c(read_anova(strata, term), list(
      n = attempt(stats::nobs(model)), outcome = outcome_of(model), model = label_of(model))))
  }
  if (is.data.frame(model) && any(grepl(p_head, names(model)))) return(read_anova(list(model), term))
  if (inherits(model, "coeftest")) {
    return(read_table(unclass(model), term, level, df = attr(model, "df"), n = attr(model, "nobs"),
                      label = attr(model, "method")))
  }
  if (inherits(model, "rma")) return(read_meta(model, term, level))
  if (inherits(model, c("lm_robust", "iv_robust"))) {
    if (!is.null(dim(model$coefficients))) fail("a model with several outcomes has no single ", term)
    table <- cbind(Estimate = model$coefficients, "Std. Error" = model$std.error,
                   "t value" = model$statistic, "Pr(>|t|)" = model$p.value, df = model$df)
    rownames(table) <- names(model$coefficients)
    return(read_table(table, term, level, model, n = model$nobs, scale = "difference",
                      label = paste0(label_of(model), " (", model$se_type, ")")))
  }
  if (inherits(model, "fixest")) {
    # The summary holds the standard errors that the package prints.
    full <- attempt(summary(model))
    if (inherits(full, "fixest")) model <- full
    link <- if (is.list(model$family)) model$family$link else model$family
    type <- attr(model$coeftable, "type")
    return(read_table(as.matrix(model$coeftable), term, level, model, df = attr(model$cov.scaled, "df.t"), n = model$nobs,
                      scale = if (isTRUE(link %in% c("log", "logit", "cloglog", "poisson", "negbin"))) "log_ratio" else "difference",
                      label = paste0(model$method, " ", text_of(model$fml), if (!is.null(type)) paste0(" (", type, ")"))))
  }
  brief <- attempt(summary(model))
  table <- attempt(if (is.null(brief$tTable)) stats::coef(brief) else brief$tTable)
  if (!is.matrix(table) || !any(grepl(value_head, colnames(table)))) {
    fail("reprise.report() cannot read ", paste(class(model), collapse = "/"), "; give its numbers: ",
         "reprise.report(term = , estimate = , se = , statistic = , kind = \"t\", df = , p = , sides = 2, n = )")
  }
  n <- if (inherits(model, "coxph")) model$n else attempt(stats::nobs(model))
  read_table(table, term, level, model, df = attempt(stats::df.residual(model)), n = n,
             scale = scale_of(model), label = label_of(model))
}

# ---- tables of coefficients

estimate_head <- "^(Estimate|coef|Value)$"
error_head <- "^(robust se|Std\\.? ?Err(or|\\.)?|se\\(coef\\)|SE)$"
value_head <- "^[tz]([ .-](value|ratio|stat.*))?$"
p_head <- "^(Pr ?\\(|p[ .-]?val|p$|P\\()"

read_table <- function(table, term, level, model = NULL, df = NULL, n = NULL, scale = NULL, label = NULL) {
  heads <- colnames(table)
  column <- function(pattern) {
    at <- grep(pattern, heads, ignore.case = TRUE)
    # A robust standard error stands beside the one that it replaces.
    if (length(at)) at[order(heads[at] != "robust se")][1]
  }
  names <- rownames(table)
  dropped <- attempt({
    all <- stats::coef(model)
    if (is.null(dim(all)) && is.numeric(all)) setdiff(names(all)[is.na(all)], names)
  })
  at <- match_term(c(names, dropped), term, levels_of(model))
  take <- function(pattern) {
    where <- column(pattern)
    if (!is.null(where) && at <= length(names)) number(table[at, where])
  }
  value <- take(value_head)
  kind <- tolower(substr(heads[column(value_head)], 1, 1))
  p <- take(p_head)
  own <- take("^df$")
  if (is.null(own)) own <- number(if (length(df) == length(names)) df[at] else df)
  # Degrees of freedom that do not give this p are not those of the test.
  if (kind != "t" || is.null(column(p_head)) || (!is.null(own) && !agree(value, own, p))) own <- NULL
  estimate <- take(estimate_head)
  se <- take(error_head)
  list(coefficient = c(names, dropped)[at], estimate = estimate, se = se,
       statistic = list(kind = kind, value = value, df = own), p = list(value = p, sides = 2),
       interval = interval_of(estimate, se, own, level), n = n, scale = scale,
       outcome = outcome_of(model), model = label)
}

agree <- function(value, df, p) {
  is.null(value) || is.null(p) || isTRUE(all.equal(2 * stats::pt(-abs(value), df), p, tolerance = 1e-6))
}

interval_of <- function(estimate, se, df, level, back = identity) {
  if (is.null(number(estimate)) || is.null(number(se))) return(NULL)
  reach <- if (is.null(df)) stats::qnorm((1 + level) / 2) else stats::qt((1 + level) / 2, df)
  list(lower = back(estimate - reach * se), upper = back(estimate + reach * se), level = level, kind = "confidence")
}

read_meta <- function(model, term, level) {
  student <- model$test != "z"
  df <- if (is.null(model$ddf)) model$dfs else model$ddf
  table <- cbind(Estimate = c(model$beta), SE = model$se, value = model$zval, p = model$pval)
  dimnames(table) <- list(rownames(model$beta), c("Estimate", "SE", if (student) "t value" else "z value", "p"))
  logged <- model$measure %in% c("OR", "PETO", "RR", "IRR", "D2ORL", "D2ORN", "ROM", "PLO", "HR")
  scale <- if (logged) "log_ratio"
    else if (model$measure %in% c("SMD", "SMDH", "SMD1", "SMCC", "SMCR")) "standardized"
    else if (model$measure %in% c("COR", "UCOR")) "correlation"
    else if (model$measure %in% c("MD", "RD", "MC", "IRD")) "difference"
  read_table(table, term, level, df = if (student) df, n = model$k, scale = scale,
             label = paste(class(model)[1], model$method, model$measure))
}

read_means <- function(model, term, level) {
  misc <- if (isS4(model)) model@misc else list()
  if (isS4(model)) model <- summary(model, infer = c(TRUE, TRUE), type = "link")
  if ("F.ratio" %in% names(model)) {
    rownames(model) <- model[["model term"]]
    return(read_anova(list(as.data.frame(model)), term))
  }
  name <- attr(model, "estName")
  value <- grep("^[tz]\\.ratio$", names(model), value = TRUE)
  if (is.null(name) || !length(value)) {
    fail("this summary has no test; give the emmGrid itself, or summary(, infer = TRUE)")
  }
  labelled <- function(heads) {
    if (length(heads)) do.call(paste, c(lapply(model[heads], as.character), sep = " "))
  }
  main <- labelled(attr(model, "pri.vars"))
  by <- labelled(attr(model, "by.vars"))
  names <- if (is.null(by)) main else paste(main, by, sep = " | ")
  at <- match_term(names, term)
  notes <- paste(attr(model, "mesg"), collapse = "; ")
  df <- if (is.finite(model$df[at])) model$df[at]
  estimate <- model[[name]][at]
  se <- model$SE[at]
  logged <- grepl("ratio$", name)
  if (logged) {
    se <- se / estimate
    estimate <- log(estimate)
  }
  logged <- logged || (name == "estimate" && (isTRUE(misc$tran %in% c("log", "log.o.r.")) || grepl("given on the log", notes)))
  side <- if (grepl("right-tailed", notes)) "greater" else if (grepl("left-tailed", notes)) "less" else "two.sided"
  adjusted <- sub("P value adjustment: ", "", regmatches(notes, regexpr("P value adjustment: [^;]*", notes)))
  list(coefficient = names[at], estimate = estimate, se = se,
       statistic = list(kind = substr(value, 1, 1), value = model[[value]][at], df = df),
       p = c(list(value = model$p.value[at]), tails(side), if (length(adjusted)) list(adjusted = adjusted)),
       interval = interval_of(estimate, se, df, level),
       scale = if (logged) "log_ratio" else if (name == "estimate" && is.null(misc$tran) && !grepl("given on the", notes)) "difference",
       model = "emmeans")
}

# ---- tables of tests

statistic_head <- "^(approx )?F([ .-]?(value|ratio|stat.*))?$"
chi_head <- "^(LR |Wald |LR stat\\. ?)?(Chi-?\\.?sq|Chi2|X2)$"

read_anova <- function(strata, term) {
  rows <- list()
  for (table in strata) {
    table <- as.data.frame(table)
    heads <- names(table)
    first <- function(pattern) grep(pattern, heads, value = TRUE, ignore.case = TRUE)[1]
    p <- first(p_head)
    # A deviance is the statistic only where no chi-squared stands beside it.
    value <- stats::na.omit(c(first(statistic_head), first(chi_head), first("^Deviance$")))[1]
    if (is.na(p) || is.na(value)) next
    names <- trimws(rownames(table))
    df <- intersect(c("NumDF", "numDF", "num Df", "df1", "Chi Df", "Df"), heads)[1]
    below <- intersect(c("DenDF", "denDF", "den Df", "df2", "Df.res"), heads)[1]
    for (i in which(!is.na(table[[value]]) & !is.na(table[[p]]))) {
      lower <- if (!is.na(below)) table[[below]][i]
        else if ("Res.Df" %in% heads) min(table$Res.Df)
        else if ("Residuals" %in% names) table[[df]][names == "Residuals"]
      isF <- grepl(statistic_head, value, ignore.case = TRUE)
      rows[[length(rows) + 1]] <- list(coefficient = names[i], scale = "unsigned",
        statistic = list(kind = if (isF) "F" else "chi2", value = table[[value]][i],
                         df = c(if (is.na(df)) NA else abs(table[[df]][i]), if (isF) if (is.null(lower)) NA else lower)),
        p = list(value = table[[p]][i]))
    }
  }
  if (!length(rows)) fail("reprise.report() found no row with a statistic and a p")
  names <- vapply(rows, function(row) row$coefficient, "")
  # A comparison of two models has one tested row, and a number or a model for its name.
  if (length(rows) == 1 && (grepl("^[0-9]+$", names) || "Res.Df" %in% heads || "npar" %in% heads && "AIC" %in% heads)) {
    return(rows[[1]][-1])
  }
  rows[[match_term(names, term)]]
}

kinds <- c(t = "t", z = "z", Z = "z", W = "W", V = "V", "X-squared" = "chi2", F = "F", S = "S", T = "T", D = "D",
           "Kruskal-Wallis chi-squared" = "H", "num df" = "F")

read_test <- function(test, level) {
  name <- names(test$statistic)
  kind <- if (is.null(name)) NULL else if (name %in% names(kinds)) kinds[[name]]
    else if (grepl("(chi|K|X)-squared", name)) "chi2" else if (!grepl(" ", name)) name
  df <- as.vector(test$parameter)
  n <- if ("number of trials" %in% names(test$parameter)) df
  if (!any(grepl("df", names(test$parameter), ignore.case = TRUE))) df <- NULL
  value <- number(test$statistic)
  estimate <- as.vector(test$estimate)
  null <- if (length(test$null.value)) as.vector(test$null.value)[1] else 0
  found <- names(test$estimate)
  both <- is.null(test$alternative) || test$alternative == "two.sided"
  interval <- if (both && length(test$conf.int) == 2) list(
    lower = test$conf.int[1], upper = test$conf.int[2], level = attr(test$conf.int, "conf.level"), kind = "confidence")
  se <- scale <- groups <- NULL
  if (length(estimate) == 2) {
    groups <- lapply(1:2, function(i) list(name = sub("^mean (in group|of) ", "", found[i]), mean = estimate[i]))
    estimate <- estimate[1] - estimate[2]
    scale <- "difference"
  } else if (length(estimate) > 2) {
    groups <- lapply(seq_along(estimate), function(i) list(name = found[i], mean = estimate[i]))
    estimate <- NULL
  }
  if (identical(kind, "t") && !isTRUE(found == "cor")) {
    estimate <- estimate - null
    se <- if (is.null(test$stderr)) estimate / value else as.vector(test$stderr)
    own <- attr(test$conf.int, "conf.level")
    interval <- interval_of(estimate, se, df, if (is.null(own)) level else own)
    scale <- "difference"
    if (grepl("^(Paired|One Sample)|^ Two Sample", test$method)) n <- df + if (grepl("Two", test$method)) 2 else 1
  } else if (isTRUE(found %in% c("cor", "rho", "tau"))) {
    scale <- "correlation"
    if (found == "cor") {
      n <- df + 2
      if (!both && n > 3) interval <- interval_of(atanh(estimate), 1 / sqrt(n - 3), NULL, level, tanh)
    }
  } else if (isTRUE(grepl("ratio", found))) scale <- "ratio"
  else if (isTRUE(grepl("difference in location", found))) scale <- "difference"
  else if (is.null(estimate) && !isTRUE(kind == "z")) scale <- "unsigned"
  list(estimate = estimate, se = se, statistic = if (!is.null(kind)) list(kind = kind, value = value, df = df),
       p = c(list(value = as.vector(test$p.value)), tails(test$alternative)), interval = interval,
       n = n, groups = groups, scale = scale, model = paste0(trimws(test$method), ": ", test$data.name[1]))
}

tails <- function(alternative) {
  if (is.null(alternative)) return(list())
  alternative <- sub("-", ".", alternative, fixed = TRUE)
  if (alternative %in% c("greater", "less")) return(list(sides = 1, alternative = alternative))
  if (alternative == "two.sided") list(sides = 2) else list()
}

# ---- what a model says of itself

text_of <- function(formula) {
  if (!is.null(formula)) gsub("\\s+", " ", paste(deparse(formula, width.cutoff = 500), collapse = " "))
}

formula_of <- function(model) {
  formula <- attempt(stats::formula(model))
  if (inherits(formula, "formula")) formula else attempt(stats::formula(attr(model, "terms")))
}

outcome_of <- function(model) {
  formula <- formula_of(model)
  if (inherits(formula, "formula") && length(formula) == 3) text_of(formula[[2]])
}

label_of <- function(model) trimws(paste(class(model)[1], text_of(formula_of(model))))

scale_of <- function(model) {
  if (inherits(model, "coxph")) return("log_ratio")
  link <- attempt(stats::family(model)$link)
  if (is.null(link)) {
    linear <- inherits(model, c("lm", "lme", "gls", "plm", "ivreg", "rlm", "nls"))
    return(if (linear) "difference")
  }
  if (link %in% c("log", "logit", "cloglog")) "log_ratio" else "difference"
}

levels_of <- function(model) {
  found <- attempt(model$xlevels)
  if (!length(found)) {
    frame <- attempt(stats::model.frame(model))
    found <- lapply(Filter(function(x) is.factor(x) || is.character(x), as.list(frame)), function(x) unique(as.character(x)))
  }
  found
}

# ---- names of terms

# The position of the one name that `term` means.
match_term <- function(names, term, levels = list()) {
  names <- vapply(names, utf8, "", USE.NAMES = FALSE)
  listed <- paste(utils::head(names, 60), collapse = ", ")
  if (is.null(term)) fail("reprise.report() needs a term; this result has: ", listed)
  term <- utf8(term)
  wanted <- plain(term, levels, TRUE)
  ways <- list(
    function(name) name == term,
    function(name) identical(plain(name, levels, TRUE), wanted),
    function(name) identical(plain(name, levels, FALSE), wanted))
  for (same in ways) {
    hits <- which(vapply(names, same, NA))
    if (length(hits) > 1) {
      fail("'", term, "' could be any of: ", paste(names[hits], collapse = ", "), "; give the whole name")
    }
    if (length(hits)) return(hits[[1]])
  }
  fail("no term '", term, "'; this result has: ", listed)
}

# A name without backticks and factor(): the sorted parts of an interaction.
plain <- function(name, levels, keep) {
  parts <- vapply(strsplit(name, ":", fixed = TRUE)[[1]], function(part) {
    part <- gsub("^ +| +$", "", part)
    name <- if (grepl("^`.*`$", part)) attempt(parse(text = part)[[1]])
    part <- if (is.name(name)) as.character(name) else gsub("`", "", part, fixed = TRUE)
    for (factor in gsub("`", "", names(levels), fixed = TRUE)) {
      level <- substring(part, nchar(factor) + 1)
      if (startsWith(part, factor) && level %in% levels[[factor]]) part <- paste0(factor, "[", level, "]")
    }
    logical <- "(\\[|)(TRUE)\\]?$"
    if (grepl(logical, part) && !grepl("^TRUE$", part)) part <- sub(logical, "[TRUE]", part)
    if (!keep) part <- sub("\\[.*\\]$", "", part)
    gsub(" ", "", sub("^(as\\.)?factor\\(([^()]*)\\)", "\\2", part), fixed = TRUE)
  }, "", USE.NAMES = FALSE)
  sort(parts)
}

# ---- fields

# Puts the arguments by name over what the object told.
merged <- function(line, given, level) {
  for (key in intersect(c("estimate", "se", "n", "scale", "outcome"), names(given))) line[[key]] <- given[[key]]
  if (!is.null(given[["label"]])) line[["model"]] <- given[["label"]]
  if (!is.null(given[["name"]])) line[["term"]] <- given[["name"]]
  if (!is.null(given[["groups"]])) line[["groups"]] <- groups_of(given[["groups"]])
  statistic <- if (is.null(line[["statistic"]])) list() else line[["statistic"]]
  if (is.list(given[["statistic"]])) statistic <- utils::modifyList(statistic, given[["statistic"]])
  else if (!is.null(given[["statistic"]])) statistic$value <- given[["statistic"]]
  for (key in intersect(c("kind", "df"), names(given))) statistic[[key]] <- given[[key]]
  if (!is.null(number(statistic$value)) && is.null(statistic$kind)) {
    fail("a statistic needs its kind: kind = \"t\", \"z\", \"F\", \"chi2\", ...")
  }
  line[["statistic"]] <- statistic
  if (!is.null(given[["interval"]])) {
    ends <- as.list(given[["interval"]])
    if (is.null(names(ends))) names(ends) <- c("lower", "upper")
    line[["interval"]] <- utils::modifyList(list(level = level, kind = "confidence"), ends)
  }
  if (!is.null(line[["interval"]]) && !is.null(given[["interval_kind"]])) line[["interval"]]$kind <- given[["interval_kind"]]
  line[["p"]] <- merged_p(if (is.null(line[["p"]])) list() else line[["p"]], given)
  line
}

merged_p <- function(p, given) {
  asked <- given[intersect(c("sides", "relation", "adjusted"), names(given))]
  if (!is.null(given[["alternative"]])) {
    side <- tails(given[["alternative"]])
    if (!length(side)) fail("alternative = is \"two.sided\", \"greater\" or \"less\"")
    asked[names(side)] <- side
  }
  if (!is.null(given[["p"]])) {
    p <- given[["p"]]
    if (is.character(p) && grepl("^\\s*[<=]", p)) {
      p <- list(value = sub("^\\s*[<=]\\s*", "", p), relation = substr(trimws(p), 1, 1))
    } else if (!is.list(p)) p <- list(value = p)
  } else if (!is.null(p$sides)) {
    other <- utils::modifyList(p, asked)
    if (!identical(c(other$sides, other$alternative), c(p$sides, p$alternative))) {
      fail("the p of this result has sides = ", p$sides, " already; another p needs p = and sides =")
    }
  }
  p[names(asked)] <- asked
  if (isTRUE(p$sides == 1) && !isTRUE(p$alternative %in% c("greater", "less"))) {
    fail("a one-sided p needs alternative = \"greater\" or \"less\"")
  }
  p
}

groups_of <- function(given) {
  if (!is.list(given) || is.null(names(given))) fail("groups = takes a name for each series: groups = list(a = a, b = b)")
  lapply(names(given), function(name) {
    series <- given[[name]]
    if (is.list(series)) return(utils::modifyList(list(name = name), series))
    if (!is.numeric(series) && !is.logical(series)) fail("the series of group '", name, "' holds no numbers")
    series <- as.numeric(series[is.finite(series)])
    list(name = name, mean = if (length(series)) mean(series), sd = stats::sd(series), n = length(series))
  })
}

# The line with finite numbers, without what is unknown; errors for the impossible.
checked <- function(line) {
  term <- utf8(line[["term"]])
  statistic <- line[["statistic"]]
  value <- number(statistic$value)
  kind <- statistic$kind
  df <- lapply(as.list(statistic$df), number)
  df <- if (length(df) && !any(vapply(df, is.null, NA))) unlist(df)
  p <- line[["p"]]
  p$value <- within_range("p", p$value, 0, 1)
  if (!is.null(p$value)) {
    if (p$value == 0) {  # below the smallest double: no p is nothing
      p$value <- smallest
      p$relation <- "<"
    }
    if (is.null(p$relation)) p$relation <- "="
    # The p of an omnibus test has one tail; var.test's F has two.
    if (isTRUE(kind == "chi2" || kind == "F" && is.null(number(line[["estimate"]]))) && isTRUE(p$sides == 2)) p$sides <- NULL
    one_of("relation", p$relation, c("=", "<"))
    if (!is.null(p$sides)) one_of("sides", p$sides, c(1, 2))
    if (!isTRUE(p$sides == 1)) p$alternative <- NULL
    if (!is.null(p$adjusted)) p$adjusted <- utf8(p$adjusted)
  }
  interval <- lapply(line[["interval"]][c("lower", "upper", "level")], number)
  if (!is.null(interval$lower) && !is.null(interval$upper)) {
    if (interval$lower > interval$upper) fail("the interval's lower end ", interval$lower, " is above its upper end ", interval$upper)
    one_of("interval_kind", line[["interval"]]$kind, c("confidence", "credible"))
    within_range("level", interval$level, 0, 1)
  } else interval <- NULL
  if (!is.null(line[["scale"]])) one_of("scale", line[["scale"]], scales)
  described <- function(text) if (length(text) && nzchar(text[1])) utf8(text)
  out <- list(
    coefficient = if (!is.null(line[["coefficient"]]) && utf8(line[["coefficient"]]) != term) utf8(line[["coefficient"]]),
    se = within_range("se", line[["se"]], 0, Inf),
    statistic = if (!is.null(value)) present(list(kind = utf8(kind), value = value, df = df)),
    p = if (!is.null(p$value)) present(p[intersect(c("value", "sides", "relation", "alternative", "adjusted"), names(p))]),
    interval = if (length(interval)) c(interval, kind = line[["interval"]]$kind),
    n = within_range("n", line[["n"]], 0, Inf),
    groups = if (length(line[["groups"]])) lapply(line[["groups"]], function(group) present(list(
      name = utf8(group[["name"]]), mean = number(group[["mean"]]), sd = number(group[["sd"]]), n = number(group[["n"]])))),
    scale = line[["scale"]], outcome = described(line[["outcome"]]), model = described(line[["model"]]))
  c(list(term = term, estimate = number(line[["estimate"]])), present(out))
}

present <- function(fields) fields[!vapply(fields, is.null, NA)]

# A finite number; NULL for what is missing, NaN or infinite.
number <- function(value) {
  if (!length(value)) return(NULL)
  if (is.factor(value) || length(value) > 1 || is.list(value)) fail(paste(deparse(value), collapse = " "), " is not a number")
  plain <- suppressWarnings(as.numeric(value))
  if (is.character(value) && is.na(plain) && !value %in% c("NA", "NaN")) fail("'", value, "' is not a number")
  if (is.finite(plain)) plain
}

within_range <- function(name, value, least, most) {
  value <- number(value)
  if (is.null(value)) return(NULL)
  if (value < least - 1e-9 || value > most + 1e-9) fail(name, " = ", value, " is outside ", least, " to ", most)
  min(max(value, least), most)
}

one_of <- function(name, value, known) {
  if (!isTRUE(value %in% known)) fail(name, " = '", value, "' is none of: ", paste(known, collapse = ", "))
}

# ---- the line

# Text is UTF-8 in any locale: what is valid UTF-8 is taken as such.
utf8 <- function(text) {
  text <- as.character(text)[1]
  if (is.na(text)) return("NA")
  if (Encoding(text) == "latin1" || !validUTF8(text)) text <- iconv(text, "latin1", "UTF-8")
  Encoding(text) <- "UTF-8"
  text
}

mapped <- function(text, change) {
  codes <- utf8ToInt(text)
  paste(vapply(codes, function(code) change(code, intToUtf8(code)), ""), collapse = "")
}

quoted <- function(text) {
  paste0("\"", mapped(text, function(code, letter) {
    if (code == 34 || code == 92) paste0("\\", letter)
    else if (code < 32) sprintf("\\u%04x", code)
    else letter
  }), "\"")
}

escaped <- function(text) mapped(text, function(code, letter) {
  if (code < 32 || code %in% 127:159) sprintf("\\x%02x", code)
  else if (code %in% c(0x2028, 0x2029)) sprintf("\\u%04x", code)
  else letter
})

json <- function(value) {
  if (is.null(value)) return("null")
  if (is.list(value)) {
    inner <- vapply(value, json, "")
    if (is.null(names(value))) return(paste0("[", paste(inner, collapse = ", "), "]"))
    return(paste0("{", paste0(vapply(names(value), quoted, ""), ": ", inner, collapse = ", "), "}"))
  }
  if (length(value) > 1) return(json(as.list(value)))
  if (is.character(value)) return(quoted(value))
  sub(",", ".", sprintf("%.17g", value), fixed = TRUE)
}

# One write to a file opened for appending (up to 4096 bytes): lines of parallel
# processes stay whole.
append_line <- function(text) {
  refuse <- function(why) fail("the result could not be written to ", results, ": ", conditionMessage(why))
  tryCatch({
    file <- file(results, open = "ab")
    opened <- TRUE
    writeBin(charToRaw(paste0(text, "\n")), file)
    close(file)
  }, error = refuse, warning = refuse)
}

shown <- function(line) {
  brief <- function(x) sprintf("%.6g", x)
  words <- c("reprise:", line[["term"]], if (!is.null(line[["coefficient"]])) paste0("(", line[["coefficient"]], ")"))
  for (key in c("estimate", "se")) if (!is.null(line[[key]])) words <- c(words, key, brief(line[[key]]))
  statistic <- line[["statistic"]]
  if (!is.null(statistic)) {
    df <- if (!is.null(statistic$df)) paste0("(", paste(brief(statistic$df), collapse = ", "), ")")
    words <- c(words, paste0(statistic$kind, df), brief(statistic$value))
  }
  p <- line[["p"]]
  if (!is.null(p)) {
    words <- c(words, "p", if (p$relation == "<") "<", brief(p$value))
    if (isTRUE(p$sides == 1)) words <- c(words, paste0("(one-sided, ", p$alternative, ")"))
    else if (is.null(p$sides) && !isTRUE(statistic$kind %in% c("F", "chi2", "H"))) words <- c(words, "(sides unknown: give sides = 1 or sides = 2)")
    if (!is.null(p$adjusted)) words <- c(words, paste0("(adjusted: ", p$adjusted, ")"))
  }
  interval <- line[["interval"]]
  if (!is.null(interval)) {
    words <- c(words, sprintf("%g%% [%s, %s]", 100 * interval$level, brief(interval$lower), brief(interval$upper)))
  }
  if (!is.null(line[["n"]])) words <- c(words, "n", sprintf("%.15g", line[["n"]]))
  for (group in line[["groups"]]) {
    words <- c(words, "|", group[["name"]])
    for (key in c("mean", "sd", "n")) if (!is.null(group[[key]])) words <- c(words, key, brief(group[[key]]))
  }
  paste(words, collapse = " ")
}

# Attached, so that a script's rm(list = ls()) leaves it.
if ("reprise" %in% search()) detach("reprise", character.only = TRUE)
assign("reprise.report", report, envir = attach(NULL, name = "reprise", warn.conflicts = FALSE))

# Tables printed by the script are neither wrapped nor cut.
options(width = 10000, digits = 10, tibble.width = Inf, pillar.width = Inf, pillar.sigfig = 8, pillar.print_max = 1000)

})
