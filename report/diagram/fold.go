package diagram

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unbroken is the space at which Fold does not break.
const unbroken = '\u00a0'

// Fold breaks s between words into lines of at most chars characters; a longer word is broken.
func Fold(s string, chars int) []string {
	var out []string
	line := ""
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) && r != unbroken }) {
		for utf8.RuneCountInString(w) > chars {
			r := []rune(w)
			if line != "" {
				out, line = append(out, line), ""
			}
			out, w = append(out, string(r[:chars])), string(r[chars:])
		}
		switch {
		case line == "":
			line = w
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > chars:
			out, line = append(out, line), w
		default:
			line += " " + w
		}
	}
	return append(out, line)
}
