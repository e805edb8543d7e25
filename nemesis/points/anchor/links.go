package anchor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"locktorture/nemesis/points/schedule"
)

// An armed hold waits for the next message between a client and a server, in one direction. A
// hold at a gate begins in this way, and so does a hold on other servers than that of its
// message.
type armed struct {
	b            *blow
	client, node int
	reply        bool
}

// A lagging message waits until a message of another connection has passed it.
type lagging struct {
	b     *blow
	conn  *conn
	reply bool
}

// pass is called with each message. It holds the message back if a hold is armed for it, and
// releases the lagging messages that it overtakes. The caller holds d.mu.
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

// overtakes is the time for which a lagging message still waits after another message has
// passed it, so that the other message arrives first.
const overtakes = 2 * time.Millisecond

// disarm removes the armed holds and the lagging messages of a blow.
func (d *Director) disarm(b *blow) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = slices.DeleteFunc(d.armed, func(a armed) bool { return a.b == b })
	d.lagging = slices.DeleteFunc(d.lagging, func(l *lagging) bool { return l.b == b })
}

// keep keeps back a message, and all data behind it, until the blow has ended.
func (d *Director) keep(b *blow, m *message) {
	m.free = append(m.free, b.free)
	d.hit(b, nil)
}

// hold keeps back the data on the connection of the message, from the message on. For each
// further server, it keeps back the data on the next connection on which a message is sent.
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

// drop discards a message. Later data in both directions is discarded too, until the connection
// ends with the blow.
func (d *Director) drop(b *blow, m *message) error {
	m.dropped = b.free
	d.hit(b, nil)
	return nil
}

// reset ends the connection of a message once the message has arrived, and ends the client's
// connections to further servers immediately.
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

// reorder keeps back a message until a message of another connection has passed it. That
// connection must be with the same server, and the message must have the same direction.
func (d *Director) reorder(b *blow, m *message) error {
	d.mu.Lock()
	d.lagging = append(d.lagging, &lagging{b, m.conn, m.reply})
	d.mu.Unlock()
	d.keep(b, m)
	return nil
}
