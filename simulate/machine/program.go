package machine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
)

// A Program is a compiled module or a native program, from which processes are made.
type Program struct {
	mu     sync.Mutex
	begins map[string]*snapshot // by environment

	code     Code
	memories *memories
	sum      string
	kin      *kin // nil: the program is not native
}

// Sum returns a string that identifies the program's build.
func (p *Program) Sum() string { return p.sum }

// maxPages limits the memory of a process to 256 MiB.
const maxPages = 4096

const pageSize = 64 << 10

// Compile compiles a module to machine code. cacheDir keeps the code for other programs; ""
// disables that.
func Compile(ctx context.Context, e Engine, wasm []byte, cacheDir string) (*Program, error) {
	if e == nil {
		return nil, ErrNoEngine
	}
	text, data, err := takeImage(wasm)
	if err != nil {
		return nil, fmt.Errorf("compile guest: %w", err)
	}
	sum := sha256.Sum256(wasm)
	p := &Program{sum: hex.EncodeToString(sum[:8])}
	if p.memories, err = newMemories(data); err == nil {
		p.code, err = e.Compile(ctx, text, cacheDir, maxPages, calls())
	}
	if err != nil {
		_ = p.Close(ctx)
		return nil, fmt.Errorf("compile guest: %w", err)
	}
	return p, nil
}

// Close ends all processes of the program and frees its code.
func (p *Program) Close(ctx context.Context) error {
	if p.kin != nil {
		return p.kin.close()
	}
	var err error
	if p.code != nil {
		err = p.code.Close(ctx)
	}
	p.memories.close()
	for _, s := range p.begins {
		s.memories.close()
	}
	return err
}

// begin returns the initial state of processes with an environment.
func (p *Program) begin(ctx context.Context, env []string) (*snapshot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := strings.Join(env, "\x00")
	if s := p.begins[key]; s != nil {
		return s, nil
	}
	s, err := p.snapshot(ctx, env)
	if err != nil {
		return nil, err
	}
	if p.begins == nil {
		p.begins = map[string]*snapshot{}
	}
	p.begins[key] = s
	return s, nil
}
