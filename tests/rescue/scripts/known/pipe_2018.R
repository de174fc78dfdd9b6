d <- read.csv("data/groups.csv", stringsAsFactors = FALSE)
d$score[d$condition == "control"] %>% sum() %>% cat("\n")
