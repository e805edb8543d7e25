package simulate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/machine"
)

// A blackout (schedule.Blackout) cuts the power of a server. Each of its files then has the contents
// that the last fsync or the kernel wrote to the disk. A file that never reached the disk is empty.
// Names of files survive. The host keeps a copy of each file as it is on the disk. The copy is named
// after the file's inode, and a hard link keeps the inode from being used again.

// writeBack is the time after which the kernel writes all files back. Linux takes up to 30 s, so a
// simulated server loses less than a real one can.
const writeBack = 250 * time.Millisecond

// fails reports whether the schedule lets the power of a server fail.
func fails(all schedule.Schedule) bool {
	return slices.ContainsFunc(all, func(d schedule.Decision) bool { return d.Kind == schedule.Blackout })
}

// Names of the directories with the copies and the links of a member.
func (m *member) copies() string { return m.dir + ".synced" }
func (m *member) links() string  { return m.dir + ".links" }

// keepSafe makes the host keep copies of the member's files from its first start on.
func (m *member) keepSafe() error {
	m.safe = true
	return errors.Join(os.Mkdir(m.copies(), 0o700), os.Mkdir(m.links(), 0o700))
}

var _ machine.Disk = (*process)(nil)

// Synced implements machine.Disk.
func (p *process) Synced(_ *machine.Process, file string) {
	path, err := os.Readlink(file)
	if err == nil {
		err = p.node.member.synced(path)
	}
	if err != nil {
		p.w.fail("the disk of %s: %w", p.node.name, err)
	}
}

// synced copies a file that is on the disk now. It ignores directories and removed files.
func (m *member) synced(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	name := inode(info)
	if err := os.Link(path, filepath.Join(m.links(), name)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return copySparse(filepath.Join(m.copies(), name), path)
}

// writeBack writes the files of all servers to their disks, again and again.
func (s *servers) writeBack() {
	for _, n := range s.all {
		err := n.member.eachFile(n.member.synced)
		if err != nil {
			s.w.fail("the disk of %s: %w", n.name, err)
		}
	}
	s.w.clock.after(writeBack, s.writeBack)
}

// eachFile calls do with the path of each file of the member.
func (m *member) eachFile(do func(path string) error) error {
	return filepath.WalkDir(m.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return do(path)
	})
}

// lose replaces each file of the member with its state on the disk, once the member is dead.
func (m *member) lose() {
	err := m.eachFile(func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		err = copySparse(path, filepath.Join(m.copies(), inode(info)))
		if errors.Is(err, fs.ErrNotExist) { // it was never written to the disk
			return errors.Join(os.Truncate(path, 0), m.synced(path))
		}
		return err
	})
	if err != nil {
		m.node.w.fail("the disk of %s: %w", m.node.name, err)
	}
}

// inode returns the number of a file as a name.
func inode(info fs.FileInfo) string {
	return strconv.FormatUint(uint64(info.Sys().(*syscall.Stat_t).Ino), 10)
}
