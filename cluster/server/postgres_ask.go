package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// askPostgres asks a server that requires no password for one value, over a connection of its own.
// It uses the simple protocol, which the console of PgBouncer understands as well.
func askPostgres(ctx context.Context, addr, database, question string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, quorumTime)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	start := fmt.Appendf([]byte{0, 3, 0, 0}, "user\x00%s\x00database\x00%s\x00\x00", PostgresUser, database)
	if _, err := c.Write(append(pgLength(start), start...)); err != nil {
		return "", err
	}
	in := bufio.NewReader(c)
	if _, err := pgAnswer(in); err != nil {
		return "", fmt.Errorf("connect to %s: %w", database, err)
	}
	query := append([]byte(question), 0)
	if _, err := c.Write(append(append([]byte{'Q'}, pgLength(query)...), query...)); err != nil {
		return "", err
	}
	value, err := pgAnswer(in)
	if err != nil {
		return "", fmt.Errorf("%s: %w", question, err)
	}
	_, err = c.Write([]byte{'X', 0, 0, 0, 4})
	return value, err
}

// pgLength returns the length field that precedes a body. The length counts the field itself.
func pgLength(body []byte) []byte { return binary.BigEndian.AppendUint32(nil, uint32(4+len(body))) }

// mostPgBody bounds the body of a message, in bytes.
const mostPgBody = 1 << 20

// pgAnswer reads messages until the server is ready for a query, and returns the first value of a
// row, or "" if there was no row.
func pgAnswer(in *bufio.Reader) (value string, err error) {
	for {
		var head [5]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return "", err
		}
		n := int64(binary.BigEndian.Uint32(head[1:])) - 4
		if n < 0 || n > mostPgBody {
			return "", fmt.Errorf("a message of %d bytes", n)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return "", err
		}
		switch head[0] {
		case 'R':
			if !bytes.Equal(body, []byte{0, 0, 0, 0}) {
				return "", errors.New("it asks for a password")
			}
		case 'D':
			value = pgFirst(body)
		case 'E':
			return "", errors.New(pgError(body))
		case 'Z':
			return value, nil
		}
	}
}

// pgFirst returns the first value of a row, or "" if that is NULL.
func pgFirst(row []byte) string {
	const header = 2 + 4 // the number of values, and the length of the first one
	if len(row) < header {
		return ""
	}
	n := int(int32(binary.BigEndian.Uint32(row[2:])))
	return string(row[header:min(header+max(n, 0), len(row))])
}

// pgError returns the text of the message field (M) of an error. Each field of an error is a letter
// followed by a text.
func pgError(body []byte) string {
	for field := range bytes.SplitSeq(body, []byte{0}) {
		if len(field) > 0 && field[0] == 'M' {
			return string(field[1:])
		}
	}
	return "an error without a message"
}
