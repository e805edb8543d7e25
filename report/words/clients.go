package words

import "regexp"

var short = regexp.MustCompile(`\bc(\d+)\b`)

// InFull writes the short names of clients, "c2", as a scenario writes them: "client 2".
func InFull(sentence string) string { return short.ReplaceAllString(sentence, "client $1") }
