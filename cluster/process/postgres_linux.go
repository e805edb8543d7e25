package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"locktorture/cluster"
	"locktorture/cluster/process/clock"
	"locktorture/cluster/server"
)

// postgresServer runs PostgreSQL, which refuses to run as root. Root runs it as the user postgres,
// who must have access to the temporary directory.
type postgresServer struct{ server.Postgres }

var _ tidier = postgresServer{}

// postgresUser is the user as which root runs PostgreSQL.
const postgresUser = server.PostgresUser

// find returns the program to start. If root must change to another user, this is the program that
// changes the user.
func (p postgresServer) find(look lookup) (string, error) {
	program, err := postgresProgram(look, "postgres")
	if err != nil {
		return "", err
	}
	if _, err := postgresProgram(look, "initdb"); err != nil {
		return "", err
	}
	return look.toBecome(postgresUser, program)
}

// toBecome returns the program to start for a program that refuses to run as root: setpriv for
// root, otherwise the program itself.
func (l lookup) toBecome(other, program string) (string, error) {
	if os.Getuid() != 0 {
		return program, nil
	}
	if _, err := user.Lookup(other); err != nil {
		return "", fmt.Errorf("root cannot run %s: %w", filepath.Base(program), err)
	}
	return l.program("setpriv")
}

// asPostgres returns the arguments of setpriv for the user postgres; the program and its arguments
// follow them. A change of the user clears the parent-death signal, so it is set again.
func asPostgres() []string {
	return []string{"--reuid=" + postgresUser, "--regid=" + postgresUser, "--clear-groups", "--pdeathsig=KILL", "--"}
}

// postgresProgram returns the path of a program of PostgreSQL. If the program is not on PATH, it
// returns the newest version in Debian's directories.
func postgresProgram(look lookup, name string) (string, error) {
	path, err := look.program(name)
	if err == nil {
		return path, nil
	}
	dirs, globErr := filepath.Glob("/usr/lib/postgresql/*/bin")
	best := -1
	for _, dir := range dirs {
		version, verr := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
		if found, ferr := (lookup{dir}).program(name); verr == nil && ferr == nil && version > best {
			path, best = found, version
		}
	}
	if best >= 0 {
		return path, nil
	}
	return "", errors.Join(err, globErr)
}

func (p postgresServer) command(ctx context.Context, s cluster.Spec, data string) ([]string, error) {
	dir := p.Dir(data)
	if _, err := os.Stat(dir); err != nil {
		if err := p.install(ctx, data, dir); err != nil {
			return nil, err
		}
	}
	program, err := postgresProgram(nil, "postgres")
	if err != nil {
		return nil, err
	}
	prefix, err := p.become(ctx, data, program)
	if err != nil {
		return nil, err
	}
	return append(prefix, p.Args(s, data)...), nil
}

// become returns the arguments that make root change to postgresUser and then run the server. It
// copies the clock's shared object into a directory that this user can read.
func (postgresServer) become(ctx context.Context, data, program string) ([]string, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	args := asPostgres()
	if object, err := clock.Build(ctx); err == nil {
		own := filepath.Join(data, "clock.so")
		b, err := os.ReadFile(object)
		if err == nil {
			err = os.WriteFile(own, b, 0o755)
		}
		if err != nil {
			return nil, err
		}
		args = append(args, "env", "LD_PRELOAD="+own)
	}
	return append(args, program), nil
}

// install creates a new data directory.
func (p postgresServer) install(ctx context.Context, data, dir string) error {
	initdb, err := postgresProgram(nil, "initdb")
	if err != nil {
		return err
	}
	version, err := tell(initdb)
	if err != nil {
		return err
	}
	init := p.InitArgs()
	t := template{kind: "postgres", made: append(init, version), fill: func(ctx context.Context, dir string) error {
		args := append([]string{initdb, "-D", dir}, init...)
		if os.Getuid() == 0 {
			if err := give(filepath.Dir(dir)); err != nil {
				return err
			}
			args = append([]string{"setpriv", "--reuid=" + postgresUser, "--regid=" + postgresUser, "--clear-groups", "--"}, args...)
		}
		return run(ctx, args[0], args[1:]...)
	}}
	if err := t.copyTo(ctx, dir); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	if os.Getuid() != 0 {
		return nil
	}
	if err := os.Chmod(filepath.Dir(data), 0o711); err != nil {
		return err
	}
	return give(data)
}

// give makes postgresUser the owner of a directory and of all files in it.
func give(dir string) error {
	u, err := user.Lookup(postgresUser)
	if err != nil {
		return err
	}
	uid, uerr := strconv.Atoi(u.Uid)
	gid, gerr := strconv.Atoi(u.Gid)
	if err := errors.Join(uerr, gerr); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, gid)
	})
}

// tidy removes the shared memory with which PostgreSQL marks a data directory as in use.
func (postgresServer) tidy(data string) error { return cluster.RemoveSharedMemory(filepath.Dir(data)) }
