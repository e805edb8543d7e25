package compose_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locktorture/cluster/docker"
	"locktorture/cluster/docker/compose"
)

func names(list []docker.Box) (names []string) {
	for _, b := range list {
		names = append(names, b.Name)
	}
	return names
}

// TestExample: the example is read as it stands, with its variables.
func TestExample(t *testing.T) {
	t.Setenv("REDIS_IMAGE", "redis:local")
	p, err := compose.Read(t.Context(), "../../../examples/compose/docker-compose.yml", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(p.Services), " "); got != "db migrate redis" || p.Replica.Name != "worker" || p.LeftOut != nil {
		t.Fatalf("replicas of %s beside %s, without %v", p.Replica.Name, got, p.LeftOut)
	}
	db, migrate, redis := p.Services[0], p.Services[1], p.Services[2]
	if redis.Image != "redis:local" || db.Health == nil || migrate.Task != true || redis.Task || db.Task {
		t.Errorf("%+v", p.Services)
	}
	if want := []string{"DATABASE_URL=postgres://postgres:secret@db:5432/postgres", "REDIS_URL=redis://redis:6379/0"}; !slices.Equal(p.Replica.Env, want) {
		t.Errorf("environment %q", p.Replica.Env)
	}
	for _, b := range []docker.Box{migrate, p.Replica} {
		if b.Build != "docker compose build worker" {
			t.Errorf("%s: nothing makes its image: %q", b.Name, b.Build)
		}
	}
}

// TestService: what a service has is in its container.
func TestService(t *testing.T) {
	p, err := read(t, `
services:
  api:
    image: api
    entrypoint: [/bin/api]
    command: serve "a b"
    user: "1000"
    working_dir: /srv
    init: true
    env_file: [api.env]
    expose: ["9000"]
    ports: ["80:8080", "53:53/udp"]
    volumes: ["./data:/data:ro", "kept:/kept"]
    tmpfs: [/run]
    secrets: [password]
    networks: {default: {aliases: [backend]}}
  front: {image: front, depends_on: [api]}
  probe: {image: probe, depends_on: [front]}
volumes: {kept: {}}
secrets: {password: {file: password.txt}}
`, "api")
	if err != nil {
		t.Fatal(err)
	}
	b := p.Replica
	if !slices.Equal(b.Command, []string{"serve", "a b"}) || !slices.Equal(b.Entrypoint, []string{"/bin/api"}) || b.User != "1000" || b.Dir != "/srv" || !b.Init {
		t.Errorf("%+v", b)
	}
	if !slices.Equal(b.Ports, []int{9000, 8080}) || !slices.Equal(b.Env, []string{"FROM_FILE=1"}) || !slices.Equal(b.Names(), []string{"api", "backend"}) {
		t.Errorf("ports %v, environment %v, names %v", b.Ports, b.Env, b.Names())
	}
	var mounts []string
	for _, m := range b.Mounts {
		mounts = append(mounts, m.Type+" "+filepath.Base(m.Source)+" "+m.Target)
	}
	if got := strings.Join(mounts, ", "); got != "bind data /data, volume kept /kept, tmpfs . /run, bind password.txt /run/secrets/password" || !b.Mounts[0].ReadOnly {
		t.Errorf("mounts %s", got)
	}
	if len(p.Services) > 0 || !slices.Equal(p.LeftOut, []string{"service front, which needs api", "service probe, which needs api"}) {
		t.Errorf("started before it: %v; left out: %v", names(p.Services), p.LeftOut)
	}
}

func read(t *testing.T, text, service string) (compose.Program, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"compose.yml": text, "api.env": "FROM_FILE=1\n", "password.txt": "secret"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return compose.Read(t.Context(), filepath.Join(dir, "compose.yml"), service)
}

// TestWrong: an error names the file and what is wrong in it.
func TestWrong(t *testing.T) {
	for _, c := range []struct{ text, service, want string }{
		{"services: {worker: {image: a}}", "worked", "did you mean worker?"},
		{"services: {a: {image: a}, b: {image: b}}", "", "name the service that is replicated, such as --replicas a=3; there are a, b"},
		{"services: {a: {image: a, profiles: [x, y]}, b: {image: b, profiles: [y]}}", "", "no service is enabled; a is with COMPOSE_PROFILES=x"},
		{"services: {a: {image: a, profiles: [x]}, b: {image: b}}", "a", "service a is not enabled; it is with COMPOSE_PROFILES=x"},
		{"services: {}", "", "compose.yml"},
		{"services: {a: {image: a, network_mode: host}}", "a", "network_mode: host is not supported"},
		{"services: {a: {image: a, imago: b}}", "a", "imago"},
		{"services: {a: {image: a, depends_on: [b]}, b: {image: b, depends_on: [a]}}", "a", "cycle"},
		{"services: {a: {image: a, volumes: [{type: npipe, source: a, target: b}]}}", "a", "a volume of type npipe is not supported"},
		{"services: {a: {image: a, secrets: [s]}}\nsecrets: {s: {environment: S}}", "a", "secret s is not from a file"},
		{"services: [", "a", "compose.yml"},
	} {
		_, err := read(t, c.text, c.service)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "compose.yml") {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := compose.Read(t.Context(), "no/such/compose.yml", "a"); err == nil || !strings.Contains(err.Error(), "no/such/compose.yml") {
		t.Errorf("%v", err)
	}
}
