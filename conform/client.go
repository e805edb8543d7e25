package conform

import (
	"context"
	"fmt"
	"time"

	"locktorture/cluster"
	"locktorture/internal/s3api"
)

// A client sends one request at a time, through a link of its own to one endpoint.
type client struct {
	number  int // from 0
	of      int // clients
	process int // process number in the history; a new one after a request of unknown outcome
	store   *s3api.Store
	link    *cluster.Link
	rec     *recorder
	timeout time.Duration
	count   int // values so far
}

// A seen is what a client has read: "" and no ETag where there was nothing.
type seen struct{ value, etag string }

// A put is one put of a burst, or its delete.
type put struct {
	client    int
	expect    string // the value to be replaced
	call, end time.Duration
	kind      string // ok, fail, info
	why       string // reason for an info, or for a fail that says nothing about the value
}

// read reads a key. It returns false if there was no answer.
func (c *client) read(ctx context.Context, key string) (seen, bool) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	c.rec.note(c.process, "invoke", "read", key, "nil", "")
	o, err := c.store.Get(ctx, key)
	if err != nil && !s3api.Absent(err) {
		c.rec.note(c.process, fail, "read", key, "nil", err.Error())
		return seen{}, false
	}
	s := seen{string(o.Body), o.ETag}
	if err != nil {
		s = seen{}
	}
	c.rec.note(c.process, ok, "read", key, fmt.Sprintf("%q", s.value), "")
	return s, true
}

// swap replaces the value that was seen by a new one.
func (c *client) swap(ctx context.Context, key string, was seen) put {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	c.count++
	value := fmt.Sprintf("c%d-%d", c.number+1, c.count)
	condition := s3api.IfAbsent()
	if was.etag != "" {
		condition = s3api.IfMatch(was.etag)
	}
	return c.change(key, was.value, value, func() error {
		_, err := c.store.Put(ctx, key, []byte(value), condition)
		return err
	})
}

// remove deletes the value that was seen.
func (c *client) remove(ctx context.Context, key string, was seen) put {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return c.change(key, was.value, "", func() error { return c.store.Delete(ctx, key, s3api.IfMatch(was.etag)) })
}

// change makes a request, which is a compare-and-set of the register that the key is.
func (c *client) change(key, from, to string, request func() error) put {
	change := fmt.Sprintf("[%q %q]", from, to)
	p := put{client: c.number + 1, expect: from, call: c.rec.note(c.process, "invoke", "cas", key, change, "")}
	p.kind, p.why = outcome(request())
	p.end = c.rec.note(c.process, p.kind, "cas", key, change, p.why)
	if p.kind == info {
		c.process += c.of
	}
	return p
}

// outcome returns the kind of a put's outcome, and the reason unless it is a failed
// precondition, which proves that the key had another value.
func outcome(err error) (kind, why string) {
	switch {
	case err == nil:
		return ok, ""
	case s3api.Mismatch(err):
		return fail, ""
	case s3api.Certain(err):
		return fail, err.Error()
	}
	return info, err.Error()
}
