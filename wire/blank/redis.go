package blank

import (
	"bytes"
	"strings"
)

// A redis blanks the arguments of commands that have secrets: AUTH, HELLO … AUTH, and those
// that set passwords. It goes through requests byte by byte, in whatever pieces they come.
type redis struct {
	line  []byte // the begin of the line that is being read
	long  bool   // it is longer than what is kept of it
	args  int    // of the command that are still to come; 0: between commands
	index int    // of the argument that comes next
	bulk  int    // bytes of an argument, with its line end, that are still to come
	size  int    // of that argument, without the line end
	arg   []byte // its begin

	name   string // of the command, in capitals
	secret int    // arguments from here on are blanked; 0: none
}

// longestName is how many bytes of an argument are looked at.
const longestName = 32

func (r *redis) Blank(reply bool, data []byte) []byte {
	if reply {
		return data
	}
	c := &cover{data: data}
	for i := 0; i < len(data); {
		if r.bulk > 0 {
			i += r.argument(c, i)
			continue
		}
		r.character(c, i)
		i++
	}
	return c.data
}

// argument takes what is there of an argument.
func (r *redis) argument(c *cover, at int) int {
	n := min(r.bulk, len(c.data)-at)
	if text := min(n, r.bulk-2); text > 0 {
		if r.secret > 0 && r.index >= r.secret {
			c.blank(at, at+text)
		} else {
			r.arg = append(r.arg, c.data[at:at+min(text, longestName-min(len(r.arg), longestName))]...)
		}
	}
	if r.bulk -= n; r.bulk == 0 {
		r.ended()
	}
	return n
}

// ended looks at an argument that is complete.
func (r *redis) ended() {
	word := r.arg
	if r.size > longestName {
		word = nil
	}
	r.arg = r.arg[:0]
	switch {
	case r.index == 0:
		r.name = withSecrets(word)
		r.secret = secretFrom(r.name)
	case (r.name == "HELLO" || r.name == "MIGRATE") && same(word, "AUTH"), r.name == "MIGRATE" && same(word, "AUTH2"):
		r.secret = r.index + 1
	}
	r.index++
	if r.args--; r.args == 0 {
		r.name, r.secret = "", 0
	}
}

func same(word []byte, name string) bool {
	return len(word) == len(name) && bytes.EqualFold(word, []byte(name))
}

// withSecrets returns the name of a command that can have secrets; "" of others.
func withSecrets(word []byte) string {
	for _, name := range [...]string{"AUTH", "HELLO", "ACL", "CONFIG", "SENTINEL", "MIGRATE"} {
		if same(word, name) {
			return name
		}
	}
	return ""
}

// secretFrom returns the first argument of a command that may be a secret; 0 if none is.
func secretFrom(command string) int {
	switch command {
	case "AUTH":
		return 1
	case "ACL", "CONFIG", "SENTINEL":
		return 3 // ACL SETUSER name …, CONFIG SET requirepass …, SENTINEL SET master …
	}
	return 0
}

// character takes a byte of a line: of the header of a command or of an argument, or of a
// command in plain words.
func (r *redis) character(c *cover, at int) {
	b := c.data[at]
	if b != '\n' {
		if r.args == 0 && b != '\r' && len(r.line) > 0 && r.line[0] != '*' && r.hidden() {
			c.blank(at, at+1)
		}
		if len(r.line) < longestName {
			r.line = append(r.line, b)
		} else {
			r.long = true
		}
		return
	}
	line := bytes.TrimSuffix(r.line, []byte("\r"))
	if r.long {
		line = nil
	}
	r.header(line)
	r.line, r.long = r.line[:0], false
}

// hidden reports whether what follows in a line of plain words is blanked: that of a command
// with secrets, and of what is no command.
func (r *redis) hidden() bool {
	word, rest, spaced := strings.Cut(string(r.line), " ")
	for _, b := range []byte(word) {
		if (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && b != '\r' {
			return true
		}
	}
	name := strings.ToUpper(word)
	return spaced && (secretFrom(name) > 0 || name == "MIGRATE" || name == "HELLO" && strings.Contains(strings.ToUpper(rest), "AUTH "))
}

// header takes a line that is complete.
func (r *redis) header(line []byte) {
	if len(line) < 2 {
		return
	}
	n, ok := digits(line[1:])
	switch {
	case !ok:
		r.args = 0 // what follows is taken for plain words
	case r.args == 0 && line[0] == '*':
		r.args, r.index, r.secret = n, 0, 0
	case r.args > 0 && line[0] == '$':
		r.size, r.bulk = n, n+2
	}
}

// digits returns a number without a sign, of at most nine digits.
func digits(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, len(b) > 0 && len(b) < 10
}
