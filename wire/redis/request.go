package redis

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"locktorture/wire"
)

// errNotRESP says that bytes are none of the protocol.
var errNotRESP = errors.New("not RESP")

const (
	mostArgs     = 1 << 20 // the protocol's own limit
	longestBulk  = 512 << 20
	longestLine  = 64 << 10
	longestCount = 20 // digits
)

// command reads one command: an array of bulk strings, or words in a line.
func command(b []byte) (args []string, n int, err error) {
	if b[0] != '*' {
		return inline(b)
	}
	count, n, err := header(b)
	if err != nil || count < 0 || count > mostArgs {
		return nil, 0, either(err)
	}
	for range count {
		if n == len(b) {
			return nil, 0, wire.ErrShort
		}
		if b[n] != '$' {
			return nil, 0, errNotRESP
		}
		arg, took, err := bulk(b[n:])
		if err != nil {
			return nil, 0, err
		}
		args = append(args, arg)
		n += took
	}
	return args, n, nil
}

// inline reads a command that somebody has typed.
func inline(b []byte) ([]string, int, error) {
	end := bytes.IndexByte(b, '\n')
	if end < 0 {
		if len(b) > longestLine {
			return nil, 0, errNotRESP
		}
		return nil, 0, wire.ErrShort
	}
	args := strings.Fields(string(b[:end]))
	if len(args) > 0 && strings.ContainsFunc(args[0], func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '.' && r != '_' }) {
		return nil, 0, errNotRESP
	}
	return args, end + 1, nil
}

func either(err error) error {
	if err != nil {
		return err
	}
	return errNotRESP
}

// header reads the number after the first byte of a line.
func header(b []byte) (count, n int, err error) {
	end := bytes.IndexByte(b[:min(len(b), longestCount+3)], '\n')
	switch {
	case end < 0 && len(b) < longestCount+3:
		return 0, 0, wire.ErrShort
	case end < 2 || b[end-1] != '\r':
		return 0, 0, errNotRESP
	}
	count, err = strconv.Atoi(string(b[1 : end-1]))
	if err != nil {
		return 0, 0, errNotRESP
	}
	return count, end + 1, nil
}

// bulk reads a string with its length before it.
func bulk(b []byte) (string, int, error) {
	count, n, err := header(b)
	if err != nil || count < 0 || count > longestBulk {
		return "", 0, either(err)
	}
	switch {
	case len(b) < n+count+2:
		return "", 0, wire.ErrShort
	case b[n+count] != '\r' || b[n+count+1] != '\n':
		return "", 0, errNotRESP
	}
	return string(b[n : n+count]), n + count + 2, nil
}
