package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/runs"

	"github.com/spf13/cobra"
)

// hush is a part of every password of the tests below.
const hush = "huShHush"

// spoiltEndpoints have a password, and something that a reader stumbles over.
func spoiltEndpoints() []string {
	return []string{
		`redis://:` + hush + `"@127.0.0.1:1`, `"app:` + hush + `@tcp(127.0.0.1:1)/db`, `app:` + hush + `@tcp(127.0.0.1:1/db`,
		`redis://:` + hush + `@127.0.0.1:x`, `postgres://app:` + hush + `@127.0.0.1:1/db?sslmode=` + hush, `app:` + hush + `@h`,
		`redis://:` + hush + "\n@127.0.0.1:1", `*` + hush + `@127.0.0.1:1`, `redis://:%zz` + hush + `@127.0.0.1:1`,
	}
}

// openEndpoints have a password and are right; nobody listens there.
func openEndpoints() []string {
	return []string{`redis://:` + hush + `@127.0.0.1:1`, `app:` + hush + `@tcp(127.0.0.1:1)/db`, `postgres://app:` + hush + `@127.0.0.1:1/db`}
}

// withEndpoints are the commands that take servers of the user's own, with arguments that bring
// each so far that it reads their addresses.
func withEndpoints(t *testing.T) (all [][]string) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
		if cmd.Flags().Lookup("endpoints") == nil {
			return
		}
		args := strings.Fields(cmd.CommandPath())[1:]
		switch strings.Join(args, " ") {
		case "scenario run":
			args = append(args, "all")
		case "sweep", "run", "driver cost":
			args = append(args, "--backend", "redis-set")
		case "driver check":
			args = append(args, "--driver", "cat")
		}
		all = append(all, args)
	}
	visit(newRoot(environment{}))
	if len(all) < 3 { // run, matrix, config show
		t.Fatalf("only %q take --endpoints", all)
	}
	return all
}

// TestSecretsReachNothing plays every command that takes servers of the user's own with a
// password in every place where one can stand, also where its text is spoilt. No output and no
// file of the directory has it.
func TestSecretsReachNothing(t *testing.T) {
	for _, args := range withEndpoints(t) {
		for _, e := range spoiltEndpoints() {
			playSecret(t, args, e, 20*time.Second)
		}
		for _, e := range openEndpoints() {
			playSecret(t, args, e, 5*time.Second)
		}
	}
}

// playSecret plays one command with one text in the environment, in the file as a value, a list
// and a key, and on the command line.
func playSecret(t *testing.T, args []string, endpoint string, limit time.Duration) {
	t.Helper()
	quoted := `'` + strings.ReplaceAll(endpoint, `'`, `''`) + `'`
	for _, place := range []struct{ name, env, file, flag string }{
		{name: "environment", env: endpoint}, {name: "file", file: "endpoints: " + quoted + "\n"}, {name: "list", file: "endpoints: [" + quoted + "]\n"},
		{name: "plain", file: "endpoints: " + endpoint + "\n"}, {name: "key", file: endpoint + ": 1\n"}, {name: "quoted key", file: quoted + ": 1\n"},
		{name: "flag", flag: endpoint},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		t.Setenv("TORTURE_CLUSTER", "external")
		t.Setenv("TORTURE_ENDPOINTS", place.env)
		t.Setenv(runs.PasswordEnv, "")
		if place.file != "" {
			if err := os.WriteFile("torture.yaml", []byte(place.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		words := args
		if place.flag != "" {
			words = append(append([]string{}, args...), "--endpoints", place.flag)
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		var out, errOut strings.Builder
		inProcess(ctx, words, strings.NewReader(""), &out, &errOut)
		cancel()
		for name, text := range map[string]string{"stdout": out.String(), "stderr": errOut.String()} {
			if strings.Contains(text, hush) {
				t.Errorf("%s of torture %s has the password of %q (%s):\n%s", name, strings.Join(args, " "), endpoint, place.name, text)
			}
		}
		noHushIn(t, dir)
	}
}

// noHushIn fails if a file of a directory has the password, but for the file that was written
// with it.
func noHushIn(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "torture.yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), hush) {
			t.Errorf("%s has the password", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
