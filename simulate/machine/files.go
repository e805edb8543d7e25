package machine

// A File is an open file of a process: one of the three that it starts with, or a connection.
type File struct {
	FD  int32
	Tag any // the World's own

	conn  bool
	in    []byte
	eof   bool
	reset bool
	fresh bool // there is something of which a native process was not told
}

// Deliver gives the process something to read.
func (f *File) Deliver(b []byte) { f.in, f.fresh = append(f.in, b...), true }

// EOF ends what there is to read.
func (f *File) EOF() { f.eof, f.fresh = true, true }

// Reset breaks the connection: what was not read is lost.
func (f *File) Reset() { f.reset, f.in, f.fresh = true, nil, true }

// ready reports whether a read would not wait.
func (f *File) ready() bool { return len(f.in) > 0 || f.eof || f.reset }

// take moves what there is to read into b.
func (f *File) take(b []byte) int {
	n := copy(b, f.in)
	if f.in = f.in[n:]; len(f.in) == 0 {
		f.in = nil
	}
	return n
}

// open gives a file the first descriptor that is free. 3 stays so: Go's runtime takes it for a
// directory.
func (p *Process) open(f *File) int32 {
	for f.FD = 4; p.files[f.FD] != nil; f.FD++ {
	}
	p.files[f.FD] = f
	return f.FD
}
