# helpers/reprise.R against the accessors of the packages that it reads.
# Run by tests/helpers/run, from the repository's folder.
suppressWarnings({

folder <- tempfile("reprise")
dir.create(folder)
path <- file.path(folder, "results.jsonl")
Sys.setenv(REPRISE_RESULTS = path)
source("helpers/reprise.R")
failures <- 0

check <- function(holds, ...) if (!isTRUE(holds)) stop(paste0(...), call. = FALSE)
case <- function(name, code, needs = NULL) {
  for (package in needs) {
    if (!suppressMessages(require(package, character.only = TRUE, quietly = TRUE))) {
      cat("skipped: ", package, " (", name, ")\n", sep = "")
      if (nzchar(Sys.getenv("CI"))) failures <<- failures + 1
      return(invisible())
    }
  }
  done <- tryCatch({ force(code); "ok" }, error = function(why) {
    failures <<- failures + 1
    paste("FAILED:", conditionMessage(why))
  })
  cat(done, ": ", name, "\n", sep = "")
}

# The line that a report wrote, which is also what it returned, and what it printed.
recorded <- function(...) {
  unlink(path)
  shown <- utils::capture.output(returned <- reprise.report(...))
  text <- readLines(path, encoding = "UTF-8")
  check(length(text) == 1 && length(shown) == 1 && startsWith(shown, "reprise: "), "not one line: ", shown)
  line <- jsonlite::fromJSON(text, simplifyDataFrame = FALSE)
  check(isTRUE(all.equal(line[order(names(line))], returned[order(names(returned))], tolerance = 0)), "returned another: ", text)
  line
}

near <- function(got, wanted, what) {
  wanted <- as.vector(wanted)
  check(length(got) == length(wanted) && (!length(got) || isTRUE(all.equal(got, wanted, tolerance = 1e-9))),
        what, " is ", deparse(got), ", not ", deparse(wanted))
}

# Every field: those not named must be absent.
same <- function(line, estimate = NULL, se = NULL, kind = NULL, value = NULL, df = NULL, p = NULL, sides = 2,
                 alternative = NULL, interval = NULL, n = NULL, scale = NULL, outcome = NULL, model = NULL,
                 coefficient = NULL) {
  near(line$estimate, estimate, "estimate")
  near(line$se, se, "se")
  check(identical(line$statistic$kind, kind), "kind is ", line$statistic$kind)
  near(line$statistic$value, value, "statistic")
  near(line$statistic$df, df, "df")
  near(line$p$value, p, "p")
  if (!is.null(p)) near(line$p$sides, sides, "sides")
  check(identical(line$p$alternative, alternative), "alternative is ", line$p$alternative)
  near(c(line$interval$lower, line$interval$upper), interval, "interval")
  if (!is.null(interval)) check(line$interval$level == 0.95 && line$interval$kind == "confidence", "another interval")
  near(line$n, n, "n")
  check(identical(line$scale, scale), "scale is ", line$scale)
  if (!is.null(outcome)) check(identical(line$outcome, outcome), "outcome is ", line$outcome)
  if (!is.null(model)) check(identical(line$model, model), "model is ", line$model)
  check(identical(line$coefficient, coefficient), "coefficient is ", line$coefficient)
}

refused <- function(words, ...) {
  unlink(path)
  why <- tryCatch({ utils::capture.output(reprise.report(...)); "nothing" }, error = conditionMessage)
  for (word in words) check(grepl(word, why, fixed = TRUE), "refused with: ", why)
  check(!file.exists(path), "a refused result was written")
}

data <- na.omit(read.csv("studies/duncan-1961/input/replication_data/Prestige.csv", stringsAsFactors = TRUE))
data$professional <- data$type == "prof"
wald <- function(estimate, se, df = Inf) estimate + c(-1, 1) * qt(.975, df) * se

case("lm", {
  fit <- lm(prestige ~ income + type, data)
  rows <- coef(summary(fit))
  for (own in c("income", "typeprof")) {
    row <- unname(rows[own, ])
    same(recorded(fit, own), row[1], row[2], "t", row[3], 94, row[4], interval = confint(fit)[own, ], n = 98,
         scale = "difference", outcome = "prestige", model = "lm prestige ~ income + type")
  }
  check(recorded(fit, "type[prof]")$coefficient == "typeprof", "another coefficient")
  check(recorded(lm(prestige ~ factor(professional), data), "professional")$coefficient == "factor(professional)TRUE", "logical")
  check(recorded(lm(prestige ~ professional * women, data), "women:professional")$coefficient == "professionalTRUE:women", "order")
  few <- recorded(lm(prestige ~ income, data, weights = ifelse(seq_len(98) > 10, 1, 0)), "income")
  near(few$n, 88, "n")
})

case("glm", {
  fit <- glm(professional ~ women, binomial, data)
  row <- unname(coef(summary(fit))["women", ])
  same(recorded(fit, "women"), row[1], row[2], "z", row[3], NULL, row[4], interval = confint.default(fit)["women", ],
       n = 98, scale = "log_ratio", outcome = "professional", model = "glm professional ~ women")
  fit <- glm(women ~ education, quasipoisson, data)
  row <- unname(coef(summary(fit))["education", ])
  same(recorded(fit, "education"), row[1], row[2], "t", row[3], 96, row[4], interval = wald(row[1], row[2], 96), n = 98,
       scale = "log_ratio")
  check(recorded(glm(prestige ~ income, data = data), "income")$scale == "difference", "gaussian")
})

case("t tests", {
  for (alternative in c("two.sided", "greater", "less")) for (equal in c(TRUE, FALSE)) {
    test <- t.test(prestige ~ professional, data, alternative = alternative, var.equal = equal)
    both <- t.test(prestige ~ professional, data, var.equal = equal)
    line <- recorded(test, "professional", groups = split(data$prestige, data$professional))
    same(line, -diff(test$estimate), test$stderr, "t", test$statistic, test$parameter, test$p.value,
         if (alternative == "two.sided") 2 else 1, if (alternative != "two.sided") alternative, both$conf.int, 98, "difference")
    near(line$groups[[1]]$sd, sd(data$prestige[!data$professional]), "sd")
    near(line$groups[[2]]$mean, mean(data$prestige[data$professional]), "mean")
    near(line$groups[[2]]$n, 31, "n of a group")
  }
  means <- recorded(both, "professional")$groups
  check(means[[1]]$name == "group FALSE" || means[[1]]$name == "FALSE", "name of a group: ", means[[1]]$name)
  near(means[[1]]$mean, mean(data$prestige[!data$professional]), "mean")
  paired <- t.test(data$education, data$women, paired = TRUE, mu = 2)
  same(recorded(paired, "x"), mean(data$education - data$women) - 2, paired$stderr, "t", paired$statistic, 97, paired$p.value,
       interval = paired$conf.int - 2, n = 98, scale = "difference")
  one <- t.test(data$education, mu = 10)
  same(recorded(one, "x"), mean(data$education) - 10, one$stderr, "t", one$statistic, 97, one$p.value,
       interval = one$conf.int - 10, n = 98, scale = "difference")
})

case("other tests", {
  r <- cor.test(~ income + prestige, data)
  same(recorded(r, "income"), r$estimate, NULL, "t", r$statistic, 96, r$p.value, interval = r$conf.int, n = 98, scale = "correlation")
  less <- cor.test(~ income + prestige, data, alternative = "less")
  same(recorded(less, "income"), r$estimate, NULL, "t", r$statistic, 96, less$p.value, 1, "less", r$conf.int, 98, "correlation")
  tau <- cor.test(~ income + prestige, data, method = "kendall", exact = FALSE)
  same(recorded(tau, "income", n = 98), tau$estimate, NULL, "z", tau$statistic, NULL, tau$p.value, n = 98, scale = "correlation")
  rank <- wilcox.test(prestige ~ professional, data, alternative = "less")
  same(recorded(rank, "x", groups = split(data$prestige, data$professional)), NULL, NULL, "W", rank$statistic, NULL,
       rank$p.value, 1, "less", n = 98, scale = "unsigned")
  moved <- wilcox.test(prestige ~ professional, data, conf.int = TRUE)
  same(recorded(moved, "x"), moved$estimate, NULL, "W", moved$statistic, NULL, moved$p.value, interval = moved$conf.int, scale = "difference")
  counts <- table(data$type, data$income > 6000)
  chi <- chisq.test(counts)
  same(recorded(chi, "type", n = sum(counts)), NULL, NULL, "chi2", chi$statistic, 2, chi$p.value, NULL, n = 98, scale = "unsigned")
  exact <- fisher.test(counts[1:2, ])
  same(recorded(exact, "type"), exact$estimate, p = exact$p.value, interval = exact$conf.int, scale = "ratio")
  h <- kruskal.test(prestige ~ type, data)
  same(recorded(h, "type"), NULL, NULL, "H", h$statistic, 2, h$p.value, NULL, scale = "unsigned")
  f <- oneway.test(prestige ~ type, data)
  same(recorded(f, "type"), NULL, NULL, "F", f$statistic, f$parameter, f$p.value, NULL, scale = "unsigned")
  v <- var.test(prestige ~ professional, data)
  same(recorded(v, "x"), v$estimate, NULL, "F", v$statistic, v$parameter, v$p.value, 2, interval = v$conf.int, scale = "ratio")
  two <- prop.test(c(10, 20), c(30, 40), alternative = "less")
  same(recorded(two, "x"), -1 / 6, NULL, "chi2", two$statistic, 1, two$p.value, 1, "less", scale = "difference")
  coin <- binom.test(3, 10)
  same(recorded(coin, "heads"), 0.3, p = coin$p.value, interval = coin$conf.int, n = 10)
})

case("aov and anova", {
  fit <- aov(prestige ~ type + income, data)
  table <- anova(fit)
  for (object in list(fit, table)) {
    same(recorded(object, "type", n = 98), NULL, NULL, "F", table["type", "F value"], c(2, 94), table["type", "Pr(>F)"], NULL,
         n = 98, scale = "unsigned")
  }
  refused(c("no term 'women'", "type, income"), fit, "women")
  compared <- anova(lm(prestige ~ income, data), lm(prestige ~ income + type, data))
  same(recorded(compared, "type"), NULL, NULL, "F", compared$F[2], c(2, 94), compared[2, "Pr(>F)"], NULL, scale = "unsigned")
  fit <- glm(professional ~ women + type, binomial, transform(data, professional = prestige > 50))
  deviance <- anova(fit, test = "Chisq")
  same(recorded(deviance, "type"), NULL, NULL, "chi2", deviance["type", "Deviance"], 2, deviance["type", "Pr(>Chi)"], NULL, scale = "unsigned")
  long <- expand.grid(who = factor(1:12), dose = factor(1:3))
  long$y <- sin(seq_len(36)) + as.integer(long$dose) / 3
  strata <- aov(y ~ dose + Error(who / dose), long)
  row <- summary(strata)[["Error: who:dose"]][[1]]
  same(recorded(strata, "dose"), NULL, NULL, "F", row[1, "F value"], c(2, 22), row[1, "Pr(>F)"], NULL, scale = "unsigned",
       model = "aovlist y ~ dose + Error(who/dose)")
})

case("mixed models", needs = c("lme4", "lmerTest"), {
  scaled <- transform(data, income = income / 1000)
  plain <- lme4::lmer(prestige ~ income + (1 | type), scaled)
  row <- unname(coef(summary(plain))["income", ])
  same(recorded(plain, "income"), row[1], row[2], "t", row[3], NULL, NULL, interval = wald(row[1], row[2]), n = 98, scale = "difference")
  tested <- lmerTest::lmer(prestige ~ income + (1 | type), scaled)
  row <- unname(coef(summary(tested))["income", ])
  same(recorded(tested, "income"), row[1], row[2], "t", row[4], row[3], row[5], interval = wald(row[1], row[2], row[3]), n = 98,
       scale = "difference", outcome = "prestige", model = "lmerModLmerTest prestige ~ income + (1 | type)")
  table <- anova(tested)
  same(recorded(table, "income"), NULL, NULL, "F", table[["F value"]], c(table$NumDF, table$DenDF), table[["Pr(>F)"]], NULL, scale = "unsigned")
  binary <- lme4::glmer(professional ~ women + (1 | seventh), transform(scaled, seventh = seq_len(98) %% 7), binomial)
  row <- unname(coef(summary(binary))["women", ])
  same(recorded(binary, "women"), row[1], row[2], "z", row[3], NULL, row[4], interval = wald(row[1], row[2]), n = 98, scale = "log_ratio")
  nested <- suppressMessages(anova(lme4::lmer(prestige ~ 1 + (1 | type), scaled), plain))
  same(recorded(nested, "income"), NULL, NULL, "chi2", nested$Chisq[2], 1, nested[2, "Pr(>Chisq)"], NULL, scale = "unsigned")
})

case("nlme", needs = "nlme", {
  fit <- nlme::lme(prestige ~ women, random = ~ 1 | type, data)
  row <- unname(summary(fit)$tTable["women", ])
  same(recorded(fit, "women"), row[1], row[2], "t", row[4], row[3], row[5], interval = wald(row[1], row[2], row[3]), n = 98, scale = "difference")
})

case("survival", needs = "survival", {
  fit <- coxph(Surv(income, professional) ~ education + type, transform(data, type = type == "wc"))
  row <- summary(fit)$coefficients["education", ]
  same(recorded(fit, "education"), row[["coef"]], row[["se(coef)"]], "z", row[["z"]], NULL, row[["Pr(>|z|)"]],
       interval = confint(fit)["education", ], n = 98, scale = "log_ratio", outcome = "Surv(income, professional)")
  robust <- coxph(Surv(income, professional) ~ education + cluster(census), data)
  row <- summary(robust)$coefficients["education", ]
  same(recorded(robust, "education"), row[["coef"]], row[["robust se"]], "z", row[["z"]], NULL, row[["Pr(>|z|)"]],
       interval = confint(robust)["education", ], n = 98, scale = "log_ratio")
})

case("survey", needs = "survey", {
  design <- svydesign(~1, weights = ~census, data = data)
  fit <- svyglm(prestige ~ income + women, design)
  row <- unname(coef(summary(fit))["income", ])
  same(recorded(fit, "income"), row[1], row[2], "t", row[3], fit$df.residual, row[4], interval = confint(fit)["income", ], n = 98,
       scale = "difference", model = "svyglm prestige ~ income + women")
})

case("estimatr", needs = "estimatr", {
  fit <- lm_robust(prestige ~ income + type, data, se_type = "HC3")
  tidied <- tidy(fit)
  row <- tidied[tidied$term == "income", ]
  same(recorded(fit, "income"), row$estimate, row$std.error, "t", row$statistic, row$df, row$p.value,
       interval = c(row$conf.low, row$conf.high), n = 98, scale = "difference", outcome = "prestige",
       model = "lm_robust prestige ~ income + type (HC3)")
  clustered <- lm_robust(prestige ~ income, data, clusters = census %/% 1000)
  row <- tidy(clustered)[2, ]
  same(recorded(clustered, "income"), row$estimate, row$std.error, "t", row$statistic, row$df, row$p.value,
       interval = c(row$conf.low, row$conf.high), n = 98, scale = "difference")
  instrument <- iv_robust(prestige ~ income | education, data)
  row <- tidy(instrument)[2, ]
  same(recorded(instrument, "income"), row$estimate, row$std.error, "t", row$statistic, row$df, row$p.value,
       interval = c(row$conf.low, row$conf.high), n = 98, scale = "difference")
})

case("emmeans", needs = "emmeans", {
  fit <- lm(prestige ~ type * professional2 + income, transform(data, professional2 = factor(women > 20, labels = c("few", "many"))))
  means <- emmeans(fit, ~ type)
  for (adjust in c("none", "tukey")) {
    contrasts <- pairs(means, adjust = adjust)
    row <- as.data.frame(summary(contrasts))[2, ]
    line <- recorded(contrasts, "bc - wc", n = 98)
    same(line, row$estimate, row$SE, "t", row$t.ratio, row$df, row$p.value, interval = wald(row$estimate, row$SE, row$df), n = 98,
         scale = "difference")
    check(identical(grepl("tukey", line$p$adjusted), if (adjust == "tukey") TRUE else logical()), "adjustment: ", line$p$adjusted)
  }
  unadjusted <- confint(pairs(means, adjust = "none"))[2, ]
  near(c(line$interval$lower, line$interval$upper), c(unadjusted$lower.CL, unadjusted$upper.CL), "interval")
  right <- contrast(means, "pairwise", adjust = "none", side = ">")
  row <- as.data.frame(summary(right))[1, ]
  line <- recorded(right, "bc - prof")
  check(line$p$sides == 1 && line$p$alternative == "greater", "side")
  near(line$p$value, row$p.value, "one-sided p")
  near(line$interval$lower, wald(row$estimate, row$SE, row$df)[1], "lower")
  by <- pairs(emmeans(fit, ~ type | professional2))
  row <- as.data.frame(summary(by))[4, ]
  near(recorded(by, "bc - prof | many")$estimate, row$estimate, "estimate by group")
  refused("no term 'bc - prof'", by, "bc - prof")
  odds <- glm(high ~ women + type, binomial, transform(subset(data, type != "prof"), high = prestige > 40))
  link <- as.data.frame(summary(pairs(emmeans(odds, ~ type))))
  for (object in list(pairs(emmeans(odds, ~ type)), pairs(emmeans(odds, ~ type), type = "response"))) {
    line <- recorded(object, if (isS4(object)) as.character(as.data.frame(summary(object, type = "link"))[1, 1]))
    same(line, link$estimate, link$SE, "z", link$z.ratio, NULL, link$p.value, interval = wald(link$estimate, link$SE), scale = "log_ratio")
  }
  response <- summary(pairs(emmeans(odds, ~ type), type = "response"))
  same(recorded(response, as.character(response$contrast)), link$estimate, link$SE, "z", link$z.ratio, NULL, link$p.value,
       interval = wald(link$estimate, link$SE), scale = "log_ratio")
  joint <- joint_tests(fit)
  same(recorded(joint, "type"), NULL, NULL, "F", joint$F.ratio[1], c(joint$df1[1], joint$df2[1]), joint$p.value[1], NULL, scale = "unsigned")
})

case("metafor", needs = "metafor", {
  for (test in c("z", "knha")) {
    fit <- rma(yi = c(.1, .3, .2, .5), vi = c(.01, .02, .03, .04), mods = ~ x, data = data.frame(x = c(1, 2, 4, 3)), test = test, measure = "SMD")
    same(recorded(fit, "x"), fit$beta["x", ], fit$se[2], if (test == "z") "z" else "t", fit$zval[2], if (test != "z") 2, fit$pval[2],
         interval = c(fit$ci.lb[2], fit$ci.ub[2]), n = 4, scale = "standardized", model = "rma.uni REML SMD")
  }
  check(recorded(rma(measure = "OR", ai = c(4, 6), bi = c(9, 9), ci = c(2, 3), di = c(9, 8)), "intrcpt")$scale == "log_ratio", "scale")
})

case("lmtest", needs = c("lmtest", "sandwich"), {
  fit <- lm(prestige ~ income, data)
  table <- coeftest(fit, vcov. = vcovHC(fit, "HC1"))
  row <- unname(table["income", ])
  same(recorded(table, "income"), row[1], row[2], "t", row[3], 96, row[4], interval = confint(table)["income", ], n = 98,
       model = "t test of coefficients")
  compared <- waldtest(fit, lm(prestige ~ income + type, data))
  same(recorded(compared, "type"), NULL, NULL, "F", compared$F[2], c(2, 94), compared[2, "Pr(>F)"], NULL, scale = "unsigned")
})

# fixest itself is in no Debian release: not run. The object has the documented shape.
case("fixest, a fixture of its shape (the package itself: not run)", {
  fit <- lm(prestige ~ income, data)
  table <- as.data.frame(coef(summary(fit)))
  estimated <- structure(
    list(nobs = 98L, fml = prestige ~ income, method = "feols", method_type = "feols",
         coefficients = coef(fit), coeftable = structure(table, type = "Clustered (type)"),
         cov.scaled = structure(vcov(fit), df.t = 96)),
    class = "fixest")
  row <- unname(unlist(table["income", ]))
  same(recorded(estimated, "income"), row[1], row[2], "t", row[3], 96, row[4], interval = confint(fit)["income", ], n = 98,
       scale = "difference", model = "feols prestige ~ income (Clustered (type))")
  estimated$cov.scaled <- structure(vcov(fit), df.t = 2)
  near(recorded(estimated, "income")$statistic$df, NULL, "df that do not give p")
  estimated$family <- poisson()
  check(recorded(estimated, "income")$scale == "log_ratio", "scale")
})

case("singular fits have no NaN", {
  twins <- transform(data, twin = 2 * income)
  line <- recorded(lm(prestige ~ income + twin, twins), "twin")
  same(line, n = 98, scale = "difference")
  exact <- recorded(lm(y ~ x, data.frame(y = 1:2, x = 1:2)), "x")
  same(exact, 1, n = 2, kind = NULL, scale = "difference")
  check(grepl("\"estimate\": null", readLines({ recorded(lm(prestige ~ income + twin, twins), "twin"); path })), "no null")
  x <- 0:4999
  check(identical(recorded(lm(x + sin(x) ~ x), "x")$p, list(value = .Machine$double.xmin, sides = 2L, relation = "<")), "p of nothing")
})

case("names of terms", {
  fit <- lm(prestige ~ income + type, data)
  refused(c("could be any of: typeprof, typewc", "whole name"), fit, "type")
  refused(c("no term 'wage'", "(Intercept), income, typeprof"), fit, "wage")
  refused("(Intercept), income", fit)
  matrix <- structure(rbind(c(1, 1, 1, .3), c(2, 1, 2, .1)), class = "coeftest",
                      dimnames = list(c("x", "x"), c("Estimate", "Std. Error", "t value", "Pr(>|t|)")))
  refused("'x' could be any of: x, x", matrix, "x")
  odd <- setNames(data[c("prestige", "women")], c("prestige", "share of \"women\"\n"))
  fit <- lm(prestige ~ ., odd)
  own <- names(coef(fit))[2]
  line <- recorded(fit, "share of \"women\"\n")
  near(line$estimate, coef(fit)[[2]], "estimate")
  check(line$term == "share of \"women\"\n" && line$coefficient == own, "a name with quotes")
  line <- recorded(fit, own, name = "women", label = "main")
  check(line$term == "women" && line$coefficient == own && line$model == "main", "another name")
})

case("numbers by argument", {
  line <- recorded("by hand", "x", estimate = -.8, se = .2, statistic = -4, kind = "t", df = 748, p = "<.001", sides = 2,
                   interval = c(-1.2, -.4), interval_kind = "credible", level = .9, n = 750,
                   groups = list(a = list(mean = 1.5, n = 30), b = c(1, NA, 2, NaN, 4)), scale = "standardized", outcome = "y")
  wanted <- list(term = "x", estimate = -.8, se = .2, statistic = list(kind = "t", value = -4L, df = 748L),
                 p = list(value = .001, sides = 2L, relation = "<"),
                 interval = list(lower = -1.2, upper = -.4, level = .9, kind = "credible"), n = 750L,
                 groups = list(list(name = "a", mean = 1.5, n = 30L), list(name = "b", mean = 7 / 3, sd = sqrt(7 / 3), n = 3L)),
                 scale = "standardized", outcome = "y", model = "by hand")
  check(isTRUE(all.equal(line, wanted, tolerance = 1e-15)), "not as given: ", deparse(line))
  check(identical(recorded(term = "x", estimate = NaN, se = Inf, p = NA), list(term = "x", estimate = NULL)), "NaN was written")
  check(identical(recorded(term = "x", estimate = 0.1 + 0.2)$estimate, 0.1 + 0.2), "digits were lost")
  refused("no argument 'pvalue'", term = "x", pvalue = .1)
  refused("p = 1.2", term = "x", p = 1.2)
  refused("level = 95", lm(prestige ~ income, data), "income", level = 95)
  refused("se = -1", term = "x", se = -1)
  refused("'many' is not a number", term = "x", n = "many")
  refused("kind =", term = "x", statistic = 3)
  refused("alternative =", term = "x", p = .04, sides = 1)
  refused("above its upper end", term = "x", interval = c(2, 1))
  refused("scale = 'odds'", term = "x", scale = "odds")
  refused("needs a term", estimate = 1)
  refused(c("cannot read numeric", "estimate ="), c(1, 2), "x")
  refused("sides = 2 already", lm(prestige ~ income, data), "income", alternative = "greater")
})

case("the printed line", {
  shown <- utils::capture.output({
    reprise.report(term = "x", estimate = 0.00136117, se = 0.000224212, statistic = 6.07, kind = "t", df = 98, p = 2.3e-8, sides = 2, n = 102)
    reprise.report(term = "x", statistic = 7.7, kind = "F", df = c(1, 204), p = .006, groups = list(a = c(1, 2), b = c(3, 5)))
    reprise.report(term = "x", estimate = 1, p = .04, alternative = "less")
    reprise.report(term = "two\nlines\r", estimate = 1)
  })
  check(identical(shown, c(
    "reprise: x estimate 0.00136117 se 0.000224212 t(98) 6.07 p 2.3e-08 n 102",
    "reprise: x F(1, 204) 7.7 p 0.006 | a mean 1.5 sd 0.707107 n 2 | b mean 4 sd 1.41421 n 2",
    "reprise: x estimate 1 p 0.04 (one-sided, less)",
    "reprise: two\\x0alines\\x0d estimate 1")), "printed: ", paste(shown, collapse = "\n"))
})

case("hostile names", {
  for (term in c("say \"x\"\\", "two\nlines\r\t\x01\x1b[31m", "na\u00efve \u5909\u6570 \U0001f600 \u2028")) {
    check(identical(recorded(term = term, estimate = 1)$term, enc2utf8(term)), "another term: ", term)
  }
  check(recorded(term = "caf\xe9", estimate = 1)$term == "caf\u00e9", "latin1")
})

helper <- normalizePath("helpers/reprise.R")
rscript <- function(code, environment = character()) {
  script <- tempfile(fileext = ".R")
  writeBin(charToRaw(paste0("source(\"", helper, "\")\n", code, "\n")), script)
  system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE, stderr = TRUE, env = environment)
}

case("a path that cannot be written", {
  said <- rscript("reprise.report(term = 'x', estimate = 1)", "REPRISE_RESULTS=/no/such/folder/results.jsonl")
  check(identical(attr(said, "status"), 1L), "status ", attr(said, "status"))
  check(any(grepl("could not be written to /no/such/folder/results.jsonl: .*No such file", said)), "said: ", said)
  check(!any(startsWith(said, "reprise:")), "printed what was not recorded")
  if (file.exists("/dev/full")) {
    said <- rscript("reprise.report(term = 'x', estimate = 1)", "REPRISE_RESULTS=/dev/full")
    check(identical(attr(said, "status"), 1L), "a full disk went unnoticed: ", said)
  }
})

case("a script's own habits", {
  unlink(path)
  said <- rscript("rm(list = ls()); options(OutDec = ','); setwd('/'); reprise.report(term = 'x', estimate = .5)")
  check(identical(said, "reprise: x estimate 0.5"), "printed: ", said)
  check(identical(readLines(path), "{\"term\": \"x\", \"estimate\": 0.5}"), "wrote: ", readLines(path))
  elsewhere <- file.path(tempdir(), "elsewhere.jsonl")
  old <- setwd(tempdir())
  rscript("setwd('/'); reprise.report(term = 'x', estimate = 1)", "REPRISE_RESULTS=elsewhere.jsonl")
  setwd(old)
  check(file.exists(elsewhere), "a relative path is that of the folder at the start")
  unlink(path)
  rscript("reprise.report(term = 'na\u00efve', estimate = 1)", "LC_ALL=C")
  check(jsonlite::fromJSON(readLines(path, encoding = "UTF-8"))$term == "na\u00efve", "in the C locale")
  wide <- rscript("print(as.data.frame(matrix(pi * 1e6, 2, 60)))\nprint(runif(500) * 1e6)")
  check(length(wide) == 4, "wrapped: ", length(wide), " lines")
})

case("parallel processes do not mix lines", {
  unlink(path)
  jobs <- lapply(letters[1:4], function(letter) parallel::mcparallel({
    sink("/dev/null")
    for (i in 1:200) reprise.report(term = strrep(letter, 3000), estimate = i)
  }))
  parallel::mccollect(jobs)
  lines <- lapply(readLines(path), jsonlite::fromJSON)
  check(length(lines) == 800, length(lines), " lines")
  for (letter in letters[1:4]) {
    mine <- Filter(function(line) line$term == strrep(letter, 3000), lines)
    check(identical(vapply(mine, function(line) as.numeric(line$estimate), 0), as.numeric(1:200)), "lines of ", letter)
  }
})

})
cat(failures, "failures\n")
quit(status = min(failures, 1))
