package trial

import (
	"errors"
	"io/fs"
	"iter"
	"slices"

	"locktorture/report/votes"
	"locktorture/wire"
	"locktorture/wire/redis"
	"locktorture/wire/tape"
	"locktorture/wire/trace"
)

// Traffic returns the recorded traffic of a run, for drawings; nil if there is none, or if the
// recording was cut off in its header. done frees it. scripts maps the names of Lua scripts to
// their sources. Redis alone is decoded.
func Traffic(dir *Dir, scripts map[string]string) (traffic votes.Traffic, done func() error, err error) {
	return TrafficBy(dir, scripts, nil)
}

// TrafficBy is Traffic with the decoder of each protocol; nil: Redis alone is decoded.
func TrafficBy(dir *Dir, scripts map[string]string, decoder func(protocol string) wire.Decoder) (traffic votes.Traffic, done func() error, err error) {
	r, file, err := tape.Open(dir.File(WireFile))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, tape.ErrNoTape) {
		return nil, func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	known := redis.NewScripts(scripts)
	if decoder == nil {
		decoder = func(protocol string) wire.Decoder {
			if protocol != "redis" { // only Redis has votes; other decoders would add modules to every user of gotest
				return nil
			}
			return redis.New(known)
		}
	}
	source := trace.Source{Tape: r, Decoder: decoder, Learn: func(protocol string, requests []byte) {
		if protocol == "redis" {
			known.Learn(requests)
		}
	}}
	return func(asked []votes.Question) ([][]votes.Message, error) {
		return pick(source.Rows(trace.Filter{}), asked, trace.Row.Mentions)
	}, file.Close, nil
}

// pick returns the rows that match the questions. It reads on until it is known for each of them
// whether the message was delivered or lost.
func pick(rows iter.Seq2[trace.Row, error], asked []votes.Question, mentions func(trace.Row, string) bool) ([][]votes.Message, error) {
	out := make([][]votes.Message, len(asked))
	last, open := int64(0), 0
	for _, q := range asked {
		last = max(last, q.To)
	}
	for r, err := range rows {
		if err != nil {
			return nil, err
		}
		if r.Time > last && open == 0 {
			break
		}
		for i, q := range asked {
			switch came := r.Time; {
			case q.Client > 0 && r.Client != q.Client || r.Raw:
			case r.Event == trace.Later, r.Event == trace.Lost: // reports on an earlier message
				open -= late(out[i], r)
			case r.Event != trace.Message || came < q.From || came > q.To || len(out[i]) == votes.MostMessages || q.Word != "" && !mentions(r, q.Word):
			default:
				out[i] = append(out[i], votes.Message{
					Client: r.Client, Node: r.Node, Reply: r.Reply, Text: r.Text, Of: r.Of, Came: came, Left: r.Left,
				})
				if r.Left == 0 && !r.Lost {
					open++
				}
			}
		}
	}
	return out, nil
}

// late records the time at which a delayed message was delivered. It returns 1 if the fate of a
// message in list is now known, or 0 if list does not contain the message.
func late(list []votes.Message, r trace.Row) int {
	at := slices.IndexFunc(list, func(m votes.Message) bool {
		return m.Came == r.Came && m.Node == r.Node && m.Reply == r.Reply && m.Text == r.Text
	})
	if at < 0 {
		return 0
	}
	if r.Event == trace.Later {
		list[at].Left = r.Time
	}
	return 1
}
