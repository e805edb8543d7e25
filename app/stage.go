package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"locktorture/cluster"
	"locktorture/history"
)

// A stage holds all that runs while the replicas are tortured.
type stage struct {
	act  *Act
	file *File
	now  func() int64
	book *book
	fail func(error) // ends the run

	events   *events
	host     hostClock
	replicas []*replica
	load     *process // nil: there is none, or it has not started
	links    []*cluster.Link
	services values   // addresses of what replicas serve, through links
	dirs     []string // directories of replicas outside of the run directory
	asked    []*asking
	looked   int64 // when the commands of after began

	life    context.Context // context of all replicas
	stop    context.CancelFunc
	keeping sync.WaitGroup
}

func newStage(a *Act, now func() int64) *stage {
	s := &stage{act: a, file: a.File, now: now, host: newHostClock(now), book: newBook(func(history.Op) {}), services: values{}}
	s.life, s.stop = context.WithCancel(context.Background())
	for n := range a.File.Replicas {
		s.replicas = append(s.replicas, &replica{stage: s, number: n + 1, process: n})
	}
	return s
}

// open runs the preparing programs, and starts the replicas and the load.
func (s *stage) open(ctx context.Context) (err error) {
	if s.events, err = listen(s.file, s.book, s.now); err != nil {
		return err
	}
	s.events.current = func(client int) int { return s.replicas[max(client, 1)-1].number0() }
	if err := s.address(); err != nil {
		return err
	}
	if err := s.boxes(ctx); err != nil {
		return err
	}
	if err := s.all(ctx, "before", s.file.Before); err != nil {
		return err
	}
	var group errgroup.Group
	for _, r := range s.replicas {
		group.Go(func() error { return r.start(ctx) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if s.file.Load == nil {
		return nil
	}
	if s.load, err = s.loader("load", s.file.Load.Command).start(); err != nil {
		return err
	}
	s.keeping.Go(func() {
		<-s.load.Done()
		s.book.asked("", "", "")
	})
	return nil
}

// all runs commands one after another.
func (s *stage) all(ctx context.Context, what string, commands [][]string) error {
	for i, words := range commands {
		p := s.loader(fmt.Sprintf("%s %d", what, i+1), words)
		if err := p.run(ctx, s.file.Limits.Before); err != nil {
			return err
		}
	}
	return nil
}

// after looks at what is left in the end.
func (s *stage) after(ctx context.Context) {
	if len(s.file.After) == 0 || ctx.Err() != nil {
		return
	}
	s.looked = s.now()
	if err := s.all(ctx, "after", s.file.After); err != nil {
		s.fail(err)
		return
	}
	for _, j := range s.file.Jobs {
		if j.Kept {
			s.book.kept(j.Name, "", s.looked)
		}
	}
}

// address gives every replica its port, its directory and its links.
func (s *stage) address() error {
	ports := map[string]string{}
	for _, r := range s.replicas {
		port, err := s.act.ports.Reserve()
		if err != nil {
			return err
		}
		ports[portOf(r.number)] = fmt.Sprint(port)
	}
	for _, r := range s.replicas {
		r.values = s.common(ports, r.number)
		dir, err := s.directory(r)
		if err != nil {
			return err
		}
		r.values[varPort], r.values[varReplica], r.values[varDir] = ports[portOf(r.number)], fmt.Sprint(r.number), dir
		if err := s.serve(r); err != nil {
			return err
		}
	}
	for _, r := range s.replicas {
		maps.Copy(r.values, s.services)
	}
	return nil
}

// common returns the values for a client of the servers: a replica by its number, or the load,
// whose links are the last.
func (s *stage) common(ports map[string]string, client int) values {
	v := values{varReplicas: fmt.Sprint(s.file.Replicas)}
	for name, port := range ports {
		v[name] = port
	}
	for i, server := range s.file.Servers {
		c := s.act.clusters[i]
		v.server(server.Name, c.Nodes[0].Name(), c.Endpoints(client))
		v.given(server)
	}
	return v
}

// program returns the program of a replica's next process.
func (s *stage) program(r *replica, number int, spans *collector, ready chan struct{}) program {
	v := values{}
	for name, value := range r.values {
		v[name] = value
	}
	v[varEvents] = s.events.url(r.number, number)
	if spans != nil {
		v[varSpans] = "http://" + spans.addr
	}
	var once sync.Once
	line := func(text string, began int64) {
		if p := s.file.Ready.Line; p != nil && p.MatchString(text) {
			once.Do(func() { close(ready) })
		}
		lineSeen(s.file.Jobs, s.book, r.number, number, text, began, s.now())
	}
	p := program{
		what: fmt.Sprintf("replica %d", r.number), command: s.file.as(v.all(s.file.Command)), dir: s.file.Dir,
		log: s.act.dir.Log(r.number), secrets: s.act.Secrets, now: s.now, line: line, look: s.file.lines(), clocked: s.act.movesClocks(),
	}
	if r.box != nil {
		v[varEvents] = r.box.events
		words := v.all(s.file.Command)
		v = r.box.env(v)
		p.starter, p.command = r.box.starter(words), append([]string{s.file.Box.Image}, words...)
	}
	p.env = append(spans.env(), s.env(v)...)
	return p
}

// loader returns a program that is no replica.
func (s *stage) loader(what string, words []string) program {
	v := s.common(nil, s.file.Replicas+1)
	for _, r := range s.replicas {
		v[portOf(r.number)] = r.values[varPort]
	}
	maps.Copy(v, s.services)
	v[varReplica], v[varEvents] = "0", s.events.url(0, 0)
	line := func(text string, _ int64) {
		for _, j := range s.file.Jobs {
			if j.Still == nil || !strings.HasPrefix(what, "after") {
				continue
			}
			if found, ok := match(j.Still, text); ok && found.key != "" {
				s.book.kept(j.Name, found.key, s.looked)
			}
		}
		if s.file.Load == nil || what != "load" {
			return
		}
		for job, p := range s.file.Load.Asked {
			if found, ok := match(p, text); ok {
				s.book.asked(job, found.key, "line")
			}
		}
	}
	return program{what: what, command: v.all(words), env: s.env(v), dir: s.file.Dir, log: s.act.dir.Log(0), secrets: s.act.Secrets, now: s.now, line: line}
}

// env returns the environment that a program gets besides that of torture.
func (s *stage) env(v values) (env []string) {
	for _, name := range []string{varPort, varReplica, varReplicas, varDir, varEvents} {
		if v[name] != "" {
			env = append(env, name+"="+v[name])
		}
	}
	for _, x := range s.file.Env {
		if !v.has(x.Value) { // it is for replicas, and this is not one
			continue
		}
		env = append(env, x.Name+"="+v.in(x.Value))
	}
	return env
}

// end ends all parts that still run.
func (s *stage) end(ctx context.Context) error {
	s.stop()
	errs := make([]error, len(s.replicas)+1)
	var ending sync.WaitGroup
	for i, r := range s.replicas {
		ending.Go(func() { errs[i] = r.finish(ctx, s.file.Limits.Stop) })
	}
	if s.load != nil {
		ending.Go(func() { errs[len(s.replicas)] = s.load.stop(ctx, s.file.Limits.Stop) })
	}
	ending.Wait()
	s.keeping.Wait()
	for _, l := range s.links {
		l.Close()
	}
	errs = append(errs, s.removeDirs())
	if s.events != nil {
		errs = append(errs, s.events.close())
	}
	return errors.Join(errs...)
}

// begins reports whether the begin of a run is observed for any job.
func (f *File) begins() bool {
	for _, j := range f.Jobs {
		if j.Event || j.Lines[history.JobBegin] != nil || j.Leads {
			return true
		}
	}
	return false
}

// lines reports whether the output of replicas is inspected.
func (f *File) lines() bool {
	for _, j := range f.Jobs {
		if len(j.Lines) > 0 {
			return true
		}
	}
	return false
}
