package app

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"locktorture/cluster/docker"
	"locktorture/internal/plainfile"
	"locktorture/internal/strictyaml"
	"locktorture/internal/suggest"
	"locktorture/timeline"
	"locktorture/wire"
)

// FileName is the name of the file in the directory of an app.
const FileName = "app.yaml"

// A File has the settings of app.yaml.
type File struct {
	Path, Dir string
	App       string
	Replicas  int
	Command   []string
	Image     string            // replicas are containers of it
	Compose   string            // path of a compose file
	Service   string            // of the compose file, which is replicated; "": the one that is built
	Box       docker.Box        // of a replica, if replicas run in containers
	Services  []docker.Box      // of the compose file, besides that
	LeftOut   []string          // what of the compose file is not used
	User      string            // the user of replicas if torture is root; "": that of torture
	Needs     map[string]string // a program or a file → how to get it
	Once      bool              // a replica that ends by itself is not restarted
	Env       []Variable
	Servers   []Server
	Serves    []Service
	Before    [][]string
	After     [][]string // when all is healed and the load has ended
	Ready     Ready
	Load      *Load
	Jobs      []Job
	Faults    []string // nil: all that are possible
	Pause     Pausing
	TTL       time.Duration
	Duration  time.Duration
	Limits    Limits
}

// A Variable is a variable in the environment of a replica.
type Variable struct{ Name, Value string }

// A Server is a topology with its name in the file.
type Server struct {
	Name, Topology string
	Given          []*url.URL // the addresses of servers that the user runs; nil: torture starts them
}

// Protocol returns the protocol that the server speaks.
func (s Server) Protocol() string { return wire.ProtocolOf(s.Topology) }

// A Service is what every replica serves itself: the protocol and the address.
type Service struct{ Protocol, Addr string }

// Pausing has the settings of a pause.
type Pausing struct {
	Process     string        // the name of the processes that are stopped; "": all of the replica
	Least, Most time.Duration // 0: 1.3 to 2 TTL
}

// Ready is the sign that a replica can work. At most one field is set.
type Ready struct {
	HTTP, TCP string
	Line      *regexp.Regexp
}

// A Load is a program that makes the replicas work.
type Load struct {
	Command []string
	Asked   map[string]*regexp.Regexp // job → lines that request it for a key
}

// Limits bound the times of the programs in the file.
type Limits struct{ Before, Ready, Stop time.Duration }

// A Job is a job of the program: its guarantees, and the ways to observe it.
type Job struct {
	timeline.Job
	Event bool                      // the program reports it itself
	Lines map[string]*regexp.Regexp // mode → lines of its output
	Wire  *WireEffect               // nil: its effects are not observed on the wire
	Still *regexp.Regexp            // lines of after that name effects which are still there
	Span  *regexp.Regexp            // nil: it is not seen by spans
	While *While                    // nil: no replica is asked for it
}

// Read parses app.yaml, given as a file or its directory.
// Each of more may change and complete the file before it is checked as a whole.
func Read(path string, more ...func(*File) error) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	text, err := plainfile.Read(path, plainfile.Data)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file; torture app init writes one to begin with", path)
	}
	if err != nil {
		return nil, err
	}
	doc, err := strictyaml.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, fmt.Errorf("%s: it is empty; torture app init writes one to begin with", path)
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f := &File{
		Path: path, Dir: dir, App: filepath.Base(dir), Replicas: 2, TTL: 5 * time.Second, Duration: 30 * time.Second,
		Limits: Limits{Before: time.Minute, Ready: 30 * time.Second, Stop: 5 * time.Second},
	}
	r := reader{strictyaml.Reader{Path: path}, f}
	if err := r.file(doc); err != nil {
		return nil, err
	}
	for _, m := range more {
		if err := m(f); err != nil {
			return nil, err
		}
	}
	return f, f.check(doc.Line)
}

// check finds the errors in the file as a whole.
func (f *File) check(line int) error {
	wrong := func(format string, args ...any) error {
		return &strictyaml.Error{File: f.Path, Line: line, What: fmt.Sprintf(format, args...)}
	}
	switch {
	case len(f.Command) == 0 && !f.Boxed():
		return wrong("command is missing: name the command that starts one replica, such as [./billing, --port, \"${PORT}\"], or use image or compose")
	case f.Image != "" && f.Compose != "":
		return wrong("image and compose: use only one of them")
	case f.Boxed() && f.User != "":
		return wrong("user: only for processes of this machine; a container has the user of its image")
	case f.Boxed() && f.Pause.Process != "":
		return wrong("pause: process: a container is paused as a whole")
	case len(f.Jobs) == 0:
		return wrong("jobs are missing: name a job, how its runs are seen, and what it promises")
	}
	for _, w := range f.Command {
		if err := f.knows(w); err != nil {
			return wrong("%v", err)
		}
	}
	for _, words := range slices.Concat([][]string{f.loadCommand()}, f.Before, f.After) {
		for _, w := range words {
			if err := among(w, f.shared()); err != nil {
				return wrong("%v", err)
			}
		}
	}
	for _, v := range f.Env {
		if err := f.knows(v.Value); err != nil {
			return wrong("env %s: %v", v.Name, err)
		}
	}
	for _, s := range f.Serves {
		if err := f.knows(s.Addr); err != nil {
			return wrong("serves %s: %v", s.Protocol, err)
		}
		if slices.ContainsFunc(f.Servers, func(o Server) bool { return o.Name == s.Protocol }) {
			return wrong("replicas serve %s, but servers has this name too: give the server another name", s.Protocol)
		}
	}
	for _, s := range f.Servers {
		if slices.Contains([]string{byEvent, "line", "span", byAnswer}, s.Name) {
			return wrong("servers: a server cannot be called %s, because that is a way to see a job: give it another name", s.Name)
		}
	}
	if err := f.asks(); err != nil {
		return wrong("load: asked: %v", err)
	}
	for i, j := range f.Jobs {
		if j.Kept && len(f.After) == 0 {
			return wrong("kept of %s reads the output of the commands in the list after, but that list is empty", j.Name)
		}
		if j.While != nil {
			if err := j.While.check(f, j); err != nil {
				return wrong("while of %s: %v", j.Name, err)
			}
		}
		if j.Wire == nil {
			continue
		}
		if err := f.decodes(j.Wire.Server); err != nil {
			return wrong("effect of %s: %v", j.Name, err)
		}
		f.Jobs[i].Leads = slices.ContainsFunc(f.Serves, func(s Service) bool { return s.Protocol == j.Wire.Server })
	}
	for _, text := range []string{f.Ready.HTTP, f.Ready.TCP} {
		if err := f.knows(text); err != nil {
			return wrong("ready: %v", err)
		}
	}
	return nil
}

// asks returns an error if the load asks for an undeclared job.
func (f *File) asks() error {
	if f.Load == nil {
		return nil
	}
	var names []string
	for _, j := range f.Jobs {
		names = append(names, j.Name)
	}
	for _, job := range slices.Sorted(maps.Keys(f.Load.Asked)) {
		if err := suggest.Among(job, names); err != nil {
			return err
		}
	}
	return nil
}

// decodes returns an error unless effects can be observed on the links to a server.
func (f *File) decodes(server string) error {
	var known []string
	for _, s := range f.Serves {
		known = append(known, s.Protocol)
	}
	for _, s := range f.Servers {
		known = append(known, s.Name)
		if s.Name == server && answers()[s.Protocol()] == nil {
			return fmt.Errorf("torture cannot read the traffic to %s, only the traffic to servers that speak %s", s.Topology, strings.Join(slices.Sorted(maps.Keys(answers())), ", "))
		}
	}
	if len(known) == 0 {
		return fmt.Errorf("%q is no server: servers is empty", server)
	}
	return suggest.Among(server, known)
}

func (f *File) loadCommand() []string {
	if f.Load == nil {
		return nil
	}
	return f.Load.Command
}

// knows returns an error if a text for a replica has an unknown placeholder.
func (f *File) knows(text string) error { return among(text, f.placeholders()) }

// among returns an error if a text has a placeholder that is not known.
func among(text string, known []string) error {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if m[1] == "" || strings.HasPrefix(m[0], "$$") {
			continue
		}
		if err := suggest.Among(m[1], known); err != nil {
			return fmt.Errorf("${%s}: %w", m[1], err)
		}
	}
	return nil
}
