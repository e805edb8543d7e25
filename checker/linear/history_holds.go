package linear

import "locktorture/history"

func (b *Builder) lockOp(o Operation, call, done *history.Op) {
	lock, p := call.Lock, o.Process
	h, holds := b.held[p][lock]
	o.Token = max(done.Token, call.Token)
	server := o.Status != Refused || done.Refused == history.ByServer
	o.Shared = h.shared
	if done.F == history.Renew {
		o.F = Renew
		if server && !h.lost {
			b.add(lock, o)
			b.touch(p, lock, done.Time)
			if o.Status == Refused {
				delete(b.held[p], lock)
			}
		}
		return
	}
	if h.lost { // a release or another acquire shows that the lost lease is over
		ended := Operation{Status: OK, Return: done.Time}
		if done.F != history.Release {
			ended.Return = o.Call
		} else if o.Status == Pending {
			ended = Operation{Status: Pending}
		}
		b.end(p, lock, h, ended)
		if done.F == history.Release {
			return
		}
		holds = false
	}
	if done.F == history.Release {
		b.released(o, lock, h, server)
		return
	}
	o.F, o.Shared = Acquire, call.Mode == history.Shared
	if server {
		b.add(lock, o)
	}
	if o.Status == OK {
		if !holds || h.token != o.Token {
			h = holding{}
		}
		b.hold(p, lock, holding{h.grants + 1, o.Token, o.Return, false, o.Line, o.Shared})
	}
}

func (b *Builder) released(o Operation, lock string, h holding, server bool) {
	o.F = Release
	if h.grants--; h.grants > 0 && !(server && o.Status == Refused) {
		if h.after = o.Call; o.Status != Pending {
			h.after = o.Return
		}
		b.hold(o.Process, lock, h)
	} else {
		delete(b.held[o.Process], lock)
	}
	if !server { // the client itself believes that its lease is over
		h.after = o.Call
		b.end(o.Process, lock, h, Operation{Status: Pending})
		return
	}
	b.add(lock, o)
}

// end records that what p holds may end from h.after on.
func (b *Builder) end(p int, lock string, h holding, o Operation) {
	o.F, o.Process, o.Call, o.Token, o.Line, o.Shared = End, p, h.after, h.token, h.line, h.shared
	delete(b.held[p], lock)
	b.add(lock, o)
}

func (b *Builder) hold(p int, lock string, h holding) {
	if b.held[p] == nil {
		b.held[p] = map[string]holding{}
	}
	b.held[p][lock] = h
}

func (b *Builder) touch(p int, lock string, at int64) {
	if h, ok := b.held[p][lock]; ok {
		h.after = at
		b.held[p][lock] = h
	}
}

func (b *Builder) lost(p int, lock string, lease, at int64) {
	if h, ok := b.held[p][lock]; ok && !h.lost && !b.releasing(p, lock, lease) {
		h.lost, h.after = true, max(h.after, at)
		b.held[p][lock] = h
	}
}

// releasing reports whether the release of what p holds is under way, perhaps by the next process of
// its client.
func (b *Builder) releasing(p int, lock string, lease int64) bool {
	for by, f := range b.open {
		if f.op.F == history.Release && f.op.Lock == lock && (by == p || lease != 0 && f.op.Lease == lease) {
			return true
		}
	}
	return false
}

// crash ends a process: its open operation has an unknown outcome, and what
// it holds may end.
func (b *Builder) crash(p int, at int64) {
	if f, ok := b.open[p]; ok {
		delete(b.open, p)
		f.op.Type = history.Info
		b.complete(f, &f.op)
	}
	for lock, h := range b.held[p] {
		h.after = max(h.after, at)
		b.end(p, lock, h, Operation{Status: Pending})
	}
	delete(b.held, p)
}
