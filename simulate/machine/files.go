package machine

// A File is an open file of a process: one of the three standard files, or a connection.
type File struct {
	FD  int32
	Tag any // for use by the World

	conn  bool // a connection or a socket
	in    []byte
	eof   bool
	reset bool
	fresh bool // it has input that the host has not sent to its native process yet
}

// Deliver adds input for the process.
func (f *File) Deliver(b []byte) { f.in, f.fresh = append(f.in, b...), true }

// EOF ends the input.
func (f *File) EOF() { f.eof, f.fresh = true, true }

// Reset breaks the connection. Unread input is lost.
func (f *File) Reset() { f.reset, f.in, f.fresh = true, nil, true }

// ready reports whether a read would return at once.
func (f *File) ready() bool { return len(f.in) > 0 || f.eof || f.reset }

// take moves input into b and returns the number of bytes.
func (f *File) take(b []byte) int {
	n := copy(b, f.in)
	if f.in = f.in[n:]; len(f.in) == 0 {
		f.in = nil
	}
	return n
}

// mostFiles bounds the descriptors of a process. It must match package native.
const mostFiles = 512

// open gives a file the first free descriptor from 4 on. 3 stays free, because Go's runtime takes
// it for a directory.
func (p *Process) open(f *File) int32 {
	for f.FD = 4; p.files[f.FD] != nil; f.FD++ {
	}
	p.files[f.FD] = f
	return f.FD
}
