package redis

import (
	"errors"

	"locktorture/internal/resp"
	"locktorture/wire"
)

// command parses one command: an array of bulk strings, or words in a line.
func command(b []byte) (args []string, n int, err error) {
	n, words, err := resp.Command(b)
	for _, w := range words {
		args = append(args, string(w))
	}
	return args, n, short(err)
}

// short converts an error of package resp into an error of a wire.Parse.
func short(err error) error {
	if errors.Is(err, resp.ErrShort) {
		return wire.ErrShort
	}
	return err
}
