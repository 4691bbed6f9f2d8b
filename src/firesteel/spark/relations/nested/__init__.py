"""Relations over a row's own collections: arrays and lambdas in place of frames."""
