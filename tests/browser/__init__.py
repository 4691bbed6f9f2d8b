"""Pages in a browser: `make test-browser`. Without Chromium on the PATH the tests are skipped."""
