package driver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/driver"
)

// childEnv makes the test binary a driver, or whatever its value names.
const childEnv = "LOCKTORTURE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "driver":
		if err := driver.Serve(context.Background(), open, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "garbage":
		fmt.Println(`{"id":1}`)
		fmt.Println("panic: not json at all")
		select {}
	case "parent":
		parent()
	}
	os.Exit(0)
}

// open makes the locks that the tests serve.
func open(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
	switch o.Backend {
	case "local":
		return control.NewLocal(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()}), nil
	case "local-rw":
		return control.LocalRW{Local: control.NewLocal(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()})}, nil
	case "local-semaphore":
		return control.NewLocalSemaphore(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()}), nil
	case "local-latch":
		return control.NewLocalLatch(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()}), nil
	case "local-barrier":
		return control.NewLocalBarrier(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()}), nil
	case "local-election":
		return control.NewLocalElection(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()}), nil
	case "bounded":
		return &fake{make: func() locks.Lease { return newBoundedLease(clock, o.TTL) }}, nil
	case "watched":
		return &fake{make: func() locks.Lease {
			l := &watchedLease{lost: make(chan struct{})}
			time.AfterFunc(o.TTL, func() { close(l.lost) })
			return l
		}}, nil
	case "stubborn":
		return &stubborn{free: make(chan struct{}, 1), delay: o.TTL}, nil
	case "plain":
		return &fake{make: func() locks.Lease { return &plainLease{} }}, nil
	}
	return nil, fmt.Errorf("no lock %q", o.Backend)
}

// A fake grants everything and cannot be asked without waiting.
type fake struct{ make func() locks.Lease }

func (f *fake) Acquire(_ context.Context, name string) (locks.Lease, error) {
	if reason, ok := strings.CutPrefix(name, "fail:"); ok {
		return nil, errors.New(reason)
	}
	return f.make(), nil
}
func (f *fake) Close() error { return nil }

// A plainLease has no optional capability at all.
type plainLease struct {
	mu       sync.Mutex
	released bool
}

func (l *plainLease) Release(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return locks.ErrNotHeld
	}
	l.released = true
	return nil
}

type boundedLease struct {
	plainLease
	clock *locks.SkewedClock
	ttl   time.Duration
	until atomic.Pointer[time.Time] // a harness that talks nonsense renews while it is granted
}

func newBoundedLease(clock *locks.SkewedClock, ttl time.Duration) *boundedLease {
	l := &boundedLease{clock: clock, ttl: ttl}
	_ = l.Renew(context.Background())
	return l
}

func (l *boundedLease) Until() time.Time { return *l.until.Load() }
func (l *boundedLease) Renew(context.Context) error {
	until := l.clock.Now().Add(l.ttl)
	l.until.Store(&until)
	return nil
}

type watchedLease struct {
	plainLease
	lost chan struct{}
}

func (l *watchedLease) Lost() <-chan struct{} { return l.lost }

// A stubborn lock takes its time and does not look at the context.
type stubborn struct {
	free  chan struct{}
	delay time.Duration
}

func (s *stubborn) Acquire(context.Context, string) (locks.Lease, error) {
	s.free <- struct{}{}
	time.Sleep(s.delay)
	return stubbornLease{s}, nil
}
func (s *stubborn) Close() error { return nil }

type stubbornLease struct{ s *stubborn }

func (l stubbornLease) Release(context.Context) error {
	select {
	case <-l.s.free:
		return nil
	default:
		return locks.ErrNotHeld
	}
}

// parent is a harness that starts a driver, stops it, tells its pid and hangs.
func parent() {
	c, err := driver.Start(context.Background(), childCommand("driver"), driver.Open{Backend: "plain"})
	if err == nil {
		err = c.Pause(context.Background())
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(c.Pid())
	select {}
}

func childCommand(kind string) driver.Command {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return driver.Command{Path: exe, Env: append(os.Environ(), childEnv+"="+kind), Stderr: os.Stderr}
}

func start(t testing.TB, c driver.Command, o driver.Open) *driver.Client {
	t.Helper()
	k, err := driver.Start(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Errorf("close driver: %v", err)
		}
	})
	return k
}

// startLocal starts a client of a lock server of the test's own.
func startLocal(t testing.TB, s *control.LocalServer, process int) *driver.Client {
	return start(t, childCommand("driver"), driver.Open{Backend: "local", Endpoints: []string{s.Addr()}, Process: process})
}

func localServer(t testing.TB) *control.LocalServer {
	t.Helper()
	s, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
