package server

import (
	"fmt"
	"strings"

	"locktorture/internal/resp"
)

// A Server is one Redis. Connections have numbers that the caller chooses.
type Server interface {
	// Version is its name and version, for the report.
	Version() string
	Connect(conn int) error
	// Disconnect ends a connection, if it is there.
	Disconnect(conn int)
	// Feed gives the server what a connection sends, at a time of its wall clock in ns since 1970. It hands
	// each reply and push to out, in order, with the connection that it is for, and returns when there are no more.
	// out may keep b.
	Feed(wall int64, conn int, b []byte, out func(conn int, b []byte)) error
	// Waiting says that a client waits in the server for others or for a time: what it waits
	// for is noticed when the server is fed, by whomever.
	Waiting() bool
	// Restart ends all connections and forgets all scripts, and all data too if they are lost.
	Restart(lost bool) error
	// Reset ends all connections and drops all data.
	Reset() error
	Close() error
}

// A feed is what a connection has sent and the server has not been given.
type feed struct{ rest []byte }

// A command is one that is complete.
type command struct {
	raw  []byte
	name string // in capitals
	arg  string // the first argument, in capitals; "" if there is none

	waits bool // its answer can wait for other clients, or for a time
}

// add takes what was sent and returns the commands that are complete by now.
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
