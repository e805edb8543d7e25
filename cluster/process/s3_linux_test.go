package process

import (
	"debug/buildinfo"
	"path"
	"testing"
)

// TestBuilt compares the versions that built reads with those of debug/buildinfo.
func TestBuilt(t *testing.T) {
	program, err := lookup{"../../bin/servers"}.program("gofakes3")
	if err != nil {
		t.Skip(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil || len(info.Deps) == 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	for _, m := range info.Deps {
		if got := built(program, m.Path); got != path.Base(m.Version) {
			t.Errorf("%s: %s, want %s", m.Path, got, m.Version)
		}
	}
	for program, module := range map[string]string{program: "go.etcd.io", "s3_linux.go": info.Deps[0].Path, "none": info.Deps[0].Path} {
		if got, want := built(program, module), "(of unknown version)"; got != want {
			t.Errorf("%s in %s: %s, want %s", module, program, got, want)
		}
	}
}
