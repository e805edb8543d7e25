// Package words writes numbers, times and strings from outside for a reader: short, in one way
// in all products, and harmless for a terminal and for a page.
package words

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits, in bytes, to which strings from outside are cut.
const (
	MaxWord     = 80   // names: locks, keys, values, nodes
	MaxSentence = 1000 // sentences, reasons, error messages
)

// Clean makes a string from outside harmless for a terminal and for a page:
// control and formatting characters (escape sequences, newlines, marks that
// turn the direction of writing) and bytes that are no UTF-8 become visible
// escapes, and what is longer than limit bytes is cut and says so.
func Clean(s string, limit int) string {
	rest := 0
	if len(s) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		rest = len(s) - cut
		s = s[:cut]
	}
	if rest == 0 && harmless(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		writeVisible(&b, r, s[i:i+n])
		i += n
	}
	if rest > 0 {
		fmt.Fprintf(&b, "… (%d more bytes)", rest)
	}
	return b.String()
}

func harmless(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || !visible(r) {
			return false
		}
	}
	return true
}

// visible reports whether r may be shown as it is.
func visible(r rune) bool { return r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r) }

func writeVisible(b *strings.Builder, r rune, raw string) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(b, `\x%02x`, raw[0])
	case visible(r):
		b.WriteString(raw)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case unicode.Is(unicode.Zs, r):
		b.WriteByte(' ')
	case r < 0x80:
		fmt.Fprintf(b, `\x%02x`, r)
	case r > 0xffff:
		fmt.Fprintf(b, `\U%08x`, r)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// Short cleans a label for which there is little room and cuts it with a mere
// ellipsis: the whole of it stands elsewhere on the page.
func Short(s string, limit int) string {
	if len(s) <= limit {
		return Clean(s, limit)
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return Clean(s[:cut], limit) + "…"
}

// Word cleans a name.
func Word(s string) string { return Clean(s, MaxWord) }

// Sentence cleans a text.
func Sentence(s string) string { return Clean(s, MaxSentence) }

// List cleans and joins a list of names; none is what an empty one is called.
func List(list []string, sep, none string) string {
	if len(list) == 0 {
		return none
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Word(s)
	}
	return strings.Join(out, sep)
}

// Mermaid returns a string from outside for a drawing in the language of Mermaid, without what
// that would read as its own.
func Mermaid(s string) string {
	return strings.NewReplacer(";", ",", "#", "no. ", "\n", " ", "<", "‹", ">", "›").Replace(Clean(s, MaxSentence))
}
