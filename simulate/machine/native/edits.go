package native

// A change is made to a file of the runtime: a text that is there once becomes another.
type change struct{ from, to string }

// edits are what is changed of the runtime, by file. What a file that becomes empty had is in
// runtime.go.txt.
func edits() map[string][]change {
	whole := func(constraint string) []change { return []change{{constraint, "//go:build ignore\n"}} }
	return map[string][]change{
		// No thread watches the others, and none is bound to a goroutine.
		"proc.go": {
			{`const haveSysmon = GOARCH != "wasm"`, `const haveSysmon = false`},
			first("func dolockOSThread() {\n", "return"),
			first("func dounlockOSThread() {\n", "return"),
			first("func startTemplateThread() {\n", "return"),
		},
		// Time.
		"sys_linux_amd64.s":   {{"TEXT runtime·nanotime1(SB)", "TEXT runtime·kernelNanotime(SB)"}},
		"time_linux_amd64.s":  whole("//go:build !faketime\n"),
		"timeasm.go":          whole("//go:build !faketime && (windows || (linux && amd64))\n"),
		"stubs3.go":           whole("//go:build !aix && !darwin && !freebsd && !openbsd && !plan9 && !solaris && !wasip1\n"),
		"netpoll_epoll.go":    whole("//go:build linux\n"),
		"os_linux.go":         {{"startupRand = (*[16]byte)(unsafe.Pointer(val))[:]", "startupRand = hostStartup[:]"}},
		"vgetrandom_linux.go": {first("func vgetrandom(p []byte, flags uint32) (ret int, supported bool) {\n", "hostRandomBytes(p)\n\t\treturn len(p), true")},
	}
}

// first lets a function do something first, and nothing else.
func first(signature, what string) change {
	return change{signature, signature + "\tif haveNoThreads {\n\t\t" + what + "\n\t}\n"}
}
