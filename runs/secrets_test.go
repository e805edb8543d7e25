package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/registry"
)

// The login is taken out of the environment before anything is started that could inherit it.
func TestSecretsLeaveTheEnvironment(t *testing.T) {
	t.Setenv(UserEnv, "tester")
	t.Setenv(PasswordEnv, "hush-hush")
	ctx := WithSecrets(context.Background())
	for _, v := range os.Environ() {
		if strings.Contains(v, "hush-hush") || strings.HasPrefix(v, UserEnv+"=") {
			t.Errorf("it is still there: %s", v)
		}
	}
	a := AccessSpec{Endpoints: []string{"h:1"}}
	if x, err := a.Read(ctx, registry.Theirs, false); err != nil || x.User != "tester" || x.Password != "hush-hush" {
		t.Errorf("login %q %q, %v", x.User, x.Password, err)
	}
}

// TestLoginFromPipe: a shell's <(command) is a pipe below /dev/fd. It can be read once, so that
// no run of a matrix, no later command and no note is given its name.
func TestLoginFromPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	written := make(chan error, 1)
	go func() {
		_, err := w.WriteString("hush-hush\n")
		written <- errors.Join(err, w.Close())
	}()
	file := filepath.Join(t.TempDir(), "user")
	if err := os.WriteFile(file, []byte("tester\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := AccessSpec{Endpoints: []string{"h:1"}, UserFile: file, PasswordFile: fmt.Sprintf("/dev/fd/%d", r.Fd())}
	x, err := a.Read(t.Context(), registry.Theirs, false)
	if err != nil || x.User != "tester" || x.Password != "hush-hush" {
		t.Fatalf("login %q %q, %v", x.User, x.Password, errors.Join(err, <-written))
	}
	if words := strings.Join(a.Words(x), " "); !strings.Contains(words, "--user-file "+file) || strings.Contains(words, "--password-file") {
		t.Errorf("the words for the next command are %s", words)
	}
}
