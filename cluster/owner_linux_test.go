package cluster_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"locktorture/cluster"
)

// In a container whose first process waits for nobody an owner that was killed stays in the
// table of processes, under its number and with its time. It is dead nevertheless.
func TestOwnerThatNobodyWaitedForIsDead(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	must(t, cmd.Start())
	defer func() { _ = cmd.Wait() }()
	stat := func() [][]byte {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		must(t, err)
		return bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	}
	owner := fmt.Sprintf("%d %s", cmd.Process.Pid, stat()[19])
	if dead, err := cluster.OwnerDead(owner); dead || err != nil {
		t.Errorf("while it lives: dead %v, %v", dead, err)
	}
	must(t, cmd.Process.Kill())
	for deadline := time.Now().Add(2 * time.Minute); string(stat()[0]) != "Z"; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("its state is %s", stat()[0])
		}
	}
	if dead, err := cluster.OwnerDead(owner); !dead || err != nil {
		t.Errorf("once it was killed: dead %v, %v", dead, err)
	}
}
