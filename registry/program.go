package registry

import (
	"context"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"locktorture/internal/programs"
	"locktorture/locks"
	"locktorture/locks/driver"
)

// DriverProgram returns the driver program of a module below drivers/go, whose library the core
// does not import. The program is built at its first use.
func DriverProgram(module string) programs.Program {
	return programs.Program{Name: "torture-driver-" + module, What: "the driver for " + module, Dir: "drivers/go/" + module}
}

// Programs returns the sorted names of these modules.
func Programs() (names []string) {
	for _, b := range Locks() {
		if b.Program != "" {
			names = append(names, b.Program)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Prepare makes sure that the program of the lock is built, if the lock has one.
func (b Backend) Prepare(ctx context.Context) error {
	if b.Program == "" {
		return nil
	}
	_, err := DriverProgram(b.Program).Path(ctx)
	return err
}

// Start starts the program of the lock as the process of one client.
func (b Backend) Start(ctx context.Context, o driver.Open, stderr io.Writer, hostClock bool) (*driver.Client, error) {
	path, err := DriverProgram(b.Program).Path(ctx)
	if err != nil {
		return nil, err
	}
	o.Backend = b.Name
	return driver.Start(ctx, driver.Command{Path: path, Stderr: stderr, HostClock: hostClock}, o)
}

// openProgram opens the lock of one client for callers that do not know processes.
func (b Backend) openProgram(ctx context.Context, a Args) (locks.Locker, error) {
	c, err := b.Start(ctx, driver.Open{
		Client: 1, Endpoints: a.Endpoints, TTL: a.TTL, As: a.Owner, Options: a.Options, Access: a.Access, Prefix: a.Prefix,
	}, nil, false)
	if err != nil {
		return nil, err // not the nil client
	}
	return c, nil
}

// A ModuleVersion is a library of a lock with its version.
type ModuleVersion struct{ Module, Version string }

// ProgramVersions returns the versions of the libraries that are built into the lock's program
// but not into this one.
func (b Backend) ProgramVersions() (list []ModuleVersion) {
	if b.Program == "" {
		return nil
	}
	here, there := Versions(), programVersions(b.Program)
	for _, m := range b.Modules {
		if _, ok := here[m]; !ok && there[m] != "" {
			list = append(list, ModuleVersion{m, there[m]})
		}
	}
	return list
}

// programVersions returns the versions of the modules in a program, by module; empty if the
// program is missing.
func programVersions(module string) map[string]string {
	versions := map[string]string{}
	path, ok := DriverProgram(module).There()
	if !ok {
		return versions
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return versions
	}
	for line := range strings.Lines(string(out)) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[name] = version
	}
	return versions
}
