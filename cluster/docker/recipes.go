package docker

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// The mount point of a node's directory in its container, and its data directory.
const (
	home = "/torture"
	data = home + "/data"
)

// A recipe describes the start of a kind of server in a container, independent of the entrypoint of
// its image. The programs are found on the PATH of the official images.
type recipe struct {
	// prepare puts files into the directory of a node before each start. It may be nil.
	prepare func(s cluster.Spec, dir string, as user) error
	// command returns the program and its arguments.
	command func(s cluster.Spec, as user) ([]string, error)
	env     map[string]string
	// notRoot is set for a server that refuses to run as root.
	notRoot bool
}

// recipes returns the recipe of every kind of server.
func recipes() map[string]recipe {
	return map[string]recipe{
		"redis": {command: func(s cluster.Spec, _ user) ([]string, error) {
			return append([]string{"redis-server"}, server.Redis{}.Args(s, data)...), nil
		}},
		"sentinel": {
			prepare: func(s cluster.Spec, dir string, _ user) error {
				return server.Sentinel{}.WriteConfig(s, filepath.Join(dir, "sentinel.conf"), data)
			},
			command: func(cluster.Spec, user) ([]string, error) {
				return append([]string{"redis-server"}, server.Sentinel{}.Args(home+"/sentinel.conf")...), nil
			},
		},
		"memcached": {command: func(s cluster.Spec, as user) ([]string, error) {
			return append([]string{"memcached"}, server.Memcached{}.Args(s, as.root())...), nil
		}},
		"etcd": {command: func(s cluster.Spec, _ user) ([]string, error) {
			args, err := server.Etcd{}.Args(s, data)
			return append([]string{"etcd"}, args...), err
		}},
		"consul": {command: func(s cluster.Spec, _ user) ([]string, error) {
			args, err := server.Consul{}.Args(s, data)
			return append([]string{"consul"}, args...), err
		}},
		"zookeeper": {
			prepare: func(s cluster.Spec, dir string, _ user) error {
				return server.ZooKeeper{}.WriteConfig(s, filepath.Join(dir, "data"), data)
			},
			command: func(cluster.Spec, user) ([]string, error) {
				return []string{"zkServer.sh", "start-foreground", data + "/" + server.ConfigFile}, nil
			},
			env: map[string]string{
				"SERVER_JVMFLAGS": strings.Join(server.ZooKeeper{}.JVM(), " "), "JMXDISABLE": "true", "ZOO_LOG_DIR": data + "/log",
			},
		},
		"mariadb":  {command: mariadbCommand},
		"postgres": {command: postgresCommand, prepare: postgresFiles, notRoot: true},
	}
}

// mariadbCommand creates the data directory if it is missing, and then starts the server.
func mariadbCommand(s cluster.Spec, as user) ([]string, error) {
	m := server.MariaDB{}
	install := append(append([]string{"mariadb-install-db"}, m.InstallArgs()...), m.AsRoot(as.root())...)
	return first(m.Dir(data), strings.Join(install, " ")+" --datadir=", append([]string{"mariadbd"}, m.Args(s, data, as.root())...)), nil
}

// postgresCommand creates the data directory if it is missing, and then starts the server.
func postgresCommand(s cluster.Spec, _ user) ([]string, error) {
	p := server.Postgres{}
	return first(p.Dir(data), "initdb "+strings.Join(p.InitArgs(), " ")+" -D ", append([]string{"postgres"}, p.Args(s, data)...)), nil
}

// first returns a shell command that runs install if the directory dir is missing, and then
// replaces itself by the server. install must end with the option that takes a directory,
// because first appends the name of the directory to it.
func first(dir, install string, command []string) []string {
	script := fmt.Sprintf(`[ -d %[1]s ] || { %[2]s%[1]s.new >%[3]s/install.log 2>&1 && mv %[1]s.new %[1]s; } || { cat %[3]s/install.log; exit 1; }
exec "$@"`, dir, install, data)
	return append([]string{"/bin/sh", "-c", script, "sh"}, command...)
}

// passwdFile is mounted over /etc/passwd, because initdb requires that its user has a name.
const passwdFile = "passwd"

// postgresFiles makes the server's user the owner of the directory, and writes the file of users.
func postgresFiles(_ cluster.Spec, dir string, as user) error {
	text := fmt.Sprintf("root:x:0:0:root:/root:/bin/sh\n%s:x:%d:%d::%s:/bin/sh\n", server.PostgresUser, as.uid, as.gid, data)
	if err := os.WriteFile(filepath.Join(dir, passwdFile), []byte(text), 0o644); err != nil {
		return err
	}
	if as == me() {
		return nil
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Join(dir, "data"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, as.uid, as.gid)
	})
}

// me returns the user of this process. Servers run as this user, so that this process can inspect
// them and remove their files.
func me() user { return user{os.Getuid(), os.Getgid()} }

type user struct{ uid, gid int }

func (u user) String() string { return fmt.Sprintf("%d:%d", u.uid, u.gid) }
func (u user) root() bool     { return u.uid == 0 }
