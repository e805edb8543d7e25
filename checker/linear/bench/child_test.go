package bench

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/checker/linear"
)

// childCase is the environment variable that makes the test binary measure
// one side of one case, alone in a process of its own, so that peak memory
// means something.
const childCase = "LINEAR_BENCH_CASE"

// A measurement is what a child reports.
type measurement struct {
	Outcome   string
	Algorithm string
	Reason    string
	Elapsed   time.Duration
	Pass      time.Duration // of a plain pass over the same events, the best of three
	Extra     int64         // bytes: peak of the process above what it had before
	Peak      int64         // bytes: peak of the process
}

func TestMain(m *testing.M) {
	flag.Parse()
	name, side, ok := strings.Cut(os.Getenv(childCase), "|")
	if !ok {
		os.Exit(m.Run())
	}
	if err := json.NewEncoder(os.Stdout).Encode(measureHere(name, side)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// measureHere prepares a case and runs one side of it.
func measureHere(name, side string) measurement {
	run, plain := cases()[name].prepare(side)
	runtime.GC()
	debug.FreeOSMemory()
	// Start the high-water mark anew: what made the history does not count.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	before := status("VmRSS")
	if side == "porcupine" {
		go stopAt(*memory, before)
	}
	m := run()
	m.Peak = status("VmHWM")
	m.Extra = m.Peak - before
	for k := range 3 { // after the peak was read: what the pass takes does not count
		start := cpu()
		plain()
		if took := cpu() - start; k == 0 || took < m.Pass {
			m.Pass = took
		}
	}
	return m
}

// stopAt ends this process with a report when it takes too much memory.
func stopAt(bytes, before int64) {
	for begin := cpu(); ; time.Sleep(20 * time.Millisecond) {
		if now := status("VmRSS"); now > bytes {
			_ = json.NewEncoder(os.Stdout).Encode(measurement{
				Outcome: linear.Unknown.String(), Reason: "stopped at " + size(bytes),
				Elapsed: cpu() - begin, Extra: now - before, Peak: now,
			})
			os.Exit(0)
		}
	}
}

// status reads a size from /proc/self/status, in bytes.
func status(field string) int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kb << 10
		}
	}
	return 0
}

// cpu is the processor time that this process has used. Unlike time on the
// wall it means the same on a busy machine; the work of the garbage collector
// counts.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure runs one side of a case in a child.
func measure(t *testing.T, name, side string) measurement {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-porcupine-limit", limit.String(), "-porcupine-memory", strconv.FormatInt(*memory, 10))
	cmd.Env = append(os.Environ(), childCase+"="+name+"|"+side)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("measure %s of %s: %v", side, name, err)
	}
	var m measurement
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatalf("measure %s of %s: %v in %q", side, name, err, out)
	}
	return m
}
