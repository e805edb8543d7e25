package machine

import (
	"context"
	"errors"
	"fmt"
)

// An instance is code and memory in which a process runs, and after it another: to make one
// takes longer than what most processes do before they wait first.
type instance struct {
	mod Module
	mem *memory
}

// instantiate makes one.
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

// size lets its memory grow to so many pages.
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

// drop makes its memory what it was at first, of so many pages. The module thinks that it
// grows, which is the only way to another size.
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
