package app

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (r reader) user(n *yaml.Node) error {
	if err := r.name(n, &r.f.User); err != nil {
		return err
	}
	if _, err := user.Lookup(r.f.User); err != nil {
		return r.Wrong(n, "user: %v", err)
	}
	return nil
}

func (r reader) needs(n *yaml.Node) error {
	r.f.Needs = map[string]string{}
	return r.Each(n, nil, func(key, v *yaml.Node) (err error) {
		r.f.Needs[key.Value], err = r.Text(v)
		return err
	})
}

// Missing returns an error that says how to get what the program needs and this machine lacks.
func (f *File) Missing() error {
	var missing, how []string
	for _, name := range slices.Sorted(maps.Keys(f.Needs)) {
		_, err := os.Stat(name)
		if !strings.Contains(name, "/") {
			_, err = exec.LookPath(name)
		}
		if err == nil {
			continue
		}
		missing = append(missing, name)
		if !slices.Contains(how, f.Needs[name]) {
			how = append(how, f.Needs[name])
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s is not there; to get it: %s", f.Path, strings.Join(missing, ", "), strings.Join(how, "; "))
}

// other reports whether replicas run as another user than torture.
func (f *File) other() bool { return f.User != "" && os.Getuid() == 0 }

// as returns the command that runs another one as the user of replicas. A change of the user clears the
// parent-death signal, so it is set anew.
func (f *File) as(command []string) []string {
	if !f.other() {
		return command
	}
	return append([]string{"setpriv", "--reuid=" + f.User, "--regid=" + f.User, "--init-groups", "--pdeathsig=KILL", "--"}, command...)
}

// directory makes the directory of a replica. Another user may not reach the run directory, so it gets one
// elsewhere, which is removed in the end.
func (s *stage) directory(r *replica) (string, error) {
	if !s.file.other() {
		return s.act.dir.Sub(fmt.Sprintf("replica-%d", r.number))
	}
	dir, err := os.MkdirTemp("", "torture-app-")
	if err != nil {
		return "", err
	}
	s.dirs = append(s.dirs, dir)
	u, err := user.Lookup(s.file.User)
	if err != nil {
		return "", err
	}
	uid, uerr := strconv.Atoi(u.Uid)
	gid, gerr := strconv.Atoi(u.Gid)
	return dir, errors.Join(uerr, gerr, os.Chown(dir, uid, gid))
}

// removeDirs removes the directories of replicas that are not in the run directory.
func (s *stage) removeDirs() error {
	var errs []error
	for _, dir := range s.dirs {
		errs = append(errs, os.RemoveAll(dir))
	}
	return errors.Join(errs...)
}
