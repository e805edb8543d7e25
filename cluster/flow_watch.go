package cluster

// A watch connects a flow with the watcher and the gate of its connection.
type watch struct {
	conn  *conn // nil: the flow cannot be watched
	reply bool

	turn    int64
	watcher Watcher
	gate    Gate
}

// look updates the current watcher and gate.
func (w *watch) look() {
	if w.conn == nil {
		return
	}
	if turn := w.conn.taps.turn.Load(); turn > w.turn {
		w.turn = turn
		w.watcher, w.gate = w.conn.watch(w.reply)
	}
}

func (w *watch) leave(p parcel) {
	if w.watcher != nil {
		w.watcher.Leave(p.id)
	}
}

func (w *watch) lose(p parcel) {
	if w.watcher != nil && !p.ends {
		w.watcher.Lose(p.id)
	}
}

func (w *watch) end() {
	if w.watcher != nil {
		w.watcher.End()
	}
}

// enter accepts arriving data, divided into the pieces that a gate returns, or as a whole.
func (f *flow) enter(s *state, chunk []byte) {
	f.watch.look()
	if f.watch.gate == nil {
		f.takePiece(s, Piece{Data: chunk})
		return
	}
	for _, p := range f.watch.gate.Pass(chunk) {
		f.takePiece(s, p)
	}
}

func (f *flow) takePiece(s *state, piece Piece) {
	p := parcel{data: piece.Data, free: piece.Free, ends: piece.Ends}
	if f.watch.watcher != nil && !piece.Ends {
		p.id = f.watch.watcher.Enter(piece.Data)
	}
	if piece.Lost {
		f.watch.lose(p)
		return
	}
	f.take(s, p)
}

// guarded reports whether a guard keeps a message back, and stores the channel that releases it.
func (f *flow) guarded(p parcel) bool {
	if p.free == nil {
		return false
	}
	select {
	case <-p.free:
		return false
	default:
		f.wait = p.free
		return true
	}
}
