package machine

import (
	"context"
	"errors"
	"fmt"
)

// An instance is the code and memory in which one process runs after the other. Instances are
// reused, because making one takes longer than most processes run before their first wait.
type instance struct {
	mod Module
	mem *memory
}

// instantiate makes an instance with memory from a pool.
func (p *Program) instantiate(ctx context.Context, from *memories) (*instance, error) {
	i := &instance{}
	var failed error
	var err error
	i.mod, err = p.code.Instantiate(ctx, from.lends(&i.mem, &failed))
	if err != nil || failed != nil {
		return nil, fmt.Errorf("start guest: %w", errors.Join(err, failed))
	}
	return i, nil
}

var errSize = errors.New("start guest: its memory cannot have that size")

// size grows the memory to the given number of pages.
func (i *instance) size(pages uint32) error {
	has := i.mod.Memory().Size() / pageSize
	if has > pages {
		return errSize
	}
	if _, ok := i.mod.Memory().Grow(pages - has); !ok {
		return errSize
	}
	return nil
}

// drop resets the memory to its initial contents and to the given number of pages. It makes the
// module grow its memory, which is the only way to change the size.
func (i *instance) drop(pages uint32) error {
	if err := i.mem.drop(); err != nil {
		return err
	}
	i.mem.back = uint64(pages) * pageSize
	defer func() { i.mem.back = 0 }()
	if _, ok := i.mod.Memory().Grow(1); !ok {
		return errSize
	}
	return nil
}
