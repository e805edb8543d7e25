package docker

import (
	"context"
	"os"
	"syscall"
)

// A Box describes a container of a user's program, or of a service that the program uses. An empty
// field keeps the setting of the image.
type Box struct {
	Name                string // name of the service
	Image               string
	Build               string // the user's command that makes a missing image; "": the image is pulled
	Entrypoint, Command []string
	Env                 []string
	User, Dir, Host     string
	StopSignal          string
	Mounts              []Mount
	Ports               []int // open TCP ports; Open adds the ports of the image
	Health              []string
	Init, Privileged    bool
	ReadOnly, TTY       bool
	CapAdd, CapDrop     []string
	Memory, NanoCPUs    int64
	ShmSize             int64

	Aliases []string // further names of the service
	Task    bool     // the service ends when its work is done; services that need it start after that
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

// A Site holds the containers, networks and volumes of one run of a user's program.
type Site interface {
	// Image pulls the image of a box if the engine does not have it, unless b.Build makes the
	// image. It returns the TCP ports of the box, followed by further ports that the image
	// exposes.
	Image(ctx context.Context, b Box) (ports []int, err error)
	Network(ctx context.Context, name string) (Network, error)
	// Add creates a container in networks, with further entries of /etc/hosts (name:address).
	Add(ctx context.Context, b Box, hosts []string, in ...Network) (Container, error)
	// Close removes all containers, networks and volumes of the site.
	Close() error
}

// A Container can be started again after it has ended, with the files that it has left.
type Container interface {
	// Start starts the container. The container's output goes to out. out is closed when the
	// container ends, or if Start fails.
	Start(ctx context.Context, out *os.File) (Running, error)
}

// A Running is a container that runs, or has ended. Its methods may be called from several
// goroutines.
type Running interface {
	PID() int     // process id of its first process
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
