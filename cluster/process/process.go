// Package process starts nodes as processes of servers that are installed on this machine. Each has
// a data directory and a process group of its own, and ends with this process, even if this process
// is killed. The package needs Linux; on other systems every method returns an error.
package process

import (
	"os"
	"path/filepath"

	"locktorture/cluster"
)

var _ cluster.Provisioner = (*Provisioner)(nil)

// Name is the provisioner's name on the command line.
const Name = "process"

// A Provisioner starts servers that are installed on this machine.
type Provisioner struct{ dirs []string }

// New returns a provisioner that looks for servers in the given directories, then in the directory
// "servers" beside the running program, then on PATH.
func New(dirs ...string) *Provisioner {
	if exe, err := os.Executable(); err == nil {
		dirs = append(dirs[:len(dirs):len(dirs)], filepath.Join(filepath.Dir(exe), "servers"))
	}
	return &Provisioner{dirs: dirs}
}

// String returns Name.
func (p *Provisioner) String() string { return Name }
