package words

import "regexp"

var inFull = regexp.MustCompile(`\b[Cc]lient (\d+)\b`)

// Clients writes the names of clients in the prose of a scenario, "Client 2", as a history and
// its drawings do: "c2".
func Clients(sentence string) string { return inFull.ReplaceAllString(sentence, "c$1") }
