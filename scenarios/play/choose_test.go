package play

import (
	"strings"
	"testing"

	"locktorture/registry"
	"locktorture/scenarios"
)

// TestServed leaves out the plays whose runtimes are not here, and says which.
func TestServed(t *testing.T) {
	on := func(backend string) Play {
		return Play{scenarios.Named{Name: "gc-pause"}, scenarios.Case{Backend: backend}}
	}
	for _, tt := range []struct {
		name    string
		plays   []Play
		kept    string
		missing string
	}{
		{"all are here", []Play{on("redis-set"), on("redlock")}, "redis-set redlock", ""},
		{"some are", []Play{on("rust-lock"), on("redis-set"), on("erlang-lock"), on("rust-lock")}, "redis-set", "erlang-lock rust-lock"},
		{"none is", []Play{on("rust-lock")}, "", "rust-lock"},
	} {
		plays, missing := Served(tt.plays, registry.Locks())
		var kept []string
		for _, p := range plays {
			kept = append(kept, p.Case.Backend)
		}
		if got := strings.Join(kept, " "); got != tt.kept || strings.Join(missing, " ") != tt.missing {
			t.Errorf("%s: kept %q, missing %q, want %q, %q", tt.name, got, missing, tt.kept, tt.missing)
		}
	}
}

// TestChoose picks cases by names, and says what there is where a name is none.
func TestChoose(t *testing.T) {
	locks := registry.Locks()
	for _, tt := range []struct{ scenario, backend, variant, wrong string }{
		{"gc-pause", "", "", ""},
		{All, "redis-set", "", ""},
		{"gc-pouse", "", "", `no scenario is called "gc-pouse"; did you mean gc-pause?`},
		{"gc-pause", "redis-st", "", `no backend is called "redis-st"; did you mean redis-set?`},
		{"gc-pause", "none", "", "scenario gc-pause does not apply to none; it applies to "},
		{"gc-pause", "redis-set", "on Mars", "scenario gc-pause does not apply to redis-set on Mars; it applies to "},
	} {
		plays, err := Choose(tt.scenario, tt.backend, tt.variant, locks)
		switch {
		case tt.wrong != "":
			if err == nil || !strings.HasPrefix(err.Error(), tt.wrong) {
				t.Errorf("%v: %v", tt, err)
			}
		case err != nil || len(plays) == 0:
			t.Errorf("%v: %d plays, %v", tt, len(plays), err)
		}
		for _, p := range plays {
			if tt.scenario != All && p.Name != tt.scenario || tt.backend != "" && p.Case.Backend != tt.backend {
				t.Errorf("%v: chose %s with %s", tt, p.Name, p.Case.Name())
			}
		}
	}
}
