package simulate

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// pledge returns the directory for the copy of the member's disk, in its state at the start of a
// power fault.
func (m *member) pledge(fault int) string { return m.dir + ".before-" + strconv.Itoa(fault) }

// remember copies the disk at the start of a power fault. revert restores it from the copy.
func (m *member) remember(fault int) {
	m.forgets = true
	if err := copyTree(m.pledge(fault), m.dir); err != nil {
		m.node.w.fail("the disk of %s: %w", m.node.name, err)
	}
}

// revert ends a power fault with the loss of power. The server is killed, its disk returns
// to its state at the start of the fault, and the server starts again. A server that is
// already down starts later, when the fault ends that took it down.
func (m *member) revert(fault int) {
	n, w := m.node, m.node.w
	w.clock.after(0, func() { // the server may be in the middle of an answer
		starts := !n.down
		n.down, m.forgets, m.betrayed = true, false, true
		if starts {
			n.kill(false)
		}
		err := os.RemoveAll(m.dir)
		if err == nil {
			err = os.Rename(m.pledge(fault), m.dir)
		}
		if err != nil {
			w.fail("the disk of %s: %w", n.name, err)
			return
		}
		if starts {
			n.revive()
		}
	})
}

// slow begins a fault that keeps fsync from returning (more is 1), or ends one (more is -1).
// The process notices the end when it next polls the disk.
func (m *member) slow(more int) {
	m.slowed += more
	m.proc.proc.SlowDisk = m.slowed > 0
}

// spoil begins one fault that makes each fsync fail.
func (m *member) spoil() {
	m.bad++
	m.betrayed = true
	m.proc.proc.BadDisk = true
}

// repair ends one fault that makes each fsync fail. With the last such fault, a server that
// has ended by itself starts again.
func (m *member) repair() {
	m.bad--
	m.proc.proc.BadDisk = m.bad > 0
	if m.bad == 0 && m.crashed {
		m.node.revive()
	}
}

// crash records the end of a server by itself, with the line of its panic or else the last line
// of its output. The server stays down until its disk is repaired.
func (m *member) crash() {
	n, w := m.node, m.node.w
	said := bytes.TrimSpace(m.proc.said.Bytes())
	if i := bytes.Index(said, []byte("panic: ")); i >= 0 {
		said, _, _ = bytes.Cut(said[i:], []byte("\n"))
	} else {
		said = said[bytes.LastIndexByte(said, '\n')+1:]
	}
	w.res.Ended = append(w.res.Ended, End{n.name, w.clock.time(), string(said)})
	w.sum.note("crash", n.number, nil)
	n.down, m.crashed = true, true
	n.kill(false)
}

// copyTree copies a directory with its files, which may have holes.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		part, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, part)
		if entry.IsDir() {
			return os.Mkdir(target, 0o700)
		}
		return copySparse(target, path)
	})
}

// Whences of lseek on Linux.
const (
	seekData = 3
	seekHole = 4
)

// copySparse copies a file over another one, if there is one, and keeps its holes.
func copySparse(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	for at := int64(0); ; {
		if at, err = in.Seek(at, seekData); errors.Is(err, syscall.ENXIO) {
			return out.Truncate(info.Size()) // there are no more data
		}
		end, herr := in.Seek(at, seekHole)
		if err != nil || herr != nil {
			return errors.Join(err, herr)
		}
		if _, err := io.Copy(io.NewOffsetWriter(out, at), io.NewSectionReader(in, at, end-at)); err != nil {
			return err
		}
		at = end
	}
}
