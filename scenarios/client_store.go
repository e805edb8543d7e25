package scenarios

import (
	"context"
	"fmt"
	"strconv"

	"locktorture/harness"
	"locktorture/internal/wire"
	"locktorture/workloads"
)

// Without returns a lease for a client that works without the lock.
func (c *Client) Without() *Lease { return &Lease{Grant: c.scripted.Without(c.stage.Lock), client: c} }

// Read reads the counter.
func (c *Client) Read(l *Lease) int {
	v, ok := c.do(l, workloads.Access{Key: c.stage.CounterKey()})
	if !ok {
		return 0
	}
	return c.stage.number(v)
}

// Write writes the counter and reports whether the store accepted it.
func (c *Client) Write(l *Lease, n int) bool {
	_, ok := c.do(l, c.write(n))
	return ok
}

func (c *Client) write(n int) workloads.Access {
	return workloads.Access{Write: true, Key: c.stage.CounterKey(), Value: strconv.Itoa(n)}
}

// WriteAs is like Write with another token.
func (c *Client) WriteAs(l *Lease, n int, token uint64) bool {
	if l == nil || c.stage.over() {
		return false
	}
	a := c.write(n)
	a.Fenced, a.Token = c.stage.Case.Fenced, token
	_, err := c.scripted.Do(c.stage.ctx, l.Grant, a)
	if err != nil {
		c.expected(err)
	}
	return err == nil
}

// Put and Get use a key of the lock other than the counter.
func (c *Client) Put(l *Lease, key, value string) {
	c.do(l, workloads.Access{Write: true, Key: wire.Key(c.stage.Lock, key), Value: value})
}

// Get reads a key, see Put.
func (c *Client) Get(l *Lease, key string) string {
	v, _ := c.do(l, workloads.Access{Key: wire.Key(c.stage.Lock, key)})
	return v
}

// WriteIf writes the counter if another key still holds a value, in one step of the store.
func (c *Client) WriteIf(l *Lease, n int, key, wanted string) bool {
	a := c.write(n)
	a.Guard, a.Want = wire.Key(c.stage.Lock, key), wanted
	_, ok := c.do(l, a)
	return ok
}

// do executes an operation with the lease's own token.
func (c *Client) do(l *Lease, a workloads.Access) (string, bool) {
	if l == nil || c.stage.over() {
		return "", false
	}
	a.Fenced, a.Token = c.stage.Case.Fenced, l.Token()
	ctx := c.stage.ctx
	if c.transaction != nil {
		ctx = context.WithValue(ctx, transactionKey{}, c.transaction)
	}
	v, err := c.scripted.Do(ctx, l.Grant, a)
	if err != nil {
		c.expected(err)
	}
	return v, err == nil
}

// A Message is a write on its way to the store.
type Message struct {
	client *Client
	m      *harness.Message
}

// SendWrite starts to write the counter. The network keeps the message until it is delivered.
func (c *Client) SendWrite(l *Lease, n int) *Message {
	if l == nil || c.stage.over() {
		return nil
	}
	a := c.write(n)
	a.Fenced, a.Token = c.stage.Case.Fenced, l.Token()
	m, err := c.scripted.Send(l.Grant, a)
	if err != nil {
		c.stage.fail(fmt.Errorf("%s: send: %w", c.name(), err))
		return nil
	}
	return &Message{c, m}
}

// Deliver delivers the message, and reports whether the store accepted the write.
func (m *Message) Deliver() bool {
	if m == nil || m.client.stage.over() {
		return false
	}
	_, err := m.m.Deliver(m.client.stage.ctx)
	if err != nil {
		m.client.expected(err)
	}
	return err == nil
}

// transactionKey is the key of the transaction of an operation in its context.
type transactionKey struct{}
