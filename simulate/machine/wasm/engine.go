// Package wasm runs guests that are compiled for wasip1, with wazero.
package wasm

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"locktorture/simulate/machine"
)

// An Engine compiles modules with wazero. Two megabytes of an uncached module take about a second.
type Engine struct{}

var _ machine.Engine = Engine{}

// Compile implements machine.Engine.
func (Engine) Compile(ctx context.Context, module []byte, cacheDir string, pages uint32, calls []machine.Call) (machine.Code, error) {
	cfg := wazero.NewRuntimeConfig().WithMemoryLimitPages(pages).WithCloseOnContextDone(false)
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return nil, err
		}
		cfg = cfg.WithCompilationCache(cache)
	}
	c := &code{rt: wazero.NewRuntimeWithConfig(ctx, cfg)}
	err := c.offer(ctx, calls)
	if err == nil {
		c.code, err = c.rt.CompileModule(ctx, module)
	}
	if err != nil {
		return nil, errors.Join(err, c.rt.Close(ctx))
	}
	return c, nil
}

type code struct {
	rt   wazero.Runtime
	code wazero.CompiledModule
}

// offer defines the functions that a module can import.
func (c *code) offer(ctx context.Context, calls []machine.Call) error {
	hosts := map[string]wazero.HostModuleBuilder{}
	for _, f := range calls {
		if hosts[f.Module] == nil {
			hosts[f.Module] = c.rt.NewHostModuleBuilder(f.Module)
		}
		var params, results []api.ValueType
		for _, w := range f.Params {
			params = append(params, map[machine.Width]api.ValueType{32: api.ValueTypeI32, 64: api.ValueTypeI64}[w])
		}
		if !f.NoReturn {
			results = []api.ValueType{api.ValueTypeI32}
		}
		hosts[f.Module].NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
			defer exit()
			f.Do(ctx, mod.Memory(), stack)
		}), params, results).Export(f.Name)
	}
	for name, b := range hosts {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// exit converts the panic with a machine.Exit to the library's own, which ends the call into the
// module.
func exit() {
	switch r := recover().(type) {
	case nil:
	case machine.Exit:
		panic(sys.NewExitError(uint32(r)))
	default:
		panic(r)
	}
}

func (c *code) Instantiate(ctx context.Context, memory func(least, most uint64) machine.Linear) (machine.Module, error) {
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(least, most uint64) experimental.LinearMemory { return memory(least, most) }))
	mod, err := c.rt.InstantiateModule(ctx, c.code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	return module{mod}, nil
}

func (c *code) Close(ctx context.Context) error { return c.rt.Close(ctx) }

type module struct{ api.Module }

func (m module) Memory() machine.Memory { return m.Module.Memory() }

func (m module) Exports(function string) bool { return m.ExportedFunction(function) != nil }

func (m module) Call(ctx context.Context, function string) error {
	_, err := m.ExportedFunction(function).Call(ctx)
	if end := (*sys.ExitError)(nil); errors.As(err, &end) {
		return machine.Exit(end.ExitCode())
	}
	return err
}

func (m module) Global(name string) (get func() uint64, set func(uint64)) {
	g := m.ExportedGlobal(name)
	if g == nil {
		return nil, nil
	}
	if changeable, ok := g.(api.MutableGlobal); ok {
		set = changeable.Set
	}
	return g.Get, set
}

func (m module) Close(ctx context.Context) error { return m.Module.Close(ctx) }
