package nemesis

import (
	"context"
	"errors"
	"slices"
)

// A Substituter is a fault of one client that strikes another client if the drawn one does not
// appear. The drawn client may wait for a lock as long as another client holds it.
type Substituter interface {
	Nemesis
	// Instead is called after Inject has returned ErrNotStruck. free holds the numbers of the
	// clients that no other fault strikes, including the drawn one. Instead is like Inject,
	// and also returns the step as it was executed, whose Clients name the struck client.
	Instead(ctx context.Context, w *World, s Step, free []int) (struck Step, seen string, heal func(context.Context) error, err error)
}

// inject calls Inject of the step's fault. If the drawn client does not appear, it calls
// Instead. struck is the step as it was executed.
func (e *executor) inject(ctx context.Context, s Step) (struck Step, seen string, heal func(context.Context) error, err error) {
	kind := e.kinds[s.Fault]
	w := *e.w
	w.Begins = func() { e.tell(func() { e.events.Began(s) }) }
	seen, heal, err = kind.Inject(ctx, &w, s)
	other, ok := kind.(Substituter)
	if !ok || !errors.Is(err, ErrNotStruck) || ctx.Err() != nil {
		return s, seen, heal, err
	}
	free := e.reserve(s)
	struck, seen, heal, err = other.Instead(ctx, &w, s, free)
	if err != nil {
		struck = s
	}
	e.settle(struck)
	return struck, seen, heal, err
}

// reserve makes an active step strike all clients that no other active step strikes, and returns
// their numbers. The other lane then avoids all of them until settle names the struck one.
func (e *executor) reserve(s Step) (free []int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for n := range e.w.Clients {
		one := Step{Clients: []int{n + 1}}
		taken := slices.ContainsFunc(e.active, func(o Step) bool { return o.N != s.N && clash(o, one) })
		if !taken {
			free = append(free, n+1)
		}
	}
	e.replace(s.N, free)
	return free
}

// settle reduces the clients of an active step to the struck one.
func (e *executor) settle(s Step) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.replace(s.N, s.Clients)
	close(e.changed)
	e.changed = make(chan struct{})
}

// replace sets the clients of an active step. The caller holds e.mu.
func (e *executor) replace(n int, clients []int) {
	for i := range e.active {
		if e.active[i].N == n {
			e.active[i].Clients = clients
		}
	}
}

// A meeting is a client that is stopped at its place until letGo is called.
type meeting struct {
	client int // number
	where  string
	letGo  func()
	err    error
}

// firstOf calls meet for all clients with these numbers at once. It keeps the first client
// that meet stops, and releases the others. The error wraps ErrNotStruck if meet stops none
// within its bound.
func firstOf(ctx context.Context, w *World, numbers []int, meet func(context.Context, Client) (string, func(), error)) (meeting, error) {
	ctx, first := context.WithCancel(ctx)
	defer first()
	all := make(chan meeting, len(numbers))
	for _, n := range numbers {
		go func() {
			where, letGo, err := meet(ctx, w.Clients[n-1])
			all <- meeting{n, where, letGo, err}
		}()
	}
	var kept meeting
	err := ErrNotStruck
	for range numbers {
		m := <-all
		switch {
		case m.err == nil && kept.letGo == nil:
			kept = m
			first() // the others need not wait
		case m.err == nil:
			m.letGo()
		case kept.letGo == nil && !errors.Is(m.err, ErrNotStruck):
			err = m.err
		}
	}
	if kept.letGo == nil {
		return meeting{}, err
	}
	return kept, nil
}
