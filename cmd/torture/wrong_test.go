package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kballard/go-shellquote"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestWrongInputs keeps what users do wrong: of each the exit code, the cause that is told and
// the next step, and that every command which the answer names is one that torture takes.
func TestWrongInputs(t *testing.T) {
	t.Parallel()
	if n := inputs(t); n < 65 {
		t.Errorf("%d wrong inputs, there are to be 65", n)
	}
	t.Run("scripts", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir:             "testdata/wrong",
			ContinueOnError: true,
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"wrong": func(ts *testscript.TestScript, _ bool, args []string) { wrong(ts, args) },
			},
		})
	})
}

// inputs counts the wrong inputs of all scripts.
func inputs(t *testing.T) (n int) {
	paths, err := filepath.Glob("testdata/wrong/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(string(text), "\nwrong ")
	}
	return n
}

// wrong CODE CAUSE NEXT COMMAND ARGS… runs a command that must end with that exit code, and
// whose last words must match both expressions.
func wrong(ts *testscript.TestScript, args []string) {
	line := strings.Join(args[3:], " ")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var ended *exec.ExitError
	if err = ts.Exec(args[3], args[4:]...); !errors.As(err, &ended) || ended.ExitCode() != want {
		ts.Fatalf("%s: %v, want exit code %d", line, err, want)
	}
	said := ts.ReadFile("stderr")
	for _, expression := range args[1:3] {
		if !regexp.MustCompile(expression).MatchString(said) {
			ts.Fatalf("%s: nothing in its answer matches %q", line, expression)
		}
	}
	for _, command := range advised(said) {
		if err := takes(command); err != nil {
			ts.Fatalf("%s: it advises %q, which is wrong: %v", line, command, err)
		}
	}
}

var advice = regexp.MustCompile(`\btorture ((?:run|check|list|scenario|bench|clean|version|driver|serve|report|matrix|config|selftest)\b[^;,()\n]*|--help)`)

// advised are the command lines that a text names.
func advised(text string) (commands []string) {
	for _, m := range advice.FindAllStringSubmatch(text, -1) {
		commands = append(commands, strings.TrimSpace(m[1]))
	}
	return commands
}

// takes is an error if torture does not take a command line.
func takes(command string) error {
	words, err := shellquote.Split(command)
	if err != nil {
		return err
	}
	root := newRoot(readEnvironment())
	root.SetOut(io.Discard)
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if help, _ := cmd.Flags().GetBool("help"); help {
		return nil
	}
	if len(rest) == 0 { // a command that is only mentioned has no arguments
		return nil
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// TestAdvised: what is advised is found, and what is wrong of it is refused.
func TestAdvised(t *testing.T) {
	const text = "no backend is called \"x\" (torture list backends); run: torture run --clients 2, or\ntorture: see torture run --help\na later torture; torture makes"
	var got []string
	for _, command := range advised(text) {
		got = append(got, command)
		if err := takes(command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	if want := "list backends|run --clients 2|run --help"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, command := range []string{"list nemesiss extra more", "run --bakcend x", "run redlock", "scenario rn", "frobnicate"} {
		if takes(command) == nil {
			t.Errorf("%q was taken", command)
		}
	}
}
