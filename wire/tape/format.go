package tape

import (
	"encoding/binary"
	"errors"
)

// Version is the version of the format, which the comment of the package describes.
const Version = 1

const (
	magic      = "torture wire\n"
	headSize   = 64 << 10 // of the file, before the first block
	blockSize  = 32 << 10
	blockMagic = 0x6b6f6c62 // "blok"
	blockHead  = 32
)

// A Meta describes a tape: it stands at its begin.
type Meta struct {
	Version int    `json:"version"`
	Block   int    `json:"block"` // bytes
	Links   []Link `json:"links"`
}

// A Link is one that was recorded.
type Link struct {
	Client   int    `json:"client,omitempty"` // who opens connections; 0: a node
	From     string `json:"from,omitempty"`   // the name of that node
	To       string `json:"to,omitempty"`     // a node; "": the primary of the moment
	Protocol string `json:"protocol,omitempty"`
}

// A Kind is what an event tells.
type Kind byte

// The kinds.
const (
	Connect Kind = iota + 1 // a connection, or one that was there before the tape
	Enter                   // data came into the proxy; a chunk may take several events
	Leave                   // a chunk went on
	Lose                    // a chunk never will
	End                     // of one direction
	turn                    // the client goes on under another process number
	Gap                     // something of the link is missing here; Conn, Process and Chunk are not told
)

// An Event is what happened on a link.
type Event struct {
	Time    int64 // ns on the clock of the history
	Link    int   // index into Meta.Links
	Kind    Kind
	Conn    int  // numbered from 1, over all links
	Reply   bool // from the server
	Process int  // under which the client worked then; of nodes 0
	Chunk   int  // in its direction of the connection
	Data    []byte
}

// A blockHeader stands before the records of a block.
type blockHeader struct {
	link, index, used, process uint32
	base                       int64 // ns, of the first record
}

func (h blockHeader) encode() []byte {
	b := make([]byte, blockHead)
	binary.LittleEndian.PutUint32(b, blockMagic)
	binary.LittleEndian.PutUint32(b[4:], h.link)
	binary.LittleEndian.PutUint32(b[8:], h.index)
	binary.LittleEndian.PutUint32(b[12:], h.used)
	binary.LittleEndian.PutUint32(b[16:], h.process)
	binary.LittleEndian.PutUint64(b[24:], uint64(h.base))
	return b
}

func decodeHeader(b []byte) (h blockHeader, ok bool) {
	if len(b) < blockHead || binary.LittleEndian.Uint32(b) != blockMagic {
		return h, false
	}
	h.link, h.index = binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	h.used, h.process = binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:])
	h.base = int64(binary.LittleEndian.Uint64(b[24:]))
	return h, h.used <= blockSize-blockHead && h.base >= 0
}

// appendRecord adds a record: its kind, ns since the one before it, the connection and its
// direction, then the number of the chunk or of the process, and the data.
func appendRecord(b []byte, e Event, since int64) []byte {
	b = append(b, byte(e.Kind))
	b = binary.AppendUvarint(b, uint64(since))
	way := uint64(e.Conn) << 1
	if e.Reply {
		way |= 1
	}
	b = binary.AppendUvarint(b, way)
	switch e.Kind {
	case Enter:
		b = binary.AppendUvarint(b, uint64(e.Chunk))
		b = binary.AppendUvarint(b, uint64(len(e.Data)))
		b = append(b, e.Data...)
	case Leave, Lose:
		b = binary.AppendUvarint(b, uint64(e.Chunk))
	case turn:
		b = binary.AppendUvarint(b, uint64(e.Process))
	}
	return b
}

// longestRecord is the greatest size of a record without its data, in bytes.
const longestRecord = 1 + 4*binary.MaxVarintLen64

var errDamaged = errors.New("damaged record")

// A fields reads the numbers of a record.
type fields struct {
	b      []byte
	broken bool
}

func (f *fields) next(limit uint64) uint64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 || v > limit {
		f.broken = true
		return 0
	}
	f.b = f.b[n:]
	return v
}

// readRecord reads the record at the begin of b. Its time is still the one since the record
// before.
func readRecord(b []byte) (e Event, rest []byte, err error) {
	const big = 1<<62 - 1
	f := &fields{b: b[1:]}
	e.Kind = Kind(b[0])
	e.Time = int64(f.next(big))
	way := f.next(big)
	e.Conn, e.Reply = int(way>>1), way&1 == 1
	switch e.Kind {
	case Connect, End:
	case Enter:
		e.Chunk = int(f.next(big))
		n := f.next(uint64(len(b)))
		if f.broken || n > uint64(len(f.b)) {
			return e, nil, errDamaged
		}
		e.Data, f.b = f.b[:n:n], f.b[n:]
	case Leave, Lose:
		e.Chunk = int(f.next(big))
	case turn:
		e.Process = int(f.next(1 << 32))
	default:
		return e, nil, errDamaged
	}
	if f.broken {
		return e, nil, errDamaged
	}
	return e, f.b, nil
}
