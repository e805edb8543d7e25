package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"locktorture/app"
	"locktorture/internal/strictyaml"
)

// TestSample: the file that init writes can be read.
func TestSample(t *testing.T) {
	path := filepath.Join(t.TempDir(), app.FileName)
	if err := os.WriteFile(path, []byte(app.Sample), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := app.Read(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if f.App != "billing" || f.Replicas != 3 || len(f.Jobs) != 1 || f.Jobs[0].OneAtATime == "" || len(f.Faults) != 5 {
		t.Errorf("%+v", f)
	}
}

// TestWrongFiles: each mistake is named with its line, what is wrong and what would be right.
func TestWrongFiles(t *testing.T) {
	const good = "command: [./billing]\njobs: {payout: {promises: {one_at_a_time: true}}}\n"
	while := func(question, promise string) string {
		return "command: [a]\njobs: {payout: {seen: {while: " + question + "}, promises: {" + promise + ": true}}}\n"
	}
	for _, c := range []struct{ text, want string }{
		{"", "it is empty; torture app init"},
		{"- a\n", ":1: a mapping is needed here"},
		{"command: [./billing]\n", "jobs are missing"},
		{"jobs: {payout: {promises: {one_at_a_time: true}}}\n", "command is missing"},
		{good + "replica: 3\n", `:3: unknown key "replica"; did you mean replicas?`},
		{good + "replicas: 0\n", ":3: \"0\": a whole number from 1 to 50"},
		{good + "replicas: three\n", ":3: \"three\": a whole number"},
		{good + "replicas: 3\nreplicas: 2\n", `"replicas" is there twice`},
		{good + "app: my billing\n", "is no name"},
		{good + "command: []\n", "there twice"},
		{good + "ttl: 5\n", "a time with its unit is needed"},
		{good + "ttl: -5s\n", "a time with its unit is needed"},
		{good + "duration: soon\n", "a time with its unit is needed"},
		{good + "once: yes please\n", "true or false is needed"},
		{good + "servers: {redis: reddis}\n", "redis"},
		{good + "servers: {a: redis, b: redis}\n", "each topology can be named only once"},
		{good + "servers: {event: redis}\n", "give it another name"},
		{good + "servers: [redis]\n", "a mapping is needed"},
		{good + "env: {A: \"${redis}\"}\n", "${redis}"},
		{good + "env: {A: \"${PROT}\"}\n", "did you mean PORT?"},
		{good + "env: {A: [1]}\n", "a plain value is needed"},
		{good + "before: ./billing migrate\n", "a list of commands is needed"},
		{good + "before: [\"it's\"]\n", ":3:"},
		{good + "before: [[rm, -rf, \"${DIR}/cache\"]]\n", "${DIR}"},
		{good + "before: [[echo, \"$${HOME} ${PROT_1}\"]]\n", "did you mean PORT_1?"},
		{good + "before: [[]]\n", "a command is needed"},
		{good + "ready: {http: a, tcp: b}\n", "one of http, line and tcp"},
		{good + "ready: {}\n", "one of http, line and tcp"},
		{good + "ready: {lien: a}\n", "did you mean line?"},
		{good + "ready: {line: '('}\n", "missing closing )"},
		{good + "load: {asked: {}}\n", "its command is missing"},
		{good + "load: {command: [k6], asked: {payout: '(?P<kee>a)'}}\n", "group \"kee\""},
		{good + "load: {command: [k6], asked: {payuot: a}}\n", "did you mean payout?"},
		{good + "faults: [puase]\n", "did you mean pause?"},
		{good + "faults: pause\n", "a list is needed"},
		{good + "limits: {redy: 1s}\n", "did you mean ready?"},
		{good + "limits: {ready: 1}\n", "a time with its unit is needed"},
		{"command: [a]\njobs: {}\n", "jobs are missing"},
		{"command: [a]\njobs: {payout: {}}\n", "job payout promises nothing"},
		{"command: [a]\njobs: {payout: {promises: {one_at_a_time: maybe}}}\n", "true, per_key or false"},
		{"command: [a]\njobs: {payout: {promises: {twice: true}}}\n", "unknown key \"twice\""},
		{"command: [a]\njobs: {payout: {seen: {begin: 'x'}, promises: {once_per_key: true}}}\n", "a mapping is needed here, of line"},
		{"command: [a]\njobs: {payout: {seen: {event: [bigin]}, promises: {once_per_key: true}}}\n", "did you mean begin?"},
		{"command: [a]\njobs: {payout: {seen: {span: '(?P<kee>a)'}, promises: {once_per_key: true}}}\n", "group \"kee\""},
		{"command: [a]\njobs: {payout: {seen: {span: a, end: {line: b}}, promises: {once_per_key: true}}}\n", "must not be seen in another way too"},
		{good + "env: {A: \"${OTEL_EXPORTER_OTLP_ENDPOINT}\"}\n", "${OTEL_EXPORTER_OTLP_ENDPOINT}"},
		{"command: [a]\njobs: {pay out: {promises: {once_per_key: true}}}\n", "is no name"},
		{"command: [a]\n\tjobs: x\n", "line 2"},
		{good + "user: no-such-user\n", "unknown user no-such-user"},
		{good + "needs: [a]\n", "a mapping is needed"},
		{good + "serves: {redis: 1}\n", "what a demotion does to connections"},
		{good + "serves: {postgres: \"${PROT}\"}\n", "did you mean PORT?"},
		{good + "servers: {postgres: postgres}\nserves: {postgres: 1}\n", "give the server another name"},
		{good + "faults: [kill: {process: a}]\n", "only pause has settings"},
		{good + "faults: [pause: {proces: a}]\n", "did you mean process?"},
		{good + "faults: [pause: {for: 30s}]\n", "the shortest and the longest"},
		{good + "faults: [pause: {for: [40s, 30s]}]\n", "is longer than"},
		{while("{}", "one_at_a_time"), "one of these questions is needed"},
		{while("{http: a, postgres: b}", "one_at_a_time"), "only one of these questions is possible"},
		{while("{tcp: a}", "one_at_a_time"), "tcp"},
		{while("{http: a, term: x}", "one_at_a_time"), "a time with its unit is needed"},
		{while("{mariadb: a, status: 200}", "one_at_a_time"), "only http has status and body"},
		{while("{http: a, url: b}", "one_at_a_time"), "url must be the URL of an SQL server"},
		{while("{http: a, status: 99}", "one_at_a_time"), "from 100 to 599"},
		{while("{htp: a}", "one_at_a_time"), "did you mean http?"},
		{while("{postgres: SELECT 1}", "one_at_a_time"), "url is missing"},
		{while("{mariadb: SELECT 1}", "one_at_a_time"), "url is missing"},
		{while("{http: a}", "once_per_key"), "an answer has no key"},
		{while("{http: \"http://${PROT}\"}", "one_at_a_time"), "did you mean PORT?"},
		{while("{http: a}, event: true", "one_at_a_time"), "must not be seen in another way too"},
		{good + "servers: {a: \"rediss://a\"}\n", "uses TLS"},
		{good + "servers: {a: \"radis://a\"}\n", "an address must begin with"},
		{good + "servers: {a: \"redis://u:secret@a\"}\n", "must not copy a password"},
		{good + "servers: {a: \"redis://u:${NO_SUCH_VARIABLE}@a\"}\n", "${NO_SUCH_VARIABLE} is not in the environment"},
		{good + "servers: {a: []}\n", "has no address"},
		{good + "servers: {a: [\"redis://a\", \"etcd://b\"]}\n", "of servers of one kind"},
		{good + "servers: {a: \"redis://:99999999\"}\n", ":3: servers"},
		{"command: [a]\nservers: {z: zookeeper-3}\njobs: {payout: {seen: {effect: {z: a}}, promises: {once_per_key: true}}}\n", "cannot read the traffic to"},
		{good + "after: x\n", "a list of commands is needed"},
		{"command: [a]\njobs: {payout: {seen: {kept: {line: a}}, promises: {none_lost: true}}}\n", "that list is empty"},
	} {
		path := filepath.Join(t.TempDir(), app.FileName)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := app.Read(path)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
			continue
		}
		if strings.HasPrefix(c.want, ":") && !errors.As(err, new(*strictyaml.Error)) {
			t.Errorf("%q: %v names no line", c.text, err)
		}
		if !regexp.MustCompile(`app\.yaml`).MatchString(err.Error()) {
			t.Errorf("%q: %v names no file", c.text, err)
		}
	}
}

// TestMissing: what is not there is named, with how to get it.
func TestMissing(t *testing.T) {
	f := &app.File{Path: "app.yaml", Needs: map[string]string{"sh": "apt-get install dash", "/no/such/file": "apt-get install patroni", "no-such-program": "apt-get install patroni"}}
	want := "app.yaml: /no/such/file, no-such-program is not there; to get it: apt-get install patroni"
	if err := f.Missing(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	f.Needs = map[string]string{"sh": "apt-get install dash"}
	if err := f.Missing(); err != nil {
		t.Error(err)
	}
}
