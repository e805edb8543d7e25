// Package testenv has what tests ask of the machine.
package testenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// OnSmallDisk mounts a file system of so many kB for one command line, in a mount namespace
// that goes away with it, and copies what is on it then to out. The command is this test
// binary, with more in its environment.
func OnSmallDisk(t *testing.T, kB int, out string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	disk := t.TempDir()
	script := fmt.Sprintf(`mount -t tmpfs -o size=%dk none %s && cd %s && { "$@"; code=$?; cp -a . %s; exit $code; }`, kB, disk, disk, out)
	cmd := exec.Command("unshare", append([]string{"--mount", "sh", "-c", script, "sh", self}, args...)...)
	cmd.Env = slices.Concat(os.Environ(), env, []string{SmallDisk + "=1"})
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run()
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// SmallDisk is the variable that says that a test is run on one.
const SmallDisk = "TORTURE_TEST_SMALL_DISK"

// NeedSmallDisks skips a test where none can be mounted.
func NeedSmallDisks(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("unshare", "--mount", "sh", "-c", "mount -t tmpfs -o size=4k none /mnt").CombinedOutput(); err != nil {
		t.Skipf("a small disk takes the right to mount one: %v %s", err, out)
	}
}
