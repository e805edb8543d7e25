package machine

import "encoding/binary"

// A Network is a World whose native processes have sockets: TCP over IPv4, with the unchanged
// API of package net. An address is "10.0.0.1:2379".
type Network interface {
	// Connect opens a connection from a socket, as World.Dial does, and returns the local port; ok is
	// false if it is refused at once.
	Connect(p *Process, f *File, addr string) (port int, ok bool)
	// Listen makes a socket a listener and returns its port. If the port in addr is 0, the
	// World chooses one. ok is false if the address is taken. The World hands connections to
	// the listener with Process.Accept.
	Listen(p *Process, f *File, addr string) (port int, ok bool)
	// Shut is called when the process will write no more to a connection.
	Shut(p *Process, f *File)
}

// A Disk is a World that hears of the files that its native processes have written to the disk. file
// is a symbolic link to the file, until Synced returns.
type Disk interface {
	Synced(p *Process, file string)
}

// room reports whether the process can open one more file.
func (p *Process) room() bool { return len(p.files) < mostFiles-1 }

// Accept hands a connection from the address from and port to a listener of the process. It
// returns false if the process has too many files.
func (p *Process) Accept(listener, conn *File, from [4]byte, port uint16) bool {
	if !p.room() {
		return false
	}
	conn.conn = true
	var b [16]byte
	binary.LittleEndian.PutUint32(b[:], uint32(p.open(conn)))
	copy(b[4:], from[:])
	binary.BigEndian.PutUint16(b[8:], port)
	listener.Deliver(b[:])
	return true
}
