package docker

import (
	"context"
	"os"
	"syscall"
)

// A Box describes a container of a user's program, or of a service beside it. What is empty is as
// the image has it.
type Box struct {
	Name                string // of the service
	Image               string
	Build               string // the command that makes the image if it is missing; "": it is pulled
	Entrypoint, Command []string
	Env                 []string
	User, Dir, Host     string
	StopSignal          string
	Mounts              []Mount
	Ports               []int // that are open besides those of the image
	Health              []string
	Init, Privileged    bool
	ReadOnly, TTY       bool
	CapAdd, CapDrop     []string
	Memory, NanoCPUs    int64
	ShmSize             int64

	Aliases []string // further names of the service
	Task    bool     // it does something once and ends; whoever needs it starts after that
	Needs   []string // services that must be started before
}

// Names returns all names by which others reach the service.
func (b Box) Names() []string { return append([]string{b.Name}, b.Aliases...) }

// A Mount is a directory or a file of the machine, a volume, or a file system in memory.
type Mount struct {
	Type           string // bind, volume or tmpfs
	Source, Target string
	ReadOnly       bool
}

// A Network is a network of containers.
type Network struct {
	ID      string
	Gateway string // the address of this machine in it
}

// A Site has the containers and networks of one run of a user's program.
type Site interface {
	// Image pulls an image if the engine does not have it, and returns the TCP ports that it opens.
	Image(ctx context.Context, b Box) (ports []int, err error)
	Network(ctx context.Context, name string) (Network, error)
	// Add creates a container in networks, with further entries of /etc/hosts (name:address).
	Add(ctx context.Context, b Box, hosts []string, in ...Network) (Container, error)
	// Close removes all of it.
	Close() error
}

// A Container can be started again after it has ended, with the files that it has left.
type Container interface {
	// Start starts it. Its output goes to out, which is closed at its end, also if Start fails.
	Start(ctx context.Context, out *os.File) (Running, error)
}

// A Running is a container that runs, or has ended. Its methods may be called from several
// goroutines.
type Running interface {
	PID() int     // of its first process
	Addr() string // its address in its first network
	Health(ctx context.Context) (string, error)
	Alive() bool
	Done() <-chan struct{}
	Err() error
	Signal(s syscall.Signal) error
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	Kill(ctx context.Context) error
}
