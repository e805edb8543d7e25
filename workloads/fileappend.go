package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A FileAppend appends records to a shared file. A record takes several blocks, as a large
// record takes several writes. The keys of a lock:
//
//	<lock>/end        number of blocks of the file, from 0
//	<lock>/block/<n>  block n, "<record> <part>/<parts>"
//
// The blocks are written first and the end is moved past them last. The blocks of a cut section are
// therefore beyond the end, and the next section overwrites them. With the store "file" the blocks
// are part of a real file.
type FileAppend struct{ Config }

var _ Workload = FileAppend{}

// EndKey returns the key with the number of blocks of the file.
func EndKey(lock string) string { return wire.Key(lock, "end") }

// BlockKey returns the key of one block.
func BlockKey(lock string, n int) string { return wire.Key(lock, fmt.Sprintf("block/%d", n)) }

// Init makes an empty file for every lock.
func (w FileAppend) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "file", EndKey, "0")
}

// Next draws the lock, the times, the name of the record and its length, 2 to 4 blocks.
func (w FileAppend) Next(r *rand.Rand, process int) Section {
	lock, section := w.section(r, "file")
	record, parts := tag(r, process), 2+r.IntN(3)
	section.Run = func(ctx context.Context, s Store) error {
		end, err := readInt(ctx, s, EndKey(lock))
		if err != nil {
			return err
		}
		for part := 1; part <= parts; part++ {
			block := fmt.Sprintf("%s %d/%d", record, part, parts)
			if err := s.Write(ctx, BlockKey(lock, end+part-1), block); err != nil {
				return err
			}
		}
		return writeInt(ctx, s, EndKey(lock), end+parts)
	}
	return section
}
