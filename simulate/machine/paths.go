package machine

import "fmt"

// A pathCall is a system call that names a file and can change it.
type pathCall struct {
	name   string // name of the call in Go
	path   int    // index of the argument with the address of the path; its length follows
	params []Width
}

// onPaths returns the WASI calls that take paths, by name.
func onPaths() map[string]pathCall {
	p := func(types ...Width) []Width { return types }
	return map[string]pathCall{
		"path_create_directory":   {"mkdir", 1, p(i32, i32, i32)},
		"path_filestat_set_times": {"chtimes", 2, p(i32, i32, i32, i32, i64, i64, i32)},
		"path_link":               {"link", 2, p(i32, i32, i32, i32, i32, i32, i32)},
		"path_open":               {"open", 2, p(i32, i32, i32, i32, i32, i64, i64, i32, i32)},
		"path_remove_directory":   {"rmdir", 1, p(i32, i32, i32)},
		"path_rename":             {"rename", 1, p(i32, i32, i32, i32, i32, i32)},
		"path_symlink":            {"symlink", 0, p(i32, i32, i32, i32, i32)},
		"path_unlink_file":        {"unlink", 1, p(i32, i32, i32)},
	}
}

// Flags and rights of path_open.
const (
	creates   = 1
	truncates = 8
	writes    = 1 << 6
)

// refuse reports the call to the World and fails it. Go makes all paths absolute, but omits the
// leading slash because there are no directories. Opening a file to read fails without a report:
// libraries look for optional files such as /etc/resolv.conf.
func (c pathCall) refuse(p *Process, m Memory, a []uint64) uint32 {
	if reads := c.name == "open" && a[4]&(creates|truncates) == 0 && a[5]&writes == 0; reads {
		return enosys
	}
	path, _ := m.Read(uint32(a[c.path]), uint32(a[c.path+1]))
	p.World.Refused(p, fmt.Sprintf("%s(%q)", c.name, "/"+string(path)))
	return enosys
}

// listen is the import torture.listen. It takes the network and the address, and always fails.
func listen(p *Process, m Memory, a []uint64) uint32 {
	where, _ := m.Read(uint32(a[0]), uint32(a[1]))
	p.World.Refused(p, fmt.Sprintf("listen(%q)", where))
	return enosys
}
