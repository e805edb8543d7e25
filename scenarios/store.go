package scenarios

import (
	"context"
	"fmt"
	"strconv"

	"locktorture/harness"
	"locktorture/internal/wire"
	"locktorture/workloads"
)

// Read reads the counter.
func (l *Lease) Read() int {
	v, ok := l.do(workloads.Access{Key: l.counter()})
	if !ok {
		return 0
	}
	return l.client.stage.number(v)
}

// Write writes the counter and reports whether the store accepted it.
func (l *Lease) Write(n int) bool {
	_, ok := l.do(l.write(n))
	return ok
}

func (l *Lease) write(n int) workloads.Access {
	return workloads.Access{Write: true, Key: l.counter(), Value: strconv.Itoa(n)}
}

// counter returns the key of the clients' counter, or "" for a nil lease.
func (l *Lease) counter() string {
	if l == nil {
		return ""
	}
	return workloads.CounterKey(l.client.stage.Lock)
}

// key returns another key of the lock, or "" for a nil lease.
func (l *Lease) key(name string) string {
	if l == nil {
		return ""
	}
	return wire.Key(l.client.stage.Lock, name)
}

// WriteAs is like Write with another token.
func (l *Lease) WriteAs(n int, token uint64) bool {
	_, ok := l.doAs(token, l.write(n))
	return ok
}

// Put and Get use a key of the lock other than the counter.
func (l *Lease) Put(key, value string) {
	l.do(workloads.Access{Write: true, Key: l.key(key), Value: value})
}

// Get reads a key, see Put.
func (l *Lease) Get(key string) string {
	v, _ := l.do(workloads.Access{Key: l.key(key)})
	return v
}

// WriteIf writes the counter if another key still holds a value, in one step of the store.
func (l *Lease) WriteIf(n int, key, wanted string) bool {
	a := l.write(n)
	a.Guard, a.Want = l.key(key), wanted
	_, ok := l.do(a)
	return ok
}

// do executes an operation with the lease's own token.
func (l *Lease) do(a workloads.Access) (string, bool) { return l.doAs(l.token(), a) }

func (l *Lease) doAs(token uint64, a workloads.Access) (string, bool) {
	if l == nil || l.client.stage.over() {
		return "", false
	}
	c := l.client
	a.Fenced, a.Token = c.stage.Case.Fenced, token
	ctx := c.stage.ctx
	if conn := c.Transaction.conn; conn != nil {
		ctx = context.WithValue(ctx, transactionKey{}, conn)
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
func (l *Lease) SendWrite(n int) *Message {
	if l == nil || l.client.stage.over() {
		return nil
	}
	c := l.client
	a := l.write(n)
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

// A Transaction is the current transaction of a client.
type Transaction struct {
	client *Client
	conn   connection // nil: each operation is a transaction of its own
}

// transactionKey is the key of the transaction of an operation in its context.
type transactionKey struct{}
