package simulate

import "locktorture/simulate/machine"

// A far is the end of a connection at a server that is a guest.
type far struct{ *conn }

// write sends a message of the server.
func (f far) write(b []byte) {
	if !f.over && !f.gone {
		f.reply(b)
	}
}

// close is called when the server closes the connection. The client sees the end of the
// connection after all data that the server sent before.
func (f far) close() {
	if f.over || f.gone {
		return
	}
	f.w.sum.note("hang up", f.number, nil)
	f.gone = true
	f.pass(&f.from, 0, f.endAtClient)
}

// endAtClient ends the input of the client.
func (c *conn) endAtClient() {
	if c.over || c.client.proc.Done() {
		return
	}
	c.file.EOF()
	c.client.kick()
}

// endOf ends the input of the server.
func (c *conn) endOf(f *machine.File, m *member) {
	if c.over || c.gone || f == nil {
		return
	}
	f.EOF()
	m.proc.kick()
}
