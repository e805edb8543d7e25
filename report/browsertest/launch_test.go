package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A browser that crashes as it starts is started again.
func TestCrashedBrowserIsStartedAgain(t *testing.T) {
	real, dir := chromium(t), t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\n[ -e %[1]s/crashed ] || { : >%[1]s/crashed; echo crashed >&2; exit 139; }\nexec %[2]s \"$@\"\n", dir, real)
	if err := os.WriteFile(filepath.Join(dir, "chromium"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	address, _ := write(t, broken())
	open(t, address).wait(t, `T.ready > 0`)
	if _, err := os.Stat(filepath.Join(dir, "crashed")); err != nil {
		t.Error(err)
	}
}
