package registry

import (
	"context"
	"time"

	"locktorture/locks"
	"locktorture/locks/file"
)

// fileLocks returns the locks on files of a directory.
func fileLocks() map[string]Backend {
	return map[string]Backend{
		"flock": onFiles("flock(2) on a file; the kernel releases the lock when the process ends", file.FlockTraits(),
			func(c file.Config) locks.Locker { return file.NewFlock(c) }),
		"fcntl": onFiles("fcntl(2): a POSIX record lock on a file; the kernel releases the lock when the process ends", file.FcntlTraits(),
			func(c file.Config) locks.Locker { return file.NewFcntl(c) }),
		"fcntl-noted": onFiles("fcntl, but the holder opens the file again to write its name; closing the file releases the lock", file.FcntlTraits(),
			func(c file.Config) locks.Locker { return file.NewNoted(c) }),
	}
}

// onFiles returns a backend on a directory. It has no prober, because no call of the kernel
// shows the owner of a file lock without changing the lock.
func onFiles(about string, t locks.Traits, open func(file.Config) locks.Locker) Backend {
	return Backend{
		About: about, Topology: "directory", Traits: t, Retry: 4 * time.Millisecond,
		Modules: []string{}, // no library: the kernel implements the lock
		Open: func(_ context.Context, a Args) (locks.Locker, error) {
			return open(file.Config{Dir: a.Endpoints[0], Owner: a.Owner, Clock: a.Clock}), nil
		},
	}
}
