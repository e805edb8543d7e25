package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"locktorture/registry"
)

// The login is taken out of the environment before anything is started that could inherit it.
func TestSecretsLeaveTheEnvironment(t *testing.T) {
	t.Setenv(userEnv, "tester")
	t.Setenv(passwordEnv, "hush-hush")
	ctx := withSecrets(context.Background())
	for _, v := range os.Environ() {
		if strings.Contains(v, "hush-hush") || strings.HasPrefix(v, userEnv+"=") {
			t.Errorf("it is still there: %s", v)
		}
	}
	a := accessSpec{Endpoints: []string{"h:1"}}
	if x, err := a.read(ctx, registry.Theirs, false); err != nil || x.User != "tester" || x.Password != "hush-hush" {
		t.Errorf("login %q %q, %v", x.User, x.Password, err)
	}
}
