package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// lookKey is the key that a look writes, below the prefix. Most looks delete it: a deletion is also
// a write, and it leaves no data.
const lookKey = "torture-look"

// The reasons why a server is unusable.
var (
	errReplica  = errors.New("read-only replica")
	errReadOnly = errors.New("server set to read-only")
	errSilent   = errors.New("no answer")
	errRefused  = errors.New("connection refused")
	errBroken   = errors.New("connection broken")
)

// A kept connection is opened at its first use, and again after an error.
type kept[C any] struct {
	every time.Duration // interval between two looks of a run; 0: the harness's
	open  func(ctx context.Context) (C, error)
	ask   func(ctx context.Context, c C) error
	shut  func(c C)

	conn C
	is   bool
}

func (k *kept[C]) look(ctx context.Context) (err error) {
	if !k.is {
		if k.conn, err = k.open(ctx); err != nil {
			return plainly(ctx, err)
		}
		k.is = true
	}
	if err = k.ask(ctx, k.conn); err != nil {
		k.close()
	}
	return plainly(ctx, err)
}

func (k *kept[C]) interval() time.Duration { return k.every }

func (k *kept[C]) close() {
	if k.is {
		k.shut(k.conn)
	}
	k.is = false
}

// A looker sends a server a request of the same kind as locks send: a write. Its error is a short
// reason why the server is unusable.
type looker interface {
	look(ctx context.Context) error
	// interval returns how often a run may look; 0: as often as the harness likes.
	interval() time.Duration
	close()
}

// longestReason bounds the part of a server's reply that a reason quotes, in bytes.
const longestReason = 120

// plainly returns a short reason for an error. Equal reasons get equal texts, whereas the texts of
// network errors differ in their ports.
func plainly(ctx context.Context, err error) error {
	var timeout net.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return errSilent
	case errors.Is(err, syscall.ECONNREFUSED):
		return errRefused
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return errBroken
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	if r := []rune(text); len(r) > longestReason {
		text = string(r[:longestReason]) + "…"
	}
	return errors.New(text)
}

// slowest is the longest round trip with which a run may start, because the checker allows a lock
// no longer delay. It is enough if one of several looks is that fast, because the machine may be
// busy during the others.
const (
	slowest = 250 * time.Millisecond
	looks   = 5
)

// usable returns nil, or the reason why a server is currently unusable. The first look opens the
// connection and is not timed.
func usable(ctx context.Context, l looker) error {
	if err := l.look(ctx); err != nil {
		return err
	}
	least := time.Duration(-1)
	for range looks {
		start := time.Now()
		if err := l.look(ctx); err != nil {
			return err
		}
		if took := time.Since(start); least < 0 || took < least {
			least = took
		}
		if least <= slowest {
			return nil
		}
	}
	return fmt.Errorf("a round trip takes %v, more than %v: requests of locks would time out, and a verdict could not separate the lock from the network; use servers that are nearer", least.Round(10*time.Millisecond), slowest)
}
