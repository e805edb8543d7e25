package words

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text between its words, so that no line is longer than width unless one word
// is. The first line begins with first and the others with as many spaces.
func Wrap(first, text string, width int) []string {
	indent := strings.Repeat(" ", utf8.RuneCountInString(first))
	return wrap(first, indent, fields(text), width, "")
}

// Hang breaks a text that stands at the left edge; what follows its first line is indented by
// two.
func Hang(text string, width int) []string {
	return wrap("", "  ", fields(text), width, "")
}

// Together makes a text one word for Wrap and Hang.
func Together(text string) string { return strings.ReplaceAll(text, " ", unbroken) }

const unbroken = "\u00a0"

// unit is a number and its unit, which stay on one line.
var unit = regexp.MustCompile(`(\d) (ns|µs|ms|s|%)([^\pL]|$)`)

func fields(text string) []string {
	text = unit.ReplaceAllString(text, "${1}"+unbroken+"${2}${3}")
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' })
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], unbroken, " ")
	}
	return parts
}

// Command breaks a command line between its flags, so that it can be copied as it is: each
// line but the last ends in a backslash.
func Command(first, text string, width int) []string {
	indent := strings.Repeat(" ", utf8.RuneCountInString(first)+2)
	parts := strings.Split(text, " --")
	for i := range parts[1:] {
		parts[i+1] = "--" + parts[i+1]
	}
	return wrap(first, indent, parts, width, ` \`)
}

func wrap(first, indent string, parts []string, width int, more string) []string {
	var lines []string
	line, empty := first, true
	for i, part := range parts {
		room := width
		if i < len(parts)-1 {
			room -= len(more)
		}
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(part) > room {
			lines = append(lines, line+more)
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+part, false
	}
	return append(lines, line)
}

// Cut takes from a line what is beyond a width.
func Cut(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	runes := []rune(line)
	return string(runes[:max(0, width-1)]) + "…"
}
