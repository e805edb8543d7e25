package anchor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"locktorture/nemesis/points/schedule"
)

// A hold at a gate, or on servers that its message does not go to, waits for what the client
// sends next, or is sent.
type armed struct {
	b            *blow
	client, node int
	reply        bool
}

// A lagging message waits until another connection's has passed it.
type lagging struct {
	b     *blow
	conn  *conn
	reply bool
}

// pass lets a message pass by those that wait for one; d.mu is held.
func (d *Director) pass(m *message) {
	if m.conn == nil {
		return
	}
	i := slices.IndexFunc(d.armed, func(a armed) bool {
		return a.client == m.conn.client && a.node == m.conn.node && a.reply == m.reply
	})
	if i >= 0 {
		b := d.armed[i].b
		d.armed = slices.Delete(d.armed, i, i+1)
		d.keep(b, m)
	}
	for _, l := range d.lagging {
		if l.reply == m.reply && l.conn != m.conn && l.conn.node == m.conn.node {
			time.AfterFunc(overtakes, func() { d.end(l.b) })
		}
	}
}

// overtakes is how long a message is given to arrive before one that it overtakes.
const overtakes = 2 * time.Millisecond

// disarm forgets that a blow waits for messages.
func (d *Director) disarm(b *blow) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = slices.DeleteFunc(d.armed, func(a armed) bool { return a.b == b })
	d.lagging = slices.DeleteFunc(d.lagging, func(l *lagging) bool { return l.b == b })
}

// keep keeps a message, and what is behind it, back until the blow is over.
func (d *Director) keep(b *blow, m *message) {
	m.free = append(m.free, b.free)
	d.hit(b, nil)
}

// hold keeps back what is sent on the connection of the message, from it on, and on the next
// connection to each further server that something is sent on.
func (d *Director) hold(b *blow, m *message) error {
	for _, n := range b.Strikes() {
		if m.conn != nil && m.conn.node == n {
			d.keep(b, m)
			continue
		}
		d.mu.Lock()
		d.armed = append(d.armed, armed{b, b.At.Client, n, b.At.Kind == schedule.Reply})
		d.mu.Unlock()
	}
	return nil
}

// drop loses a message. What is sent after it, either way, is lost too, until the connection
// ends with the blow.
func (d *Director) drop(b *blow, m *message) error {
	m.dropped = b.free
	d.hit(b, nil)
	return nil
}

// reset ends the connection of a message once that has arrived, and those of the client to
// further servers now.
func (d *Director) reset(b *blow, m *message) error {
	var errs []error
	for _, n := range b.Strikes() {
		if m.conn != nil && m.conn.node == n {
			m.ends = true
			continue
		}
		if err := d.links(b.At.Client, n-1).Reset(); err != nil {
			errs = append(errs, fmt.Errorf("reset c%d and server %d: %w", b.At.Client, n, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	d.hit(b, nil)
	return nil
}

// reorder keeps a message back until the next one of another connection has passed it, from
// the same server or to it.
func (d *Director) reorder(b *blow, m *message) error {
	d.mu.Lock()
	d.lagging = append(d.lagging, &lagging{b, m.conn, m.reply})
	d.mu.Unlock()
	d.keep(b, m)
	return nil
}
