package machine

import "context"

// Error numbers of WASI.
const (
	success   = 0
	eagain    = 6
	ebadf     = 8
	econnrest = 15
	einval    = 28
	enosys    = 52
	epipe     = 64
)

// A call is a system call. The upper half of a 32-bit argument is undefined.
type call func(p *Process, m Memory, a []uint64) uint32

// calls returns the functions that a program can import: those of WASI, and torture.dial,
// torture.ask and torture.listen.
func calls() (all []Call) {
	const wasi = "wasi_snapshot_preview1"
	for name, c := range meant() {
		all = append(all, imported(wasi, name, c.do, c.params))
	}
	for name, params := range refused() {
		all = append(all, imported(wasi, name, func(*Process, Memory, []uint64) uint32 { return enosys }, params))
	}
	for name, c := range onPaths() {
		all = append(all, imported(wasi, name, c.refuse, c.params))
	}
	return append(all,
		Call{Module: wasi, Name: "proc_exit", Params: []Width{i32}, NoReturn: true, Do: func(_ context.Context, _ Memory, stack []uint64) {
			panic(Exit(uint32(stack[0])))
		}},
		imported("torture", "dial", dial, []Width{i32, i32}), imported("torture", "ask", ask, []Width{i32, i32}),
		imported("torture", "listen", listen, []Width{i32, i32}))
}

// imported wraps a call for the Engine. It finds the calling process and counts the call.
func imported(module, name string, do call, params []Width) Call {
	return Call{Module: module, Name: name, Params: params, Do: func(ctx context.Context, m Memory, stack []uint64) {
		p := of(ctx)
		p.Stats.Calls++
		stack[0] = uint64(do(p, m, stack))
	}}
}

// A signature is a call and the types of its arguments.
type signature struct {
	do     call
	params []Width
}

// meant returns the calls that are implemented.
func meant() map[string]signature {
	p := func(types ...Width) []Width { return types }
	return map[string]signature{
		"args_sizes_get":      {func(p *Process, m Memory, a []uint64) uint32 { return sizes(m, p.args, a) }, p(i32, i32)},
		"args_get":            {func(p *Process, m Memory, a []uint64) uint32 { return list(m, p.args, a) }, p(i32, i32)},
		"environ_sizes_get":   {func(p *Process, m Memory, a []uint64) uint32 { return sizes(m, p.env, a) }, p(i32, i32)},
		"environ_get":         {func(p *Process, m Memory, a []uint64) uint32 { return list(m, p.env, a) }, p(i32, i32)},
		"clock_time_get":      {clockTime, p(i32, i64, i32)},
		"random_get":          {random, p(i32, i32)},
		"sched_yield":         {nothing, p()},
		"poll_oneoff":         {poll, p(i32, i32, i32, i32)},
		"fd_read":             {read, p(i32, i32, i32, i32)},
		"fd_write":            {write, p(i32, i32, i32, i32)},
		"fd_close":            {closeFile, p(i32)},
		"fd_fdstat_get":       {stat, p(i32, i32)},
		"fd_fdstat_set_flags": {nothing, p(i32, i32)}, // all files but the outputs are non-blocking anyway
		"sock_shutdown":       {nothing, p(i32, i32)}, // a close follows
		"fd_prestat_get":      {noFile, p(i32, i32)},  // no directories
		"fd_prestat_dir_name": {noFile, p(i32, i32, i32)},
	}
}

// refused returns the calls that always fail: a process has no files on disk, and nobody dials it.
func refused() map[string][]Width {
	p := func(types ...Width) []Width { return types }
	return map[string][]Width{
		"fd_filestat_get": p(i32, i32), "fd_filestat_set_size": p(i32, i64), "fd_pread": p(i32, i32, i32, i64, i32),
		"fd_pwrite": p(i32, i32, i32, i64, i32), "fd_readdir": p(i32, i32, i32, i64, i32), "fd_seek": p(i32, i64, i32, i32),
		"fd_sync": p(i32), "fd_fdstat_set_rights": p(i32, i64, i64), "sock_accept": p(i32, i32, i32),
		"path_filestat_get": p(i32, i32, i32, i32, i32), "path_readlink": p(i32, i32, i32, i32, i32, i32),
	}
}
