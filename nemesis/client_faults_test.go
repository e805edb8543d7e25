package nemesis_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"locktorture/nemesis"
	"locktorture/nemesis/nemesistest"
)

// childMark makes this test program a child that answers lines until its
// input ends.
const childMark = "NEMESIS_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childMark) != "" {
		io.Copy(os.Stdout, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A child is a client whose lock lives in a real process.
type child struct {
	t *testing.T

	mu    sync.Mutex
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	gate  chan struct{} // closed: store operations pass
	armed chan struct{} // closed when a store operation must stop at the gate
	stood chan struct{} // closed when one stands there
}

func newChild(t *testing.T) *child {
	c := &child{t: t}
	c.start()
	t.Cleanup(func() { c.kill() })
	return c
}

func (c *child) start() {
	c.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childMark+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.cmd, c.in, c.out = cmd, in, bufio.NewReader(out)
}

func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// ask sends a line to the child and returns a channel with its answer.
func (c *child) ask(line string) <-chan string {
	answer := make(chan string, 1)
	in, out := c.in, c.out
	go func() {
		fmt.Fprintln(in, line)
		got, _ := out.ReadString('\n')
		answer <- strings.TrimSpace(got)
	}()
	return answer
}

// state is the process state that the kernel tells, "T" for stopped.
func (c *child) state() string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil {
		return "gone"
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return rest[:1]
}

func (c *child) signal(ctx context.Context, s syscall.Signal, seen func(state string) bool) error {
	if err := c.cmd.Process.Signal(s); err != nil {
		return err
	}
	for !seen(c.state()) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(ms)
	}
	return nil
}

func (c *child) Meet(context.Context, time.Duration) (string, func(), error) {
	return "between check and write", func() {}, nil
}

func (c *child) MeetWaiting(context.Context, time.Duration) (string, func(), error) {
	return "waiting for a lock", func() {}, nil
}

func (c *child) Pause(ctx context.Context) (string, func(context.Context) error, error) {
	resume := func(ctx context.Context) error {
		return c.signal(ctx, syscall.SIGCONT, func(s string) bool { return s != "T" })
	}
	return "wherever it is", resume, c.signal(ctx, syscall.SIGSTOP, func(s string) bool { return s == "T" })
}

func (c *child) Linger(ctx context.Context, bound time.Duration) (string, func(), error) {
	return c.HoldWrite(ctx, bound)
}

func (c *child) Kill(context.Context) (string, error) {
	c.kill()
	c.start()
	return "wherever it is", nil
}

func (c *child) HoldWrite(ctx context.Context, bound time.Duration) (string, func(), error) {
	c.mu.Lock()
	gate, stood := make(chan struct{}), make(chan struct{})
	c.gate, c.stood = gate, stood
	if c.armed != nil {
		close(c.armed)
	}
	c.mu.Unlock()
	open := func() { close(gate) }
	select {
	case <-stood:
		return "c1", open, nil
	case <-time.After(bound):
		open()
		return "", nil, nemesis.ErrNotStruck
	case <-ctx.Done():
		open()
		return "", nil, ctx.Err()
	}
}

// write is a store operation that goes through the gate.
func (c *child) write(store map[string]string, key, value string) {
	c.mu.Lock()
	gate, stood := c.gate, c.stood
	c.mu.Unlock()
	if gate != nil {
		close(stood)
		<-gate
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	store[key] = value
}

func childWorld(c *child) *nemesis.World {
	return &nemesis.World{TTL: 200 * ms, Quorum: 1, Clients: []nemesis.Client{c}}
}

func TestPauseOfAClient(t *testing.T) {
	c := newChild(t)
	if got := <-c.ask("before"); got != "before" {
		t.Fatalf("the child answers %q", got)
	}
	s := nemesis.Step{Mode: nemesis.PauseClient, Clients: []int{1}}
	heal := nemesistest.Inject(t, childWorld(c), nemesis.Pause{}, s, "stopped between check and write")
	if c.state() != "T" {
		t.Errorf("state %s", c.state())
	}
	answer := c.ask("while stopped")
	select {
	case got := <-answer:
		t.Errorf("a stopped client answers %q", got)
	case <-time.After(50 * ms):
	}
	heal()
	if got := <-answer; got != "while stopped" {
		t.Errorf("continued, it answers %q", got)
	}
}

func TestKillClient(t *testing.T) {
	c := newChild(t)
	first := c.cmd.Process.Pid
	heal := nemesistest.Inject(t, childWorld(c), nemesis.KillClient{}, nemesis.Step{Clients: []int{1}}, "killed between check and write")
	if err := syscall.Kill(first, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d: %v", first, err)
	}
	heal()
	if got := <-c.ask("after"); c.cmd.Process.Pid == first || got != "after" {
		t.Errorf("the successor answers %q", got)
	}
}

func TestHoldWrite(t *testing.T) {
	c := newChild(t)
	c.armed = make(chan struct{})
	store, done := map[string]string{}, make(chan struct{})
	go func() {
		defer close(done)
		<-c.armed
		c.write(store, "key", "late")
	}()
	s := nemesis.Step{Mode: nemesis.HoldWrite, Clients: []int{1}}
	w := childWorld(c)
	w.TTL = nemesistest.Patience // for which the write is waited for
	heal := nemesistest.Inject(t, w, nemesis.Hold{}, s, "held back a store operation of c1")
	if got := <-c.ask("on"); got != "on" {
		t.Errorf("the client itself does not go on: %q", got)
	}
	c.mu.Lock()
	if len(store) > 0 {
		t.Errorf("a held write was applied: %v", store)
	}
	c.mu.Unlock()
	heal()
	<-done
	if store["key"] != "late" {
		t.Errorf("let go, the store holds %v", store)
	}
}

func TestHoldWriteWithoutVictim(t *testing.T) {
	s := nemesis.Step{Mode: nemesis.HoldWrite, Clients: []int{1}}
	_, _, err := nemesis.Hold{}.Inject(t.Context(), childWorld(newChild(t)), s)
	wantNotStruck(t, err)
}

func wantNotStruck(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, nemesis.ErrNotStruck) || errors.Is(err, nemesis.ErrNotHealed) {
		t.Errorf("error %v, want ErrNotStruck", err)
	}
}
