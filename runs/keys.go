package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
	"locktorture/internal/plainfile"
	"locktorture/registry"
	"locktorture/report"
)

// A keyRecord is what this machine remembers of a run on servers of the user's, so that clean
// --keys can remove what it left if it is killed. It lies outside of the run directory, which
// may come from somebody else: what that says decides neither which servers are asked, nor
// which files are read, nor which keys go.
type keyRecord struct {
	Run      string        `json:"run"` // the run directory
	Topology string        `json:"topology"`
	Flags    []report.Flag `json:"flags"`
}

// stateDir is where the user's programs keep what must outlive a restart and is no setting.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "torture"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", "torture"), nil
}

// keyRecordOf is the directory of the records, and the name of a run's.
func keyRecordOf(run string) (dir, name string, err error) {
	dir, err = stateDir()
	return filepath.Join(dir, "keys"), filepath.Base(run) + ".json", err
}

// noteKeys writes down below which prefix a run makes keys, and on which servers. What it
// returns forgets that again.
func noteKeys(run, topology, prefix string, a AccessSpec, x registry.External) (forget func() error, err error) {
	dir, name, err := keyRecordOf(run)
	if err != nil {
		return nil, err
	}
	for _, path := range []*string{&x.UserFile, &x.PasswordFile, &a.TLSCA, &a.TLSCert, &a.TLSKey, &run} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(keyRecord{Run: run, Topology: topology, Flags: a.flags(x, prefix)})
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := atomicfile.WriteTextIn(dir, name, string(text)); err != nil {
		return nil, err
	}
	return func() error { return os.Remove(filepath.Join(dir, name)) }, nil
}

// readKeys is what was noted of a run.
func readKeys(path string) (k keyRecord, forget func() error, err error) {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		path = at
	}
	if path, err = filepath.Abs(path); err != nil {
		return k, nil, err
	}
	dir, name, err := keyRecordOf(path)
	if err != nil {
		return k, nil, err
	}
	text, err := plainfile.ReadIn(dir, name, plainfile.Text)
	if errors.Is(err, os.ErrNotExist) {
		return k, nil, exit.Usage("%s: this machine has no note about keys of the run: either the run made no keys from here, or it has already removed them; torture does not trust the run.json of another machine", path)
	}
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		return k, nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
	}
	return k, func() error { return os.Remove(filepath.Join(dir, name)) }, nil
}
