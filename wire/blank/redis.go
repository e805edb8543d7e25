package blank

import (
	"bytes"

	"locktorture/internal/resp"
	"locktorture/wire/frame"
)

// newRedis blanks the arguments of commands with secrets: AUTH, HELLO … AUTH, and commands that set
// passwords. Replies contain no secrets.
func newRedis() Blanker {
	return pair{requests: &framed{size: frame.Redis, clean: command}}
}

func command(m []byte) []byte {
	_, words, err := resp.Command(m)
	if err != nil {
		return stars(m, 0)
	}
	for i := secretFrom(words); i < len(words); i++ {
		stars(words[i], 0)
	}
	return m
}

// secretFrom returns the index of the first word of a command that may be a secret, or the number
// of words if there is none.
func secretFrom(words [][]byte) int {
	is := func(i int, names ...string) bool {
		for _, n := range names {
			if i < len(words) && bytes.EqualFold(words[i], []byte(n)) {
				return true
			}
		}
		return false
	}
	switch {
	case is(0, "AUTH"):
		return 1
	case is(0, "ACL", "CONFIG", "SENTINEL"):
		return 3 // ACL SETUSER name …, CONFIG SET requirepass …, SENTINEL SET master …
	case is(0, "HELLO", "MIGRATE"):
		for i := range words {
			if is(i, "AUTH", "AUTH2") {
				return i + 1
			}
		}
	}
	return len(words)
}
