package registry

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/internal/child"
	"locktorture/locks"
	"locktorture/locks/driver"
)

// A Driver is a user's program that implements a lock and speaks the driver
// protocol.
type Driver struct {
	Command  []string
	Dir      string // directory in which the command runs; "": the working directory
	Topology string // topology of its servers
	Options  map[string]string
	Version  []string         // command that prints the version of its library
	Declared *driver.Declared // traits that it declares; nil before Learn
}

// With returns the driver with additional options.
func (d *Driver) With(options map[string]string) *Driver {
	if len(options) == 0 {
		return d
	}
	out := *d
	out.Options = maps.Clone(d.Options)
	if out.Options == nil {
		out.Options = map[string]string{}
	}
	maps.Copy(out.Options, options)
	return &out
}

// Name returns the name of the program for messages: its command.
func (d *Driver) Name() string { return shellquote.Join(d.Command...) }

// DriverName returns the name of the driver behind a lock; "" if the lock has none.
func (b Backend) DriverName() string {
	if b.Driver == nil {
		return ""
	}
	return b.Driver.Name()
}

// openLimit bounds the time in which a driver must start and open its lock.
const openLimit = 20 * time.Second

// Start starts the driver of one client. The driver's stderr, up to 4 MiB, goes to stderr; tap
// receives every line of the protocol. Both may be nil.
func (d *Driver) Start(ctx context.Context, o driver.Open, stderr io.Writer, tap func(driver.Line)) (*driver.Client, error) {
	o.Options = d.Options
	last := &child.Tail{Next: stderr}
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	c, err := driver.Start(ctx, driver.Command{
		Path: d.Command[0], Args: d.Command[1:], Dir: d.Dir, Env: Environment(o), Stderr: last, Tap: tap, Sweep: true,
		Blame: func(err error) error { return d.fault(err, o, last) },
	}, o)
	if err == nil && d.Declared != nil && !reflect.DeepEqual(c.Declared(), d.Declared) {
		err = errors.Join(errors.New("declares other traits than before"), c.Close())
	}
	if err != nil {
		return nil, d.fault(err, o, last)
	}
	return c, nil
}

// Open is like Start without a tap, and returns the lock of one client as the harness needs it.
func (d *Driver) Open(ctx context.Context, o driver.Open, stderr io.Writer) (locks.Locker, error) {
	c, err := d.Start(ctx, o, stderr, nil)
	if err != nil {
		return nil, err // not the nil client
	}
	return c, nil
}

// open starts the driver of a client for callers that do not know drivers. They pass no process
// number, so owners on the servers do not begin with it.
func (d *Driver) open(ctx context.Context, a Args) (locks.Locker, error) {
	return d.With(a.Options).Open(ctx, driver.Open{Endpoints: a.Endpoints, TTL: a.TTL, Client: 1}, nil)
}

// Environment returns the contents of the open request as environment variables.
func Environment(o driver.Open) []string {
	env := append(os.Environ(),
		"TORTURE_ENDPOINTS="+strings.Join(o.Endpoints, ","),
		"TORTURE_TTL_NS="+strconv.FormatInt(int64(o.TTL), 10),
		"TORTURE_CLIENT="+strconv.Itoa(o.Client),
		"TORTURE_PROCESS="+strconv.Itoa(o.Process),
	)
	for _, name := range slices.Sorted(maps.Keys(o.Options)) {
		key := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
		env = append(env, "TORTURE_OPTION_"+key+"="+o.Options[name])
	}
	return env
}

// versionTime bounds the time in which a driver must print its version.
const versionTime = 5 * time.Second

// Library returns the first line that the version command prints; "" if there is no such command.
func (d *Driver) Library() string {
	if len(d.Version) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.Version[0], d.Version[1:]...)
	cmd.Dir, cmd.WaitDelay = d.Dir, time.Second
	out, err := cmd.Output()
	if err != nil {
		return "version unknown: " + err.Error()
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return strings.ToValidUTF8(string(bytes.TrimSpace(line)), "?")
}
