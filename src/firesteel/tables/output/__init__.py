"""The write operator: where rows go (`target`), how files of each format are written (`writers`), and rows brought to
their files (`write`)."""
