package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"locktorture/locks"
	"locktorture/registry"
)

const secretUser, secretPassword = "SECRETUSER1", "SECRETPASS1"

// TestAccessTellsNothing prints an access in every way that a log might.
func TestAccessTellsNothing(t *testing.T) {
	t.Setenv(UserEnv, secretUser)
	t.Setenv(PasswordEnv, secretPassword)
	a := AccessSpec{Endpoints: []string{"rediss://localhost:1"}}
	x, err := a.Read(WithSecrets(t.Context()), registry.Theirs, true)
	if err != nil || x.User != secretUser || x.Password != secretPassword {
		t.Fatalf("it has no login: %v", err)
	}
	flags, err := json.Marshal(a.flags(x, "p:"))
	if err != nil {
		t.Fatal(err)
	}
	access := &locks.Access{User: x.User, Password: x.Password}
	for _, text := range []string{fmt.Sprintf("%v %+v %#v", x, x, x), fmt.Sprintf("%v %+v %#v", access, access, access),
		strings.Join(a.Words(x), " "), string(flags),
		secretsIn(x).CleanError(errors.New("Access denied for user '" + secretUser + "', password " + secretPassword)).Error()} {
		if strings.Contains(text, secretUser) || strings.Contains(text, secretPassword) {
			t.Error(text)
		}
	}
}

// TestAccessOfNobody: where the servers are torture's own nothing is said about those of the
// user's, also if a configuration file names some.
func TestAccessOfNobody(t *testing.T) {
	a := AccessSpec{Endpoints: []string{"redis://u:" + secretPassword + "@localhost:1"}, KeyPrefix: "mine:"}
	x, err := a.Read(t.Context(), registry.Automatic, false)
	if err != nil || a.flags(x, "") != nil || a.Words(x) != nil {
		t.Errorf("%v %v, %v", a.flags(x, ""), a.Words(x), err)
	}
}
