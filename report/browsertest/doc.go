// Package browsertest opens the pages that package report writes in a real
// browser. Its tests need Chromium, which make servers installs on Debian and
// Ubuntu; where it is missing they fail and say so.
package browsertest
