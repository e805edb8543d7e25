package votes

import (
	"fmt"
	"strings"

	"locktorture/report/words"
)

// Renewals says which clients renewed a key that another held, by its name: a request for a new
// end names the key alone, so the server obeys whoever sends it. The messages are all that was
// said of a lock, in order. Who holds the key is known from the last request for it to which a
// server said yes.
func Renewals(messages []Message) (lines []string) {
	held := map[string]Message{} // by server and key: the yes that is the newest
	told := map[string]bool{}
	for _, m := range messages {
		args := strings.Fields(m.Of)
		if !m.Reply || len(args) < 2 {
			continue
		}
		key := m.Node + " " + keyOf(args)
		holder, isHeld := held[key]
		switch {
		case grants(m.Of, m.Text):
			held[key] = m
		case gives(m.Of) && m.Text != "0" && m.Text != "nil" && !failed(m.Text):
			delete(held, key)
		case renews(m.Of) && m.Text == "1" && isHeld && holder.Client != m.Client:
			once := fmt.Sprintf("%d %d %s", m.Client, holder.Client, holder.Of)
			if !told[once] {
				told[once] = true
				lines = append(lines, fmt.Sprintf(
					"at %[2]s, c%[1]d renewed a key that c%[3]d had held on %[4]s since %[5]s: the request %[6]s names only the key, and does not check who owns it",
					m.Client, words.At(m.Came), holder.Client, words.Word(m.Node), words.At(holder.Came), words.Short(m.Of, 64)))
			}
		}
	}
	return lines
}

// keyOf returns the key that a request is about: the first that a script names.
func keyOf(args []string) string {
	if strings.HasPrefix(args[0], "EVAL") {
		for i, a := range args {
			if a == "keys" && i+1 < len(args) {
				return args[i+1]
			}
		}
	}
	return args[1]
}
