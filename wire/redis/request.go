package redis

import (
	"errors"

	"locktorture/internal/resp"
	"locktorture/wire"
)

// command reads one command: an array of bulk strings, or words in a line.
func command(b []byte) (args []string, n int, err error) {
	n, words, err := resp.Command(b)
	for _, w := range words {
		args = append(args, string(w))
	}
	return args, n, short(err)
}

// short is an error of package resp in the terms of a wire.Parse.
func short(err error) error {
	if errors.Is(err, resp.ErrShort) {
		return wire.ErrShort
	}
	return err
}
