//go:build linux

package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"locktorture/history"
)

// TestHeartbeat lets sleeps last longer than they asked.
func TestHeartbeat(t *testing.T) {
	const ms = int64(time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	late := []int64{0, stallsFrom.Nanoseconds() - 1, stallsFrom.Nanoseconds(), 0, 400 * ms}
	var clock int64
	var got []history.Op
	heartbeat{
		now: func() int64 { return clock },
		sleep: func(_ context.Context, d time.Duration) {
			clock += int64(d) + late[0]
			if late = late[1:]; len(late) == 0 {
				late = []int64{time.Second.Nanoseconds()} // the sleep that the end of the run cut short
				if clock > 1000*ms {
					cancel()
				}
			}
		},
		record: func(op history.Op) history.Op {
			op.Time = clock
			got = append(got, op)
			return op
		},
	}.beat(ctx)
	stall := history.Op{Process: history.Harness, Type: history.Info, F: history.Stall}
	first, second := stall, stall
	first.Time, first.UntilMin = 25*ms-1, 20*ms-1
	second.Time, second.UntilMin = 435*ms-1, 35*ms-1
	if d := cmp.Diff([]history.Op{first, second}, got); d != "" {
		t.Error(d)
	}
	if err := history.Validate(got); err != nil {
		t.Error(err)
	}
}

// beatFor makes this test binary a process that does nothing but beat.
const beatFor = "TORTURE_TEST_BEAT"

// TestHeartbeatStopped stops a process with a heartbeat: it must have noticed.
func TestHeartbeatStopped(t *testing.T) {
	if os.Getenv(beatFor) != "" {
		beatAlone(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestHeartbeatStopped$")
	cmd.Env = append(os.Environ(), beatFor+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	const stopped = 300 * time.Millisecond
	const least = stopped - beatEvery - stallsFrom
	var longest int64
	for began := false; lines.Scan(); {
		var op history.Op
		if err := json.Unmarshal(lines.Bytes(), &op); err != nil {
			continue // what the testing package says
		}
		if op.F == history.Stall {
			longest = max(longest, op.Time-op.UntilMin)
		}
		if !began {
			began = true
			signal(t, cmd.Process.Pid, unix.SIGSTOP)
			time.Sleep(stopped)
			signal(t, cmd.Process.Pid, unix.SIGCONT)
		}
		if time.Duration(longest) >= least {
			break
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if got := time.Duration(longest); got < least {
		t.Errorf("stopped for %v, the longest stall that it recorded is %v", stopped, got)
	}
}

func signal(t *testing.T, pid int, s unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

// beatAlone prints what a heartbeat records, and an entry that says that it beats.
func beatAlone(t *testing.T) {
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	record := func(op history.Op) history.Op {
		op.Time = now()
		os.Stdout.Write(append(op.AppendJSON(nil), '\n'))
		return op
	}
	began := sync.OnceFunc(func() { record(history.Op{Process: history.Harness, Type: history.Info, F: history.Probe}) })
	asleep := func(ctx context.Context, d time.Duration) {
		began()
		sleep(ctx, d)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	heartbeat{now: now, sleep: asleep, record: record}.beat(ctx)
}
