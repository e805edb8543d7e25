package words_test

import (
	"testing"

	"locktorture/report/words"
)

func TestClients(t *testing.T) {
	for in, want := range map[string]string{
		"Client 1 takes the lock; client 12's process is stopped": "c1 takes the lock; c12's process is stopped",
		"clients 2 and 3, c5": "clients 2 and 3, c5",
		"client":              "client",
	} {
		if got := words.Clients(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
