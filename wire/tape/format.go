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

// A Meta describes a tape, at the start of its file.
type Meta struct {
	Version int    `json:"version"`
	Block   int    `json:"block"` // bytes
	Links   []Link `json:"links"`
}

// A Link is a recorded link.
type Link struct {
	Client   int    `json:"client,omitempty"` // the client that opens connections; 0: a node
	From     string `json:"from,omitempty"`   // name of that node
	To       string `json:"to,omitempty"`     // name of a node; "": the current primary
	Protocol string `json:"protocol,omitempty"`
}

// A Kind is the kind of an event.
type Kind byte

// The kinds.
const (
	Connect Kind = iota + 1 // a connection, which may be older than the tape
	Enter                   // data arrived in the proxy; a chunk may take several events
	Leave                   // a chunk was delivered
	Lose                    // a chunk was discarded
	End                     // of one direction
	turn                    // the client continues under another process number
	Gap                     // data of the link is missing here; Conn, Process and Chunk are not set
)

// An Event is an event on a link.
type Event struct {
	Time    int64 // ns on the clock of the history
	Link    int   // index into Meta.Links
	Kind    Kind
	Conn    int  // numbered from 1, over all links
	Reply   bool // sent by the server
	Process int  // process number of the client at this time; 0 for nodes
	Chunk   int  // number in its direction of the connection
	Data    []byte
}

// A blockHeader precedes the records of a block.
type blockHeader struct {
	link, index, used, process uint32
	base                       int64 // ns, time of the first record
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

// appendRecord adds a record: its kind, the ns since the previous record, the connection and its
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

// longestRecord bounds the size of a record without its data, in bytes.
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

// readRecord parses the first record of b. Its time is relative to the previous record.
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
