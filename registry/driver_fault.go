package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"

	"github.com/kballard/go-shellquote"

	"locktorture/internal/child"
	"locktorture/locks/driver"
)

// fault returns a driver.Error for err, with the output of the driver and with advice for its
// author.
func (d *Driver) fault(err error, o driver.Open, wrote *child.Tail) error {
	return &driver.Error{Name: d.Name(), Err: err, Said: wrote.Said(), Next: d.next(err, o)}
}

// next returns advice for the author of a driver that has failed with err.
func (d *Driver) next(err error, o driver.Open) string {
	switch {
	case errors.Is(err, driver.ErrNoProtocol):
		return "stdout is for the protocol; log to stderr"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return "there is no such program here; a script is named with its interpreter: 'python3 my_lock.py'"
	case errors.Is(err, fs.ErrPermission):
		return "it may not be executed: chmod +x, or name its interpreter: 'python3 my_lock.py'"
	case errors.Is(err, driver.ErrRefused) && len(o.Endpoints) > 0:
		return fmt.Sprintf("its servers are at %s, in the request 'open' and in TORTURE_ENDPOINTS", strings.Join(o.Endpoints, ","))
	case errors.Is(err, child.ErrExited):
		return "a driver goes on until stdin ends; it ended by itself, or caught a signal that somebody else sent; " + d.watch()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("a driver answers the open request within %s; %s", openLimit, d.watch())
	}
	return d.watch()
}

// watch returns a sentence with the command that shows every line of the protocol.
func (d *Driver) watch() string {
	words := []string{"torture", "driver", "check", d.Name()}
	if d.Topology != "" {
		words = append(words, "--topology", d.Topology)
	}
	return "every line that is exchanged is shown by: " + shellquote.Join(append(words, "--trace")...)
}
