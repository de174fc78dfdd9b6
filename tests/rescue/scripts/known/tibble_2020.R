d <- structure(list(x = 1:3), class = c("tbl_df", "tbl", "data.frame"), row.names = 1:3)
if (class(d) == "data.frame") {
  cat("plain\n")
} else {
  cat("other\n")
}
