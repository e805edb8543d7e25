package driver_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"locktorture/locks/driver"
)

// shell returns a driver in shell that answers the open request after it has done something.
func shell(before, after string) driver.Command {
	return driver.Command{Path: "/bin/sh", Args: []string{"-c", before + `; read line; echo '{"id":1}'; ` + after}, Sweep: true}
}

// What a driver starts is ended with it, also where it has gone into a session of its own,
// cleared its environment, and lost its parent.
func TestStraysAreEndedWithTheirDriver(t *testing.T) {
	for why, start := range map[string]string{
		"in a session of its own":               `setsid sleep N &`,
		"with a cleared environment":            `setsid env -i sleep N &`,
		"in a group of its own, cleared":        `perl -e 'setpgrp; exec @ARGV' env -i sleep N &`,
		"an orphan":                             `setsid env -i sh -c 'sleep N & exit' & wait`,
		"an orphan of an orphan":                `setsid env -i sh -c 'setsid sh -c "sleep N & sleep N & exit" & exit' & wait`,
		"one that starts others while it lives": `setsid env -i sh -c 'while :; do setsid sleep N & sleep 0.001; done' &`,
	} {
		t.Run(why, func(t *testing.T) {
			number := fmt.Sprintf("%d.%09d", 1000+os.Getpid(), rand.IntN(1e9))
			quiet := strings.ReplaceAll(strings.ReplaceAll(start, "sleep N", "sleep "+number+" </dev/null >/dev/null 2>&1"), "sleep 0.001", "sleep 0.001 </dev/null >/dev/null 2>&1")
			k, err := driver.Start(within(t, 10*time.Second), shell(quiet+"\nsleep 0.2", "cat >/dev/null"), driver.Open{})
			if err != nil {
				t.Fatal(err)
			}
			if len(withArgument(number)) == 0 {
				t.Fatal("it started nothing: nothing can be shown")
			}
			err = k.Kill(within(t, 30*time.Second))
			if err == nil || !strings.Contains(err.Error(), "left its process group") || len(err.Error()) > 8<<10 {
				t.Errorf("it says %.300v", err)
			}
			if left := withArgument(number); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// A driver that starts nothing is not blamed for what another has started.
func TestStraysOfAnotherDriver(t *testing.T) {
	number := fmt.Sprintf("%d.%09d", 1000+os.Getpid(), rand.IntN(1e9))
	guilty, err := driver.Start(within(t, 10*time.Second), shell(`setsid env -i sleep `+number+` </dev/null >/dev/null 2>&1 & sleep 0.1`, "cat >/dev/null"), driver.Open{})
	if err != nil {
		t.Fatal(err)
	}
	innocent, err := driver.Start(within(t, 10*time.Second), shell(":", "cat >/dev/null"), driver.Open{})
	if err != nil {
		t.Fatal(err)
	}
	if err := innocent.Kill(within(t, 10*time.Second)); err != nil {
		t.Errorf("the innocent one: %v", err)
	}
	if len(withArgument(number)) != 1 {
		t.Error("the other's process was ended too")
	}
	if err := guilty.Kill(within(t, 10*time.Second)); err == nil || len(withArgument(number)) > 0 {
		t.Errorf("the guilty one: %v, left %q", err, withArgument(number))
	}
}

// withArgument lists the processes that have a text in their command line.
func withArgument(text string) (found []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(text)) && !strings.Contains(string(b), "cat >/dev/null") {
			found = append(found, string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// What a driver says is bounded before anybody writes it down.
func TestTextsOfADriverAreBounded(t *testing.T) {
	repeat := func(n int) string { return fmt.Sprintf(`$(head -c %d /dev/zero | tr '\0' %%s)`, n) }
	long := func(format string, n int, char string) driver.Command {
		return driver.Command{Path: "/bin/sh", Args: []string{"-c", `read line; echo '{"id":1}'; read line; printf '` + format + `\n' "` + fmt.Sprintf(repeat(n), char) + `"; cat >/dev/null`}, Sweep: true}
	}
	for _, c := range []struct {
		why     string
		command driver.Command
		want    string // of the error; "" for none
	}{
		{"an owner that is just short enough", long(`{"id":2,"lease":1,"owner":"%s"}`, 1024, "o"), ""},
		{"a longer owner", long(`{"id":2,"lease":1,"owner":"%s"}`, 1025, "o"), "an owner of 1025 bytes"},
		{"a message of 1 MB", long(`{"id":2,"error":"unknown","message":"%s"}`, 1_000_000, "m"), "mmm"},
		{"a message of no characters", long(`{"id":2,"error":"unknown","message":"%s"}`, 900_000, `'\377'`), "\uFFFD"},
		{"a class of 1 MB", long(`{"id":2,"error":"%s"}`, 1_000_000, "c"), "ccc"},
	} {
		t.Run(c.why, func(t *testing.T) {
			k, err := driver.Start(within(t, 10*time.Second), c.command, driver.Open{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = k.Acquire(within(t, 10*time.Second), "x")
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%.200v, want %q", err, c.want)
			}
			if err != nil && (len(err.Error()) > 5<<10 || !utf8.ValidString(err.Error())) {
				t.Errorf("%d bytes: %.200q", len(err.Error()), err)
			}
			_ = k.Kill(within(t, 10*time.Second)) // it may have been ended already
		})
	}
	trait := driver.Command{Path: "/bin/sh", Args: []string{"-c", `read line; printf '{"id":1,"traits":{"lock":"%s"}}\n' "` + fmt.Sprintf(repeat(1025), "l") + `"; cat >/dev/null`}}
	if k, err := driver.Start(within(t, 10*time.Second), trait, driver.Open{}); err == nil || !strings.Contains(err.Error(), "lock has 1025 bytes") {
		t.Errorf("a trait of 1025 bytes: %v", err)
		if err == nil {
			_ = k.Close()
		}
	}
}
