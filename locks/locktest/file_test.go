package locktest_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/file"
	"locktorture/locks/locktest"
)

// childEnv makes the test binary a driver.
const childEnv = "LOCKTORTURE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	if err := driver.Serve(context.Background(), openFile, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// openFile makes the locks whose clients must be processes: the kernel keeps them for those.
func openFile(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
	c := file.Config{Dir: o.Endpoints[0], Owner: o.Owner()}
	switch o.Backend {
	case "flock":
		return file.NewFlock(c), nil
	case "fcntl":
		return file.NewFcntl(c), nil
	case "fcntl-noted":
		return file.NewNoted(c), nil
	}
	return nil, fmt.Errorf("no lock %q", o.Backend)
}

// TestFileLocks runs each client as a process.
func TestFileLocks(t *testing.T) {
	t.Parallel()
	const why = "it gives the lock back when it has written its name"
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, "directory")
	for _, row := range []struct {
		name   string
		traits locks.Traits
		broken map[string]string
	}{
		{name: "flock", traits: file.FlockTraits()},
		{name: "fcntl", traits: file.FcntlTraits()},
		{name: "fcntl-noted", traits: file.FcntlTraits(), broken: map[string]string{
			"exclusion": why, "try": why, "deadline": why, "hand-over": why, "cancel": why, "release-twice": why,
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			locktest.Run(t, locktest.Suite{
				Open: func(ctx context.Context, n int) (locks.Locker, error) {
					return driver.Start(ctx, driver.Command{Path: exe, Env: append(os.Environ(), childEnv+"=1"), Stderr: os.Stderr},
						driver.Open{Backend: row.name, Endpoints: w.cluster.Endpoints(n), Process: n})
				},
				Traits: row.traits, TTL: ttl, KnownBroken: row.broken,
			})
		})
	}
}

// Within one process flock excludes, too: the lock is the open file's.
func TestFlockInOneProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	locktest.Run(t, locktest.Suite{
		Open:   func(context.Context, int) (locks.Locker, error) { return file.NewFlock(file.Config{Dir: dir}), nil },
		Traits: file.FlockTraits(), TTL: ttl,
	})
}

// Callers of one client of fcntl exclude each other, which the kernel does not see to.
func TestFcntlInOneClient(t *testing.T) {
	t.Parallel()
	shared := keptOpen{file.NewFcntl(file.Config{Dir: t.TempDir()})}
	locktest.Run(t, locktest.Suite{
		Open:   func(context.Context, int) (locks.Locker, error) { return shared, nil },
		Traits: func() locks.Traits { tr := file.FcntlTraits(); tr.FreeWithin = nil; return tr }(), TTL: ttl,
	})
}

// A keptOpen client is shared by all checks, so that Close does nothing.
type keptOpen struct{ *file.Fcntl }

// Close does nothing.
func (keptOpen) Close() error { return nil }
