package server

import (
	"fmt"
	"strings"

	"locktorture/internal/resp"
)

// A Server is one Redis server. The caller chooses the numbers of connections.
type Server interface {
	// Version returns the name and version of the server, for the report.
	Version() string
	Connect(conn int) error
	// Disconnect closes a connection, if it is open.
	Disconnect(conn int)
	// Feed gives the server the input of a connection, at a time of its wall clock in ns since
	// 1970. It calls out with each reply and push, in order, with the connection that receives it,
	// and returns when there are no more. out may keep b.
	Feed(wall int64, conn int, b []byte, out func(conn int, b []byte)) error
	// Waiting reports whether a command waits in the server for another client or for a time. The
	// server ends the wait only when it is fed, by any connection.
	Waiting() bool
	// Restart closes all connections and forgets all scripts. With lost it also drops all data.
	Restart(lost bool) error
	// Reset closes all connections and drops all data.
	Reset() error
	Close() error
}

// A feed holds the incomplete command at the end of a connection's input.
type feed struct{ rest []byte }

// A command is a complete command of a client.
type command struct {
	raw  []byte
	name string // name in upper case
	arg  string // the first argument, in upper case; "" if there is none

	waits bool // the answer may have to wait for another client or for a time
}

// add appends input and returns the commands that are now complete.
func (f *feed) add(b []byte) (all []command, err error) {
	f.rest = append(f.rest, b...)
	at := 0
	for at < len(f.rest) {
		n, words, err := resp.Command(f.rest[at:])
		if err == resp.ErrShort {
			break
		}
		if err != nil {
			return nil, err
		}
		c := command{raw: f.rest[at : at+n]}
		at += n
		if len(words) == 0 {
			continue
		}
		c.name = strings.ToUpper(string(words[0]))
		if len(words) > 1 {
			c.arg = strings.ToUpper(string(words[1]))
		}
		c.waits = waits(c.name, words[1:])
		if why := c.refused(words[1:]); why != "" {
			return nil, fmt.Errorf("%w: %s: %s", ErrRefused, c.name, why)
		}
		all = append(all, c)
	}
	f.rest = append([]byte(nil), f.rest[at:]...)
	return all, nil
}
