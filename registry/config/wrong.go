package config

import (
	"cmp"
	"errors"
	"slices"

	"locktorture/internal/strictyaml"
)

// Wrong splits the error of a file into one text for each mistake, without repetitions and in the
// order of the lines.
func Wrong(err error) []string {
	all := apart(err)
	slices.SortStableFunc(all, func(a, b error) int {
		var x, y *strictyaml.Error
		if errors.As(a, &x) && errors.As(b, &y) && x.File == y.File {
			return cmp.Compare(x.Line, y.Line)
		}
		return 0
	})
	var lines []string
	seen := map[string]bool{}
	for _, err := range all {
		if line := err.Error(); !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return lines
}

// apart returns the errors that are joined in err, at any depth.
func apart(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, apart(err)...)
	}
	return all
}
