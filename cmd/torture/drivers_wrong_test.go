package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/internal/exit"
)

// guideProgram writes the first program of docs/first-driver.md, with some of its text replaced, and
// returns its path.
func guideProgram(t *testing.T, replace ...string) string {
	t.Helper()
	installed(t, "redis-py")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "first-driver.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```python\n")
	code, _, _ = strings.Cut(code, "```\n")
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(code, replace[i]) {
			t.Fatalf("the program has no %q", replace[i])
		}
		code = strings.ReplaceAll(code, replace[i], replace[i+1])
	}
	program := filepath.Join(t.TempDir(), "my_lock.py")
	if err := os.WriteFile(program, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	return program
}

// TestDriverGuesses: to say not-acquired of a request that was not answered is wrong, also where
// it turns out to be true because the request was lost.
func TestDriverGuesses(t *testing.T) {
	t.Parallel()
	check := func(program string) (int, string) {
		return torture(t, "driver", "check", "/usr/bin/python3 "+program, "--topology", "redis", "--only", "reconnect")
	}
	if code, out := check(guideProgram(t, `else "unknown"}`, `else "not-acquired"}`)); code != exit.Violated || !strings.Contains(out, "had taken the lock") {
		t.Errorf("a guess: exit code %d:\n%s", code, out)
	}
	if code, out := check(guideProgram(t)); code != exit.OK {
		t.Errorf("its twin, which says unknown: exit code %d:\n%s", code, out)
	}
}

// TestDriverForgetsCancels: the message names the cancel, not the grant that came when the other
// lease had ended.
func TestDriverForgetsCancels(t *testing.T) {
	t.Parallel()
	program := guideProgram(t, "if id in cancelled or time", "if time")
	code, out := torture(t, "driver", "check", "/usr/bin/python3 "+program, "--topology", "redis", "--only", "cancel", "--ttl", "1s")
	if code != exit.Violated || !strings.Contains(out, "after its cancel, with a grant") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// TestDriverWithLongLeases: the least TTL of a driver's entry is taken where none is named.
func TestDriverWithLongLeases(t *testing.T) {
	t.Parallel()
	program := guideProgram(t, `"least_ttl": 50_000_000`, `"least_ttl": 3_000_000_000`)
	dir := t.TempDir()
	text := "drivers:\n  slow:\n    command: /usr/bin/python3 " + program + "\n    topology: redis\n    least-ttl: 3s\n"
	if err := os.WriteFile(filepath.Join(dir, "torture.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, flags := range map[int][]string{exit.OK: nil, exit.BadUsage: {"--ttl", "2s"}} {
		cmd := exec.CommandContext(t.Context(), "torture", append([]string{"driver", "check", "slow", "--only", "grant"}, flags...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), servers(t))
		out, err := cmd.CombinedOutput()
		if code := exitOf(t, err); code != want {
			t.Errorf("%q: exit code %d, want %d:\n%s", flags, code, want, out)
		}
	}
}

// TestDriverGuessesInARun: a partition that loses the answers alone shows it, too, if the driver
// tells its owner values and its keys.
func TestDriverGuessesInARun(t *testing.T) {
	t.Parallel()
	tells := []string{
		`ttl + 20_000_000}`, `ttl + 20_000_000, "keys": "redis"}`,
		"        while True:\n", "        owner = \"p%s:%s\" % (os.environ[\"TORTURE_PROCESS\"], os.urandom(8).hex())\n        while True:\n",
		`mine.acquire(blocking=False)`, `mine.acquire(blocking=False, token=owner)`,
		`return {"lease": id, `, `return {"lease": id, "owner": owner, `,
	}
	for want, says := range map[int]string{exit.Violated: "not-acquired", exit.OK: "unknown"} {
		program := guideProgram(t, append(tells, `else "unknown"}`, `else "`+says+`"}`)...)
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			code, out := torture(t, "run", "--driver", "/usr/bin/python3 "+program, "--topology", "redis", "--nemesis", "partition",
				"--workload", "counter", "--duration", "30s", "--seed", "1", "--quiet", "--dir", t.TempDir())
			if code != want || strings.Contains(out, "orphan") != (want == exit.Violated) {
				t.Errorf("exit code %d, want %d:\n%s", code, want, out)
			}
		})
	}
}
