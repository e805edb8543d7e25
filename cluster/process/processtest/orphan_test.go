//go:build linux

package processtest_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"locktorture/cluster"
)

// harnessVar makes the test binary a harness that starts servers and waits
// to be killed.
const harnessVar = "TORTURE_TEST_HARNESS"

func TestMain(m *testing.M) {
	if os.Getenv(harnessVar) != "" {
		os.Exit(beHarness(os.Getenv(harnessVar)))
	}
	os.Exit(m.Run())
}

func beHarness(topology string) int {
	c, err := cluster.Start(context.Background(), topology, newProvisioner(), 1, "")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("up", len(c.Nodes))
	time.Sleep(time.Hour)
	return 0
}

// When the harness is killed its servers die at once, those that are stopped
// too, and what they leave on disk is found and removed.
func TestDieWithHarness(t *testing.T) {
	for _, topology := range []string{"redis-5", "etcd-3"} {
		t.Run(topology, func(t *testing.T) { dieWithHarness(t, topology) })
	}
}

func dieWithHarness(t *testing.T, topology string) {
	provisioner(t, topology)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), harnessVar+"="+topology)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "up ") {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("the harness said %q, %v", line, err)
	}
	servers := using(t, tmp)
	if len(servers) < 3 {
		t.Errorf("only %d servers run", len(servers))
	}
	if removed, err := cluster.Clean(); err != nil || len(removed) > 0 {
		t.Errorf("removed %v of a living harness, %v", removed, err)
	}
	must(t, cmd.Process.Kill())
	cmd.Wait() // says that it was killed
	for deadline := time.Now().Add(2 * time.Minute); len(using(t, tmp)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("two minutes after the harness was killed these servers live: %v", using(t, tmp))
		}
	}
	removed, err := cluster.Clean()
	if err != nil || len(removed) != len(servers) {
		t.Errorf("removed %v of %d servers, %v", removed, len(servers), err)
	}
	nothingLeft(t, tmp)
}
