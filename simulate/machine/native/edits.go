package native

// A change replaces a text that occurs exactly once in a file of the standard library.
type change struct{ from, to string }

// edits returns the changes to the standard library. The keys are paths of files below its
// src. Some files of the runtime are excluded as a whole; runtime.go.txt replaces them.
func edits() map[string][]change {
	whole := func(constraint string) []change { return []change{{constraint, "//go:build ignore\n"}} }
	return map[string][]change{
		// No thread watches the others, and none is bound to a goroutine.
		"runtime/proc.go": {
			{`const haveSysmon = GOARCH != "wasm"`, `const haveSysmon = false`},
			first("func dolockOSThread() {\n", "return"),
			first("func dounlockOSThread() {\n", "return"),
			first("func startTemplateThread() {\n", "return"),
		},
		// A goroutine that waits for signals waits for ever, and needs no thread of its own.
		"runtime/sigqueue.go": {
			first("func signal_recv() uint32 {\n", "sig.state.Store(sigReceiving)\n\t\tgopark(nil, nil, waitReasonZero, traceBlockForever, 1)"),
		},
		// The host provides time, the seed of the runtime, and random bytes.
		"runtime/sys_linux_amd64.s":   {{"TEXT runtime·nanotime1(SB)", "TEXT runtime·kernelNanotime(SB)"}},
		"runtime/time_linux_amd64.s":  whole("//go:build !faketime\n"),
		"runtime/timeasm.go":          whole("//go:build !faketime && (windows || (linux && amd64))\n"),
		"runtime/stubs3.go":           whole("//go:build !aix && !darwin && !freebsd && !openbsd && !plan9 && !solaris && !wasip1\n"),
		"runtime/netpoll_epoll.go":    whole("//go:build linux\n"),
		"runtime/os_linux.go":         {{"startupRand = (*[16]byte)(unsafe.Pointer(val))[:]", "startupRand = hostStartup[:]"}},
		"runtime/vgetrandom_linux.go": {first("func vgetrandom(p []byte, flags uint32) (ret int, supported bool) {\n", "hostRandomBytes(p)\n\t\treturn len(p), true")},

		// Files, processes and sockets. Each system call asks the runtime whether it may reach the
		// kernel; the calls below never may.
		"syscall/syscall_linux.go": {
			{rawCall, "\tif result, errno, done := hostSyscall(trap, a1, a2, a3, a4, a5, a6); done {\n\t\treturn result, 0, Errno(errno)\n\t}\n" + rawCall},
			after("func RawSyscall(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err Errno) {\n\treturn RawSyscall6(trap, a1, a2, a3, 0, 0, 0)\n}\n",
				"//go:linkname hostSyscall runtime.host_syscall\nfunc hostSyscall(trap, a1, a2, a3, a4, a5, a6 uintptr) (result, errno uintptr, done bool)\n\n"+
					"//go:linkname hostSync runtime.host_sync\nfunc hostSync(fd int) (errno int32)\n"),
		},
		// The host can delay an fsync, or make it fail.
		"syscall/zsyscall_linux_amd64.go": {
			after("func Fdatasync(fd int) (err error) {\n", "\tif errno := hostSync(fd); errno != 0 {\n\t\treturn Errno(errno)\n\t}\n"),
			after("func Fsync(fd int) (err error) {\n", "\tif errno := hostSync(fd); errno != 0 {\n\t\treturn Errno(errno)\n\t}\n"),
		},
		"syscall/exec_unix.go": {
			after("func forkExec(argv0 string, argv []string, attr *ProcAttr) (pid int, err error) {\n", "\tif hostAlone() {\n\t\treturn 0, ENOSYS\n\t}\n"),
			{"// Combination of fork and exec, careful to be thread safe.\n", "//go:linkname hostAlone runtime.host_alone\nfunc hostAlone() bool\n\n// Combination of fork and exec, careful to be thread safe.\n"},
		},
		"os/exec.go": {
			after("import (\n", "\t_ \"unsafe\" // for go:linkname\n"),
			{"func Getpid() int { return syscall.Getpid() }\n", "func Getpid() int { return hostPid(syscall.Getpid()) }\n\n//go:linkname hostPid runtime.host_pid\nfunc hostPid(kernel int) int\n"},
		},
		"net/sock_posix.go": {
			after("import (\n", "\t_ \"unsafe\" // for go:linkname\n"),
			{"// socket returns a network file descriptor", "//go:linkname hostRefuses runtime.host_refuses\nfunc hostRefuses(call string)\n\n// socket returns a network file descriptor"},
			after("laddr, raddr sockaddr, ctrlCtxFn func(context.Context, string, string, syscall.RawConn) error) (fd *netFD, err error) {\n\ts, err := sysSocket(family, sotype, proto)\n",
				"\tif err != nil && laddr != nil && raddr == nil {\n\t\thostRefuses(\"listen(\\\"\" + net + \" \" + laddr.String() + \"\\\")\")\n\t}\n"),
		},
	}
}

// rawCall is the code in package syscall that enters the kernel.
const rawCall = "\tvar errno uintptr\n\tr1, r2, errno = linux.Syscall6(trap, a1, a2, a3, a4, a5, a6)\n"

// after returns a change that inserts a text after another one.
func after(text, inserted string) change { return change{text, text + inserted} }

// first returns a change that makes a function execute only the statement what, in programs
// with one thread.
func first(signature, what string) change {
	return change{signature, signature + "\tif haveNoThreads {\n\t\t" + what + "\n\t}\n"}
}
