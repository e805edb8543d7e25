package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/internal/exit"
)

// A store that lets nothing be deleted is judged all the same: the verdict is printed and kept, and
// the exit code says that something failed.
func TestConformWithoutDeletes(t *testing.T) {
	t.Parallel()
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			w.WriteHeader(http.StatusNotImplemented)
		case r.URL.Query().Has("prefix"), r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusForbidden)
		case !r.URL.Query().Has("list-type"):
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(store.Close)
	dir := t.TempDir()
	code, text := said(t.Context(), "conform", "s3", "--endpoint", store.URL, "--keys", "1", "--clients", "2", "--faults", "none", "--prefix", "p-", "--dir", dir)
	if code != exit.Harness || !strings.Contains(text, "--failed-cas") || !strings.Contains(text, "torture: keys that begin with p- could not be deleted") {
		t.Errorf("exit code %d: %s", code, text)
	}
	for _, name := range []string{conformHistory, "result.json", "report.html"} {
		if found, _ := filepath.Glob(filepath.Join(dir, "*", name)); len(found) != 1 {
			t.Errorf("no %s in %s", name, dir)
		} else if info, err := os.Stat(found[0]); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", found[0], err)
		}
	}
}

// Bursts with deletes are another question to a store, so they are another cell of the ledger.
func TestConformFlags(t *testing.T) {
	s := conformSpec{}
	s.Clients, s.Keys, s.Faults = 16, 10, []string{"none", "cut"}
	if got := s.flags(); got != "--clients 16 --keys 10 --faults none,cut" {
		t.Error(got)
	}
	s.Deletes = true
	if got := s.flags(); got != "--clients 16 --keys 10 --faults none,cut --deletes" {
		t.Error(got)
	}
}
