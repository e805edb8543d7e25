package trial

import (
	"errors"
	"io/fs"
	"iter"
	"slices"
	"time"

	"locktorture/report/votes"
	"locktorture/wire"
	"locktorture/wire/redis"
	"locktorture/wire/tape"
	"locktorture/wire/trace"
)

// Traffic returns the recorded traffic of a run, for drawings; nil if there is none, or what
// there is was cut off before it said what it is. Done frees it. Scripts are the sources of
// Lua scripts by their names.
func Traffic(dir *Dir, scripts map[string]string) (traffic votes.Traffic, done func() error, err error) {
	r, file, err := tape.Open(dir.File(WireFile))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, tape.ErrNoTape) {
		return nil, func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	known := redis.NewScripts(scripts)
	source := trace.Source{Tape: r, Decoder: func(protocol string) wire.Decoder {
		if protocol != "redis" { // votes are of Redis; decoders of others would bring their modules to whoever tests with gotest
			return nil
		}
		return redis.New(known)
	}}
	return func(asked []votes.Question) ([][]votes.Message, error) {
		f := trace.Filter{}
		for _, q := range asked {
			f.To = max(f.To, time.Duration(q.To+1))
		}
		return messages(source.Rows(f), asked)
	}, file.Close, nil
}

// messages picks the rows that are asked for.
func messages(rows iter.Seq2[trace.Row, error], asked []votes.Question) ([][]votes.Message, error) {
	out := make([][]votes.Message, len(asked))
	for r, err := range rows {
		if err != nil {
			return nil, err
		}
		for i, q := range asked {
			switch came := r.Time; {
			case q.Client > 0 && r.Client != q.Client || r.Raw || len(out[i]) == votes.MostMessages:
			case r.Event == trace.Later: // the row of an earlier one
				late(out[i], r)
			case r.Event == trace.Message && q.From <= came && came <= q.To && r.Mentions(q.Word):
				out[i] = append(out[i], votes.Message{
					Client: r.Client, Node: r.Node, Reply: r.Reply, Text: r.Text, Of: r.Of, Came: came, Left: r.Left,
				})
			}
		}
	}
	return out, nil
}

// late says of a message that was kept back when it went on.
func late(list []votes.Message, r trace.Row) {
	at := slices.IndexFunc(list, func(m votes.Message) bool {
		return m.Came == r.Came && m.Node == r.Node && m.Reply == r.Reply && m.Text == r.Text
	})
	if at >= 0 {
		list[at].Left = r.Time
	}
}
