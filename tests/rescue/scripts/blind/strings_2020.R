# stringr was loaded in my .Rprofile
d <- read.csv("data/groups.csv", stringsAsFactors = FALSE)
treated <- str_detect(d$condition, "^treat")
cat("treated:", sum(treated), "\n")
cat("difference:", round(mean(d$score[treated]) - mean(d$score[!treated]), 3), "\n")
