package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/internal/exit"
	"locktorture/report/scorecard"
)

// An Offer is a queue to a program that carries its tries out: what it may ask for.
type Offer struct {
	ctx    context.Context
	queue  Queue
	config json.RawMessage
	once   sync.Once
	ended  chan error // buffered
}

// Terms are what the program is told first.
type Terms struct {
	Config   json.RawMessage
	Deadline time.Time // zero: none
}

// A Taken is the try that is to be carried out next, if there is one.
type Taken struct {
	Try scorecard.Try
	OK  bool
}

// An Outcome says how an execution ended. Without a text it is done.
type Outcome struct {
	Code int
	Text string
}

// Nothing is what a call takes or gives that has nothing to say.
type Nothing struct{}

// offer answers on a connection until it is ended. What the execution came to is sent once.
func offer(ctx context.Context, q Queue, config json.RawMessage, conn io.ReadWriteCloser) (end func(), ended <-chan error) {
	o := &Offer{ctx: ctx, queue: q, config: config, ended: make(chan error, 1)}
	s := rpc.NewServer()
	if err := s.RegisterName("Queue", o); err != nil {
		panic(err) // its methods are below
	}
	go s.ServeCodec(jsonrpc.NewServerCodec(conn))
	return func() { _ = conn.Close() }, o.ended
}

// Terms tells the program what it has to know.
func (o *Offer) Terms(_ Nothing, t *Terms) error {
	t.Config = o.config
	t.Deadline, _ = o.ctx.Deadline()
	return nil
}

// Interrupted returns when the execution is to end early.
func (o *Offer) Interrupted(Nothing, *Nothing) error {
	<-o.ctx.Done()
	return nil
}

// Next, Begin and End call the queue's methods of the same names.
func (o *Offer) Next(_ Nothing, t *Taken) error {
	t.Try, t.OK = o.queue.Next(o.ctx)
	return nil
}

// Begin says that a try runs now.
func (o *Offer) Begin(t scorecard.Try, _ *Nothing) error {
	o.queue.Begin(t)
	return nil
}

// End keeps what a try came to.
func (o *Offer) End(t scorecard.Try, _ *Nothing) error {
	o.queue.End(t)
	return nil
}

// Ended returns the program's last word.
func (o *Offer) Ended(outcome Outcome, _ *Nothing) error {
	o.once.Do(func() {
		if outcome.Text == "" {
			o.ended <- nil
			return
		}
		o.ended <- exit.With(outcome.Code, errors.New(outcome.Text))
	})
	return nil
}

// Serve returns the side of the program: it executes what is asked for on a connection, which
// ends with the process that has the matrix. That may be killed: gone is then called, and must
// end this process at once, as whatever goes on would take a queue that is gone for an empty
// one.
func Serve(conn io.ReadWriteCloser, gone func(), execute func(ctx context.Context, config json.RawMessage, q Queue) error) error {
	q := &taker{rpc.NewClientWithCodec(jsonrpc.NewClientCodec(conn))}
	defer q.Close()
	var t Terms
	if err := q.Call("Queue.Terms", Nothing{}, &t); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	if !t.Deadline.IsZero() {
		ctx, cancel = context.WithDeadline(context.Background(), t.Deadline)
	}
	defer cancel()
	var done atomic.Bool
	go func() {
		if err := q.Call("Queue.Interrupted", Nothing{}, new(Nothing)); err != nil && !done.Load() {
			gone()
		}
		cancel()
	}()
	outcome := Outcome{}
	err := execute(ctx, t.Config, q)
	done.Store(true)
	if err != nil {
		outcome = Outcome{Code: exit.Harness, Text: err.Error()}
		if e := (*exit.Error)(nil); errors.As(err, &e) {
			outcome.Code = e.Code
		}
	}
	return q.Call("Queue.Ended", outcome, new(Nothing))
}

// A taker is the queue as the program sees it.
type taker struct{ *rpc.Client }

func (q *taker) Next(context.Context) (scorecard.Try, bool) {
	var t Taken
	if err := q.Call("Queue.Next", Nothing{}, &t); err != nil {
		select {} // the matrix is gone, and this process about to end
	}
	return t.Try, t.OK
}

func (q *taker) Begin(t scorecard.Try) { _ = q.Call("Queue.Begin", t, new(Nothing)) }

func (q *taker) End(t scorecard.Try) { _ = q.Call("Queue.End", t, new(Nothing)) }
