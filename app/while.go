package app

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	_ "github.com/go-sql-driver/mysql" // while: {mariadb: …}
	"github.com/jackc/pgx/v5"
	"go.yaml.in/yaml/v3"

	"locktorture/history"
)

// A While is a question by which a replica is seen to be inside a job, for as long as it answers yes.
type While struct {
	Kind   string         // http, postgres or mariadb
	Ask    string         // an address, or a statement of SQL
	URL    string         // of a server of SQL
	Status string         // of an answer of HTTP that is yes; "": 2xx
	Body   *regexp.Regexp // in an answer of HTTP that is yes; nil: any
}

const (
	byAnswer = "while"
	askEvery = 20 * time.Millisecond
	// askLimit bounds the wait for an answer. One that comes later proves nothing.
	askLimit = time.Second
	// longestAnswer bounds the body of an answer that is read, in bytes.
	longestAnswer = 64 << 10
)

// asks lists the kinds of questions. Whether a port accepts connections is none: the kernel accepts
// them for a process that is stopped.
func asks() []string { return []string{"http", "postgres", "mariadb"} }

func (r reader) while(n *yaml.Node, j *Job) error {
	w := &While{}
	j.While, j.Leads, j.Effects, j.Ends = w, true, true, true
	err := r.Each(n, append(asks(), "url", "status", "body", "term"), func(key, v *yaml.Node) (err error) {
		switch key.Value {
		case "url":
			w.URL, err = r.Text(v)
		case "status":
			code := 0
			err = r.number(v, 100, 599, &code)
			w.Status = fmt.Sprint(code)
		case "body":
			w.Body, err = r.pattern(v, true)
		case "term":
			err = r.span(v, &j.Term)
		default:
			if w.Kind != "" {
				return r.Wrong(key, "while: only one of these questions is possible: %s", strings.Join(asks(), ", "))
			}
			w.Kind = key.Value
			w.Ask, err = r.Text(v)
		}
		return err
	})
	sql := w.Kind == "postgres" || w.Kind == "mariadb"
	switch {
	case err != nil:
		return err
	case w.Kind == "":
		return r.Wrong(n, "while: one of these questions is needed: %s", strings.Join(asks(), ", "))
	case w.Kind != "http" && (w.Status != "" || w.Body != nil):
		return r.Wrong(n, "while: only http has status and body")
	case !sql && w.URL != "":
		return r.Wrong(n, "while: url must be the URL of an SQL server")
	}
	return nil
}

// check finds what is wrong with a question as part of its file.
func (w *While) check(f *File, j Job) error {
	if w.Kind == "postgres" && w.URL == "" {
		i := slices.IndexFunc(f.Serves, func(s Service) bool { return s.Protocol == w.Kind })
		if i < 0 {
			return errors.New("url is missing: the URL at which a replica is asked, such as postgres://postgres@127.0.0.1:${PORT}/postgres")
		}
		w.URL = "postgres://postgres@" + f.Serves[i].Addr + "/postgres"
	}
	switch {
	case w.Kind == "mariadb" && w.URL == "":
		return errors.New("url is missing: the address at which a replica is asked, such as root@tcp(127.0.0.1:${PORT})/mysql")
	case j.OnceEachKey || j.NoneLost:
		return errors.New("an answer has no key, so such a job can promise only one_at_a_time and again_within")
	}
	for _, text := range []string{w.Ask, w.URL} {
		if err := f.knows(text); err != nil {
			return err
		}
	}
	return nil
}

// ask asks every replica, again and again, until the replicas end.
func (s *stage) ask() {
	for _, j := range s.file.Jobs {
		if j.While == nil {
			continue
		}
		a := &asking{job: j.Name}
		s.asked = append(s.asked, a)
		for _, r := range s.replicas {
			s.keeping.Go(func() { r.asked(a, j.While) })
		}
	}
}

// An asking remembers whether any replica has answered the question of a job.
type asking struct {
	job string

	mu       sync.Mutex
	answered bool
	err      error // why the latest question got no answer
}

func (a *asking) got(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answered = a.answered || err == nil
	a.err = err
}

// unanswered returns an error if no question got an answer in the whole run, as with a wrong address.
func (a *asking) unanswered() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answered || a.err == nil {
		return nil
	}
	return fmt.Errorf("job %s: while: no replica has answered in the whole run. The latest error: %w", a.job, a.err)
}

// asked asks a replica until it ends for good. An answer was true at a moment between question and
// arrival. No answer proves nothing.
func (r *replica) asked(a *asking, w *While) {
	ask, over := w.of(r.values)
	defer over()
	for pause(r.stage.life, askEvery) {
		s := sight{client: r.number, process: r.number0(), job: a.job, way: byAnswer, began: r.stage.now()}
		if _, err := r.present(); err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(r.stage.life, askLimit)
		found, yes, err := ask(ctx)
		cancel()
		if r.stage.life.Err() == nil {
			a.got(err)
		}
		if s.token = found.token; err == nil && s.process == r.number0() {
			r.stage.book.answered(s, yes)
		}
	}
}

// A question asks once.
type question func(ctx context.Context) (found sight, yes bool, err error)

// of returns the question to one replica, and what ends it.
func (w *While) of(v values) (ask question, over func()) {
	switch w.Kind {
	case "http":
		c := &http.Client{Transport: &http.Transport{DisableCompression: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		return func(ctx context.Context) (sight, bool, error) { return w.http(ctx, c, v.in(w.Ask)) }, c.CloseIdleConnections
	case "postgres":
		p := &postgres{url: v.in(w.URL), ask: w.Ask}
		return p.answer, p.close
	}
	m := &mariadb{ask: w.Ask}
	m.db, m.err = sql.Open("mysql", v.in(w.URL))
	return m.answer, m.close
}

// http asks over HTTP.
func (w *While) http(ctx context.Context, c *http.Client, url string) (found sight, yes bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return found, false, err
	}
	answer, err := c.Do(req)
	if err != nil {
		return found, false, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, longestAnswer))
	if err != nil {
		return found, false, err
	}
	code := fmt.Sprint(answer.StatusCode)
	if yes = code == w.Status || w.Status == "" && strings.HasPrefix(code, "2"); yes && w.Body != nil {
		found, yes = match(w.Body, string(body))
	}
	return found, yes, nil
}

// A postgres asks a PostgreSQL over one connection.
type postgres struct {
	url, ask string
	conn     *pgx.Conn
}

func (p *postgres) close() {
	if p.conn != nil {
		_ = p.conn.Close(context.Background()) // it has nothing to write
	}
	p.conn = nil
}

func (p *postgres) answer(ctx context.Context) (found sight, yes bool, err error) {
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.conn == nil {
		if p.conn, err = pgx.Connect(ctx, p.url); err != nil {
			return found, false, err
		}
	}
	rows, err := p.conn.Query(ctx, p.ask, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return found, false, err
	}
	defer rows.Close()
	if rows.Next() {
		found, yes = answerOf(rows.RawValues())
	}
	rows.Close()
	return found, yes, rows.Err()
}

// A mariadb asks a MariaDB.
type mariadb struct {
	ask string
	db  *sql.DB
	err error // of its address
}

func (m *mariadb) close() {
	if m.err == nil {
		_ = m.db.Close() // it has nothing to write
	}
}

func (m *mariadb) answer(ctx context.Context) (found sight, yes bool, err error) {
	if m.err != nil {
		return found, false, m.err
	}
	rows, err := m.db.QueryContext(ctx, m.ask)
	if err != nil {
		return found, false, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		return found, false, errors.Join(err, rows.Err())
	}
	row, into := make([]sql.RawBytes, len(columns)), []any{}
	for i := range row {
		into = append(into, &row[i])
	}
	if err := rows.Scan(into...); err != nil {
		return found, false, err
	}
	found, yes = answerOf(row)
	return found, yes, nil
}

// answerOf reads a row: whether it says yes, and in its second column the number of the term.
func answerOf[C ~[]byte](row []C) (found sight, yes bool) {
	if len(row) > 1 {
		found.token = number(string(row[1]))
	}
	return found, len(row) > 0 && slices.Contains([]string{"t", "true", "1", "ON", "YES"}, string(row[0]))
}

// answered records an answer. Yes after no begins a run, and so does yes with another token.
func (b *book) answered(s sight, yes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.open, func(r *open) bool { return r.process == s.process && r.job == s.job })
	if b.dead[s.process] {
		return
	}
	if i >= 0 && (!yes || b.open[i].token != s.token) {
		b.note(b.open[i].entry(s, history.JobEnd))
		b.close(b.open[i])
		i = -1
	}
	if !yes {
		return
	}
	if s.mode = history.JobEffect; i < 0 {
		b.runOf(s)
		i = len(b.open) - 1
	}
	b.open[i].heard = time.Now()
	b.note(b.open[i].entry(s, history.JobEffect))
}
