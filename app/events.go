package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktorture/history"
)

// An event is the body of a POST to ${TORTURE_EVENTS}/begin, /try, /effect, /end or /asked.
type event struct {
	Job     string `json:"job"`
	Key     string `json:"key"`
	Token   uint64 `json:"token"`
	Refused bool   `json:"refused"`
}

// byEvent is the way in which a job is seen if the program itself reports it.
const byEvent = "event"

// longestEvent bounds the body of an event.
const longestEvent = 64 << 10

// events serves the events of all replicas and of the load, each at a path of its own.
type events struct {
	file   *File
	book   *book
	now    func() int64
	server *http.Server
	addr   string
	// current returns the number of the process of a replica whose address does not name it.
	current func(client int) int
}

// connOf is the key of a request's connection in its context.
type connOf struct{}

func listen(f *File, b *book, now func() int64) (*events, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for events: %w", err)
	}
	e := &events{file: f, book: b, now: now, addr: l.Addr().String()}
	e.server = &http.Server{
		Handler: e, ReadHeaderTimeout: 10 * time.Second,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connOf{}, c) },
	}
	go func() { _ = e.server.Serve(l) }() // it ends with close
	return e, nil
}

// also listens on another address, for a replica whose environment stays the same after a restart,
// and returns where it posts its events.
func (e *events) also(host string, client int) (string, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", fmt.Errorf("listen for events of a container: %w", err)
	}
	go func() { _ = e.server.Serve(l) }() // it ends with close
	return fmt.Sprintf("http://%s/%d", l.Addr(), client), nil
}

func (e *events) close() error { return e.server.Close() }

// url returns the address to which a process of a replica posts its events. Replica 0 is the load.
func (e *events) url(client, process int) string {
	return fmt.Sprintf("http://%s/%d.%d", e.addr, client, process)
}

// ServeHTTP implements http.Handler. It takes the time stamp when the whole event has arrived. The
// sender waits for the answer, so its state is as reported until then, unless it has disconnected
// meanwhile.
func (e *events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s, err := e.read(r)
	if err != nil {
		http.Error(w, "torture: "+err.Error(), http.StatusBadRequest)
		return
	}
	if s.mode == history.JobAsked {
		e.book.asked(s.job, s.key, byEvent)
		return
	}
	at := e.now()
	if c, ok := r.Context().Value(connOf{}).(net.Conn); ok && hungUp(c) && s.mode != history.JobEffect {
		return
	}
	e.book.seen(s, at)
}

// read reads an event.
func (e *events) read(r *http.Request) (s sight, err error) {
	who, mode, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	client, process, named := strings.Cut(who, ".")
	modes := []string{history.JobBegin, history.JobTry, history.JobEffect, history.JobEnd, history.JobAsked}
	s.client, err = strconv.Atoi(client)
	switch known := err == nil && s.client >= 0 && s.client <= e.file.Replicas; {
	case known && named:
		s.process, err = strconv.Atoi(process)
	case known:
		s.process = e.current(s.client)
	case err == nil:
		err = strconv.ErrRange
	}
	switch {
	case err != nil || s.process < 0:
		return s, fmt.Errorf("%s is not below $TORTURE_EVENTS", r.URL.Path)
	case r.Method != http.MethodPost:
		return s, fmt.Errorf("%s: an event is sent by POST", r.Method)
	case !slices.Contains(modes, mode):
		return s, fmt.Errorf("%q: POST to $TORTURE_EVENTS/ followed by one of %s", mode, strings.Join(modes, ", "))
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, longestEvent+1))
	if err != nil || len(body) > longestEvent {
		return s, fmt.Errorf("the event is incomplete, or longer than %d bytes", longestEvent)
	}
	var v event
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return s, fmt.Errorf("%q is no event: %w; one is {\"job\": \"payout\", \"key\": \"17\"}", short(string(body)), err)
	}
	s.job, s.key, s.token, s.refused, s.mode, s.way = v.Job, v.Key, v.Token, v.Refused, mode, byEvent
	return s, e.fits(s)
}

// fits returns an error if the file has no such event.
func (e *events) fits(s sight) error {
	i := slices.IndexFunc(e.file.Jobs, func(j Job) bool { return j.Name == s.job })
	switch {
	case i < 0:
		var names []string
		for _, j := range e.file.Jobs {
			names = append(names, j.Name)
		}
		return fmt.Errorf("there is no job %q; %s has %s", short(s.job), FileName, strings.Join(names, ", "))
	case s.mode == history.JobAsked:
	case s.client < 1:
		return fmt.Errorf("%s: the load may report only requests (asked)", s.mode)
	case !e.file.Jobs[i].Event || e.file.Jobs[i].Lines[s.mode] != nil, e.file.Jobs[i].Wire != nil && (s.mode == history.JobTry || s.mode == history.JobEffect):
		return fmt.Errorf("%s of %s: do not report it, because %s says how torture sees it", s.mode, s.job, FileName)
	}
	return nil
}

// short shortens an external text for a message.
func short(s string) string {
	const limit = 80
	if len(s) > limit {
		return s[:limit] + "…"
	}
	return s
}
